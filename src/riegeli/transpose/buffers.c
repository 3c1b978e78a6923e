#include "riegeli/transpose/buffers.h"

#include "base/checked.h"
#include "base/status.h"

/* The most bytes that all buckets can have: each is a byte of a record, or of the size of a record
 * that is no message. */
static uint64_t most_values(const cpb_transpose_program *p) {
  uint64_t sizes, all;
  if (!cpb_mul_u64(p->num_records, 5, &sizes) || !cpb_add_u64(p->decoded_size, sizes, &all)) return UINT64_MAX;
  return all;
}

/* Reads the sizes of the buckets from the header and takes the buckets off the front of `data`.
 * Decompressed they follow each other; ends[i] is where bucket i ends. */
static bool load_buckets(cpb_transpose_program *p, cpb_transpose_cursor *header, cpb_transpose_cursor *data,
                         size_t *ends, size_t num_buckets) {
  const cpb_buffer *values = &p->blocks[CPB_TRANSPOSE_VALUES];
  const cpb_transpose_cursor begin = *data;
  const size_t all = cpb_transpose_cursor_size(data);
  for (size_t i = 0; i < num_buckets; i++) {
    uint64_t size;
    if (!cpb_transpose_cursor_read_u64(header, &size)) return cpb_transpose_damaged(p, "a bucket's size is missing");
    if (size > cpb_transpose_cursor_size(data)) return cpb_transpose_damaged(p, "a bucket is cut off");
    const cpb_transpose_cursor stored = cpb_transpose_cursor_take(data, (size_t)size);
    if (p->codec == CPB_RIEGELI_NONE) {
      ends[i] = all - cpb_transpose_cursor_size(data);
      continue;
    }
    if (!cpb_transpose_decompress(p, stored, most_values(p) - values->size, "bucket", CPB_TRANSPOSE_VALUES))
      return false;
    ends[i] = values->size;
  }
  p->all_values = begin;
  if (p->codec == CPB_RIEGELI_NONE)
    p->all_values = cpb_transpose_cursor_take(&p->all_values, all - cpb_transpose_cursor_size(data));
  else p->all_values = cpb_transpose_cursor_of((cpb_span){values->data, values->size});
  return true;
}

/* Reads the sizes of the buffers from the header. Each is within one bucket, and together they are
 * all of the buckets. */
static bool cut_buffers(cpb_transpose_program *p, cpb_transpose_cursor *header, const size_t *ends,
                        size_t num_buckets) {
  cpb_transpose_cursor values = p->all_values;
  size_t bucket = 0, position = 0;
  for (size_t i = 0; i < p->num_buffers; i++) {
    uint64_t size;
    if (!cpb_transpose_cursor_read_u64(header, &size)) return cpb_transpose_damaged(p, "a buffer's size is missing");
    if (size > ends[bucket] - position) return cpb_transpose_damaged(p, "a buffer does not fit in its bucket");
    p->buffers[i] = cpb_transpose_cursor_take(&values, (size_t)size);
    position += (size_t)size;
    while (position == ends[bucket] && bucket + 1 < num_buckets) bucket++;
  }
  if (bucket + 1 < num_buckets || position < ends[bucket])
    return cpb_transpose_damaged(p, "a bucket holds more than its buffers");
  return true;
}

bool cpb_transpose_parse_buffers(cpb_transpose_program *p, cpb_transpose_cursor *header, cpb_transpose_cursor *data) {
  uint32_t num_buckets, num_buffers;
  if (!cpb_transpose_cursor_read_u32(header, &num_buckets) || !cpb_transpose_cursor_read_u32(header, &num_buffers))
    return cpb_transpose_damaged(p, "the number of buckets or buffers is missing");
  if (num_buckets == 0) return num_buffers == 0 || cpb_transpose_damaged(p, "buffers without a bucket");
  if ((uint64_t)num_buckets + num_buffers > (size_t)(header->end - header->next))
    return cpb_transpose_damaged(p, "the header is too short for its buckets and buffers");

  size_t *ends = cpb_transpose_table(p, CPB_TRANSPOSE_BUCKET_TABLE, num_buckets, sizeof *ends);
  if (!ends) return false;
  p->num_buffers = num_buffers;
  p->buffers = cpb_transpose_table(p, CPB_TRANSPOSE_BUFFER_TABLE, num_buffers, sizeof *p->buffers);
  return p->buffers && load_buckets(p, header, data, ends, num_buckets) && cut_buffers(p, header, ends, num_buckets);
}
