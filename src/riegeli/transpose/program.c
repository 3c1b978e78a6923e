#include "riegeli/transpose/program.h"

#include "base/checked.h"
#include "base/status.h"
#include "riegeli/codec/decompressor.h"

bool cpb_transpose_damaged(const cpb_transpose_program *p, const char *text) {
  cpb_fail(p->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "transposed: %s", text);
  return false;
}

/* The most bytes of a table or buffer: the limit, and a little more for limits that are tiny. */
static uint64_t most_bytes(const cpb_transpose_program *p) {
  uint64_t most;
  return cpb_add_u64(p->limits.riegeli_chunk, 1 << 16, &most) ? most : UINT64_MAX;
}

uint64_t cpb_transpose_plausible(const cpb_transpose_program *p) {
  /* Two nodes are enough for a byte or a record, and Riegeli takes at most about 32 bytes for a
   * node and the transitions to it. */
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
  /* At least a byte, so that an empty buffer has an address, too. */
  if (!cpb_buffer_reserve(out, out->size + 1)) return cpb_fail_memory(p->error) == CPB_OK;
  if (cpb_decompress_all(&p->allocator, &p->limits, p->codec, in, max, out, &failure)) return true;
  cpb_fail(p->error, failure.code, CPB_NO_OFFSET, "transposed: %s: %s", what, failure.what);
  return false;
}

void *cpb_transpose_table(cpb_transpose_program *p, size_t count, size_t element) {
  size_t size;
  if (!cpb_mul_size(count, element, &size) || size > most_bytes(p)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "transposed: a table of %zu entries exceeds the limit of %llu bytes",
             count, (unsigned long long)p->limits.riegeli_chunk);
    return NULL;
  }
  void *table = cpb_alloc_zeroed(&p->allocator, size);
  if (!table) cpb_fail_memory(p->error);
  return table;
}

void cpb_transpose_program_free(cpb_transpose_program *p) {
  cpb_buffer_free(&p->header);
  cpb_buffer_free(&p->values);
  cpb_buffer_free(&p->paths);
  cpb_release(&p->allocator, p->buffers);
  cpb_release(&p->allocator, p->nodes);
}
