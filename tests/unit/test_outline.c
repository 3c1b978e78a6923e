/* Outlines. Random messages are written down together with their outlines, so
 * that nothing here reads a message. */
#include "outline_cases.h"
#include "stride.h"

static void random_messages_have_the_outlines_they_were_written_with(void **state) {
  (void)state;
  size_t omitted = 0;
  for (uint64_t n = 0; n < 2000; n += sanitized_stride(5)) {
    both *b = message_of_seed(n, true);
    outlines_to((how){.piece = 0}, b);
    outlines_to((how){.piece = 1 + n % 50}, b);
    omitted += b->num_omitted;
    free_both(b);
  }
  assert_true(omitted > 2000 / sanitized_stride(5));
}

static void no_message_is_entered_without_a_type(void **state) {
  (void)state;
  for (uint64_t n = 0; n < 500; n++) {
    both *b = message_of_seed(n, false);
    outlines_to((how){.type = "", .piece = n % 30}, b);
    free_both(b);
  }
}

static both *large_message(int parts) {
  both *b = calloc(1, sizeof *b);
  seed = 11;
  for (int i = 0; i < parts; i++) {
    both *inner = random_message(3, true);
    add_random_value(inner, 2);
    add_message(b, 4, inner, true);
  }
  return b;
}

static void pieces_make_no_difference(void **state) {
  (void)state;
  both *b = large_message(20);
  for (size_t piece = 0; piece < 300; piece += sanitized_stride(5)) outlines_to((how){.piece = piece}, b);
  free_both(b);
}

/* --- Lengths ------------------------------------------------------------------------ */

/* Lengths of one, two and three bytes inside each other. */
static void lengths_grow_from_the_inside(void **state) {
  (void)state;
  for (size_t size = 0; size < 40000; size = size * 3 / 2 + 1) {
    both *inner = calloc(1, sizeof *inner), *b = calloc(1, sizeof *b);
    bytes kept = noise(16, 5), large = noise(MAX_VALUE + 1, 6);
    for (size_t i = 0; i < size; i += 18) add_kept(inner, 2, kept);
    add_value(inner, 2, large);
    for (int i = 0; i < 3; i++) {
      both *outer = calloc(1, sizeof *outer);
      add_message(outer, 3, inner, true);
      add_value(outer, 2, large);
      inner = outer;
    }
    add_message(b, 4, inner, true);
    outlines_to((how){.piece = 0}, b);
    free(kept.data);
    free(large.data);
    free_both(b);
  }
}

static void heads_become_as_short_as_they_can_be(void **state) {
  (void)state;
  result r = outline_with((how){.piece = 0}, MESSAGE_OF("\x92\x80\x00\x83\x00"
                                                        "abc"
                                                        "\x08\x81\x00"));
  assert_true(same(&r,
                   (const uint8_t *)"\x12\x03"
                                    "abc"
                                    "\x08\x01",
                   7, NULL, 0));
  free_result(&r);
}

static void a_value_of_1024_bytes_is_kept_by_default(void **state) {
  (void)state;
  for (size_t size = 1024; size <= 1025; size++) {
    bytes value = noise(size, 1), m = {NULL, 0};
    put_bytes(&m, 2, value.data, size);
    cpb_outline *outline = cpb_outline_new(NULL, cpb_schema_find_message(types, "t.M"), NULL, 0, NULL);
    uint8_t *lent = NULL;
    while (cpb_outline_step(outline) == CPB_STEP_NEED) lent = lend(cpb_outline_input(outline), m, 0, lent);
    size_t count;
    cpb_outline_omitted(outline, &count);
    assert_int_equal(count, size - 1024);
    cpb_outline_free(outline);
    free(lent);
    free(value.data);
    free(m.data);
  }
}

static void an_empty_message_has_an_empty_outline(void **state) {
  (void)state;
  result r = outline_with((how){.piece = 0}, (bytes){NULL, 0});
  assert_true(same(&r, NULL, 0, NULL, 0));
  free_result(&r);
  cpb_outline_free(NULL);
}

/* --- Ranges --------------------------------------------------------------------------- */

/* Parts of a message in an input, the last one first. */
static void ranges_are_one_message_and_offsets_are_those_of_the_input(void **state) {
  (void)state;
  for (uint64_t n = 0; n < 200; n++) {
    both *b = calloc(1, sizeof *b), *parts[3];
    cpb_range ranges[3];
    bytes input = {NULL, 0};
    for (size_t i = 0; i < 3; i++) {
      bytes between = noise(below(600), 9);
      put(&input, between.data, between.size);
      parts[i] = message_of_seed(10 * n + i, true);
      ranges[2 - i] = (cpb_range){input.size, parts[i]->whole.size};
      put(&input, parts[i]->whole.data, parts[i]->whole.size);
      free(between.data);
    }
    for (size_t i = 0; i < 3; i++) {
      both *part = parts[2 - i];
      for (size_t k = 0; k < part->num_omitted; k++) {
        const cpb_omitted *o = &part->omitted[k];
        note_omitted(b, ranges[i].offset + o->offset, o->size, b->outline.size + o->at, o->number);
      }
      put(&b->outline, part->outline.data, part->outline.size);
    }
    b->whole = input;
    outlines_to((how){.ranges = ranges, .num_ranges = 3, .piece = n % 7}, b);
    for (size_t i = 0; i < 3; i++) free_both(parts[i]);
    free_both(b);
  }
}

static void ranges_that_do_not_fit_are_errors(void **state) {
  (void)state;
  bytes m = MESSAGE_OF(
      "\x08\x01\x12\x1e"
      "0123456789abcdefghij0123456789");
  const cpb_range cut = {0, 10}, beyond = {2, 33}, endless = {8, UINT64_MAX - 2}, outside = {900, 4};
  fails((how){.ranges = &cut, .num_ranges = 1}, m, CPB_E_DAMAGED, "past the end");
  fails((how){.ranges = &beyond, .num_ranges = 1}, m, CPB_E_TRUNCATED, "input ends");
  fails((how){.ranges = &endless, .num_ranges = 1}, m, CPB_E_USAGE, "2^64");
  fails((how){.ranges = &outside, .num_ranges = 1}, m, CPB_E_TRUNCATED, "input ends");
}

/* The last value is passed over, so nobody would miss its bytes. */
static void a_value_that_is_not_there_is_missed(void **state) {
  (void)state;
  const cpb_range range = {0, 34};
  bytes m = MESSAGE_OF(
      "\x08\x01\x12\x1e"
      "0123");
  how h = {.ranges = &range, .num_ranges = 1};
  cpb_outline *outline = new_outline(h);
  assert_int_equal(cpb_outline_step(outline), CPB_STEP_NEED);
  cpb_input_supply(cpb_outline_input(outline), 0, m.data, m.size);
  cpb_input_end(cpb_outline_input(outline), m.size);
  assert_int_equal(cpb_outline_step(outline), CPB_STEP_ERROR);
  assert_int_equal(cpb_outline_error(outline)->code, CPB_E_TRUNCATED);
  cpb_outline_free(outline);
}

/* --- Limits and damage -------------------------------------------------------------------- */

static void groups_nested_too_deep_are_an_error(void **state) {
  (void)state;
  bytes m = {malloc(200000), 200000};
  memset(m.data, 0x43, 100000);
  memset(m.data + 100000, 0x44, 100000);
  fails((how){.piece = 0}, m, CPB_E_LIMIT, "nested deeper than the limit of 100");
  free(m.data);
}

/* `inner` in so many messages. */
static bytes nested(size_t depth, bytes inner) {
  for (size_t i = 0; i < depth; i++) {
    bytes outer = {NULL, 0};
    put_message(&outer, 3, inner);
    inner = outer;
  }
  return inner;
}

static void messages_nested_too_deep_are_omitted(void **state) {
  (void)state;
  for (size_t depth = 99; depth <= 3000; depth += depth < 102 ? 1 : 966) {
    bool deep = depth > 100;
    bytes empty = {NULL, 0}, value = {NULL, 0};
    bytes m = nested(depth, *put_message(&value, 2, noise(30, 1)));
    bytes wanted = deep ? nested(101, empty) : nested(depth, *put_bytes(&empty, 2, NULL, 0));
    result r = outline_with((how){.piece = 0}, m);
    bytes left = nested(deep ? depth - 101 : 0, noise(deep ? 32 : 30, 1));
    size_t size = left.size;
    const cpb_omitted omitted = {m.size - size, size, wanted.size, deep ? 3 : 2};
    assert_true(same(&r, wanted.data, wanted.size, &omitted, 1));
    free_result(&r);
    free(left.data);
    free(wanted.data);
    free(m.data);
  }
}

static void the_outline_takes_no_more_than_its_limit(void **state) {
  (void)state;
  bytes value = noise(1000, 3), many = {NULL, 0}, empty = {NULL, 0}, list = {NULL, 0}, key = {NULL, 0};
  for (int i = 0; i < 10; i++) put_bytes(&many, 10, value.data, value.size);
  for (int i = 0; i < 500; i++) put_bytes(&list, 10, value.data, 30);
  for (int i = 0; i < 500; i++) put_message(&empty, 4, *put_bytes(&(bytes){NULL, 0}, 2, value.data, 30));
  put_message(&key, 20, *put_bytes(&(bytes){NULL, 0}, 1, many.data, many.size));
  const how h = {.options = {.max_value = 1000, .max_size = 10030}};
  result r = outline_with(h, many);
  assert_int_equal(r.error.code, CPB_OK);
  free_result(&r);
  fails((how){.options = {.max_value = 1000, .max_size = 10029}}, many, CPB_E_LIMIT, "the limit of 10029 bytes");
  fails((how){.options = {.max_size = 10000}}, list, CPB_E_LIMIT, "the limit of 10000 bytes");
  fails((how){.options = {.max_size = 10000}}, empty, CPB_E_LIMIT, "the limit of 10000 bytes");
  fails((how){.options = {.max_size = 10000}}, key, CPB_E_LIMIT, "the limit of 10000 bytes");
  free(value.data);
  free(many.data);
  free(list.data);
  free(empty.data);
  free(key.data);
}

/* Whatever it is, it is the same for every way to supply it. */
static void agree(bytes m) {
  result a = outline_with((how){.piece = 0}, m), b = outline_with((how){.piece = 3}, m);
  if (a.error.code == CPB_OK) assert_true(same(&b, a.message.data, a.message.size, a.omitted, a.num_omitted));
  assert_int_equal(a.error.code, b.error.code);
  assert_string_equal(a.error.message, b.error.message);
  free_result(&a);
  free_result(&b);
}

static void damage_is_an_error_or_another_message(void **state) {
  (void)state;
  both *b = large_message(5);
  for (size_t size = 0; size < b->whole.size; size += sanitized_stride(5)) agree((bytes){b->whole.data, size});
  for (size_t i = 0; i < b->whole.size * 8; i += sanitized_stride(11)) {
    b->whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
    agree(b->whole);
    b->whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
  }
  free_both(b);
}

/* Where the field begins that is cut off: not the one before it, however the bytes came. */
static void a_field_that_is_cut_off_has_one_place(void **state) {
  (void)state;
  const uint8_t data[] = {0x08, 1, 0x12};
  const cpb_outline_options options = {.struct_size = sizeof options, .keep_damaged = 1};
  for (size_t piece = 1; piece <= sizeof data; piece++) {
    cpb_need need;
    cpb_outline *outline = cpb_outline_new(NULL, NULL, NULL, 0, &options);
    while (cpb_outline_step(outline) == CPB_STEP_NEED) {
      cpb_input *input = cpb_outline_input(outline);
      cpb_input_need(input, &need);
      cpb_input_end(input, sizeof data);
      size_t left = sizeof data - (size_t)need.offset;
      if (need.kind == CPB_NEED_RANGE)
        cpb_input_supply(input, need.offset, data + need.offset, left < piece ? left : piece);
    }
    assert_int_equal(cpb_outline_error(outline)->code, CPB_E_DAMAGED);
    assert_int_equal(cpb_outline_error(outline)->offset, 2);
    cpb_outline_free(outline);
  }
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  both *b = large_message(20);
  for (size_t n = 1, done = 0; !done; n++) {
    failing_allocator failing = {.fail_at = n};
    const cpb_allocator a = failing_allocator_of(&failing);
    result r = outline_with((how){.allocator = &a}, b->whole);
    done = r.error.code == CPB_OK;
    if (!done) assert_int_equal(r.error.code, CPB_E_MEMORY);
    assert_true(!done || n > 5);
    assert_int_equal(failing.blocks, 0);
    free_result(&r);
  }
  free_both(b);
}

static void a_host_that_fails_is_an_error(void **state) {
  (void)state;
  cpb_outline *outline = new_outline((how){.piece = 0});
  assert_int_equal(cpb_outline_step(outline), CPB_STEP_NEED);
  cpb_input_fail(cpb_outline_input(outline), CPB_E_READ, "the disk is gone");
  assert_int_equal(cpb_outline_step(outline), CPB_STEP_ERROR);
  assert_string_equal(cpb_outline_error(outline)->message, "the disk is gone");
  cpb_outline_free(outline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_messages_have_the_outlines_they_were_written_with),
      cmocka_unit_test(no_message_is_entered_without_a_type),
      cmocka_unit_test(pieces_make_no_difference),
      cmocka_unit_test(lengths_grow_from_the_inside),
      cmocka_unit_test(heads_become_as_short_as_they_can_be),
      cmocka_unit_test(a_value_of_1024_bytes_is_kept_by_default),
      cmocka_unit_test(an_empty_message_has_an_empty_outline),
      cmocka_unit_test(ranges_are_one_message_and_offsets_are_those_of_the_input),
      cmocka_unit_test(ranges_that_do_not_fit_are_errors),
      cmocka_unit_test(a_value_that_is_not_there_is_missed),
      cmocka_unit_test(groups_nested_too_deep_are_an_error),
      cmocka_unit_test(messages_nested_too_deep_are_omitted),
      cmocka_unit_test(the_outline_takes_no_more_than_its_limit),
      cmocka_unit_test(damage_is_an_error_or_another_message),
      cmocka_unit_test(a_field_that_is_cut_off_has_one_place),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(a_host_that_fails_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
