#include "cpb/archive.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/formats/zip/stream.h"
#include "model/formats/zip/write.h"
#include "model/formats/zip/zip.h"

struct cpb_archive {
  cpb_allocator allocator;
  cpb_input input;
  cpb_error error;
  cpb_meter meter;
  cpb_zip zip;
  cpb_zip_stream stream;
  cpb_span piece;
};

cpb_archive *cpb_archive_new(const cpb_allocator *given, const cpb_limits *limits) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_archive *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  r->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&r->input);
  cpb_meter_init(&r->meter, &a, limits, &r->input);
  cpb_zip_init(&r->zip, &a, &r->input, cpb_max_memory_or_default(0), &r->meter, &r->error);
  cpb_zip_stream_init(&r->stream, &r->zip);
  return r;
}

void cpb_archive_free(cpb_archive *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_zip_stream_free(&r->stream);
  cpb_zip_free(&r->zip);
  cpb_meter_free(&r->meter);
  cpb_release(&a, r);
}

cpb_input *cpb_archive_input(cpb_archive *r) { return &r->input; }
const cpb_error *cpb_archive_error(const cpb_archive *r) { return &r->error; }

cpb_step cpb_archive_step(cpb_archive *r) {
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  cpb_meter_update(&r->meter);
  r->piece = (cpb_span){NULL, 0};
  cpb_have have = cpb_zip_open(&r->zip);
  if (have == CPB_HAVE && r->stream.entry) have = cpb_zip_stream_next(&r->stream, &r->piece);
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  if (have == CPB_HAVE && r->piece.size > 0) return CPB_STEP_DATA;
  cpb_input_let_go(&r->input);
  return have == CPB_HAVE ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

size_t cpb_archive_count(const cpb_archive *r) { return r->zip.num_entries; }

int cpb_archive_get(const cpb_archive *r, size_t i, cpb_archive_entry *entry) {
  if (i >= r->zip.num_entries) return 0;
  const cpb_zip_entry *e = &r->zip.entries[i];
  *entry =
      (cpb_archive_entry){(const char *)e->name.data, e->name.size, e->size, e->packed, e->method == CPB_ZIP_STORED};
  return 1;
}

size_t cpb_archive_find(const cpb_archive *r, const char *name, size_t size) {
  const cpb_zip_entry *entry = cpb_zip_find(&r->zip, (cpb_span){(const uint8_t *)name, size});
  return entry ? (size_t)(entry - r->zip.entries) : SIZE_MAX;
}

void cpb_archive_read(cpb_archive *r, size_t i) { cpb_zip_stream_begin(&r->stream, &r->zip.entries[i]); }

const uint8_t *cpb_archive_data(const cpb_archive *r, size_t *size) {
  *size = r->piece.size;
  return r->piece.data;
}

uint64_t cpb_archive_offset(const cpb_archive *r) {
  uint64_t offset;
  return r->stream.entry && cpb_zip_stream_offset(&r->stream, &offset) ? offset : CPB_NO_OFFSET;
}

/* --- Models --------------------------------------------------------------------- */

/* A complete model in the archive counts (rank 2), wherever it is. Files whose endings only suggest a model (rank 1)
 * count if the archive has nothing better. */

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

/* Entries that archives of other programs have. */
static bool is_foreign(const cpb_archive *r) {
  static const char *const names[] = {"tags.txt", "model.weights.h5", "coefficients.bin", "[Content_Types].xml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cpb_zip_find(&r->zip, span_of(names[i]))) return true;
  for (size_t i = 0; i < r->zip.num_entries; i++)
    if (cpb_is_entry_called(r->zip.entries[i].name, "data.pkl")) return true;
  return false;
}

size_t cpb_archive_find_models(const cpb_archive *r, size_t *entries, size_t most) {
  size_t count = 0;
  if (is_foreign(r)) return 0;
  for (int rank = 2; count == 0 && rank > 0; rank--) {
    for (size_t i = 0; i < r->zip.num_entries; i++) {
      if (cpb_entry_model_rank(r->zip.entries[i].name) != rank) continue;
      if (count < most) entries[count] = i;
      count++;
    }
  }
  return count;
}
