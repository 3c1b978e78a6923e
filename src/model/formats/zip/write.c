#include "model/formats/zip/write.h"

#include "base/checked.h"
#include "model/formats/zip/deflate.h"
#include "model/formats/zip/records.h"

#define DESCRIPTOR_MAX 24
#define LOCAL64_SIZE 20
#define EXTRA64 0x0001
#define EXTRA_ALIGNMENT 0xd935 /* as tools that align archives have it: the alignment, then zeros */
#define EXTRA_ALIGNMENT_SIZE 6
#define NAME_IS_UTF8 0x0800u
#define NEEDED 20   /* 2.0: DEFLATE and folders */
#define NEEDED64 45 /* 4.5: Zip64 */
#define MADE_BY_UNIX (3u << 8)
#define FILE_MODE ((uint32_t)0100644 << 16)
#define FIRST_DAY 0x0021u /* January 1, 1980 */

/* --- Numbers ------------------------------------------------------------------ */

static bool put(cpb_buffer *out, uint64_t value, unsigned bytes) {
  uint8_t number[8];
  cpb_store64(number, value);
  return cpb_buffer_append(out, number, bytes);
}

/* The second number of each pair is the width. */
typedef struct field {
  uint64_t value;
  unsigned bytes;
} field;

static bool put_fields(cpb_buffer *out, const field *fields, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!put(out, fields[i].value, fields[i].bytes)) return false;
  return true;
}

#define PUT(out, ...) put_fields(out, (const field[])__VA_ARGS__, sizeof((const field[])__VA_ARGS__) / sizeof(field))

static uint64_t narrow(uint64_t value) { return cpb_min_u64(value, ALL32); }

/* --- Entries ------------------------------------------------------------------- */

/* A header has its final size from the beginning, even if it is written twice. Whether an entry needs Zip64 is
 * therefore decided by the upper bound of its compressed size. */

void cpb_zip_writing_init(cpb_zip_writing *w, const cpb_allocator *a) {
  *w = (cpb_zip_writing){.allocator = *a};
  cpb_buffer_init(&w->directory, a);
  cpb_buffer_init(&w->name, a);
}

void cpb_zip_writing_free(cpb_zip_writing *w) {
  cpb_buffer_free(&w->directory);
  cpb_buffer_free(&w->name);
}

static bool is_ascii(cpb_span name) {
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] >= 0x80) return false;
  return true;
}

static uint64_t bound_of(uint64_t size, uint16_t method) {
  return method == CPB_ZIP_STORED ? size : cpb_deflate_bound(size);
}

uint64_t cpb_zip_write_bound(size_t name_size, uint64_t size, uint16_t method) {
  return LOCAL_SIZE + name_size + LOCAL64_SIZE + EXTRA_ALIGNMENT_SIZE + CPB_ZIP_ALIGNMENT + bound_of(size, method) +
         DESCRIPTOR_MAX;
}

/* Bytes of an extra field with which the content begins where it should. */
static uint16_t padding_at(uint64_t content) {
  uint64_t padding = (CPB_ZIP_ALIGNMENT - content % CPB_ZIP_ALIGNMENT) % CPB_ZIP_ALIGNMENT;
  if (padding > 0 && padding < EXTRA_ALIGNMENT_SIZE) padding += CPB_ZIP_ALIGNMENT;
  return (uint16_t)padding;
}

static bool put_padding(cpb_buffer *out, uint16_t padding) {
  static const uint8_t zeros[CPB_ZIP_ALIGNMENT + EXTRA_ALIGNMENT_SIZE];
  if (padding == 0) return true;
  return PUT(out, {{EXTRA_ALIGNMENT, 2}, {padding - 4u, 2}, {CPB_ZIP_ALIGNMENT, 2}}) &&
         cpb_buffer_append(out, zeros, padding - (size_t)EXTRA_ALIGNMENT_SIZE);
}

/* Before the content, and again when all about it is known. */
static bool put_header(const cpb_zip_writing *w, cpb_buffer *out) {
  const cpb_zip_new_entry *e = &w->entry;
  uint16_t extra = (uint16_t)((e->wide ? LOCAL64_SIZE : 0) + e->padding);
  bool follow = e->flags & SIZES_FOLLOW;
  uint64_t size = follow ? 0 : e->size, packed = follow ? 0 : e->packed;
  return PUT(out, {{LOCAL_SIGNATURE, 4},
                   {e->wide ? NEEDED64 : NEEDED, 2},
                   {e->flags, 2},
                   {e->method, 2},
                   {0, 2},
                   {FIRST_DAY, 2},
                   {follow ? 0 : e->crc, 4},
                   {e->wide ? ALL32 : packed, 4},
                   {e->wide ? ALL32 : size, 4},
                   {w->name.size, 2},
                   {extra, 2}}) &&
         cpb_buffer_append(out, w->name.data, w->name.size) &&
         (!e->wide || PUT(out, {{EXTRA64, 2}, {LOCAL64_SIZE - 4, 2}, {size, 8}, {packed, 8}})) &&
         put_padding(out, e->padding);
}

bool cpb_zip_write_begin(cpb_zip_writing *w, const cpb_zip_plan *plan, cpb_buffer *out) {
  cpb_zip_new_entry *e = &w->entry;
  size_t begin = out->size;
  *e = (cpb_zip_new_entry){.header = w->at, .size = plan->size, .method = plan->method, .known = plan->known};
  e->wide = bound_of(plan->size, plan->method) >= ALL32;
  e->flags = (uint16_t)((is_ascii(plan->name) ? 0 : NAME_IS_UTF8) | (w->in_order && !plan->known ? SIZES_FOLLOW : 0));
  e->crc = plan->known ? plan->crc : 0;
  e->packed = plan->known ? plan->packed : 0;
  if (plan->aligned) e->padding = padding_at(w->at + LOCAL_SIZE + plan->name.size + (e->wide ? LOCAL64_SIZE : 0));
  w->name.size = 0;
  if (!cpb_buffer_append(&w->name, plan->name.data, plan->name.size) || !put_header(w, out)) return false;
  w->at += out->size - begin;
  e->crc = 0; /* to be counted */
  e->packed = 0;
  return true;
}

void cpb_zip_write_content(cpb_zip_writing *w, cpb_span plain, uint64_t packed) {
  w->entry.crc = cpb_crc32(w->entry.crc, plain);
  w->entry.packed += packed;
  w->at += packed;
}

static bool put_descriptor(const cpb_zip_writing *w, cpb_buffer *out) {
  const cpb_zip_new_entry *e = &w->entry;
  unsigned bytes = e->wide ? 8 : 4;
  return PUT(out, {{DESCRIPTOR_SIGNATURE, 4}, {e->crc, 4}, {e->packed, bytes}, {e->size, bytes}});
}

/* In the directory a number is wide, and the field then all ones, only if it must be. */
static bool put_record(cpb_zip_writing *w) {
  const cpb_zip_new_entry *e = &w->entry;
  cpb_buffer *out = &w->directory;
  const uint64_t numbers[] = {e->size, e->packed, e->header};
  unsigned wide = 0;
  for (int i = 0; i < 3; i++) wide += numbers[i] >= ALL32;
  unsigned needed = wide > 0 || e->wide ? NEEDED64 : NEEDED;
  bool done = PUT(out, {{ENTRY_SIGNATURE, 4},
                        {MADE_BY_UNIX | needed, 2},
                        {needed, 2},
                        {e->flags, 2},
                        {e->method, 2},
                        {0, 2},
                        {FIRST_DAY, 2},
                        {e->crc, 4},
                        {narrow(e->packed), 4},
                        {narrow(e->size), 4},
                        {w->name.size, 2},
                        {wide > 0 ? 4 + 8 * wide : 0, 2},
                        {0, 2},
                        {0, 2},
                        {0, 2},
                        {FILE_MODE, 4},
                        {narrow(e->header), 4}}) &&
              cpb_buffer_append(out, w->name.data, w->name.size) &&
              (wide == 0 || PUT(out, {{EXTRA64, 2}, {8 * wide, 2}}));
  for (int i = 0; i < 3 && done; i++) done = numbers[i] < ALL32 || put(out, numbers[i], 8);
  return done;
}

bool cpb_zip_write_end(cpb_zip_writing *w, cpb_buffer *out, uint64_t *offset) {
  size_t begin = out->size;
  bool follow = w->entry.flags & SIZES_FOLLOW;
  *offset = follow ? w->at : w->entry.header;
  if (!w->entry.known && !(follow ? put_descriptor(w, out) : put_header(w, out))) return false;
  if (!put_record(w)) return false;
  if (follow) w->at += out->size - begin;
  w->count++;
  return true;
}

/* --- The end -------------------------------------------------------------------- */

bool cpb_zip_write_end_record(uint64_t at, uint64_t size, uint64_t count, cpb_span comment, cpb_buffer *out) {
  bool wide = at >= ALL32 || size >= ALL32 || count >= ALL16;
  if (wide && !PUT(out, {{END64_SIGNATURE, 4},
                         {END64_SIZE - 12, 8},
                         {MADE_BY_UNIX | NEEDED64, 2},
                         {NEEDED64, 2},
                         {0, 4},
                         {0, 4},
                         {count, 8},
                         {count, 8},
                         {size, 8},
                         {at, 8},
                         {LOCATOR_SIGNATURE, 4},
                         {0, 4},
                         {at + size, 8},
                         {1, 4}}))
    return false;
  return PUT(out, {{END_SIGNATURE, 4},
                   {0, 2},
                   {0, 2},
                   {cpb_min_u64(count, ALL16), 2},
                   {cpb_min_u64(count, ALL16), 2},
                   {narrow(size), 4},
                   {narrow(at), 4},
                   {comment.size, 2}}) &&
         cpb_buffer_append(out, comment.data, comment.size);
}
