/* The decoder of transposed chunks: parses the data into a program, and runs it.
 *
 * The stages follow the layout of the data: header (buffer sizes, then the nodes of the state machine),
 * buckets with the buffers, transitions. Each stage owns what it decompresses until the program is
 * freed; without compression all spans point into `data`, which the caller keeps for the whole call.
 * The decoder does not suspend: the caller has the whole chunk. Before memory is taken, sizes are
 * checked against the limits and against bytes that the input has (cpb_transpose_table,
 * cpb_transpose_plausible); machine.c says what holds while records are put together. */
#include "riegeli/transpose/transpose.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/transpose/buffers.h"
#include "riegeli/transpose/machine.h"
#include "riegeli/transpose/nodes.h"

/* Takes the header off the front of `data`. */
static bool read_header(cpb_transpose_program *p, cpb_span *data, cpb_transpose_cursor *header) {
  if (data->size == 0) return cpb_transpose_damaged(p, "the codec is missing");
  const uint8_t *end = data->data + data->size;
  uint64_t size;
  p->codec = data->data[0];
  const uint8_t *begin = cpb_varint_read(data->data + 1, end, &size);
  if (!begin) return cpb_transpose_damaged(p, "the header's size is missing");
  if (size > (size_t)(end - begin)) return cpb_transpose_damaged(p, "the header is cut off");
  cpb_span stored = {begin, (size_t)size};
  *data = (cpb_span){begin + size, (size_t)(end - begin) - (size_t)size};
  if (p->codec != CPB_RIEGELI_NONE) {
    if (!cpb_transpose_decompress(p, stored, cpb_transpose_plausible(p), "header", &p->header)) return false;
    stored = (cpb_span){p->header.data, p->header.size};
  }
  *header = (cpb_transpose_cursor){stored.data, stored.data + stored.size};
  return true;
}

/* The rest of the data are the transitions. */
static bool read_transitions(cpb_transpose_program *p, cpb_span data) {
  p->transitions = data;
  if (p->codec == CPB_RIEGELI_NONE) return true;
  if (!cpb_transpose_decompress(p, data, cpb_transpose_plausible(p), "transitions", &p->paths)) return false;
  p->transitions = (cpb_span){p->paths.data, p->paths.size};
  return true;
}

/* Parses `data`. The program has allocator, limits, error, num_records and decoded_size; all else is
 * zero. */
static bool parse(cpb_transpose_program *p, cpb_span data) {
  cpb_transpose_cursor header;
  cpb_buffer_init(&p->header, &p->allocator);
  cpb_buffer_init(&p->values, &p->allocator);
  cpb_buffer_init(&p->paths, &p->allocator);
  if (!read_header(p, &data, &header) || !cpb_transpose_parse_buffers(p, &header, &data) ||
      !cpb_transpose_parse_nodes(p, &header))
    return false;
  if (header.next != header.end) return cpb_transpose_damaged(p, "bytes after the end of the header");
  return read_transitions(p, data);
}

static bool within_limits(const cpb_transpose_program *p) {
  size_t unused;
  if (p->decoded_size > p->limits.riegeli_chunk || !cpb_to_size(p->decoded_size, &unused)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: %llu decoded bytes exceed the limit of %llu",
             (unsigned long long)p->decoded_size, (unsigned long long)p->limits.riegeli_chunk);
    return false;
  }
  if (p->num_records > p->limits.records_per_chunk) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: %llu records exceed the limit of %llu",
             (unsigned long long)p->num_records, (unsigned long long)p->limits.records_per_chunk);
    return false;
  }
  return true;
}

bool cpb_transpose_decode(const cpb_allocator *a, const cpb_limits *limits, cpb_span data, uint64_t num_records,
                          uint64_t decoded_size, cpb_transposed *out, cpb_error *error) {
  cpb_transpose_program program = {.allocator = cpb_allocator_or_default(a),
                                   .limits = cpb_limits_or_default(limits),
                                   .error = error,
                                   .num_records = num_records,
                                   .decoded_size = decoded_size};
  *out = (cpb_transposed){.ends = NULL};
  cpb_buffer_init(&out->values, &program.allocator);
  bool done = within_limits(&program) && parse(&program, data) && cpb_transpose_run(&program, out);
  out->codec = program.codec;
  out->unpacked = program.header.size + program.values.size + program.paths.size;
  cpb_transpose_program_free(&program);
  if (!done) cpb_transposed_free(out);
  return done;
}
