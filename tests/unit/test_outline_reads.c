/* What an outline reads of a large message, and the options for reading a part. */
#include "cpb/find.h"
#include "outline_cases.h"

/* --- What is read --------------------------------------------------------------------------- */

#define CONSTANTS 128
#define CONSTANT ((uint64_t)8 << 20)

/* 1 GiB, of which only what is not zero is held: ms: {n: 5, by_text: {"value": {b: 8 MiB}}} */
typedef struct {
  uint8_t head[64];
  size_t head_size;
  uint64_t size; /* of the whole */
  uint64_t lent, needs;
} gigabyte;

static void make_gigabyte(gigabyte *g) {
  static const struct {
    uint32_t number;
    const char *before;
    size_t size;
  } outer[] = {{2, "", 0}, {2, "\x0a\x05value", 7}, {20, "\x08\x05", 2}, {4, "", 0}};
  uint8_t *at = g->head + sizeof g->head; /* written from the back */
  uint64_t size = CONSTANT;
  memset(g, 0, sizeof *g);
  for (size_t i = 0; i < 4; i++) {
    uint8_t head[CPB_WIRE_HEADER_MAX];
    size_t n = (size_t)(cpb_wire_put_len(head, outer[i].number, size) - head);
    at -= n;
    memcpy(at, head, n);
    at -= outer[i].size;
    memcpy(at, outer[i].before, outer[i].size);
    size += n + outer[i].size;
  }
  g->head_size = (size_t)(g->head + sizeof g->head - at);
  memmove(g->head, at, g->head_size);
  g->size = size * CONSTANTS;
}

static uint8_t byte_at(const gigabyte *g, uint64_t offset) {
  uint64_t within = offset % (g->size / CONSTANTS);
  return within < g->head_size ? g->head[within] : 0;
}

static uint8_t *lend_gigabyte(gigabyte *g, cpb_input *input, bool ahead, uint8_t *lent) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE) {
    cpb_input_end(input, g->size);
    return lent;
  }
  size_t length = ahead ? (size_t)need.ahead : need.length;
  assert_true(need.offset + length <= g->size);
  lent = realloc(lent, length);
  for (size_t i = 0; i < length; i++) lent[i] = byte_at(g, need.offset + i);
  cpb_input_supply(input, need.offset, lent, length);
  g->lent += length;
  g->needs++;
  return lent;
}

static void a_ten_thousandth_of_a_gigabyte_is_read(void **state) {
  (void)state;
  for (int ahead = 0; ahead <= 1; ahead++) {
    gigabyte g;
    make_gigabyte(&g);
    uint8_t *lent = NULL;
    cpb_outline *outline = new_outline((how){.options = {.max_value = 1024}});
    while (cpb_outline_step(outline) == CPB_STEP_NEED)
      lent = lend_gigabyte(&g, cpb_outline_input(outline), ahead, lent);
    size_t count, size;
    const cpb_omitted *omitted = cpb_outline_omitted(outline, &count);
    cpb_outline_message(outline, &size);
    assert_int_equal(count, CONSTANTS);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(omitted[i].offset, g.size / CONSTANTS * (i + 1) - CONSTANT);
      assert_int_equal(omitted[i].size, CONSTANT);
    }
    assert_true(size < 30 * CONSTANTS);
    assert_true(g.size > (uint64_t)1 << 30 && g.lent < g.size / 10000);
    assert_int_equal(g.needs, CONSTANTS);
    cpb_outline_free(outline);
    free(lent);
  }
}

/* 100,000 groups of nine bytes and a hundred large values: a host that follows
 * the hint is asked seldom, and reads little in vain. */
static void small_fields_are_asked_for_in_growing_pieces(void **state) {
  (void)state;
  static const uint8_t group[9] = "\x43\x08\xac\x02\x08\xd1\xdf\x04\x44", head[4] = "\x52\xa0\x8d\x06";
  const size_t small = 100000 * sizeof group;
  bytes m = {calloc(small + 100 * (sizeof head + 100000), 1), 0};
  for (; m.size < small; m.size += sizeof group) memcpy(m.data + m.size, group, sizeof group);
  for (int i = 0; i < 100; i++, m.size += sizeof head + 100000) memcpy(m.data + m.size, head, sizeof head);
  cpb_outline *outline = new_outline((how){.piece = 0});
  uint64_t needs = 0, lent = 0;
  while (cpb_outline_step(outline) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input_need(cpb_outline_input(outline), &need);
    if (need.kind == CPB_NEED_SIZE) {
      cpb_input_end(cpb_outline_input(outline), m.size);
    } else {
      cpb_input_supply(cpb_outline_input(outline), need.offset, m.data + need.offset, (size_t)need.ahead);
      lent += need.ahead;
      needs++;
    }
  }
  size_t count;
  cpb_outline_omitted(outline, &count);
  assert_int_equal(count, 100);
  assert_true(needs < 125);
  assert_true(lent < small + (400 << 10));
  cpb_outline_free(outline);
  free(m.data);
}

/* --- Options for reading a part -------------------------------------------------------------- */

static cpb_outline *outline_of(bytes message, cpb_outline_options options, cpb_step expected) {
  uint8_t *lent = NULL;
  cpb_step step;
  options.struct_size = sizeof options;
  options.max_value = MAX_VALUE;
  cpb_outline *outline = cpb_outline_new(NULL, cpb_schema_find_message(types, "t.M"), NULL, 0, &options);
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) lent = lend(cpb_outline_input(outline), message, 5, lent);
  assert_int_equal(step, expected);
  free(lent);
  return outline;
}

/* Every value of the outline of `whole`, and of the messages in it, lies where it is
 * said to. Returns how many there are. */
static size_t check_places(const cpb_outline *outline, bytes whole) {
  size_t size, count, values = 0, omitted = 0;
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  const uint8_t *message = cpb_outline_message(outline, &size);
  const cpb_omitted *left_out = cpb_outline_omitted(outline, &count);
  cpb_span in = {message, size};
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &a, 100, size, &error);
  for (;;) {
    cpb_wire_event event = cpb_wire_next(&s, &in);
    if (event == CPB_WIRE_LEAVE) continue;
    if (event != CPB_WIRE_FIELD) break;
    if (s.field.type != CPB_WIRE_LEN) continue;
    size_t at = (size_t)s.field.value;
    while (omitted < count && left_out[omitted].at < at) omitted++;
    if (omitted < count && left_out[omitted].at == at) continue;
    cpb_range from = cpb_outline_locate(outline, at, (size_t)s.field.size);
    assert_true(from.length >= s.field.size && from.offset + from.length <= whole.size);
    bool same_bytes = memcmp(whole.data + from.offset, message + at, (size_t)s.field.size) == 0;
    if (from.length == s.field.size && s.field.size <= MAX_VALUE) assert_true(same_bytes);
    else if (!same_bytes) cpb_wire_enter(&s); /* a message, of which something was left out */
    values++;
  }
  assert_int_equal(error.code, CPB_OK);
  cpb_wire_free(&s);
  return values;
}

static void values_are_located(void **state) {
  (void)state;
  size_t values = 0;
  for (uint64_t n = 0; n < 1000; n++) {
    both *b = message_of_seed(n, true);
    cpb_outline *outline = outline_of(b->whole, (cpb_outline_options){.locate = 1}, CPB_STEP_DONE);
    values += check_places(outline, b->whole);
    cpb_outline_free(outline);
    free_both(b);
  }
  assert_true(values > 2000);
}

static void known_fields_may_be_kept_at_any_length(void **state) {
  (void)state;
  bytes known = noise(500, 3), m = {NULL, 0};
  put_bytes(&m, 2, known.data, known.size);
  put_bytes(&m, 536870911, known.data, known.size);
  cpb_outline *outline = outline_of(m, (cpb_outline_options){.keep_known = 1}, CPB_STEP_DONE);
  size_t size, count;
  cpb_outline_message(outline, &size);
  cpb_outline_omitted(outline, &count);
  assert_int_equal(count, 1);
  assert_int_equal(size, m.size - known.size - 1); /* the other one's length is a byte shorter */
  cpb_outline_free(outline);
  free(known.data);
  free(m.data);
}

/* Cut anywhere, the outline is one of a whole message. */
static void the_part_before_the_damage_is_read(void **state) {
  (void)state;
  const cpb_outline_options keep = {.keep_damaged = 1, .locate = 1};
  size_t errors = 0;
  for (uint64_t n = 0; n < 60; n++) {
    both *b = message_of_seed(n, true);
    bytes cut = b->whole;
    for (; cut.size > 0; cut.size--) {
      uint8_t *copy = malloc(cut.size);
      memcpy(copy, cut.data, cut.size);
      cpb_range range = {0, b->whole.size};
      cpb_outline_options options = keep;
      options.struct_size = sizeof options;
      options.max_value = MAX_VALUE;
      cpb_outline *outline = cpb_outline_new(NULL, cpb_schema_find_message(types, "t.M"), &range, 1, &options);
      uint8_t *lent = NULL;
      bytes part = {copy, cut.size};
      cpb_step step;
      while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED)
        lent = lend(cpb_outline_input(outline), part, 9, lent);
      errors += step == CPB_STEP_ERROR; /* not where what is missing is passed over at the end */
      check_places(outline, b->whole);
      cpb_outline_free(outline);
      free(lent);
      free(copy);
    }
    free_both(b);
  }
  assert_true(errors > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_located),
      cmocka_unit_test(known_fields_may_be_kept_at_any_length),
      cmocka_unit_test(the_part_before_the_damage_is_read),
      cmocka_unit_test(a_ten_thousandth_of_a_gigabyte_is_read),
      cmocka_unit_test(small_fields_are_asked_for_in_growing_pieces),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
