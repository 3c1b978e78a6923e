/* Zip archives written byte by byte: what is accepted, and each lie that is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "model/formats/zip/stream.h"
#include "unstable_sort.h"
#include "zip_builder.h"

/* "hello " four times, "hello\n", as zlib 1.2.13 deflates it. */
#define HELLO "hello hello hello hello hello\n"
#define HELLO_DEFLATED "\xcb\x48\xcd\xc9\xc9\x57\xc8\xc0\x4e\x72\x01\x00"

static const zip_file hello = {
    .name = "d/hello.txt", .content = HELLO_DEFLATED, .content_size = 12, .crc = 0x66310268, .size = 30, .method = 8};
static const zip_file stored = {.name = "stored", .content = "stored text", .crc = 0x0faf01b5};

/* --- Running -------------------------------------------------------------------- */

typedef struct host {
  const uint8_t *data;
  size_t size, piece;
  unsigned requests;
  cpb_input input;
  uint8_t *lent;
} host;

static void lend(host *h) {
  cpb_need need;
  cpb_input_need(&h->input, &need);
  cpb_input_end(&h->input, h->size);
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.length > 0 && need.offset < h->size && need.ahead <= h->size - need.offset);
  size_t length = need.ahead < h->piece ? (size_t)need.ahead : h->piece;
  free(h->lent);
  h->lent = malloc(length);
  memcpy(h->lent, h->data + need.offset, length);
  h->requests++;
  cpb_input_supply(&h->input, need.offset, h->lent, length);
}

typedef struct reading {
  cpb_error error;
  size_t entries;
  cpb_buffer content; /* of the entry that was asked for */
  unsigned requests;
  bool found;
} reading;

static reading read_with(const zip_builder *z, const char *name, size_t piece, const cpb_allocator *a) {
  reading r = {.error = {.code = CPB_OK}};
  host h = {.data = z->out.data, .size = z->out.size, .piece = piece};
  cpb_zip zip;
  cpb_zip_stream stream;
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_have have;
  cpb_input_init(&h.input);
  cpb_zip_init(&zip, &allocator, &h.input, 1 << 20, NULL, &r.error);
  cpb_zip_stream_init(&stream, &zip);
  cpb_buffer_init(&r.content, &allocator);
  while ((have = cpb_zip_open(&zip)) == CPB_WAIT) lend(&h);
  r.entries = zip.num_entries;
  const cpb_zip_entry *entry =
      have == CPB_HAVE && name ? cpb_zip_find(&zip, (cpb_span){(const uint8_t *)name, strlen(name)}) : NULL;
  r.found = entry != NULL;
  if (entry) {
    cpb_zip_stream_begin(&stream, entry);
    while ((have = cpb_zip_stream_load(&stream, 1000, &r.content)) == CPB_WAIT) lend(&h);
  }
  assert_int_equal(have == CPB_FAILED, r.error.code != CPB_OK);
  r.requests = h.requests;
  cpb_zip_stream_free(&stream);
  cpb_zip_free(&zip);
  free(h.lent);
  return r;
}

static void gives(const zip_builder *z, const char *name, const char *content) {
  for (size_t piece = 1; piece < 100000; piece = piece * 3 + 1) {
    reading r = read_with(z, name, piece, NULL);
    if (r.error.code != CPB_OK) fail_msg("%s", r.error.message);
    assert_true(r.found);
    assert_int_equal(r.content.size, strlen(content));
    assert_memory_equal(r.content.data, content, r.content.size);
    cpb_buffer_free(&r.content);
  }
}

/* The first error, which must have `what` in its text. */
static void fails(const zip_builder *z, const char *name, cpb_code code, const char *what) {
  for (size_t piece = 1; piece < 100000; piece = piece * 3 + 1) {
    reading r = read_with(z, name, piece, NULL);
    if (r.error.code == CPB_OK || !strstr(r.error.message, what)) fail_msg("\"%s\", not \"%s\"", r.error.message, what);
    assert_int_equal(r.error.code, code);
    cpb_buffer_free(&r.content);
  }
}

static zip_builder *archive_of(const zip_file *files, size_t count, const char *comment) {
  static zip_builder z;
  memset(&z, 0, sizeof z);
  for (size_t i = 0; i < count; i++) zip_add(&z, files[i]);
  zip_end(&z, comment);
  return &z;
}

static zip_builder *with(zip_file file) { return archive_of((zip_file[]){stored, file}, 2, ""); }

/* --- What is accepted ---------------------------------------------------------------- */

static void stored_and_deflated_entries_are_read(void **state) {
  (void)state;
  zip_builder *z = archive_of((zip_file[]){hello, stored}, 2, "");
  gives(z, "d/hello.txt", HELLO);
  gives(z, "stored", "stored text");
}

static void names_are_found_without_regard_to_case(void **state) {
  (void)state;
  gives(with(hello), "D/HELLO.txt", HELLO);
  reading r = read_with(with(hello), "d/hello", 1000, NULL);
  assert_false(r.found);
  cpb_buffer_free(&r.content);
}

static void an_archive_may_be_empty(void **state) {
  (void)state;
  reading r = read_with(archive_of(NULL, 0, ""), NULL, 1000, NULL);
  assert_int_equal(r.error.code, CPB_OK);
  assert_int_equal(r.entries, 0);
}

static void sizes_may_follow_the_data(void **state) {
  (void)state;
  zip_file file = hello;
  file.descriptor = 1;
  zip_file also = stored;
  also.descriptor = 1;
  zip_builder *z = archive_of((zip_file[]){file, also}, 2, "");
  gives(z, "d/hello.txt", HELLO);
  gives(z, "stored", "stored text");
}

static void zip64_fields_and_end_records_are_read(void **state) {
  (void)state;
  static zip_builder z;
  memset(&z, 0, sizeof z);
  zip_file file = hello;
  file.wide = 1;
  z.wide = 1;
  zip_add(&z, file);
  zip_add(&z, stored);
  zip_end(&z, "");
  gives(&z, "d/hello.txt", HELLO);
  gives(&z, "stored", "stored text");
}

static void a_comment_may_hold_an_end_record(void **state) {
  (void)state;
  /* Another end record, whose own comment would not reach to the end. */
  gives(archive_of(&stored, 1, "PK\x05\x06 and then some more of this comment"), "stored", "stored text");
}

static void a_comment_may_be_as_long_as_can_be(void **state) {
  (void)state;
  static char comment[65536];
  memset(comment, '*', 65535);
  reading r = read_with(archive_of(&stored, 1, comment), "stored", SIZE_MAX, NULL);
  assert_int_equal(r.error.code, CPB_OK);
  assert_true(r.found);
  cpb_buffer_free(&r.content);
}

static void an_entry_takes_one_request_and_the_directory_one(void **state) {
  (void)state;
  reading r = read_with(with(hello), "d/hello.txt", SIZE_MAX, NULL);
  assert_int_equal(r.requests, 1); /* it is all within the tail */
  cpb_buffer_free(&r.content);
}

static void the_checksum_is_the_usual_one(void **state) {
  (void)state;
  assert_int_equal(cpb_crc32(0, (cpb_span){(const uint8_t *)"123456789", 9}), 0xcbf43926);
}

/* --- What is not ------------------------------------------------------------------------ */

static void a_wrong_checksum_is_found(void **state) {
  (void)state;
  zip_file file = hello;
  file.crc ^= 1;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "CRC-32 of the content is");
  gives(with(file), "stored", "stored text");
}

static void a_size_must_be_that_of_the_content(void **state) {
  (void)state;
  zip_file file = hello;
  file.size = 29;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "expand beyond the uncompressed size");
  file.size = 31;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "uncompressed size is");
  file.size = 14000;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "more than DEFLATE can make");
}

static void deflated_data_end_where_the_directory_says(void **state) {
  (void)state;
  zip_file file = hello;
  file.content_size = 11;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "ends before the DEFLATE data do");
  file.content_size = 13;
  file.content = HELLO_DEFLATED "x";
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "compressed size is");
  file.content = "\xff" HELLO_DEFLATED;
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "invalid DEFLATE data");
}

static void two_entries_must_not_share_bytes(void **state) {
  (void)state;
  zip_file file = hello;
  file.at_moved = -1;
  fails(with(file), NULL, CPB_E_DAMAGED, "overlap the next entry");
}

static void an_entry_lies_before_the_directory(void **state) {
  (void)state;
  zip_file file = hello;
  file.at_moved = 1000000;
  fails(with(file), NULL, CPB_E_DAMAGED, "not before the central directory");
}

static void names_must_not_differ_only_in_case(void **state) {
  (void)state;
  zip_file file = hello;
  file.name = "STORED";
  fails(with(file), NULL, CPB_E_DAMAGED, "has this name twice");
}

static void the_later_of_two_entries_with_one_name_is_reported(void **state) {
  (void)state;
  zip_file other = stored;
  other.name = "Stored";
  const zip_builder *z = archive_of((zip_file[]){stored, other, hello}, 3, "");
  reading r = read_with(z, NULL, 1000, NULL);
  assert_int_equal(r.error.code, CPB_E_DAMAGED);
  assert_int_equal(r.error.offset, 30 + strlen(stored.name) + strlen(stored.content));
  cpb_buffer_free(&r.content);
}

static void a_local_header_tells_what_the_directory_tells(void **state) {
  (void)state;
  zip_file file = hello;
  file.local_name = "d/hullo.txt";
  fails(with(file), "d/hello.txt", CPB_E_DAMAGED, "the name in the local header differs");
}

static void names_that_lead_elsewhere_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"/abs", "a/../b", "..", "a//b", "./a", "c:\\x", "a\\b", "a\x01", "\xff", "a/.."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_non_null(cpb_zip_name_problem((cpb_span){(const uint8_t *)names[i], strlen(names[i])}));
  static const char *const good[] = {"a", "a/", "a/b", "a.b", "...", "..a", "\xc3\xa9/x"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    assert_null(cpb_zip_name_problem((cpb_span){(const uint8_t *)good[i], strlen(good[i])}));
  zip_file file = hello;
  file.name = "../x";
  fails(with(file), NULL, CPB_E_DAMAGED, "contains . or ..");
}

static void symbolic_links_are_refused(void **state) {
  (void)state;
  zip_file file = hello;
  file.made_by = 3 << 8;
  file.attributes = 0120777u << 16;
  fails(with(file), NULL, CPB_E_DAMAGED, "symbolic link");
}

static void encrypted_and_unknown_methods_are_unsupported(void **state) {
  (void)state;
  zip_file file = hello;
  file.flags = 1;
  fails(with(file), "d/hello.txt", CPB_E_UNSUPPORTED, "encryption is not supported");
  file.flags = 0;
  file.method = 12;
  fails(with(file), "d/hello.txt", CPB_E_UNSUPPORTED, "compression method is");
}

static void the_number_of_entries_must_be_right(void **state) {
  (void)state;
  static zip_builder z;
  for (int more = -1; more <= 1; more += 2) {
    memset(&z, 0, sizeof z);
    z.told_count = (uint16_t)more;
    zip_add(&z, hello);
    zip_add(&z, stored);
    zip_end(&z, "");
    fails(&z, NULL, CPB_E_DAMAGED, more < 0 ? "longer than its entries" : "more than the central directory's size");
  }
}

static void records_longer_than_allowed_are_not_loaded(void **state) {
  (void)state;
  static char long_text[1002];
  memset(long_text, 'x', 1001);
  zip_file file = stored;
  file.name = "long";
  file.content = long_text;
  fails(with(file), "long", CPB_E_LIMIT, "size is 1001; the limit is 1000 bytes");
}

static void every_cut_is_noticed(void **state) {
  (void)state;
  zip_builder *z = with(hello);
  size_t whole = z->out.size;
  for (z->out.size = 0; z->out.size < whole; z->out.size++) {
    reading r = read_with(z, "stored", SIZE_MAX, NULL);
    assert_int_not_equal(r.error.code, CPB_OK);
    cpb_buffer_free(&r.content);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  zip_builder *z = archive_of((zip_file[]){stored, hello}, 2, "");
  for (size_t n = 1;; n++) {
    failing_allocator f = {.fail_at = n, .for_ever = true};
    cpb_allocator a = failing_allocator_of(&f);
    reading r = read_with(z, "d/hello.txt", 100, &a);
    cpb_buffer_free(&r.content);
    assert_int_equal(f.blocks, 0);
    if (f.calls < n) return;
    assert_int_equal(r.error.code, CPB_E_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stored_and_deflated_entries_are_read),
      cmocka_unit_test(names_are_found_without_regard_to_case),
      cmocka_unit_test(an_archive_may_be_empty),
      cmocka_unit_test(sizes_may_follow_the_data),
      cmocka_unit_test(zip64_fields_and_end_records_are_read),
      cmocka_unit_test(a_comment_may_hold_an_end_record),
      cmocka_unit_test(a_comment_may_be_as_long_as_can_be),
      cmocka_unit_test(an_entry_takes_one_request_and_the_directory_one),
      cmocka_unit_test(the_checksum_is_the_usual_one),
      cmocka_unit_test(a_wrong_checksum_is_found),
      cmocka_unit_test(a_size_must_be_that_of_the_content),
      cmocka_unit_test(deflated_data_end_where_the_directory_says),
      cmocka_unit_test(two_entries_must_not_share_bytes),
      cmocka_unit_test(an_entry_lies_before_the_directory),
      cmocka_unit_test(names_must_not_differ_only_in_case),
      cmocka_unit_test(the_later_of_two_entries_with_one_name_is_reported),
      cmocka_unit_test(a_local_header_tells_what_the_directory_tells),
      cmocka_unit_test(names_that_lead_elsewhere_are_refused),
      cmocka_unit_test(symbolic_links_are_refused),
      cmocka_unit_test(encrypted_and_unknown_methods_are_unsupported),
      cmocka_unit_test(the_number_of_entries_must_be_right),
      cmocka_unit_test(records_longer_than_allowed_are_not_loaded),
      cmocka_unit_test(every_cut_is_noticed),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
