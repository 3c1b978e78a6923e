#include "model/formats/flatbuffers/flatbuffers.h"

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"

/* Builders may share strings and tables, so a walk may read bytes more than once; a hostile
 * buffer can share so much that the walk never ends. All reads together may take SHARING times
 * the buffer's size, and this once more for FREE bytes, so that small buffers never hit it. */
#define SHARING 16
#define FREE ((uint64_t)64 << 10)
#define TEXT_MAX ((uint32_t)16 << 20) /* bytes of a string */

void cpb_flat_begin(cpb_flat *flat, cpb_span memory, uint64_t size, uint64_t base, cpb_error *error) {
  *flat = (cpb_flat){.memory = memory, .size = size, .base = base, .error = error};
}

void cpb_flat_begin_pages(cpb_flat *flat, cpb_pages *pages, cpb_error *error) {
  *flat = (cpb_flat){.pages = pages, .size = pages->size, .error = error};
}

bool cpb_flat_fail(cpb_flat *flat, uint64_t at, const char *what) {
  return CPB_FAILS(flat->error, CPB_E_DAMAGED, flat->base == CPB_NO_OFFSET ? CPB_NO_OFFSET : flat->base + at,
                   "FlatBuffers: %s (at byte %llu of the buffer, which has %llu)", what, (unsigned long long)at,
                   (unsigned long long)flat->size);
}

/* --- Bytes --------------------------------------------------------------------- */

/* Bytes are checked to be within the buffer when they are read, and not in advance: a file in pages cannot be
 * verified as a whole, and an unread table may be broken. */

static bool within(const cpb_flat *flat, uint64_t at, uint64_t length) {
  return at <= flat->size && length <= flat->size - at;
}

static bool spend(cpb_flat *flat, uint64_t at, uint64_t bytes) {
  flat->spent += bytes;
  if (flat->spent / SHARING <= flat->size + FREE) return true;
  return cpb_flat_fail(flat, at, "tables or strings are shared too often; reading took 16 times the buffer's size");
}

static bool copy(cpb_flat *flat, uint64_t at, size_t length, uint8_t *out) {
  if (!spend(flat, at, length)) return false;
  if (flat->pages) {
    cpb_have have = cpb_pages_read(flat->pages, at, length, out);
    flat->wait = have == CPB_WAIT;
    return have == CPB_HAVE;
  }
  flat->wait = at + length > flat->memory.size;
  if (!flat->wait && length > 0) memcpy(out, flat->memory.data + at, length);
  return !flat->wait;
}

/* Reads an unsigned number of `size` bytes, which must be aligned and inside of the buffer. */
static bool load(cpb_flat *flat, uint64_t at, unsigned size, const char *what, uint64_t *value) {
  uint8_t bytes[8] = {0};
  if (!within(flat, at, size)) return cpb_flat_fail(flat, at, what);
  if (at % size != 0) return cpb_flat_fail(flat, at, "number is not aligned to its size");
  if (!copy(flat, at, size, bytes)) return false;
  *value = cpb_load64(bytes);
  return true;
}

static int64_t extend(uint64_t value, unsigned size) {
  unsigned unused = 64 - 8 * size;
  uint64_t sign = (uint64_t)1 << (8 * size - 1);
  if (unused == 0 || !(value & sign)) return (int64_t)value;
  return (int64_t)(value | ~(uint64_t)0 << (8 * size));
}

/* --- Tables --------------------------------------------------------------------- */

bool cpb_flat_open(cpb_flat *flat, uint64_t at, cpb_flat_table *table) {
  uint64_t back, vtable_size, size;
  if (!load(flat, at, 4, "table offset is past the end of the buffer", &back)) return false;
  int64_t vtable = (int64_t)at - extend(back, 4);
  if (vtable < 0 || vtable == (int64_t)at)
    return cpb_flat_fail(flat, at, "vtable offset is 0 or leads out of the buffer");
  if (!load(flat, (uint64_t)vtable, 2, "vtable offset leads out of the buffer", &vtable_size) ||
      !load(flat, (uint64_t)vtable + 2, 2, "vtable offset leads out of the buffer", &size))
    return false;
  if (vtable_size < 4 || vtable_size % 2 != 0 || !within(flat, (uint64_t)vtable, vtable_size))
    return cpb_flat_fail(flat, (uint64_t)vtable, "vtable size is odd, below 4 or past the end of the buffer");
  if (size < 4 || !within(flat, at, size))
    return cpb_flat_fail(flat, (uint64_t)vtable + 2, "table size is below 4 or past the end of the buffer");
  *table = (cpb_flat_table){at, (uint64_t)vtable, (uint16_t)vtable_size, (uint16_t)size};
  return true;
}

bool cpb_flat_root(cpb_flat *flat, cpb_flat_table *root) {
  uint64_t at;
  if (!load(flat, 0, 4, "the buffer has fewer than 4 bytes; expected the offset of the root table", &at)) return false;
  return cpb_flat_open(flat, at, root);
}

/* Sets `at` to the offset of a field of `size` bytes, or to 0 if it is absent. */
static bool find_field(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size, uint64_t *at) {
  uint64_t offset, slot = 4 + 2 * (uint64_t)field;
  *at = 0;
  if (table->at == 0 || slot + 2 > table->vtable_size) return true;
  if (!load(flat, table->vtable + slot, 2, "vtable reaches past the end of the buffer", &offset)) return false;
  if (offset == 0) return true;
  if (offset < 4 || offset + size > table->size)
    return cpb_flat_fail(flat, table->vtable + slot, "field offset leads out of the table");
  *at = table->at + offset;
  return true;
}

bool cpb_flat_number(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size, int64_t absent,
                     int64_t *value) {
  uint64_t at, bits;
  *value = absent;
  if (!find_field(flat, table, field, size, &at)) return false;
  if (at == 0) return true;
  if (!load(flat, at, size, "number reaches past the end of the buffer", &bits)) return false;
  *value = extend(bits, size);
  return true;
}

/* Follows the offset at `at`. Offsets are unsigned, so they lead forward and cannot make a ring;
 * 0 is invalid. */
static bool follow(cpb_flat *flat, uint64_t at, uint64_t *to) {
  uint64_t offset;
  if (!load(flat, at, 4, "offset reaches past the end of the buffer", &offset)) return false;
  *to = at + offset;
  return offset != 0 || cpb_flat_fail(flat, at, "offset is 0; expected at least 4");
}

/* As follow(), from a field; `*to` is 0 when it is absent. */
static bool follow_field(cpb_flat *flat, const cpb_flat_table *table, unsigned field, uint64_t *to) {
  uint64_t at;
  *to = 0;
  return find_field(flat, table, field, 4, &at) && (at == 0 || follow(flat, at, to));
}

bool cpb_flat_table_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_flat_table *sub) {
  uint64_t to;
  *sub = (cpb_flat_table){0};
  return follow_field(flat, table, field, &to) && (to == 0 || cpb_flat_open(flat, to, sub));
}

/* --- Vectors and strings ----------------------------------------------------------- */

static bool open_vector(cpb_flat *flat, uint64_t at, unsigned size, cpb_flat_vector *vector) {
  uint64_t count;
  if (!load(flat, at, 4, "vector offset is past the end of the buffer", &count)) return false;
  if (!within(flat, at + 4, count * size)) return cpb_flat_fail(flat, at, "vector reaches past the end of the buffer");
  if (count > 0 && (at + 4) % size != 0)
    return cpb_flat_fail(flat, at, "vector's elements are not aligned to their size");
  *vector = (cpb_flat_vector){at + 4, (uint32_t)count};
  return true;
}

bool cpb_flat_vector_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, unsigned size,
                        cpb_flat_vector *vector) {
  uint64_t to;
  *vector = (cpb_flat_vector){0, 0};
  return follow_field(flat, table, field, &to) && (to == 0 || open_vector(flat, to, size, vector));
}

static bool append_text(cpb_flat *flat, uint64_t at, cpb_buffer *out) {
  cpb_flat_vector text;
  uint64_t nul;
  if (!open_vector(flat, at, 1, &text)) return false;
  if (!load(flat, text.at + text.count, 1, "string reaches past the end of the buffer", &nul)) return false;
  if ((nul & 0xff) != 0) return cpb_flat_fail(flat, text.at + text.count, "string does not end in a NUL");
  if (text.count == 0) return true;
  if (text.count > TEXT_MAX)
    return CPB_FAILS(flat->error, CPB_E_LIMIT, CPB_NO_OFFSET, "FlatBuffers: string of %u bytes; the limit is %u",
                     (unsigned)text.count, TEXT_MAX);
  size_t total, before = out->size;
  if (!cpb_add_size(before, text.count, &total) || !cpb_buffer_reserve(out, total))
    return cpb_fail_memory(flat->error), false;
  if (!copy(flat, text.at, text.count, out->data + before)) return false;
  if (!cpb_utf8_valid((cpb_span){out->data + before, text.count}))
    return cpb_flat_fail(flat, at, "string is not valid UTF-8");
  out->size = total;
  return true;
}

bool cpb_flat_text_at(cpb_flat *flat, const cpb_flat_table *table, unsigned field, cpb_buffer *out) {
  uint64_t to;
  return follow_field(flat, table, field, &to) && (to == 0 || append_text(flat, to, out));
}

bool cpb_flat_element(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, unsigned size, int64_t *value) {
  uint64_t bits;
  if (!load(flat, vector->at + (uint64_t)i * size, size, "vector reaches past the end of the buffer", &bits))
    return false;
  *value = extend(bits, size);
  return true;
}

bool cpb_flat_element_table(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_flat_table *sub) {
  uint64_t to;
  return follow(flat, vector->at + 4 * (uint64_t)i, &to) && cpb_flat_open(flat, to, sub);
}

bool cpb_flat_element_text(cpb_flat *flat, const cpb_flat_vector *vector, uint32_t i, cpb_buffer *out) {
  uint64_t to;
  return follow(flat, vector->at + 4 * (uint64_t)i, &to) && append_text(flat, to, out);
}
