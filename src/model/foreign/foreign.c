#include "model/foreign/foreign.h"

#include "base/checked.h"
#include "base/status.h"
#include "cpb/model.h"
#include "model/common/guess.h"
#include "model/common/kind.h"
#include "model/common/spans.h"

/* --- foreign ---------------------------------------------------------------------------------- */

/* --- What it is -------------------------------------------------------------------------- */

static bool is_zeros(cpb_span in) {
  size_t i = 0;
  while (i < in.size && in.data[i] == 0) i++;
  return i == in.size;
}

static bool is_lost(const cpb_file_ends *ends, cpb_foreign *found) {
  enum { ZEROS_LEAST = 16 };
  const bool is_empty = ends->size == 0;
  const bool all_zeros = ends->begin_size >= ZEROS_LEAST && ends->end_size > 0 && is_zeros(cpb_ends_begin(ends)) &&
                         is_zeros(cpb_ends_end(ends));
  if (is_empty || all_zeros) found->kind = is_empty ? CPB_FOREIGN_EMPTY : CPB_FOREIGN_ZEROS;
  return is_empty || all_zeros;
}

static bool is_converted(const cpb_file_ends *ends, cpb_foreign *found) {
  const cpb_model_kind kind = cpb_guess_converted(ends);
  if (!kind) return false;
  *found = (cpb_foreign){CPB_FOREIGN_LINE_ENDS, cpb_span_of(cpb_model_kind_label(kind))};
  return true;
}

/* The order matters: certain evidence comes first. Nearly everything readable is text, so text comes last. */
cpb_foreign cpb_foreign_look(const cpb_file_ends *ends) {
  static bool (*const parts[])(const cpb_file_ends *, cpb_foreign *) = {
      is_lost,      cpb_foreign_signature, cpb_foreign_archive, cpb_foreign_binary,
      is_converted, cpb_foreign_message,   cpb_foreign_text};
  cpb_foreign found = {CPB_FOREIGN_UNKNOWN, {NULL, 0}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i](ends, &found)) break;
  return found;
}

/* --- Its sentence -------------------------------------------------------------------------- */

typedef struct row {
  const char *name, *what, *advice;
} row;

#define ROW(NAME, name, what, advice) {#name, what, advice},
static const row rows[] = {{NULL, "not a known kind of model", ""}, CPB_FOREIGN_KINDS(ROW)};

enum { DETAIL_MOST = 65 };

/* Writes `what` with the detail in its place. Returns the length. */
static size_t write_what(const char *what, const char *detail, char *out, size_t size) {
  size_t n = 0;
  bool is_left_out = false;
  out[0] = 0;
  for (; *what; what++)
    if (*what == '{') is_left_out = !*detail;
    else if (*what == '}') is_left_out = false;
    else if (!is_left_out && *what == '@') n += cpb_format(out + n, size - n, "%s", detail);
    else if (!is_left_out) n += cpb_format(out + n, size - n, "%c", *what);
  return n;
}

/* "expected one of SavedModel, GraphDef, ..." */
static void write_kinds(char *out, size_t size) {
  size_t n = cpb_format(out, size, "expected one of ");
  for (cpb_model_kind kind = 1; cpb_model_kind_label(kind); kind++)
    n += cpb_format(out + n, size - n, "%s%s", kind > 1 ? ", " : "", cpb_model_kind_label(kind));
}

const char *cpb_foreign_describe(const cpb_file_ends *given, char *out, size_t size) {
  char detail[DETAIL_MOST];
  cpb_file_ends ends;
  if (size == 0) return NULL;
  cpb_ends_copy(&ends, given);
  const cpb_foreign found = cpb_foreign_look(&ends);
  const row *r = &rows[found.kind];
  cpb_quote(detail, sizeof detail, found.detail.data, found.detail.size);
  size_t n = write_what(r->what, detail, out, size);
  n += cpb_format(out + n, size - n, "; %s", r->advice);
  if (!*r->advice) write_kinds(out + n, size - n);
  return r->name;
}

/* --- instead ---------------------------------------------------------------------------------- */

enum { LARGEST = 65536 }; /* pointers and pages of servers are small, files with values are not */

/* Whether a file that begins with these bytes is a known substitute for files: "a Git LFS pointer ...; fetch ...",
 * written to `out`, which has `room`; "" if it is not. */
static bool describe_instead(cpb_span begin, char *out, size_t room) {
  const cpb_file_ends given = {
      .struct_size = sizeof given, .begin = begin.data, .begin_size = begin.size, .size = CPB_NO_OFFSET};
  cpb_file_ends ends;
  cpb_ends_copy(&ends, &given);
  const cpb_foreign_kind kind = cpb_foreign_look(&ends).kind;
  out[0] = 0;
  if (kind < CPB_FOREIGN_ZEROS || kind > CPB_FOREIGN_SERVER_JSON) return false;
  return cpb_foreign_describe(&ends, out, room) != NULL;
}

static cpb_have take_begin(cpb_foreign_instead *f, cpb_input *input, cpb_range next) {
  const uint64_t end = cpb_max_u64(sizeof f->begin, next.offset + cpb_min_u64(next.length, LARGEST));
  while (f->size < sizeof f->begin) {
    cpb_span bytes;
    const cpb_have have = cpb_input_span(input, f->size, (size_t)(end - f->size),
                                         cpb_max_u64(end, next.offset + next.length) - f->size, &bytes);
    if (have == CPB_AT_END) break;
    if (have != CPB_HAVE) return have;
    bytes.size = cpb_min_size(bytes.size, sizeof f->begin - f->size);
    memcpy(f->begin + f->size, bytes.data, bytes.size);
    f->size += bytes.size;
  }
  return CPB_HAVE;
}

/* The size is asked for only if the beginning is suspicious. */
cpb_have cpb_foreign_find_instead(cpb_foreign_instead *f, cpb_input *input, cpb_range next, char *out, size_t room) {
  uint64_t size = cpb_input_known_size(input);
  out[0] = 0;
  if (f->done || next.offset >= LARGEST || (size > LARGEST && size != CPB_NO_OFFSET)) return CPB_HAVE;
  cpb_have have = take_begin(f, input, next);
  if (have == CPB_HAVE && describe_instead((cpb_span){f->begin, f->size}, out, room))
    have = cpb_input_size(input, 0, &size);
  if (have != CPB_HAVE) return have;
  if (size > LARGEST) out[0] = 0;
  f->done = true;
  return CPB_HAVE;
}

cpb_have cpb_foreign_span(cpb_foreign_instead *f, cpb_input *input, cpb_range left, size_t most, cpb_span *bytes,
                          char *out, size_t room) {
  cpb_have have = cpb_foreign_find_instead(f, input, left, out, room);
  if (have != CPB_HAVE || out[0]) return have == CPB_HAVE ? CPB_AT_END : have;
  have = cpb_input_span(input, left.offset, (size_t)cpb_min_u64(left.length, most), left.length, bytes);
  if (have != CPB_AT_END) return have;
  have = cpb_foreign_find_instead(f, input, (cpb_range){0, 0}, out, room);
  return have == CPB_HAVE ? CPB_AT_END : have;
}
