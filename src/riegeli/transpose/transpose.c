/* The decoder of transposed chunks: parses the data into a program, and runs it.
 *
 * The stages: header (buffer sizes, then the nodes of the state machine), transitions, and then those buckets of
 * buffers that the earlier stages show to be needed. Decompressed data of each stage is in a block of the program,
 * until the next chunk; uncompressed data is read in place. The decoder does not suspend: the caller has the whole
 * chunk. Before memory is allocated, sizes are checked against the limits and against the size of the input
 * (cpb_transpose_table, cpb_transpose_plausible); machine.c has the invariants for assembling records. */
#include "riegeli/transpose/transpose.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "riegeli/transpose/program.h"

/* A value of at least this size is worth a span of its own. */
enum { LEAST_PART = 16 * 1024 };

/* Takes the header off the front of `data`. */
static bool read_header(cpb_transpose_program *p, cpb_transpose_cursor *data, cpb_transpose_cursor *header) {
  if (cpb_transpose_cursor_size(data) == 0) return cpb_transpose_damaged(p, "the codec is missing");
  uint64_t size;
  cpb_span all;
  p->codec = *cpb_transpose_cursor_take(data, 1).next;
  if (!cpb_transpose_cursor_read_u64(data, &size)) return cpb_transpose_damaged(p, "the header's size is missing");
  if (size > cpb_transpose_cursor_size(data)) return cpb_transpose_damaged(p, "the header is cut off");
  const cpb_transpose_cursor stored = cpb_transpose_cursor_take(data, (size_t)size);
  if (!cpb_transpose_in_one_piece(p, stored, "header", CPB_TRANSPOSE_HEADER, &all)) return false;
  *header = cpb_transpose_cursor_of(all);
  return true;
}

static bool parse(cpb_transpose_program *p, cpb_transpose_cursor data) {
  cpb_transpose_cursor header;
  if (!read_header(p, &data, &header) || !cpb_transpose_parse_buffers(p, &header, &data) ||
      !cpb_transpose_parse_nodes(p, &header))
    return false;
  if (header.next != header.end) return cpb_transpose_damaged(p, "bytes after the end of the header");
  return cpb_transpose_in_one_piece(p, data, "transitions", CPB_TRANSPOSE_PATHS, &p->transitions);
}

static bool within_limits(const cpb_transpose_program *p) {
  size_t unused;
  if (p->decoded_size > p->limits.riegeli_chunk || !cpb_to_size(p->decoded_size, &unused))
    return CPB_FAILS(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: %llu decoded bytes exceed the limit of %llu",
                     (unsigned long long)p->decoded_size, (unsigned long long)p->limits.riegeli_chunk);
  if (p->num_records > p->limits.records_per_chunk)
    return CPB_FAILS(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: %llu records exceed the limit of %llu",
                     (unsigned long long)p->num_records, (unsigned long long)p->limits.records_per_chunk);
  return true;
}

static uint64_t unpacked(const cpb_transpose_program *p) {
  const cpb_buffer *b = p->blocks;
  if (p->codec == CPB_RIEGELI_NONE) return 0;
  return b[CPB_TRANSPOSE_HEADER].size + b[CPB_TRANSPOSE_VALUES].size + b[CPB_TRANSPOSE_PATHS].size;
}

/* Loads the buffers, and with a projection marks nodes that are left out. `*filter`: the records have unselected
 * fields. */
static bool load(cpb_transpose_program *p, const cpb_projection *projection, bool *filter) {
  const uint8_t *use = NULL;
  *filter = CPB_WITH_PROJECTION && projection;
  return (!*filter || cpb_transpose_project(p, projection, &use, filter)) && cpb_transpose_load_buffers(p, use);
}

static bool decode(cpb_transpose_program *p, const cpb_transpose_chunk *chunk, size_t least_part, cpb_transposed *out) {
  cpb_transpose_program_begin(p);
  p->num_records = chunk->num_records;
  p->decoded_size = chunk->decoded_size;
  p->projects = CPB_WITH_PROJECTION && chunk->projection;
  bool filter;
  if (!within_limits(p) || !parse(p, chunk->data) || !load(p, chunk->projection, &filter)) return false;
  p->least_part = filter || (p->codec == CPB_RIEGELI_NONE && !chunk->stays) ? SIZE_MAX : least_part;
  out->codec = p->codec;
  out->unpacked = unpacked(p);
  if (!cpb_transpose_run(p, out)) return false;
  if (CPB_WITH_PROJECTION && chunk->projection && out->num_records > 0)
    out->unpacked += out->ends[out->num_records - 1];
  if (CPB_WITH_PROJECTION && filter) cpb_transposed_filter(out, chunk->projection);
  return true;
}

bool cpb_transpose_read(cpb_transpose_program *p, const cpb_limits *limits, const cpb_transpose_chunk *chunk,
                        cpb_transposed *out, cpb_error *error) {
  p->limits = cpb_limits_or_default(limits);
  p->error = error;
  cpb_transposed_reset(out, SIZE_MAX);
  const bool done = decode(p, chunk, LEAST_PART, out);
  if (!done) cpb_transposed_reset(out, SIZE_MAX);
  if (p->frugal && out->num_parts == 0) cpb_transpose_program_trim(p, 0); /* it may contain parts */
  return done;
}

bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error) {
  const cpb_allocator allocator = cpb_allocator_or_default(a);
  const cpb_transpose_chunk chunk = {cpb_transpose_cursor_of(data), false, num_records, decoded_size, NULL};
  cpb_transpose_program program;
  cpb_transpose_program_init(&program, &allocator);
  program.limits = cpb_limits_or_default(limits);
  program.error = error;
  cpb_transposed_init(out, &allocator);
  const bool done = decode(&program, &chunk, SIZE_MAX, out);
  cpb_transpose_program_free(&program);
  if (!done) cpb_transposed_free(out);
  return done;
}
