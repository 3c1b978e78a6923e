/* Zip archives: read into names and contents, of which one is changed, and written anew, all of them stored. */
#include "base/alloc.h"
#include "host.h"
#include "model/formats/zip/stream.h"
#include "mutate.h"

enum { LOCAL = 30, ENTRY = 46, END = 22 };

/* Name and content of each entry in turn. False if the archive cannot be read. */
static int read_entries(fuzz_in file, fuzz_items *items) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  cpb_input input;
  cpb_input_init(&input);
  cpb_input_end(&input, file.size);
  cpb_input_supply(&input, 0, file.data, file.size);
  cpb_zip zip;
  cpb_zip_init(&zip, &a, &input, 1 << 20, NULL, &error);
  int good = cpb_zip_open(&zip) == CPB_HAVE && zip.num_entries > 0 && zip.num_entries <= FUZZ_ITEMS / 2;
  for (size_t i = 0; good && i < zip.num_entries; i++) {
    cpb_zip_stream stream;
    cpb_buffer content;
    cpb_buffer_init(&content, &a);
    cpb_zip_stream_init(&stream, &zip);
    cpb_zip_stream_begin(&stream, &zip.entries[i]);
    good = cpb_zip_stream_load(&stream, 1 << 18, &content) == CPB_HAVE;
    good = good && fuzz_items_add(items, zip.entries[i].name.data, zip.entries[i].name.size, 0);
    good = good && fuzz_items_add(items, content.data, content.size, 0);
    cpb_zip_stream_free(&stream);
    cpb_buffer_free(&content);
  }
  cpb_zip_free(&zip);
  return good;
}

static void put_number(fuzz_out *out, uint32_t value, size_t bytes) {
  uint8_t text[4];
  cpb_store32(text, value);
  fuzz_put(out, text, bytes);
}

/* What a local header and the directory have in common. */
static void put_fields(fuzz_out *out, const fuzz_item *name, const fuzz_item *content) {
  put_number(out, 20, 2);
  put_number(out, 0, 4);          /* flags, method: stored */
  put_number(out, 0x00210000, 4); /* the first day of 1980 */
  put_number(out, cpb_crc32(0, (cpb_span){content->data, content->size}), 4);
  put_number(out, (uint32_t)content->size, 4);
  put_number(out, (uint32_t)content->size, 4);
  put_number(out, (uint32_t)name->size & 0xffff, 2);
  put_number(out, 0, 2);
}

static void write_zip(const fuzz_items *items, fuzz_out *out) {
  fuzz_out directory = {NULL, 0, 0};
  uint32_t count = 0;
  for (size_t i = 0; i + 1 < items->count; i += 2, count++) {
    const fuzz_item *name = &items->items[i], *content = name + 1;
    uint32_t at = (uint32_t)out->size;
    put_number(out, 0x04034b50, 4);
    put_fields(out, name, content);
    fuzz_put(out, name->data, name->size & 0xffff);
    fuzz_put(out, content->data, content->size);
    put_number(&directory, 0x02014b50, 4);
    put_number(&directory, 20, 2);
    put_fields(&directory, name, content);
    for (int zeros = 0; zeros < 5; zeros++) put_number(&directory, 0, 2); /* comment, disk, attributes */
    put_number(&directory, at, 4);
    fuzz_put(&directory, name->data, name->size & 0xffff);
  }
  uint32_t at = (uint32_t)out->size;
  fuzz_put(out, directory.data, directory.size);
  put_number(out, 0x06054b50, 4);
  put_number(out, 0, 4);
  put_number(out, count, 2);
  put_number(out, count, 2);
  put_number(out, (uint32_t)directory.size, 4);
  put_number(out, at, 4);
  put_number(out, 0, 2);
  fuzz_free(&directory);
}

/* Names and contents keep their places, so only the content of items changes. */
static void change(fuzz_items *items, unsigned seed) {
  fuzz_item *item = &items->items[seed / 64 % items->count];
  if (item->size == 0) item->data[item->size++] = 'x';
  item->size = LLVMFuzzerMutate(item->data, item->size, item->size + 32);
}

size_t fuzz_mutate_zip(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  fuzz_items items = {.count = 0};
  fuzz_out out = {NULL, 0, 0};
  size_t made = 0;
  if (read_entries((fuzz_in){data, size}, &items)) {
    change(&items, seed);
    write_zip(&items, &out);
    if (seed % 4 == 0 && out.size > 0) out.size -= seed / 4 % out.size; /* its end is missing */
  }
  if (out.size > 0 && out.size <= max_size) {
    memcpy(data, out.data, out.size);
    made = out.size;
  }
  fuzz_free(&out);
  fuzz_items_free(&items);
  return made;
}
