/* Zip archives whose directory is missing or makes no sense: what is found from the front, and where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "model/formats/zip/stream.h"
#include "model/formats/zip/walk.h"
#include "zip_builder.h"

/* "hello " four times, "hello\n", as zlib 1.2.13 deflates it. */
#define HELLO "hello hello hello hello hello\n"
#define HELLO_DEFLATED "\xcb\x48\xcd\xc9\xc9\x57\xc8\xc0\x4e\x72\x01\x00"

static const zip_file hello = {
    .name = "d/hello.txt", .content = HELLO_DEFLATED, .content_size = 12, .crc = 0x66310268, .size = 30, .method = 8};
static const zip_file stored = {.name = "stored", .content = "stored text", .crc = 0x0faf01b5};

/* --- Running -------------------------------------------------------------------- */

typedef struct walked {
  cpb_zip zip;
  cpb_zip_walk walk;
  cpb_input input;
  cpb_error error;
  cpb_have have;
  const uint8_t *data;
  size_t size, piece;
  unsigned requests;
  uint64_t bytes;
  char text[192];
  uint64_t offset;
} walked;

static void lend(walked *w) {
  cpb_need need;
  cpb_input_need(&w->input, &need);
  cpb_input_end(&w->input, w->size);
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.length > 0 && need.offset < w->size && need.ahead <= w->size - need.offset);
  size_t length = need.ahead < w->piece ? (size_t)need.ahead : w->piece;
  w->requests++;
  w->bytes += length;
  cpb_input_supply(&w->input, need.offset, w->data + need.offset, length);
}

static void walk_with(walked *w, const uint8_t *data, size_t size, size_t piece, const cpb_allocator *a) {
  cpb_allocator allocator = cpb_allocator_or_default(a);
  memset(w, 0, sizeof *w);
  w->data = data;
  w->size = size;
  w->piece = piece;
  cpb_input_init(&w->input);
  cpb_zip_init(&w->zip, &allocator, &w->input, 64 << 20, NULL, &w->error);
  while ((w->have = cpb_zip_open(&w->zip)) == CPB_WAIT) lend(w);
  if (w->have == CPB_HAVE || !w->zip.torn) return;
  cpb_zip_walk_begin(&w->walk, &w->zip);
  w->requests = 0;
  w->bytes = 0;
  while ((w->have = cpb_zip_walk_go_on(&w->walk)) == CPB_WAIT) lend(w);
  assert_int_equal(w->have == CPB_FAILED, w->error.code != CPB_OK);
  if (w->have == CPB_HAVE) cpb_zip_walk_tell(&w->walk, w->text, sizeof w->text, &w->offset);
}

static cpb_have content_of(walked *w, const char *name, cpb_buffer *content) {
  cpb_zip_stream stream;
  const cpb_zip_entry *entry = cpb_zip_find(&w->zip, (cpb_span){(const uint8_t *)name, strlen(name)});
  if (!entry) fail_msg("no entry %s", name);
  cpb_zip_stream_init(&stream, &w->zip);
  cpb_zip_stream_begin(&stream, entry);
  cpb_have have;
  while ((have = cpb_zip_stream_load(&stream, UINT64_MAX, content)) == CPB_WAIT) lend(w);
  cpb_zip_stream_free(&stream);
  return have;
}

static void has(walked *w, const char *name, const char *expected) {
  cpb_buffer content;
  cpb_buffer_init(&content, &w->zip.allocator);
  if (content_of(w, name, &content) != CPB_HAVE) fail_msg("%s", w->error.message);
  assert_int_equal(content.size, strlen(expected));
  assert_memory_equal(content.data, expected, content.size);
  cpb_buffer_free(&content);
}

static void is_cut(walked *w, const char *name) {
  cpb_buffer content;
  cpb_buffer_init(&content, &w->zip.allocator);
  assert_int_equal(content_of(w, name, &content), CPB_FAILED);
  if (w->error.code != CPB_E_TRUNCATED) fail_msg("%s", w->error.message);
  assert_int_equal(w->error.offset, w->size);
  w->error.code = CPB_OK;
  cpb_buffer_free(&content);
}

static void says(const walked *w, const char *text) {
  if (!strstr(w->text, text)) fail_msg("\"%s\" is not in \"%s\"", text, w->text);
}

/* --- Cut anywhere ----------------------------------------------------------------------- */

/* Of both entries, in the order of `files`, all that is there is found, at every cut and from pieces of any size. */
static void every_cut(const zip_file files[2]) {
  static zip_builder z;
  size_t ends[2];
  memset(&z, 0, sizeof z);
  for (int i = 0; i < 2; i++) {
    zip_add(&z, files[i]);
    ends[i] = z.out.size;
  }
  size_t entries = z.out.size;
  zip_end(&z, "");
  for (size_t size = 0; size < z.out.size; size++) {
    for (size_t piece = 1; piece < 2000; piece = piece * 9 + 1) {
      walked w;
      walk_with(&w, z.out.data, size, piece, NULL);
      assert_int_equal(w.have, size == 0 && w.error.code == CPB_E_TRUNCATED ? CPB_FAILED : CPB_HAVE);
      size_t whole = (size >= ends[0]) + (size >= ends[1]);
      if (w.walk.found < whole || w.zip.num_entries > 2) fail_msg("%zu of %zu: %s", size, z.out.size, w.text);
      for (size_t i = 0; i < w.zip.num_entries; i++) {
        const cpb_zip_entry *e = &w.zip.entries[i];
        bool first = e->name.size == strlen(files[0].name);
        if (e->cut == CPB_ZIP_WHOLE) has(&w, files[!first].name, files[!first].method ? HELLO : "stored text");
        else is_cut(&w, files[!first].name);
      }
      if (w.have == CPB_HAVE) {
        assert_int_equal(w.offset, size);
        says(&w, size > entries + 3 ? "within its directory" : "the zip archive ends here");
      }
      cpb_zip_free(&w.zip);
    }
  }
}

static void records_before_a_cut_are_found(void **state) {
  (void)state;
  every_cut((zip_file[]){hello, stored});
  every_cut((zip_file[]){stored, hello});
}

static void sizes_that_follow_the_data_are_searched_for(void **state) {
  (void)state;
  zip_file a = hello, b = stored;
  a.descriptor = b.descriptor = 1;
  every_cut((zip_file[]){a, b});
  every_cut((zip_file[]){b, a});
  every_cut((zip_file[]){a, stored});
}

static void zip64_sizes_are_read(void **state) {
  (void)state;
  zip_file a = hello, b = stored;
  a.wide = b.wide = 1;
  every_cut((zip_file[]){a, b});
}

/* --- Descriptors by hand ------------------------------------------------------------------ */

/* `size` bytes in 32 bits or 64, with a signature or without; the CRC-32 is that of `stored`. */
static void put_descriptor(zip_bytes *b, bool sign, int width, uint64_t size) {
  if (sign) zip_number(b, 0x08074b50, 4);
  zip_number(b, 0x0faf01b5, 4);
  zip_number(b, size, width);
  zip_number(b, size, width);
}

static void put_unsized(zip_bytes *b, const char *name, const char *content, size_t size) {
  zip_number(b, 0x04034b50, 4);
  zip_number(b, 20, 2);
  zip_number(b, 8, 2); /* sizes follow */
  zip_number(b, 0, 18);
  zip_number(b, strlen(name), 2);
  zip_number(b, 0, 2);
  zip_put(b, name, strlen(name));
  zip_put(b, content, size);
}

static void descriptors_of_all_four_forms_are_found(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    static zip_builder z;
    memset(&z, 0, sizeof z);
    put_unsized(&z.out, "a", "stored text", 11);
    put_descriptor(&z.out, form & 1, form & 2 ? 8 : 4, 11);
    zip_add(&z, hello);
    walked w;
    walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
    assert_int_equal(w.walk.found, 2);
    has(&w, "a", "stored text");
    has(&w, "d/hello.txt", HELLO);
    cpb_zip_free(&w.zip);
  }
}

/* Signatures within the data, with numbers that do not fit, do not end an entry; nor does the border of what is
 * read at a time hide a descriptor. */
static void data_that_look_like_records_are_passed(void **state) {
  (void)state;
  static zip_builder z;
  static char data[3 * 65536];
  static const char look[] = "PK\x07\x08....\x01\0\0\0\x01\0\0\0PK\x03\x04PK\x01\x02PKPK\x07\x08";
  for (size_t size = 65536 - 80; size < 65536 + 80; size++) {
    memset(&z, 0, sizeof z);
    memset(data, 'P', sizeof data);
    for (size_t i = 0; i + sizeof look < size; i += 997) memcpy(data + i, look, sizeof look);
    put_unsized(&z.out, "a", data, size);
    put_descriptor(&z.out, true, size % 2 ? 4 : 8, size);
    zip_add(&z, stored);
    walked w;
    walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
    assert_int_equal(w.walk.found, 2);
    assert_int_equal(cpb_zip_find(&w.zip, (cpb_span){(const uint8_t *)"a", 1})->size, size);
    has(&w, "stored", "stored text");
    cpb_zip_free(&w.zip);
  }
}

/* --- Directories that make no sense ---------------------------------------------------------- */

static void a_directory_that_was_changed_is_not_needed(void **state) {
  (void)state;
  static zip_builder z;
  memset(&z, 0, sizeof z);
  zip_add(&z, stored);
  zip_add(&z, hello);
  size_t directory = z.out.size;
  zip_end(&z, "");
  const struct {
    size_t at;
    const char *text;
  } changes[] = {{directory, "the directory of the zip archive is damaged here: 2 entries are whole"},
                 {z.out.size - 6, "the directory of the zip archive is damaged: 2 entries are whole"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    z.out.data[changes[i].at] ^= 1;
    walked w;
    walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
    says(&w, changes[i].text);
    has(&w, "stored", "stored text");
    has(&w, "d/hello.txt", HELLO);
    cpb_zip_free(&w.zip);
    z.out.data[changes[i].at] ^= 1;
  }
}

/* As after entries were added behind a directory, and the new one is missing. */
static void directories_between_entries_are_passed_and_the_last_of_a_name_counts(void **state) {
  (void)state;
  static zip_builder z;
  zip_file older = hello, cut = stored;
  memset(&z, 0, sizeof z);
  older.name = "stored";
  zip_add(&z, older);
  z.wide = 1;
  zip_end(&z, "a comment");
  zip_add(&z, stored);
  size_t whole = z.out.size;
  cut.name = "STORED";
  zip_add(&z, cut);
  for (size_t size = whole; size < z.out.size; size++) {
    walked w;
    walk_with(&w, z.out.data, size, SIZE_MAX, NULL);
    assert_int_equal(w.walk.found, 1);
    has(&w, "stored", "stored text");
    cpb_zip_free(&w.zip);
  }
}

static void a_position_without_a_record_ends_reading(void **state) {
  (void)state;
  static zip_builder z;
  memset(&z, 0, sizeof z);
  zip_add(&z, stored);
  size_t at = z.out.size;
  zip_put(&z.out, "something else", 14);
  zip_add(&z, hello);
  walked w;
  walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
  assert_int_equal(w.offset, at);
  says(&w, "is damaged here: 1 entry is whole");
  cpb_zip_free(&w.zip);
}

/* --- Lies --------------------------------------------------------------------------------------- */

static void names_and_sizes_that_would_be_refused_are_left_out(void **state) {
  (void)state;
  static zip_builder z;
  zip_file bad[4] = {stored, stored, stored, hello};
  memset(&z, 0, sizeof z);
  bad[0].name = "../stored";
  bad[1].name = "a\\b";
  bad[2].size = 12;
  bad[3].size = 1 << 20;
  for (int i = 0; i < 4; i++) zip_add(&z, bad[i]);
  zip_file good = stored;
  good.name = "good";
  zip_add(&z, good);
  walked w;
  walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
  assert_int_equal(w.zip.num_entries, 1);
  says(&w, "1 entry is whole, 4 refused");
  has(&w, "good", "stored text");
  cpb_zip_free(&w.zip);
}

/* Sizes that add up to nothing, or lead back, in 64 bits. */
static void sizes_beyond_the_file_are_those_of_an_entry_that_is_cut(void **state) {
  (void)state;
  static const uint64_t sizes[] = {12, 1 << 30, UINT64_MAX, UINT64_MAX - 60, (uint64_t)INT64_MAX + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    static zip_builder z;
    zip_file file = stored;
    memset(&z, 0, sizeof z);
    file.wide = 1;
    zip_add(&z, file);
    for (int k = 0; k < 8; k++) z.out.data[40 + k] = z.out.data[48 + k] = (uint8_t)(sizes[i] >> 8 * k);
    walked w;
    walk_with(&w, z.out.data, z.out.size, SIZE_MAX, NULL);
    assert_int_equal(w.have, CPB_HAVE);
    assert_int_equal(w.walk.missing, sizes[i] - 11);
    says(&w, "within stored, at least ");
    is_cut(&w, "stored");
    cpb_zip_free(&w.zip);
  }
}

static void a_million_headers_are_not_all_read(void **state) {
  (void)state;
  enum { COUNT = 1000000, EACH = 30 + 7 };
  uint8_t *data = calloc(COUNT, EACH);
  char name[8];
  for (size_t i = 0; i < COUNT; i++) {
    uint8_t *at = data + i * EACH;
    memcpy(at, "PK\x03\x04", 4);
    at[26] = 7;
    snprintf(name, sizeof name, "%07zu", i % 10000000);
    memcpy(at + 30, name, 7);
  }
  walked w;
  walk_with(&w, data, (size_t)COUNT * EACH, SIZE_MAX, NULL);
  assert_int_equal(w.walk.records, CPB_ZIP_WALK_RECORDS);
  assert_int_equal(w.zip.num_entries, CPB_ZIP_WALK_RECORDS);
  assert_int_equal(w.offset, (uint64_t)CPB_ZIP_WALK_RECORDS * EACH);
  says(&w, "was searched up to here, as there is no directory");
  assert_true(w.bytes <= w.walk.read && w.requests <= w.walk.places);
  cpb_zip_free(&w.zip);
  free(data);
}

/* Empty descriptors next to each other: each byte of an entry of which nothing tells the end is looked at once. */
static void a_search_without_an_end_is_bounded(void **state) {
  (void)state;
  size_t size = (size_t)CPB_ZIP_WALK_READ + (8 << 20);
  uint8_t *data = malloc(size);
  memset(data, 'P', size);
  memcpy(data, "PK\x03\x04\x14\0\x08\0", 8);
  memset(data + 8, 0, 22);
  data[26] = 1;
  walked w;
  walk_with(&w, data, size, SIZE_MAX, NULL);
  assert_int_equal(w.have, CPB_HAVE);
  says(&w, "was searched up to here, as there is no directory: 0 entries are whole");
  assert_true(w.walk.read <= CPB_ZIP_WALK_READ + (1 << 20) && w.bytes <= w.walk.read);
  assert_true(w.requests < 100);
  cpb_zip_free(&w.zip);
  free(data);
}

/* --- Requests -------------------------------------------------------------------------------------- */

static void small_entries_come_with_one_request_and_large_ones_with_one_each(void **state) {
  (void)state;
  enum { LARGE = 1 << 20 };
  uint8_t *data = calloc(1, 11 * LARGE);
  size_t size = 0;
  for (int i = 0; i < 210; i++) {
    bool large = i >= 200;
    uint32_t bytes = large ? LARGE : 10;
    memcpy(data + size, "PK\x03\x04", 4);
    memcpy(data + size + 18, &bytes, 4);
    memcpy(data + size + 22, &bytes, 4);
    data[size + 26] = 3;
    snprintf((char *)data + size + 30, 4, "%03d", i);
    size += 33 + bytes;
  }
  walked w;
  walk_with(&w, data, size, SIZE_MAX, NULL);
  assert_int_equal(w.walk.found, 210);
  assert_int_equal(w.requests, 10); /* the first one has the header of the first that is large */
  assert_true(w.bytes <= (64 << 10) + 9 * (4 << 10) + (64 << 10));
  cpb_zip_free(&w.zip);
  free(data);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  static zip_builder z;
  zip_file unsized = stored;
  memset(&z, 0, sizeof z);
  unsized.descriptor = 1;
  zip_add(&z, unsized);
  zip_add(&z, hello);
  for (size_t n = 1;; n++) {
    failing_allocator f = {.fail_at = n, .for_ever = true};
    cpb_allocator a = failing_allocator_of(&f);
    walked w;
    walk_with(&w, z.out.data, z.out.size, 100, &a);
    if (w.have == CPB_FAILED) assert_int_equal(w.error.code, CPB_E_MEMORY);
    cpb_zip_free(&w.zip);
    assert_int_equal(f.blocks, 0);
    if (f.calls < n) return;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_before_a_cut_are_found),
      cmocka_unit_test(sizes_that_follow_the_data_are_searched_for),
      cmocka_unit_test(zip64_sizes_are_read),
      cmocka_unit_test(descriptors_of_all_four_forms_are_found),
      cmocka_unit_test(data_that_look_like_records_are_passed),
      cmocka_unit_test(a_directory_that_was_changed_is_not_needed),
      cmocka_unit_test(directories_between_entries_are_passed_and_the_last_of_a_name_counts),
      cmocka_unit_test(a_position_without_a_record_ends_reading),
      cmocka_unit_test(names_and_sizes_that_would_be_refused_are_left_out),
      cmocka_unit_test(sizes_beyond_the_file_are_those_of_an_entry_that_is_cut),
      cmocka_unit_test(a_million_headers_are_not_all_read),
      cmocka_unit_test(a_search_without_an_end_is_bounded),
      cmocka_unit_test(small_entries_come_with_one_request_and_large_ones_with_one_each),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
