/* Which fields of its records a reader gives out: what is left of a record does not depend on the chunk that it
 * is in, and of a transposed one nothing else is decompressed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "reader_cases.h"
#include "riegeli/projection.h"

static cpb_projection projection_of(const char *fields) {
  const cpb_allocator heap = cpb_system_allocator();
  cpb_projection p;
  cpb_error error = {.code = CPB_OK};
  assert_true(cpb_projection_parse(&p, &heap, fields, &error));
  return p;
}

/* --- Records ---------------------------------------------------------------- */

#define BYTES(text) {(const uint8_t *)(text), sizeof(text) - 1}

static void a_projected_record_has_the_selected_fields(void **state) {
  (void)state;
  static const struct {
    const char *fields;
    cpb_span record, left;
  } cases[] = {
      {"", BYTES("\x08\x01"), BYTES("")},
      {"1", BYTES("\x08\x01\x10\x02\x08\x03"), BYTES("\x08\x01\x08\x03")},
      {"2", BYTES("\x08\x01\x12\x02xy\x1d....\x21........"), BYTES("\x12\x02xy")},
      {"3,4", BYTES("\x08\x01\x1d....\x21........"), BYTES("\x1d....\x21........")},
      {"1.2", BYTES("\x0a\x07\x08\x01\x12\x01x\x08\x02"), BYTES("\x0a\x03\x12\x01x")},
      {"1.2", BYTES("\x0a\x02\x08\x01\x0a\x00"), BYTES("\x0a\x00\x0a\x00")},
      {"1.1.1", BYTES("\x0a\x04\x0a\x02\x08\x05"), BYTES("\x0a\x04\x0a\x02\x08\x05")},
      {"1,1.2", BYTES("\x0a\x02\x08\x01"), BYTES("\x0a\x02\x08\x01")},
      {"1.2", BYTES("\x0a\x02\xff\xff\x08\x07"), BYTES("\x0a\x02\xff\xff")}, /* no message */
      {"1.1", BYTES("\x0a\x82\x80\x00\x08\x01"), BYTES("\x0a\x02\x08\x01")},
      /* groups, with a field after them */
      {"1", BYTES("\x0b\x08\x01\x13\x14\x0c\x10\x01"), BYTES("\x0b\x08\x01\x13\x14\x0c")},
      {"2", BYTES("\x0b\x08\x01\x13\x14\x0c\x10\x01"), BYTES("\x10\x01")},
      {"1.1", BYTES("\x0b\x08\x01\x13\x14\x0c\x10\x01"), BYTES("\x0b\x08\x01\x0c")},
      {"1.2", BYTES("\x0b\x08\x01\x13\x14\x0c\x08\x01"), BYTES("\x0b\x13\x14\x0c")},
      /* what is no message is left as it is */
      {"1", BYTES("\x0b\x08\x01\x10\x01"), BYTES("\x0b\x08\x01\x10\x01")},
      {"1", BYTES("\x0b\x14\x10\x01"), BYTES("\x0b\x14\x10\x01")},
      {"1", BYTES("\x10"), BYTES("\x10")},
      {"1", BYTES("\x12\x03xy"), BYTES("\x12\x03xy")},
      {"1", BYTES("\x00\x01"), BYTES("\x00\x01")},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_projection p = projection_of(cases[i].fields);
    uint8_t record[64], left[64];
    memcpy(record, cases[i].record.data, cases[i].record.size);
    assert_int_equal(cpb_projection_filter(&p, record, cases[i].record.size, left), cases[i].left.size);
    assert_memory_equal(left, cases[i].left.data, cases[i].left.size);
    assert_int_equal(cpb_projection_filter(&p, record, cases[i].record.size, record), cases[i].left.size);
    assert_memory_equal(record, cases[i].left.data, cases[i].left.size);
    cpb_projection_free(&p);
  }
}

static void lengths_get_shorter_with_what_they_count(void **state) {
  (void)state;
  static uint8_t record[40000], left[sizeof record];
  uint8_t *at = record;
  *at++ = 0x0a; /* field 1 */
  at = cpb_varint_write(at, 20000 + 4 + 100 + 2);
  *at++ = 0x12; /* in it field 2, 20000 bytes, and field 3, 100 bytes */
  at = cpb_varint_write(at, 20000);
  at += 20000;
  *at++ = 0x1a;
  *at++ = 100;
  memset(at, 'x', 100);
  at += 100;
  cpb_projection p = projection_of("1.3");
  assert_int_equal(cpb_projection_filter(&p, record, (size_t)(at - record), left), 2 + 2 + 100);
  assert_memory_equal(left, "\x0a\x66\x1a\x64xx", 6);
  cpb_projection_free(&p);
}

static void a_deep_path_ends_where_paths_may(void **state) {
  (void)state;
  char fields[2 * CPB_PROJECTION_DEPTH + 4], *at = fields;
  uint8_t record[2 * CPB_PROJECTION_DEPTH], *out = record;
  for (size_t i = 0; i < CPB_PROJECTION_DEPTH; i++) {
    memcpy(at, i > 0 ? ".1" : "1", i > 0 ? 3 : 2);
    at += i > 0 ? 2 : 1;
    if (i + 1 < CPB_PROJECTION_DEPTH) *out++ = 0x0a, *out++ = (uint8_t)(2 * (CPB_PROJECTION_DEPTH - 1 - i));
  }
  memcpy(out, "\x08\x05", 2);
  cpb_projection p = projection_of(fields);
  assert_int_equal(cpb_projection_filter(&p, record, sizeof record, record), sizeof record);
  cpb_projection_free(&p);
  memcpy(at, ".1", 3);
  cpb_record_reader *r = reader((cpb_record_reader_options){.fields = fields});
  assert_int_equal(cpb_record_reader_step(r), CPB_STEP_ERROR);
  assert_string_equal(cpb_record_reader_error(r)->message, "fields at character 200: a path of more than 100 numbers");
  cpb_record_reader_free(r);
}

static void a_text_that_names_no_fields_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t at;
  } cases[] = {{"0", 0},    {"1,", 2},          {",1", 0},
               {"1..2", 2}, {"1.", 2},          {"1 ", 0},
               {"2,id", 2}, {"1,536870912", 2}, {"1.99999999999999999999", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char expected[128];
    snprintf(expected, sizeof expected,
             "fields at character %zu: expected field numbers from 1 to 536870911, such as \"1,4.2\"", cases[i].at);
    cpb_record_reader *r = reader((cpb_record_reader_options){.fields = cases[i].text});
    assert_int_equal(cpb_record_reader_step(r), CPB_STEP_ERROR);
    assert_int_equal(cpb_record_reader_error(r)->code, CPB_E_USAGE);
    assert_string_equal(cpb_record_reader_error(r)->message, expected);
    cpb_record_reader_free(r);
  }
}

/* --- Files -------------------------------------------------------------------- */

static void append(built_file *f, const void *data, size_t size) {
  f->contents = realloc(f->contents, f->contents_size + size + 1);
  memcpy(f->contents + f->contents_size, data, size);
  f->contents_size += size;
}

/* A record in f->contents. */
static void add_record(built_file *f, uint32_t i, size_t payload) {
  const size_t begin = f->contents_size;
  uint8_t text[64], *at = text;
  at = cpb_varint_write(at, 0x08); /* 1: a number */
  at = cpb_varint_write(at, i % 65536);
  *at++ = 0x12; /* 2: a message: 1: a number, 2: a text, 3: a message with 1: a number */
  *at++ = 10;
  memcpy(at, "\x08\x05\x12\x02hi\x1a\x02\x08", 9);
  at += 9;
  *at++ = (uint8_t)(i % 100);
  if (i % 5 == 0) memcpy(at, "\x2b\x08\x01\x10\x02\x2c", 6), at += 6; /* 5: a group with 1 and 2 */
  if (i % 7 == 0) memcpy(at, "\x32\x00", 2), at += 2;                 /* 6: an empty message */
  if (i % 10 == 3) at = text + 1, text[0] = 0x0f;                     /* no message */
  if (i % 10 == 7) at = text;
  if (i % 30 == 9) memcpy(text, "\x88\x00\x01\x12\x02\x08\x07", 7), at = text + 7; /* not in canonical form */
  append(f, text, (size_t)(at - text));
  if (payload > 0 && at > text + 1) {
    uint8_t head[CPB_VARINT_MAX + 1] = {0x3a}; /* 7: bytes */
    append(f, head, (size_t)(cpb_varint_write(head + 1, payload) - head));
    for (uint32_t k = 0, x = i; k < payload; k++, x = x * 1664525 + 1013904223)
      append(f, &(uint8_t){(uint8_t)(x >> 24)}, 1);
  }
  f->records = realloc(f->records, (f->num_records + 1) * sizeof *f->records);
  f->records[f->num_records++] = (built_record){.offset = begin, .size = f->contents_size - begin};
}

static void drain(cpb_record_writer *w, built_file *f) {
  while (cpb_record_writer_step(w) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t size;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &size);
    f->bytes = realloc(f->bytes, f->size + size);
    memcpy(f->bytes + f->size, data, size);
    f->size += size;
  }
}

static void write_records(built_file *f, cpb_codec codec, cpb_transpose transpose, uint64_t chunk_size) {
  const cpb_record_writer_options how = {
      .struct_size = sizeof how, .codec = {.codec = codec}, .transpose = transpose, .chunk_size = chunk_size};
  cpb_record_writer *w = cpb_record_writer_new(NULL, &how);
  f->size = 0;
  for (size_t i = 0; i < f->num_records; i++) {
    const built_record *record = &f->records[i];
    assert_int_equal(cpb_record_writer_record(w, f->contents + record->offset, record->size), CPB_OK);
    drain(w, f);
  }
  assert_int_equal(cpb_record_writer_finish(w), CPB_OK);
  drain(w, f);
  cpb_record_writer_free(w);
}

static void expect_filtered(const built_file *f, const char *fields, manner m, size_t batch, cpb_verify verify) {
  cpb_projection p = projection_of(fields);
  static outcome o;
  size_t at = 0;
  memset(&o, 0, sizeof o);
  read_in_batches(f, m, (cpb_record_reader_options){.fields = fields, .verify = verify}, batch, &o);
  assert_string_equal(o.error.message, "");
  assert_int_equal(o.last, CPB_STEP_DONE);
  assert_int_equal(o.num_records, f->num_records);
  assert_false(o.cut);
  for (size_t i = 0; i < f->num_records; i++) {
    const built_record *record = &f->records[i];
    uint8_t *left = malloc(record->size + 1);
    assert_int_equal(cpb_projection_filter(&p, f->contents + record->offset, record->size, left), o.records[i].size);
    assert_memory_equal(o.contents + at, left, o.records[i].size);
    at += o.records[i].size;
    free(left);
  }
  outcome_free(&o);
  cpb_projection_free(&p);
}

static const char *const all_fields[] = {"", "1", "2", "2.2", "2.3.1,1", "5", "5.2,6.1", "7", "1.1,7", "2,3,4,5,6,7,8"};

static void records_are_filtered_alike_in_all_chunks(void **state) {
  (void)state;
  built_file f = {0};
  for (uint32_t i = 0; i < 400; i++) add_record(&f, i, i % 50 == 20 ? 4000 : i % 3);
  for (cpb_codec codec = CPB_CODEC_NONE; codec <= CPB_CODEC_SNAPPY; codec++) {
    for (int transpose = 0; transpose < 2; transpose++) {
      write_records(&f, codec, transpose ? CPB_TRANSPOSE_ALWAYS : CPB_TRANSPOSE_NEVER, 14000);
      for (size_t i = 0; i < sizeof all_fields / sizeof *all_fields; i++) {
        expect_filtered(&f, all_fields[i], ALL_AT_ONCE, i % 9, CPB_VERIFY_FIRST);
        expect_filtered(&f, all_fields[i], i % 2 ? IN_PIECES : AS_ASKED, 0, (cpb_verify)(i % 3));
      }
      expect_filtered(&f, "1,2.3", AHEAD, 3, CPB_VERIFY_LATE);
      if (codec == CPB_CODEC_ZSTD) expect_filtered(&f, "1,2.3", BYTE_BY_BYTE, 0, CPB_VERIFY_FIRST);
    }
  }
  built_free(&f);
}

/* From the last one on. */
static void records_are_found_where_they_were(void **state) {
  (void)state;
  built_file f = {0};
  cpb_projection p = projection_of("1");
  for (uint32_t i = 0; i < 200; i++) add_record(&f, i, 40);
  for (int transpose = 0; transpose < 2; transpose++) {
    write_records(&f, CPB_CODEC_ZSTD, transpose ? CPB_TRANSPOSE_ALWAYS : CPB_TRANSPOSE_NEVER, 3000);
    static outcome o;
    host h = host_of(&f, ALL_AT_ONCE);
    cpb_record_reader *r = reader((cpb_record_reader_options){.fields = "1"});
    memset(&o, 0, sizeof o);
    run(&h, r, SIZE_MAX, &o);
    static cpb_record found[200];
    assert_int_equal(o.num_records, 200);
    memcpy(found, o.records, sizeof found);
    for (size_t i = 200; i-- > 0;) {
      uint8_t left[256];
      const size_t size = cpb_projection_filter(&p, f.contents + f.records[i].offset, f.records[i].size, left);
      o.num_records = o.size = 0;
      cpb_record_reader_seek(r, found[i].position);
      run(&h, r, 1, &o);
      assert_int_equal(o.records[0].position, found[i].position);
      assert_int_equal(o.size, size);
      assert_memory_equal(o.contents, left, size);
    }
    outcome_free(&o);
    free(h.lent);
    cpb_record_reader_free(r);
  }
  cpb_projection_free(&p);
  built_free(&f);
}

static uint64_t decoded(const built_file *f, const char *fields) {
  cpb_work work = {0};
  const cpb_limits limits = {.struct_size = sizeof limits, .work = &work};
  host h = host_of(f, ALL_AT_ONCE);
  cpb_record_reader *r = reader((cpb_record_reader_options){.fields = fields, .limits = &limits});
  size_t count = 0;
  for (cpb_step step; (step = cpb_record_reader_step(r)) != CPB_STEP_DONE;) {
    if (step == CPB_STEP_NEED) assert_true(answer(&h, cpb_record_reader_input(r)));
    assert_int_not_equal(step, CPB_STEP_ERROR);
    count += step == CPB_STEP_RECORD;
  }
  assert_int_equal(count, f->num_records);
  free(h.lent);
  cpb_record_reader_free(r);
  return work.decoded;
}

/* 1,000 records of which the numbers are wanted: those and their tags, and what the machine takes. */
static void only_the_columns_that_are_needed_are_decompressed(void **state) {
  (void)state;
  built_file f = {0};
  for (uint32_t i = 0; i < 1000; i++) add_record(&f, i * 10 + 1, 60);
  write_records(&f, CPB_CODEC_ZSTD, CPB_TRANSPOSE_ALWAYS, 0);
  const uint64_t all = decoded(&f, NULL), some = decoded(&f, "1"), none = decoded(&f, "");
  assert_true(some <= all / 10);
  assert_true(none <= all / 100);
  built_free(&f);
}

/* The hash is right, but what is in a column is no stream of the codec. */
static void damage_in_another_column_does_not_matter(void **state) {
  (void)state;
  static const char *const fields[] = {NULL, "2", "1"};
  const cpb_step steps[] = {CPB_STEP_ERROR, CPB_STEP_ERROR, CPB_STEP_DONE};
  /* header: 2 buckets of a buffer each, for the fields 2 and 1 of a record; next, subtypes, buffers, first */
  static const uint8_t header[] = {2, 2, 5, 4, 3, 1, 3, 3, 18, 8, 0, 3, 4, 0, 0, 1, 2};
  uint8_t data[64] = {'s', sizeof header + 3, sizeof header, sizeof header, (sizeof header - 1) << 2}, *at = data + 5;
  memcpy(at, header, sizeof header);
  at += sizeof header;
  memcpy(at,
         "\x03\xff\xff\xff\xff"
         "\x01\x01\x00\x07"
         "\x00\x00",
         11); /* the first is no Snappy block */
  for (size_t i = 0; i < 3; i++) {
    built_file f = {0};
    static outcome o;
    memset(&o, 0, sizeof o);
    put_signature(&f);
    put_chunk(&f, CPB_CHUNK_TRANSPOSED, data, (size_t)(at - data) + 11, 1, 6);
    read_file(&f, ALL_AT_ONCE, (cpb_record_reader_options){.fields = fields[i]}, &o);
    assert_int_equal(o.last, steps[i]);
    if (steps[i] == CPB_STEP_DONE) assert_memory_equal(o.contents, "\x08\x07", 2);
    outcome_free(&o);
    built_free(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_projected_record_has_the_selected_fields),
      cmocka_unit_test(lengths_get_shorter_with_what_they_count),
      cmocka_unit_test(a_deep_path_ends_where_paths_may),
      cmocka_unit_test(a_text_that_names_no_fields_is_refused),
      cmocka_unit_test(records_are_filtered_alike_in_all_chunks),
      cmocka_unit_test(records_are_found_where_they_were),
      cmocka_unit_test(only_the_columns_that_are_needed_are_decompressed),
      cmocka_unit_test(damage_in_another_column_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
