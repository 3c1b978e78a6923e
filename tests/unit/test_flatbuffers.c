/* FlatBuffers written byte by byte, after the format's own description: what is read,
 * and each way to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/formats/flatbuffers/flatbuffers.h"

/* A table of six fields: 0 a byte, 1 nothing, 2 a long, 3 a string, 4 a vector of
 * ints, 5 a vector of tables, which are both the same one with a single field. */
typedef struct parts {
  uint8_t bytes[128];
  size_t size;
} parts;

static void put_at(uint8_t *bytes, size_t at, uint64_t value, int size) {
  for (int i = 0; i < size; i++) bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

static void put(parts *p, size_t at, uint64_t value, int size) { put_at(p->bytes, at, value, size); }

enum {
  VTABLE = 4,
  TABLE = 24,
  BYTE = 28,
  LONG = 32,
  STRING_AT = 40,
  INTS_AT = 44,
  TABLES_AT = 48,
  STRING = 52,
  INTS = 64,
  TABLES = 80,
  SMALL_VTABLE = 92,
  SMALL = 100,
  END = 108
};

static parts sound(void) {
  parts p = {.size = END};
  put(&p, 0, TABLE, 4);
  static const uint16_t vtable[] = {
      16, 28, BYTE - TABLE, 0, LONG - TABLE, STRING_AT - TABLE, INTS_AT - TABLE, TABLES_AT - TABLE};
  for (size_t i = 0; i < 8; i++) put(&p, VTABLE + 2 * i, vtable[i], 2);
  put(&p, TABLE, TABLE - VTABLE, 4);
  put(&p, BYTE, 0xfe, 1);
  put(&p, LONG, (uint64_t)1 << 63 | 5, 8);
  put(&p, STRING_AT, STRING - STRING_AT, 4);
  put(&p, INTS_AT, INTS - INTS_AT, 4);
  put(&p, TABLES_AT, TABLES - TABLES_AT, 4);
  put(&p, STRING, 3, 4);
  memcpy(p.bytes + STRING + 4, "a\xc3\xa9", 4); /* and its NUL */
  put(&p, INTS, 2, 4);
  put(&p, INTS + 4, 7, 4);
  put(&p, INTS + 8, (uint32_t)-7, 4);
  put(&p, TABLES, 2, 4);
  put(&p, TABLES + 4, SMALL - (TABLES + 4), 4);
  put(&p, TABLES + 8, SMALL - (TABLES + 8), 4);
  put(&p, SMALL_VTABLE, 6, 2);
  put(&p, SMALL_VTABLE + 2, 8, 2);
  put(&p, SMALL_VTABLE + 4, 4, 2);
  put(&p, SMALL, SMALL - SMALL_VTABLE, 4);
  put(&p, SMALL + 4, 99, 4);
  return p;
}

/* --- Walking over all of it ------------------------------------------------------- */

static bool walk(cpb_flat *flat, int64_t *sum, cpb_buffer *text) {
  cpb_flat_table root, small;
  cpb_flat_vector ints, tables;
  int64_t byte, absent, number, element;
  if (!cpb_flat_root(flat, &root) || !cpb_flat_number(flat, &root, 0, 1, 0, &byte) ||
      !cpb_flat_number(flat, &root, 1, 4, 1000, &absent) || !cpb_flat_number(flat, &root, 2, 8, 0, &number) ||
      !cpb_flat_text_at(flat, &root, 3, text) || !cpb_flat_vector_at(flat, &root, 4, 4, &ints) ||
      !cpb_flat_vector_at(flat, &root, 5, 4, &tables))
    return false;
  *sum = byte + absent + (number & 255);
  for (uint32_t i = 0; i < ints.count; i++) {
    if (!cpb_flat_element(flat, &ints, i, 4, &element)) return false;
    *sum = *sum * 10 + element;
  }
  for (uint32_t i = 0; i < tables.count; i++) {
    if (!cpb_flat_element_table(flat, &tables, i, &small) || !cpb_flat_number(flat, &small, 0, 4, 0, &element))
      return false;
    *sum += element;
  }
  return true;
}

static cpb_error walk_over(const parts *p, size_t there, bool *wait, int64_t *sum) {
  cpb_error error = {.code = CPB_OK};
  cpb_flat flat;
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_buffer text;
  uint8_t *copy = malloc(there + 1); /* so that a look beyond it is noticed */
  memcpy(copy, p->bytes, there);
  cpb_buffer_init(&text, &system);
  cpb_flat_begin(&flat, (cpb_span){copy, there}, p->size, 1000, &error);
  bool good_walk = walk(&flat, sum, &text);
  *wait = flat.wait;
  assert_int_equal(good_walk, error.code == CPB_OK && !flat.wait);
  cpb_buffer_free(&text);
  free(copy);
  return error;
}

static cpb_error error_of(const parts *p) {
  bool wait;
  int64_t sum;
  return walk_over(p, p->size, &wait, &sum);
}

static void fails(parts p, const char *what) {
  cpb_error error = error_of(&p);
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_true(error.offset >= 1000);
  if (!strstr(error.message, what)) fail_msg("\"%s\", not \"%s\"", error.message, what);
}

#define SPOILED(at, value, size, what) \
  do {                                 \
    parts p = sound();                 \
    put(&p, at, value, size);          \
    fails(p, what);                    \
  } while (0)

/* --- Tests ---------------------------------------------------------------------------- */

static void fields_are_read(void **state) {
  (void)state;
  parts p = sound();
  bool wait;
  int64_t sum;
  cpb_error error = walk_over(&p, p.size, &wait, &sum);
  assert_int_equal(error.code, CPB_OK);
  assert_int_equal(sum, ((-2 + 1000 + 5) * 10 + 7) * 10 - 7 + 2 * 99);
}

static void bytes_that_have_not_come_are_waited_for(void **state) {
  (void)state;
  parts p = sound();
  for (size_t there = 0; there < p.size; there++) {
    bool wait;
    int64_t sum;
    cpb_error error = walk_over(&p, there, &wait, &sum);
    assert_int_equal(error.code, CPB_OK);
    assert_true(wait);
  }
}

static void a_buffer_that_ends_too_early_is_damaged(void **state) {
  (void)state;
  for (size_t size = 0; size < END; size++) {
    parts p = sound();
    p.size = size;
    assert_int_equal(error_of(&p).code, CPB_E_DAMAGED);
  }
}

static void offsets_must_lead_into_the_buffer(void **state) {
  (void)state;
  SPOILED(0, 1000, 4, "table offset is past the end of the buffer");
  SPOILED(0, 0xfffffffc, 4, "table offset is past the end of the buffer");
  SPOILED(STRING_AT, 0x7ffffffc, 4, "vector offset is past the end of the buffer");
  SPOILED(STRING_AT, 0, 4, "offset is 0; expected at least 4");
  SPOILED(TABLES + 4, 400, 4, "table offset is past the end of the buffer");
}

static void a_vtable_must_be_one(void **state) {
  (void)state;
  SPOILED(TABLE, 0, 4, "vtable offset is 0 or leads out of the buffer");
  SPOILED(TABLE, TABLE + 2, 4, "vtable offset is 0 or leads out of the buffer");
  SPOILED(TABLE, 0x80000000u, 4, "vtable offset leads out of the buffer");
  SPOILED(VTABLE, 2, 2, "vtable size is odd, below 4 or past the end");
  SPOILED(VTABLE, 7, 2, "vtable size is odd, below 4 or past the end");
  SPOILED(VTABLE, 0xfffe, 2, "vtable size is odd, below 4 or past the end");
  SPOILED(VTABLE + 2, 2, 2, "table size is below 4 or past the end");
  SPOILED(VTABLE + 2, 200, 2, "table size is below 4 or past the end");
}

static void fields_must_lie_within_their_table(void **state) {
  (void)state;
  SPOILED(VTABLE + 4, 2, 2, "field offset leads out of the table");
  SPOILED(VTABLE + 4, 28, 2, "field offset leads out of the table");
  SPOILED(VTABLE + 8, 24, 2, "field offset leads out of the table");
}

static void parts_must_be_aligned(void **state) {
  (void)state;
  SPOILED(0, TABLE + 2, 4, "not aligned");
  SPOILED(VTABLE + 8, LONG - TABLE + 4, 2, "not aligned");
  SPOILED(STRING_AT, STRING - STRING_AT + 1, 4, "not aligned");
}

static void vectors_must_end_within_the_buffer(void **state) {
  (void)state;
  SPOILED(INTS, 100, 4, "past the end");
  SPOILED(INTS, 0xffffffff, 4, "past the end");
  SPOILED(STRING, 1000, 4, "past the end");
}

static void strings_end_in_nul_and_are_utf8(void **state) {
  (void)state;
  SPOILED(STRING + 7, 'x', 1, "does not end in a NUL");
  SPOILED(STRING + 5, 0xff, 1, "not valid UTF-8");
}

/* Every byte with every bit turned: never a look outside, always an end. */
static void no_bit_makes_it_look_elsewhere(void **state) {
  (void)state;
  for (size_t bit = 0; bit < 8 * END; bit++) {
    parts p = sound();
    p.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    error_of(&p);
  }
}

/* 2^10 ways through a chain of tables, each of which names the next one over and over. */
static void shared_parts_do_not_multiply(void **state) {
  (void)state;
  enum { LEVELS = 4, WIDTH = 200, SIZE = 24 + 4 * WIDTH };
  static uint8_t bytes[8 + LEVELS * SIZE + 64];
  size_t at = 8;
  put_at(bytes, 0, 8 + 8, 4);
  for (int level = 0; level < LEVELS; level++, at += SIZE) {
    put_at(bytes, at, 6, 2); /* vtable, table, vector */
    put_at(bytes, at + 2, 8, 2);
    put_at(bytes, at + 4, 4, 2);
    put_at(bytes, at + 8, 8, 4);
    put_at(bytes, at + 12, 4, 4);
    put_at(bytes, at + 16, level + 1 < LEVELS ? WIDTH : 0, 4);
    for (size_t i = 0; i < WIDTH; i++) put_at(bytes, at + 20 + 4 * i, (at + SIZE + 8) - (at + 20 + 4 * i), 4);
  }
  cpb_error error = {.code = CPB_OK};
  cpb_flat flat;
  cpb_flat_table tables[LEVELS];
  cpb_flat_vector vectors[LEVELS];
  uint32_t next[LEVELS] = {0};
  cpb_flat_begin(&flat, (cpb_span){bytes, sizeof bytes}, sizeof bytes, 0, &error);
  assert_true(cpb_flat_root(&flat, &tables[0]) && cpb_flat_vector_at(&flat, &tables[0], 0, 4, &vectors[0]));
  uint64_t visits = 0;
  for (int level = 0; level >= 0 && error.code == CPB_OK; visits++) {
    if (next[level] == vectors[level].count) {
      level--;
      continue;
    }
    if (!cpb_flat_element_table(&flat, &vectors[level], next[level]++, &tables[level + 1])) break;
    level++;
    next[level] = 0;
    if (!cpb_flat_vector_at(&flat, &tables[level], 0, 4, &vectors[level])) break;
  }
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_non_null(strstr(error.message, "shared too often"));
  assert_true(visits < 200000); /* of the 8 million */
}

/* --- Pages ------------------------------------------------------------------------------- */

static void pages_give_the_same_and_keep_a_turn(void **state) {
  (void)state;
  static uint8_t file[300000];
  for (size_t i = 0; i < sizeof file; i++) file[i] = (uint8_t)(i * 7 + i / 251);
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  cpb_input input;
  cpb_pages pages;
  cpb_input_init(&input);
  cpb_input_end(&input, sizeof file);
  cpb_pages_init(&pages, &system, &input, 1 << 20, &error);
  pages.size = sizeof file;
  for (uint64_t at = 1, k = 0; k < 2000; k++, at = at * 48271 % 299900) {
    uint8_t out[100];
    cpb_have have;
    while ((have = cpb_pages_read(&pages, at, sizeof out, out)) == CPB_WAIT) {
      cpb_need need;
      cpb_input_need(&input, &need);
      assert_true(need.offset < sizeof file && need.ahead <= sizeof file - need.offset);
      cpb_input_supply(&input, need.offset, file + need.offset, need.length < 1000 ? need.length : 1000);
    }
    assert_int_equal(have, CPB_HAVE);
    assert_memory_equal(out, file + at, sizeof out);
    cpb_pages_turn(&pages);
  }
  cpb_pages_free(&pages);
}

static void pages_of_one_turn_are_bounded(void **state) {
  (void)state;
  static uint8_t file[100000], out[100000];
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_error error = {.code = CPB_OK};
  cpb_input input;
  cpb_pages pages;
  cpb_input_init(&input);
  cpb_input_end(&input, sizeof file);
  cpb_input_supply(&input, 0, file, sizeof file);
  cpb_pages_init(&pages, &system, &input, 50000, &error);
  pages.size = sizeof file;
  assert_int_equal(cpb_pages_read(&pages, 0, sizeof out, out), CPB_FAILED);
  assert_int_equal(error.code, CPB_E_LIMIT);
  cpb_pages_free(&pages);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_are_read),
      cmocka_unit_test(bytes_that_have_not_come_are_waited_for),
      cmocka_unit_test(a_buffer_that_ends_too_early_is_damaged),
      cmocka_unit_test(offsets_must_lead_into_the_buffer),
      cmocka_unit_test(a_vtable_must_be_one),
      cmocka_unit_test(fields_must_lie_within_their_table),
      cmocka_unit_test(parts_must_be_aligned),
      cmocka_unit_test(vectors_must_end_within_the_buffer),
      cmocka_unit_test(strings_end_in_nul_and_are_utf8),
      cmocka_unit_test(no_bit_makes_it_look_elsewhere),
      cmocka_unit_test(shared_parts_do_not_multiply),
      cmocka_unit_test(pages_give_the_same_and_keep_a_turn),
      cmocka_unit_test(pages_of_one_turn_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
