#include "riegeli/transpose/transpose.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/transpose/machine.h"
#include "riegeli/transpose/program.h"

bool cpb_transpose_damaged(const cpb_transpose_program *p, const char *text) {
  cpb_fail(p->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "transposed chunk: %s", text);
  return false;
}

/* Bytes that one part may take: the limit, and a little where that is tiny. */
static uint64_t most_bytes(const cpb_transpose_program *p) {
  uint64_t most;
  return cpb_add_u64(p->limits.riegeli_chunk, 1 << 16, &most) ? most : UINT64_MAX;
}

uint64_t cpb_transpose_plausible(const cpb_transpose_program *p) {
  /* Riegeli spends at most 32 bytes on a transition and about as many on a
   * node, of which two are enough for a byte or a record. */
  const uint64_t steps = cpb_min_u64(p->decoded_size, UINT64_MAX / 256) + cpb_min_u64(p->num_records, UINT64_MAX / 256);
  return cpb_min_u64(most_bytes(p), 4096 + 64 * steps);
}

bool cpb_transpose_read_u32(cpb_transpose_cursor *c, uint32_t *value) {
  uint64_t v;
  const uint8_t *after = cpb_varint_read(c->next, c->end, &v);
  if (!after || after - c->next > 5 || v > UINT32_MAX) return false;
  c->next = after;
  *value = (uint32_t)v;
  return true;
}

bool cpb_transpose_decompress(cpb_transpose_program *p, cpb_span in, uint64_t max, const char *what, cpb_buffer *out) {
  cpb_codec_error failure;
  /* A byte at least, so that an empty buffer has an address too. */
  if (!cpb_buffer_reserve(out, out->size + 1)) return cpb_fail_memory(p->error) == CPB_OK;
  if (cpb_decompress_all(&p->allocator, &p->limits, p->codec, in, max, out, &failure)) return true;
  cpb_fail(p->error, failure.code, CPB_NO_OFFSET, "transposed chunk: %s: %s", what, failure.what);
  return false;
}

void *cpb_transpose_table(cpb_transpose_program *p, size_t count, size_t element) {
  size_t size;
  if (!cpb_mul_size(count, element, &size) || size > most_bytes(p)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET,
             "transposed chunk: a table of %zu entries needs more than the limit of %llu bytes", count,
             (unsigned long long)p->limits.riegeli_chunk);
    return NULL;
  }
  void *table = cpb_alloc_zeroed(&p->allocator, size);
  if (!table) cpb_fail_memory(p->error);
  return table;
}

/* Takes the header off the front of `data`. */
static bool read_header(cpb_transpose_program *p, cpb_span *data, cpb_transpose_cursor *header) {
  if (data->size == 0) return cpb_transpose_damaged(p, "no compression type");
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

/* What is left of the data are the transitions. */
static bool read_transitions(cpb_transpose_program *p, cpb_span data) {
  p->transitions = data;
  if (p->codec == CPB_RIEGELI_NONE) return true;
  if (!cpb_transpose_decompress(p, data, cpb_transpose_plausible(p), "transitions", &p->paths)) return false;
  p->transitions = (cpb_span){p->paths.data, p->paths.size};
  return true;
}

bool cpb_transpose_parse(cpb_transpose_program *p, cpb_span data) {
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

void cpb_transpose_program_free(cpb_transpose_program *p) {
  cpb_buffer_free(&p->header);
  cpb_buffer_free(&p->values);
  cpb_buffer_free(&p->paths);
  cpb_release(&p->allocator, p->buffers);
  cpb_release(&p->allocator, p->nodes);
}

static bool within_limits(const cpb_transpose_program *p) {
  size_t unused;
  if (p->decoded_size > p->limits.riegeli_chunk || !cpb_to_size(p->decoded_size, &unused)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET,
             "a transposed chunk of %llu decoded bytes is larger than the limit of %llu",
             (unsigned long long)p->decoded_size, (unsigned long long)p->limits.riegeli_chunk);
    return false;
  }
  if (p->num_records > p->limits.records_per_chunk) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "a transposed chunk of %llu records has more than the limit of %llu",
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
  bool done = within_limits(&program) && cpb_transpose_parse(&program, data) && cpb_transpose_run(&program, out);
  out->codec = program.codec;
  cpb_transpose_program_free(&program);
  if (!done) cpb_transposed_free(out);
  return done;
}

void cpb_transposed_free(cpb_transposed *out) {
  cpb_allocator a = out->values.allocator;
  cpb_buffer_free(&out->values);
  cpb_release(&a, out->ends);
  out->ends = NULL;
  out->num_records = 0;
}
