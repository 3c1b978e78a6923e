#include "model/formats/leveldb/table.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/spans.h"
#include "riegeli/codec/decompressor.h"

/* Two blocks are in memory: the index and the current data block. Entries can be read only in their order, because a
 * key leaves out what it shares with the one before. A search walks the index up to the right block, and then the
 * block.
 *
 * A block's checksum is compared before anything in it is believed. Blocks must follow each other in the file:
 * otherwise a small index could name one block many times. */

#define FOOTER 48 /* two block handles, padded to 40 bytes, and the magic number */
#define MAGIC 0xdb4775248b80fb57u
#define TRAILER 5 /* after a block: its compression type, and the masked CRC-32C of block and type */

#define SNAPPY_RATIO 22 /* a copy of 64 bytes takes 3: a byte makes no more, whatever size is stated */

enum { PLAIN = 0, SNAPPY = 1 };
enum { AT_FOOTER, AT_METAINDEX, AT_INDEX, READY };

static cpb_have fail(cpb_table *t, cpb_code code, uint64_t offset, const char *what) {
  return cpb_fail(t->error, code, offset, "%s", what), CPB_FAILED;
}

/* --- Blocks ------------------------------------------------------------------------ */

/* The file offset of `at` in the block, for errors; that of the block if it was compressed. */
static uint64_t place(const cpb_table_block *b, const uint8_t *at) {
  return b->packed ? b->offset : b->offset + (uint64_t)(at - b->begin);
}

/* The decompressor expects Riegeli's form: the uncompressed size as a varint, then the Snappy
 * stream, which begins with the same varint. */
static cpb_have unpack(cpb_table *t, cpb_table_block *b, cpb_span in) {
  cpb_codec_error codec = {.code = CPB_OK};
  cpb_buffer stream;
  uint64_t size;
  const uint8_t *after = cpb_varint_read(in.data, in.data + in.size, &size);
  if (!after) return fail(t, CPB_E_DAMAGED, b->offset, "Snappy: invalid varint for the uncompressed size of the block");
  uint64_t made = cpb_min_u64(size, SNAPPY_RATIO * (uint64_t)in.size);
  if (!cpb_meter_charge(t->meter, CPB_WORK_DECODED, made, b->offset, t->error)) return CPB_FAILED;
  cpb_buffer_init(&stream, &t->allocator);
  b->unpacked.size = 0;
  bool done =
      cpb_buffer_append(&stream, in.data, (size_t)(after - in.data)) && cpb_buffer_append(&stream, in.data, in.size);
  if (!done) cpb_fail_memory(t->error);
  else
    done = cpb_decompress_all(&t->allocator, &t->meter->limits, CPB_RIEGELI_SNAPPY,
                              (cpb_span){stream.data, stream.size}, t->most, &b->unpacked, &codec);
  cpb_buffer_free(&stream);
  if (codec.code != CPB_OK) fail(t, codec.code, b->offset, codec.what);
  b->packed = true;
  b->begin = b->unpacked.data;
  b->end = b->begin ? b->begin + b->unpacked.size : b->begin;
  return done ? CPB_HAVE : CPB_FAILED;
}

/* Leaves out the array of restart points at the end of the block: they serve binary search, and
 * this reader reads every entry. */
static cpb_have find_entries(cpb_table *t, cpb_table_block *b) {
  size_t size = (size_t)(b->end - b->begin);
  uint64_t restarts = size >= 4 ? cpb_load32(b->end - 4) : 0;
  if (size < 4 || restarts > (size - 4) / 4) {
    cpb_fail(t->error, CPB_E_DAMAGED, b->offset, "LevelDB block of %zu bytes is too small for its %llu restart points",
             size, (unsigned long long)restarts);
    return CPB_FAILED;
  }
  b->end -= 4 + 4 * restarts;
  b->at = b->begin;
  b->key.size = 0;
  return CPB_HAVE;
}

static cpb_have check_handle(cpb_table *t, cpb_range where) {
  uint64_t end, most = t->size - FOOTER;
  if (!cpb_add_u64(where.offset, where.length, &end) || end > most || most - end < TRAILER) {
    cpb_fail(t->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
             "LevelDB block handle: offset %llu, size %llu; expected a block before the footer, at %llu",
             (unsigned long long)where.offset, (unsigned long long)where.length, (unsigned long long)most);
    return CPB_FAILED;
  }
  if (where.length <= t->most && where.length < SIZE_MAX - TRAILER) return CPB_HAVE;
  cpb_fail(t->error, CPB_E_LIMIT, where.offset, "LevelDB block of %llu bytes takes more than max_memory, %llu bytes",
           (unsigned long long)where.length, (unsigned long long)t->most);
  return CPB_FAILED;
}

/* Reads the block and its trailer; the bytes that are available stay while it waits for more. */
static cpb_have read_block(cpb_table *t, cpb_table_block *b, cpb_range where) {
  if (check_handle(t, where) != CPB_HAVE) return CPB_FAILED;
  const size_t size = (size_t)where.length + TRAILER;
  if (!cpb_buffer_reserve(&b->stored, size)) return cpb_fail_memory(t->error), CPB_FAILED;
  cpb_have have = cpb_input_gather(t->input, where.offset, size, b->stored.data, &t->have);
  if (have == CPB_FAILED) *t->error = t->input->failure;
  if (have == CPB_AT_END) return fail(t, CPB_E_TRUNCATED, where.offset, "the file ends within a LevelDB block");
  if (have != CPB_HAVE) return have;
  t->have = 0;
  cpb_span covered = {b->stored.data, size - TRAILER + 1};
  if (cpb_crc32c_mask(cpb_crc32c_extend(&t->crc, 0, covered)) == cpb_load32(covered.data + covered.size))
    return CPB_HAVE;
  return fail(t, CPB_E_DAMAGED, where.offset, "LevelDB block: CRC-32C mismatch");
}

static cpb_have open_block(cpb_table *t, cpb_table_block *b, cpb_range where) {
  cpb_have have = read_block(t, b, where);
  if (have != CPB_HAVE) return have;
  cpb_span bytes = {b->stored.data, (size_t)where.length};
  uint8_t type = bytes.data[bytes.size];
  b->offset = where.offset;
  b->packed = false;
  b->begin = bytes.data;
  b->end = bytes.data + bytes.size;
  if (type == SNAPPY) return unpack(t, b, bytes) == CPB_HAVE ? find_entries(t, b) : CPB_FAILED;
  if (type == PLAIN) return find_entries(t, b);
  cpb_fail(t->error, CPB_E_UNSUPPORTED, where.offset + where.length,
           "LevelDB block: compression type is %u; expected 0 (none) or 1 (Snappy)", (unsigned)type);
  return CPB_FAILED;
}

/* An entry: three varints (how many bytes its key shares with the key before it, the sizes of
 * the rest of the key and of the value), the rest of the key, and the value. */
static cpb_have next_entry(cpb_table *t, cpb_table_block *b) {
  uint64_t shared, rest, value;
  if (b->at == b->end) return CPB_AT_END;
  uint64_t offset = place(b, b->at);
  const uint8_t *at = cpb_varint_read(b->at, b->end, &shared);
  if (at) at = cpb_varint_read(at, b->end, &rest);
  if (at) at = cpb_varint_read(at, b->end, &value);
  if (!at) return fail(t, CPB_E_DAMAGED, offset, "LevelDB block ends within the sizes of an entry");
  size_t left = (size_t)(b->end - at);
  if (rest > left || value > left - rest)
    return fail(t, CPB_E_DAMAGED, offset, "LevelDB entry reaches past the end of its block");
  if (shared > b->key.size) {
    cpb_fail(t->error, CPB_E_DAMAGED, offset, "LevelDB entry shares %llu bytes with the key before it, which has %zu",
             (unsigned long long)shared, b->key.size);
    return CPB_FAILED;
  }
  b->key.size = (size_t)shared;
  if (!cpb_buffer_append(&b->key, at, (size_t)rest)) return cpb_fail_memory(t->error), CPB_FAILED;
  b->value = (cpb_span){at + rest, (size_t)value};
  b->at = at + rest + value;
  return CPB_HAVE;
}

/* --- The table ---------------------------------------------------------------------- */

static const uint8_t *read_handle(const uint8_t *at, const uint8_t *end, cpb_range *where) {
  at = cpb_varint_read(at, end, &where->offset);
  return at ? cpb_varint_read(at, end, &where->length) : NULL;
}

/* The footer has the handles of the metaindex block, of which only the checksum is checked, and
 * of the index block. */
static cpb_have read_footer(cpb_table *t) {
  cpb_have have = cpb_input_size(t->input, FOOTER, &t->size);
  if (have == CPB_HAVE && t->size >= FOOTER)
    have = cpb_input_gather(t->input, t->size - FOOTER, FOOTER, t->footer, &t->have);
  if (have == CPB_FAILED) *t->error = t->input->failure;
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  t->have = 0;
  const uint8_t *at = t->footer, *end = t->footer + FOOTER - 8;
  if (t->size < FOOTER || cpb_load64(end) != MAGIC)
    return fail(t, CPB_E_FORMAT, t->size < 8 ? 0 : t->size - 8,
                "not a checkpoint index: expected LevelDB's magic number, 57fb808b247547db, at the end");
  at = read_handle(at, end, &t->metaindex);
  if (at) at = read_handle(at, end, &t->where);
  return at ? CPB_HAVE : fail(t, CPB_E_DAMAGED, t->size - FOOTER, "LevelDB footer: invalid block handle");
}

/* One after the other, up to the index block. */
static cpb_have open_table(cpb_table *t) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && t->stage != READY) {
    if (t->stage == AT_FOOTER) have = read_footer(t);
    else if (t->stage == AT_METAINDEX) have = read_block(t, &t->data, t->metaindex);
    else have = open_block(t, &t->index, t->where);
    if (have == CPB_HAVE) t->stage++;
  }
  return have;
}

static cpb_have fail_order(cpb_table *t, uint64_t offset) {
  cpb_fail(t->error, CPB_E_DAMAGED, offset,
           "LevelDB block begins at %llu; expected at least %llu, the end of the last one",
           (unsigned long long)t->where.offset, (unsigned long long)t->last_end);
  return CPB_FAILED;
}

/* To the data block that the index block lists next. */
static cpb_have find_block(cpb_table *t) {
  uint64_t offset = place(&t->index, t->index.at);
  cpb_have have = next_entry(t, &t->index);
  if (have != CPB_HAVE) return have;
  cpb_span handle = t->index.value;
  if (!read_handle(handle.data, handle.data + handle.size, &t->where))
    return fail(t, CPB_E_DAMAGED, offset, "LevelDB index block: invalid block handle");
  if (t->where.offset < t->last_end) return fail_order(t, offset);
  t->is_reading = true;
  return CPB_HAVE;
}

static cpb_have next_block(cpb_table *t) {
  cpb_have have = t->is_reading ? CPB_HAVE : find_block(t);
  if (have == CPB_HAVE) have = open_block(t, &t->data, t->where);
  if (have != CPB_HAVE) return have;
  t->is_reading = false;
  t->last_end = t->where.offset + t->where.length + TRAILER;
  return CPB_HAVE;
}

cpb_have cpb_table_next(cpb_table *t) {
  cpb_have have = open_table(t);
  if (have != CPB_HAVE) return have;
  while (t->is_reading || (have = next_entry(t, &t->data)) == CPB_AT_END)
    if ((have = next_block(t)) != CPB_HAVE) return have;
  return have;
}

/* A key of the index block is that of the block's last entry, or is between that and the next block's first. */
cpb_have cpb_table_seek(cpb_table *t, cpb_span key) {
  cpb_have have = open_table(t);
  while (have == CPB_HAVE && !t->is_reading) {
    have = find_block(t);
    t->is_reading = have == CPB_HAVE && cpb_span_compare((cpb_span){t->index.key.data, t->index.key.size}, key) >= 0;
  }
  if (have == CPB_HAVE) have = open_block(t, &t->data, t->where);
  while (have == CPB_HAVE) {
    have = next_entry(t, &t->data);
    int order = have == CPB_HAVE ? cpb_span_compare((cpb_span){t->data.key.data, t->data.key.size}, key) : 0;
    if (order > 0) return CPB_AT_END;
    if (have == CPB_HAVE && order == 0) return CPB_HAVE;
  }
  return have;
}

uint64_t cpb_table_offset(const cpb_table *t) { return place(&t->data, t->data.at); }

/* --- Creation ----------------------------------------------------------------------- */

void cpb_table_init(cpb_table *t, const cpb_allocator *a, cpb_meter *meter, cpb_input *input, uint64_t most,
                    cpb_error *error) {
  *t = (cpb_table){.allocator = *a, .meter = meter, .error = error, .input = input, .most = most};
  cpb_table_block *blocks[] = {&t->index, &t->data};
  for (int i = 0; i < 2; i++) {
    cpb_buffer_init(&blocks[i]->stored, a);
    cpb_buffer_init(&blocks[i]->unpacked, a);
    cpb_buffer_init(&blocks[i]->key, a);
  }
  cpb_crc32c_init(&t->crc);
}

void cpb_table_free(cpb_table *t) {
  cpb_table_block *blocks[] = {&t->index, &t->data};
  for (int i = 0; i < 2; i++) {
    cpb_buffer_free(&blocks[i]->stored);
    cpb_buffer_free(&blocks[i]->unpacked);
    cpb_buffer_free(&blocks[i]->key);
  }
}
