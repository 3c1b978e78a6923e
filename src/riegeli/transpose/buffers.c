#include "riegeli/transpose/program.h"

#include "base/checked.h"
#include "base/status.h"

/* The largest total size of the buckets: each byte belongs to a record, or to the size of a record that is not a
 * message. */
static uint64_t most_values(const cpb_transpose_program *p) {
  uint64_t sizes, all;
  if (!cpb_mul_u64(p->num_records, 5, &sizes) || !cpb_add_u64(p->decoded_size, sizes, &all)) return UINT64_MAX;
  return all;
}

/* The size of the bucket after decompression, which the bucket itself claims. Other buckets are cut according to it, so
 * it must be correct: see load_bucket(). */
static bool measure_bucket(const cpb_transpose_program *p, cpb_transpose_bucket *bucket, uint64_t *all) {
  cpb_transpose_cursor copy = bucket->stored;
  uint64_t size = cpb_transpose_cursor_size(&copy);
  if (p->codec != CPB_RIEGELI_NONE) {
    if (!cpb_transpose_cursor_read_u64(&copy, &size))
      return cpb_transpose_damaged(p, "bucket: the decompressed size is missing");
    if (size > most_values(p) - *all) return cpb_transpose_damaged(p, "bucket: more decompressed data than expected");
    *all += size;
  }
  bucket->size = (size_t)size;
  return true;
}

/* Reads the sizes of the buckets from the header and takes the buckets off the front of `data`. */
static bool read_buckets(cpb_transpose_program *p, cpb_transpose_cursor *header, cpb_transpose_cursor *data) {
  uint64_t decompressed = 0;
  p->all_values = *data;
  const size_t all = cpb_transpose_cursor_size(data);
  for (size_t i = 0; i < p->num_buckets; i++) {
    uint64_t size;
    if (!cpb_transpose_cursor_read_u64(header, &size)) return cpb_transpose_damaged(p, "a bucket's size is missing");
    if (size > cpb_transpose_cursor_size(data)) return cpb_transpose_damaged(p, "a bucket is cut off");
    p->buckets[i].stored = cpb_transpose_cursor_take(data, (size_t)size);
    if (!measure_bucket(p, &p->buckets[i], &decompressed)) return false;
  }
  p->all_values = cpb_transpose_cursor_take(&p->all_values, all - cpb_transpose_cursor_size(data));
  return true;
}

/* Reads the sizes of the buffers from the header. Each buffer is within one bucket, and together they fill all
 * buckets. */
static bool read_buffers(cpb_transpose_program *p, cpb_transpose_cursor *header) {
  size_t bucket = 0, position = 0; /* in the bucket */
  for (size_t i = 0; i < p->num_buffers; i++) {
    uint64_t size;
    if (!cpb_transpose_cursor_read_u64(header, &size)) return cpb_transpose_damaged(p, "a buffer's size is missing");
    if (size > p->buckets[bucket].size - position)
      return cpb_transpose_damaged(p, "a buffer does not fit in its bucket");
    p->buffers[i].rest = (size_t)size;
    p->buckets[bucket].num_buffers++;
    position += (size_t)size;
    while (position == p->buckets[bucket].size && bucket + 1 < p->num_buckets) {
      bucket++;
      position = 0;
    }
  }
  if (bucket + 1 < p->num_buckets || position < p->buckets[bucket].size)
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

  p->buckets = cpb_transpose_table(p, CPB_TRANSPOSE_BUCKET_TABLE, num_buckets, sizeof *p->buckets);
  if (!p->buckets) return false;
  p->num_buckets = num_buckets;
  p->buffers = cpb_transpose_table(p, CPB_TRANSPOSE_BUFFER_TABLE, num_buffers, sizeof *p->buffers);
  if (!p->buffers) return false;
  p->num_buffers = num_buffers;
  return read_buckets(p, header, data) && read_buffers(p, header);
}

/* --- Loading ---------------------------------------------------------------- */

/* Decompressed buckets are contiguous. `stored` stays set for a bucket that is not needed. */
static bool load_bucket(cpb_transpose_program *p, cpb_transpose_bucket *bucket) {
  const cpb_buffer *values = &p->blocks[CPB_TRANSPOSE_VALUES];
  const size_t before = values->size;
  if (!cpb_transpose_decompress(p, bucket->stored, bucket->size, "bucket", CPB_TRANSPOSE_VALUES)) return false;
  bucket->stored = (cpb_transpose_cursor){NULL, NULL, 0};
  return values->size - before == bucket->size || cpb_transpose_damaged(p, "a bucket is smaller than it claims");
}

static bool is_needed(const cpb_transpose_bucket *bucket, const uint8_t *use) {
  for (size_t i = 0; use && i < bucket->num_buffers; i++)
    if (use[i] & CPB_BUFFER_NEEDED) return true;
  return !use;
}

/* Decompresses the buckets that are needed. Uncompressed data stays in place. */
static bool load_buckets(cpb_transpose_program *p, const uint8_t *use) {
  if (p->codec == CPB_RIEGELI_NONE) return true;
  for (size_t i = 0; i < p->num_buckets; i++) {
    cpb_transpose_bucket *bucket = &p->buckets[i];
    if (is_needed(bucket, use) && !load_bucket(p, bucket)) return false;
    if (use) use += bucket->num_buffers;
  }
  const cpb_buffer *values = &p->blocks[CPB_TRANSPOSE_VALUES];
  p->all_values = cpb_transpose_cursor_of((cpb_span){values->data, values->size});
  return true;
}

bool cpb_transpose_load_buffers(cpb_transpose_program *p, const uint8_t *use) {
  if (!load_buckets(p, use)) return false;
  cpb_transpose_cursor values = p->all_values, *buffer = p->buffers;
  for (size_t i = 0; i < p->num_buckets; i++) {
    const cpb_transpose_bucket *bucket = &p->buckets[i];
    const bool loaded = p->codec == CPB_RIEGELI_NONE || cpb_transpose_cursor_size(&bucket->stored) == 0;
    for (size_t j = 0; j < bucket->num_buffers; j++, buffer++)
      *buffer =
          loaded ? cpb_transpose_cursor_take(&values, buffer->rest) : cpb_transpose_cursor_of((cpb_span){NULL, 0});
  }
  return true;
}
