#include "model/common/guess.h"
#include "model/common/kind.h"
#include "model/common/spans.h"
#include "model/formats/zip/zip.h"
#include "model/samediff/tables.h"

/* A score that messages do not reach. */
enum { CERTAIN = 1000 };

/* --- Zips ---------------------------------------------------------------------------------- */

/* Whether it is the name of a file of a tag (docs/samediff-format.md). */
static bool is_of_tag(cpb_span name) {
  return cpb_span_ends(name, "/graph.fb") || cpb_span_ends(name, "/params.txt") ||
         cpb_span_ends(name, "/trainingConfig.fb") || cpb_span_ends(name, "/updater.txt") ||
         cpb_span_ends(name, "/params_maps.txt") ||
         (cpb_span_ends(name, ".fb") &&
          (cpb_span_contains(name, cpb_span_of("/params/")) || cpb_span_contains(name, cpb_span_of("/updater/"))));
}

/* Such archives have file names that no others have. */
int cpb_samediff_zip_guess(const cpb_file_ends *ends, bool is_named) {
  const cpb_span begin = cpb_ends_begin(ends);
  (void)is_named;
  if (!cpb_span_begins(begin, cpb_span_of("PK"))) return 0;
  cpb_zip_glance glance = cpb_zip_glance_at(begin, cpb_ends_end(ends), ends->size);
  for (cpb_span name; cpb_zip_glance_next(&glance, &name);) {
    const bool is_tags = name.size == 8 && cpb_span_contains(name, cpb_span_of("tags.txt"));
    if (is_tags || is_of_tag(name)) return CERTAIN;
  }
  return 0;
}

/* --- Graphs -------------------------------------------------------------------------------- */

enum { OFFSET = 4, FIELDS_MOST = GRAPH_SEQUENCE_ITEMS + 8 /* fields, including those of future versions */ };

/* A schema's identifier would be in these four bytes: ND4J's schema has none. */
static bool has_identifier(const uint8_t *at) {
  for (size_t i = 0; i < 4; i++) {
    const uint8_t c = at[i];
    if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

/* Whether the table's field, at `at` of the buffer, leads to a vector of tables that fits into the file. */
static bool is_vector(cpb_span in, uint64_t size, uint64_t at) {
  if (at + 4 > in.size) return at + 4 <= size && in.size < size;
  const uint64_t vector = at + cpb_load32(in.data + at);
  if (vector == at || vector + 4 > size) return false;
  if (vector + 4 > in.size) return in.size < size;
  return (size - vector - 4) / 4 >= cpb_load32(in.data + vector);
}

/* Finds the vtable of the table at `root`, and its length; false if it cannot be a graph's. */
static bool find_vtable(cpb_span in, uint64_t root, const uint8_t **vtable, size_t *length) {
  if (root + OFFSET > in.size) return false;
  const int64_t at = (int64_t)root - (int32_t)cpb_load32(in.data + root);
  if (at < OFFSET || at % 2 != 0 || (uint64_t)at + 4 > in.size) return false;
  *vtable = in.data + at;
  *length = cpb_load16(*vtable);
  return *length % 2 == 0 && *length >= 4 + 2 * (GRAPH_NODES + 1) && *length <= 4 + 2 * FIELDS_MOST &&
         *length <= in.size - (size_t)at;
}

/* Whether the root, which is near the beginning, is a table with variables and operations. */
static bool is_graph(cpb_span in, uint64_t size, uint64_t root) {
  const uint8_t *vtable;
  size_t length;
  if (!find_vtable(in, root, &vtable, &length)) return false;
  const size_t table = cpb_load16(vtable + 2);
  for (size_t i = 4; i < length; i += 2)
    if (cpb_load16(vtable + i) + 1u > table) return false;
  for (size_t field = GRAPH_VARIABLES; field <= GRAPH_NODES; field++) {
    const size_t offset = cpb_load16(vtable + 4 + 2 * field);
    if (offset == 0 || !is_vector(in, size, root + offset)) return false;
  }
  return true;
}

/* If the name has the ending, a plausible root offset is enough: the graph may be damaged. */
int cpb_samediff_graph_guess(const cpb_file_ends *ends, bool is_named) {
  const cpb_span in = cpb_ends_begin(ends);
  if (in.size < 8 || has_identifier(in.data + OFFSET) || in.data[2] != 0 || in.data[3] != 0) return 0;
  const uint64_t root = cpb_load32(in.data);
  return root > 0 && root % 4 == 0 && (is_named || is_graph(in, ends->size, root)) ? CERTAIN : 0;
}
