/* Zip archives as they are written: read back by our reader, which takes no lies. Large
 * ones lie in a file that is not there: only what is not content is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/formats/zip/deflate.h"
#include "model/formats/zip/stream.h"
#include "model/formats/zip/write.h"

#define GIGABYTE ((uint64_t)1 << 30)

/* --- A file with holes ------------------------------------------------------------- */

typedef struct island {
  uint64_t offset;
  size_t size;
  uint8_t *data;
} island;

typedef struct sparse {
  cpb_allocator allocator;
  cpb_zip_writing zip;
  cpb_buffer out;
  island *islands;
  size_t count;
} sparse;

static void set_up(sparse *s) {
  *s = (sparse){.allocator = cpb_allocator_or_default(NULL)};
  cpb_zip_writing_init(&s->zip, &s->allocator);
  cpb_buffer_init(&s->out, &s->allocator);
}

static void tear_down(sparse *s) {
  for (size_t i = 0; i < s->count; i++) free(s->islands[i].data);
  free(s->islands);
  cpb_zip_writing_free(&s->zip);
  cpb_buffer_free(&s->out);
}

/* What is in `out`, at `offset`; over an island that is there it must have its size. */
static void put_out(sparse *s, uint64_t offset) {
  island new = {offset, s->out.size, malloc(s->out.size + 1)};
  memcpy(new.data, s->out.data, s->out.size);
  s->out.size = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (s->islands[i].offset != offset) continue;
    assert_int_equal(s->islands[i].size, new.size);
    free(s->islands[i].data);
    s->islands[i] = new;
    return;
  }
  s->islands = realloc(s->islands, (s->count + 1) * sizeof new);
  s->islands[s->count++] = new;
}

static void add_large(sparse *s, const char *name, uint64_t size, uint16_t method, uint64_t packed) {
  uint64_t at = s->zip.at;
  const cpb_zip_plan plan = {
      .name = {(const uint8_t *)name, strlen(name)}, .size = size, .method = method, .aligned = true};
  assert_true(cpb_zip_write_begin(&s->zip, &plan, &s->out));
  assert_int_equal(s->zip.at % CPB_ZIP_ALIGNMENT, 0);
  put_out(s, at);
  cpb_zip_write_content(&s->zip, (cpb_span){NULL, 0}, packed);
  assert_true(cpb_zip_write_end(&s->zip, &s->out, &at));
  put_out(s, at);
}

static void end(sparse *s) {
  uint64_t at = s->zip.at;
  assert_true(cpb_buffer_append(&s->out, s->zip.directory.data, s->zip.directory.size));
  assert_true(cpb_zip_write_end_record(at, s->zip.directory.size, s->zip.count, (cpb_span){NULL, 0}, &s->out));
  s->zip.at += s->out.size;
  put_out(s, at);
}

static void lend(const sparse *s, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, s->zip.at);
  if (need.kind != CPB_NEED_RANGE) return;
  static const uint8_t zeros[1 << 16];
  for (size_t i = 0; i < s->count; i++) {
    const island *is = &s->islands[i];
    if (need.offset < is->offset || need.offset - is->offset >= is->size) continue;
    cpb_input_supply(input, is->offset, is->data, is->size);
    return;
  }
  for (size_t i = 0; i < s->count; i++) { /* the last bytes of a hole, up to an island */
    uint64_t to = s->islands[i].offset - need.offset;
    if (s->islands[i].offset > need.offset && to < sizeof zeros) {
      cpb_input_supply(input, need.offset, zeros, (size_t)to);
      return;
    }
  }
  cpb_input_supply(input, need.offset, zeros, sizeof zeros);
}

typedef struct reading {
  cpb_input input;
  cpb_error error;
  cpb_zip zip;
} reading;

static void read_back(const sparse *s, reading *r) {
  cpb_have have;
  memset(r, 0, sizeof *r);
  cpb_input_init(&r->input);
  cpb_zip_init(&r->zip, &s->allocator, &r->input, 64 << 20, NULL, &r->error);
  while ((have = cpb_zip_open(&r->zip)) == CPB_WAIT) lend(s, &r->input);
  if (have != CPB_HAVE) fail_msg("%s", r->error.message);
}

static const cpb_zip_entry *find(const reading *r, const char *name) {
  const cpb_zip_entry *e = cpb_zip_find(&r->zip, (cpb_span){(const uint8_t *)name, strlen(name)});
  assert_non_null(e);
  return e;
}

/* Its own header says what the directory says. */
static void header_agrees(const sparse *s, reading *r, const char *name) {
  cpb_zip_stream stream;
  cpb_span piece;
  cpb_have have;
  cpb_zip_stream_init(&stream, &r->zip);
  cpb_zip_stream_begin(&stream, find(r, name));
  while ((have = cpb_zip_stream_next(&stream, &piece)) == CPB_WAIT) lend(s, &r->input);
  if (have != CPB_HAVE) fail_msg("%s", r->error.message);
  cpb_zip_stream_free(&stream);
}

/* --- Tests ---------------------------------------------------------------------------- */

static void numbers_beyond_four_gigabytes_are_wide(void **state) {
  (void)state;
  sparse s;
  reading r;
  set_up(&s);
  add_large(&s, "small", 100, CPB_ZIP_STORED, 100);
  add_large(&s, "just below", UINT32_MAX - 1, CPB_ZIP_STORED, UINT32_MAX - 1);
  add_large(&s, "far behind", 7, CPB_ZIP_STORED, 7);
  add_large(&s, "at the limit", UINT32_MAX, CPB_ZIP_STORED, UINT32_MAX);
  add_large(&s, "large", 5 * GIGABYTE, CPB_ZIP_STORED, 5 * GIGABYTE);
  add_large(&s, "packed", 50 * GIGABYTE, CPB_ZIP_DEFLATED, GIGABYTE);
  end(&s);
  assert_true(s.zip.at > 14 * GIGABYTE);
  read_back(&s, &r);
  assert_int_equal(r.zip.num_entries, 6);
  static const struct {
    const char *name;
    uint64_t size, packed;
  } entries[] = {{"small", 100, 100},
                 {"just below", UINT32_MAX - 1, UINT32_MAX - 1},
                 {"far behind", 7, 7},
                 {"at the limit", UINT32_MAX, UINT32_MAX},
                 {"large", 5 * GIGABYTE, 5 * GIGABYTE},
                 {"packed", 50 * GIGABYTE, GIGABYTE}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    assert_int_equal(find(&r, entries[i].name)->size, entries[i].size);
    assert_int_equal(find(&r, entries[i].name)->packed, entries[i].packed);
    if (i != 5) header_agrees(&s, &r, entries[i].name); /* there is nothing to inflate */
  }
  assert_true(find(&r, "far behind")->header > UINT32_MAX - 1);
  cpb_zip_free(&r.zip);
  tear_down(&s);
}

static void more_entries_than_sixteen_bits_count(void **state) {
  (void)state;
  for (uint64_t count = 65534; count <= 70000; count += count < 65536 ? 1 : 70000 - 65536) {
    sparse s;
    reading r;
    set_up(&s);
    for (uint64_t i = 0; i < count; i++) {
      char name[24];
      snprintf(name, sizeof name, "%llu", (unsigned long long)i);
      const cpb_zip_plan plan = {.name = {(const uint8_t *)name, strlen(name)}, .known = true};
      uint64_t at;
      assert_true(cpb_zip_write_begin(&s.zip, &plan, &s.out) && cpb_zip_write_end(&s.zip, &s.out, &at));
      s.out.size = 0;
    }
    end(&s);
    read_back(&s, &r);
    assert_int_equal(r.zip.num_entries, count);
    find(&r, "65533");
    cpb_zip_free(&r.zip);
    tear_down(&s);
  }
}

/* Every length of a name, so every padding. */
static void content_begins_where_it_should(void **state) {
  (void)state;
  sparse s;
  reading r;
  set_up(&s);
  char name[200];
  memset(name, 'n', sizeof name);
  for (size_t n = 1; n < sizeof name; n++) {
    char text[200] = "";
    memcpy(text, name, n);
    add_large(&s, text, n, CPB_ZIP_STORED, n);
  }
  end(&s);
  read_back(&s, &r);
  for (size_t n = 1; n < sizeof name; n++) {
    char text[200] = "";
    memcpy(text, name, n);
    header_agrees(&s, &r, text);
  }
  cpb_zip_free(&r.zip);
  tear_down(&s);
}

/* PKWARE's APPNOTE, 4.3: field by field, of an entry that is stored. */
static void an_archive_is_laid_out_as_the_note_says(void **state) {
  (void)state;
  static const uint8_t expected[] = {
      'P', 'K', 3, 4, 20, 0,    0, 8,    0,    0,    0,    0,    0x21, 0,   0xd3, 0xff, 0x6b, 0x9e, 1,   0,   0,
      0,   1,   0, 0, 0,  2,    0, 0,    0,    0xc3, 0xa4, '!',  'P',  'K', 1,    2,    20,   3,    20,  0,   0,
      8,   0,   0, 0, 0,  0x21, 0, 0xd3, 0xff, 0x6b, 0x9e, 1,    0,    0,   0,    1,    0,    0,    0,   2,   0,
      0,   0,   0, 0, 0,  0,    0, 0,    0,    0,    0xa4, 0x81, 0,    0,   0,    0,    0xc3, 0xa4, 'P', 'K', 5,
      6,   0,   0, 0, 0,  1,    0, 1,    0,    48,   0,    0,    0,    33,  0,    0,    0,    2,    0,   'h', 'i'};
  sparse s;
  uint64_t at;
  set_up(&s);
  const cpb_zip_plan plan = {
      .name = {(const uint8_t *)"\xc3\xa4", 2}, .size = 1, .known = true, .crc = 0x9e6bffd3, .packed = 1};
  assert_true(cpb_zip_write_begin(&s.zip, &plan, &s.out) && cpb_buffer_append(&s.out, "!", 1));
  cpb_zip_write_content(&s.zip, (cpb_span){(const uint8_t *)"!", 1}, 1);
  assert_true(cpb_zip_write_end(&s.zip, &s.out, &at));
  assert_true(cpb_buffer_append(&s.out, s.zip.directory.data, s.zip.directory.size));
  assert_true(cpb_zip_write_end_record(33, s.zip.directory.size, 1, (cpb_span){(const uint8_t *)"hi", 2}, &s.out));
  assert_int_equal(s.out.size, sizeof expected);
  assert_memory_equal(s.out.data, expected, sizeof expected);
  tear_down(&s);
}

static void deflate_keeps_its_bound_and_is_inflated(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  static uint8_t data[300000], packed[sizeof data + 1000], back[sizeof data];
  uint32_t noise = 1;
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
  for (size_t size = 0; size <= sizeof data; size = size * 3 + 7) {
    cpb_deflate *state_of = cpb_deflate_new(&a);
    cpb_span in = {data, size};
    size_t made, total = 0;
    bool ended = false;
    while (!ended) {
      ended = cpb_deflate_write(state_of, &in, true, packed + total, 1000, &made);
      total += made;
    }
    cpb_deflate_free(state_of);
    assert_true(total <= cpb_deflate_bound(size));
    cpb_inflate *inflate = cpb_inflate_new(&a);
    cpb_span all = {packed, total};
    assert_int_equal(cpb_inflate_read(inflate, &all, back, sizeof back, &made), CPB_INFLATE_END);
    assert_int_equal(made, size);
    assert_memory_equal(back, data, size);
    cpb_inflate_free(inflate);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_beyond_four_gigabytes_are_wide),
      cmocka_unit_test(more_entries_than_sixteen_bits_count),
      cmocka_unit_test(content_begins_where_it_should),
      cmocka_unit_test(an_archive_is_laid_out_as_the_note_says),
      cmocka_unit_test(deflate_keeps_its_bound_and_is_inflated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
