#include "model/formats/leveldb/table.h"

#include "base/checked.h"
#include "base/status.h"
#include "riegeli/codec/decompressor.h"

#define FOOTER 48
#define MAGIC 0xdb4775248b80fb57u
#define TRAILER 5 /* of a block: how it is compressed, and the masked CRC of it all */

enum { PLAIN = 0, SNAPPY = 1 };

static cpb_have fail(cpb_table *t, cpb_code code, uint64_t offset, const char *what) {
  cpb_fail(t->error, code, offset, "%s", what);
  return CPB_FAILED;
}

/* --- Blocks ------------------------------------------------------------------------ */

static uint64_t place(const cpb_table_block *b, const uint8_t *at) {
  return b->packed ? b->offset : b->offset + (uint64_t)(at - b->begin);
}

/* Riegeli has the size in front of the stream, which is Snappy's own again. */
static cpb_have unpack(cpb_table *t, cpb_table_block *b, cpb_span in) {
  cpb_codec_error codec = {.code = CPB_OK};
  cpb_buffer stream;
  uint64_t size;
  const uint8_t *after = cpb_varint_read(in.data, in.data + in.size, &size);
  if (!after) return fail(t, CPB_E_DAMAGED, b->offset, "Snappy: the block's size is no varint");
  cpb_buffer_init(&stream, &t->allocator);
  b->unpacked.size = 0;
  bool done =
      cpb_buffer_append(&stream, in.data, (size_t)(after - in.data)) && cpb_buffer_append(&stream, in.data, in.size);
  if (!done) cpb_fail_memory(t->error);
  else
    done = cpb_decompress_all(&t->allocator, t->limits, CPB_RIEGELI_SNAPPY, (cpb_span){stream.data, stream.size},
                              t->most, &b->unpacked, &codec);
  cpb_buffer_free(&stream);
  if (codec.code != CPB_OK) fail(t, codec.code, b->offset, codec.what);
  b->packed = true;
  b->begin = b->unpacked.data;
  b->end = b->begin ? b->begin + b->unpacked.size : b->begin;
  return done ? CPB_HAVE : CPB_FAILED;
}

/* The entries end where the restarts begin: these are for looking up, and not needed here. */
static cpb_have find_entries(cpb_table *t, cpb_table_block *b) {
  size_t size = (size_t)(b->end - b->begin);
  uint64_t restarts = size >= 4 ? cpb_load32(b->end - 4) : 0;
  if (size < 4 || restarts > (size - 4) / 4)
    return fail(t, CPB_E_DAMAGED, b->offset, "a block of the table is shorter than its list of restarts");
  b->end -= 4 + 4 * restarts;
  b->at = b->begin;
  b->key.size = 0;
  return CPB_HAVE;
}

static cpb_have check_block(cpb_table *t, cpb_range where) {
  uint64_t end, most = t->file.size - FOOTER;
  if (!cpb_add_u64(where.offset, where.length, &end) || end > most || most - end < TRAILER) {
    cpb_fail(t->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
             "a block of the table at %llu, with %llu bytes, does not fit into the file",
             (unsigned long long)where.offset, (unsigned long long)where.length);
    return CPB_FAILED;
  }
  cpb_span covered = {t->file.data + where.offset, (size_t)where.length + 1};
  if (cpb_crc32c_mask(cpb_crc32c_extend(&t->crc, 0, covered)) == cpb_load32(covered.data + covered.size))
    return CPB_HAVE;
  return fail(t, CPB_E_DAMAGED, where.offset, "a block of the table does not have the CRC-32C that is stored with it");
}

static cpb_have open_block(cpb_table *t, cpb_table_block *b, cpb_range where) {
  if (check_block(t, where) != CPB_HAVE) return CPB_FAILED;
  cpb_span bytes = {t->file.data + where.offset, (size_t)where.length};
  uint8_t type = bytes.data[bytes.size];
  b->offset = where.offset;
  b->packed = false;
  b->begin = bytes.data;
  b->end = bytes.data + bytes.size;
  if (type == SNAPPY) return unpack(t, b, bytes) == CPB_HAVE ? find_entries(t, b) : CPB_FAILED;
  if (type == PLAIN) return find_entries(t, b);
  cpb_fail(t->error, CPB_E_UNSUPPORTED, where.offset + where.length,
           "a block of the table is compressed in a way that is not known, %u", (unsigned)type);
  return CPB_FAILED;
}

/* An entry: how much of the key before it begins with, the rest of the key, the value. */
static cpb_have next_entry(cpb_table *t, cpb_table_block *b) {
  uint64_t shared, rest, value;
  if (b->at == b->end) return CPB_AT_END;
  uint64_t offset = place(b, b->at);
  const uint8_t *at = cpb_varint_read(b->at, b->end, &shared);
  if (at) at = cpb_varint_read(at, b->end, &rest);
  if (at) at = cpb_varint_read(at, b->end, &value);
  if (!at) return fail(t, CPB_E_DAMAGED, offset, "an entry of the table ends within its sizes");
  size_t left = (size_t)(b->end - at);
  if (rest > left || value > left - rest)
    return fail(t, CPB_E_DAMAGED, offset, "an entry of the table is longer than its block");
  if (shared > b->key.size)
    return fail(t, CPB_E_DAMAGED, offset, "a key shares more bytes with the one before it than that has");
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

/* The footer: where the block about the table is (in which nothing is looked for), and the
 * index; 0 up to the magic. */
static cpb_have read_footer(cpb_table *t, cpb_range *index) {
  uint64_t begin = t->file.size - FOOTER;
  const uint8_t *at = t->file.data + begin, *end = at + FOOTER - 8;
  cpb_range about;
  at = read_handle(at, end, &about);
  if (at) at = read_handle(at, end, index);
  if (!at) return fail(t, CPB_E_DAMAGED, begin, "the table's footer does not say where its index is");
  return check_block(t, about);
}

bool cpb_table_open(cpb_table *t, const cpb_allocator *a, const cpb_limits *limits, cpb_span file, uint64_t most,
                    cpb_error *error) {
  cpb_range index;
  *t = (cpb_table){.allocator = *a, .limits = limits, .error = error, .file = file, .most = most};
  cpb_table_block *blocks[] = {&t->index, &t->data};
  for (int i = 0; i < 2; i++) {
    cpb_buffer_init(&blocks[i]->unpacked, a);
    cpb_buffer_init(&blocks[i]->key, a);
  }
  cpb_crc32c_init(&t->crc);
  if (file.size < FOOTER || cpb_load64(file.data + file.size - 8) != MAGIC) {
    fail(t, CPB_E_FORMAT, file.size < 8 ? 0 : file.size - 8,
         "this is no checkpoint's index: it must end like a table, with 57fb808b247547db");
    return false;
  }
  return read_footer(t, &index) == CPB_HAVE && open_block(t, &t->index, index) == CPB_HAVE;
}

/* The next block that the index has. */
static cpb_have next_block(cpb_table *t) {
  cpb_range where;
  uint64_t offset = place(&t->index, t->index.at);
  cpb_have have = next_entry(t, &t->index);
  if (have != CPB_HAVE) return have;
  cpb_span handle = t->index.value;
  if (!read_handle(handle.data, handle.data + handle.size, &where))
    return fail(t, CPB_E_DAMAGED, offset, "the table's index does not say where a block is");
  if (where.offset < t->last_end)
    return fail(t, CPB_E_DAMAGED, offset, "a block of the table begins before the one before it ends");
  if (open_block(t, &t->data, where) != CPB_HAVE) return CPB_FAILED;
  t->last_end = where.offset + where.length + TRAILER;
  return CPB_HAVE;
}

cpb_have cpb_table_next(cpb_table *t) {
  cpb_have have;
  while ((have = next_entry(t, &t->data)) == CPB_AT_END) {
    if ((have = next_block(t)) != CPB_HAVE) return have;
  }
  return have;
}

uint64_t cpb_table_offset(const cpb_table *t) { return place(&t->data, t->data.at); }

void cpb_table_close(cpb_table *t) {
  cpb_table_block *blocks[] = {&t->index, &t->data};
  for (int i = 0; i < 2; i++) {
    cpb_buffer_free(&blocks[i]->unpacked);
    cpb_buffer_free(&blocks[i]->key);
  }
}
