/* Outlines of messages of which bytes are lost. */
#include "base/status.h"
#include "outline_cases.h"
#include "stride.h"

/* --- A host that has lost bytes ---------------------------------------------- */

typedef struct {
  uint64_t begin, end;
  int whole;
} gap;

/* Nothing of a gap is lent, so that a sanitizer sees a read of it. */
static uint8_t *lend_rest(cpb_input *input, bytes message, const gap *gaps, size_t count, uint8_t *lent) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_RANGE) {
    for (size_t i = 0; i < count; i++) {
      if (need.offset < gaps[i].begin && gaps[i].begin < message.size) message.size = gaps[i].begin;
      if (need.offset < gaps[i].begin || need.offset >= gaps[i].end) continue;
      cpb_input_lose(input, gaps[i].end - need.offset, gaps[i].whole && need.offset == gaps[i].begin, "it is lost");
      return lent;
    }
  }
  return lend(input, message, 7, lent);
}

static cpb_outline *outline_left(bytes message, const gap *gaps, size_t count, bool keep) {
  uint8_t *lent = NULL;
  const cpb_range all = {0, message.size};
  const cpb_outline_options options = {
      .struct_size = sizeof options, .max_value = MAX_VALUE, .keep_damaged = keep, .locate = 1};
  cpb_outline *outline = cpb_outline_new(NULL, cpb_schema_find_message(types, "t.M"), &all, 1, &options);
  if (keep) cpb_outline_keep_lost(outline);
  while (cpb_outline_step(outline) == CPB_STEP_NEED)
    lent = lend_rest(cpb_outline_input(outline), message, gaps, count, lent);
  free(lent);
  return outline;
}

static bytes message_of(const cpb_outline *outline) {
  bytes m;
  m.data = (uint8_t *)cpb_outline_message(outline, &m.size);
  return m;
}

/* --- Fields, one after the other ---------------------------------------------- */

#define MOST_FIELDS 64

typedef struct {
  cpb_wire_field items[MOST_FIELDS];
  uint64_t ends[MOST_FIELDS];
  size_t count;
} fields;

static fields fields_of(bytes m) {
  fields f = {.count = 0};
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_wire_scanner s;
  cpb_span in = {m.data, m.size};
  size_t depth = 0;
  cpb_wire_begin(&s, &a, 100, m.size, &error);
  for (cpb_wire_event event; (event = cpb_wire_next(&s, &in)) != CPB_WIRE_END;) {
    if (event != CPB_WIRE_FIELD && event != CPB_WIRE_LEAVE) fail_msg("%s", error.message);
    if (event == CPB_WIRE_LEAVE) {
      if (--depth == 0) f.ends[f.count - 1] = s.pos;
      continue;
    }
    if (depth == 0) {
      assert_true(f.count < MOST_FIELDS);
      f.items[f.count] = s.field;
      f.ends[f.count++] = s.field.value + s.field.size;
    }
    if (s.field.type == CPB_WIRE_START_GROUP) {
      depth++;
      cpb_wire_enter(&s);
    }
  }
  cpb_wire_free(&s);
  return f;
}

static bytes part(bytes m, const fields *f, size_t i) {
  return (bytes){m.data + f->items[i].begin, (size_t)(f->ends[i] - f->items[i].begin)};
}

static bool equal(bytes a, bytes b) { return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0); }

/* What is in a message of t.M, or in an entry of its map by text; empty for any other field. */
static bytes inside(bytes m, const fields *f, size_t i, bool entry) {
  const cpb_wire_field *field = &f->items[i];
  bool group = field->type == CPB_WIRE_START_GROUP && field->number == 8;
  bool message = entry ? field->number == 2 : field->number == 3 || field->number == 4 || field->number == 20;
  if (!group && !(message && field->type == CPB_WIRE_LEN)) return (bytes){NULL, 0};
  return (bytes){m.data + field->value, (size_t)(f->ends[i] - field->value - (group ? 1 : 0))};
}

/* Whether the message is the other one without some of its fields, or of the fields of messages in it. */
static bool is_left_of(bytes left, bytes whole, bool entry) {
  fields l = fields_of(left), w = fields_of(whole);
  size_t at = 0;
  for (size_t i = 0; i < l.count; i++, at++) {
    for (; at < w.count; at++) {
      bytes a = inside(left, &l, i, entry), b = inside(whole, &w, at, entry);
      if (equal(part(left, &l, i), part(whole, &w, at))) break;
      if (!a.data || !b.data || l.items[i].number != w.items[at].number) continue;
      if (is_left_of(a, b, l.items[i].number == 20)) break;
    }
    if (at == w.count) return false;
  }
  return true;
}

/* --- The properties ------------------------------------------------------------- */

static cpb_message_type *type_of_all(void) { return (cpb_message_type *)cpb_schema_find_message(types, "t.M"); }

/* Of the whole message; the outline has a field for each field of it. */
static void check_left(const both *b, const cpb_outline *outline, gap g) {
  bytes left = message_of(outline);
  const fields whole = fields_of(b->whole), intact = fields_of(b->outline), kept = fields_of(left);
  size_t first = 0, met = 0;
  while (first < whole.count && whole.ends[first] <= g.begin) first++;
  for (size_t i = 0; i < first; i++) assert_true(equal(part(left, &kept, i), part(b->outline, &intact, i)));
  if (first == whole.count) return;
  bool sure =
      whole.items[first].type == CPB_WIRE_LEN && g.begin >= whole.items[first].value && g.end <= whole.ends[first];
  while (met < kept.count && met + first < whole.count &&
         equal(part(left, &kept, kept.count - 1 - met), part(b->outline, &intact, intact.count - 1 - met)))
    met++;
  if (sure) assert_true(met >= whole.count - first - 1); /* all that follows that field */
}

static void a_gap_costs_the_fields_that_it_is_in(void **state) {
  (void)state;
  size_t losses = 0;
  for (uint64_t n = 0; n < 400; n += sanitized_stride(7)) {
    both *b = message_of_seed(n, true);
    for (int i = 0; i < 25 && b->whole.size > 0; i++) {
      gap g = {.begin = below((uint32_t)b->whole.size)};
      g.end = g.begin + 1 + below(i % 2 ? 10 : (uint32_t)b->whole.size);
      if (g.end > b->whole.size) g.end = b->whole.size;
      cpb_outline *outline = outline_left(b->whole, &g, 1, true);
      bool lost = cpb_outline_lost(outline) > 0;
      losses += lost;
      assert_true(is_left_of(message_of(outline), b->outline, false));
      if (lost) {
        assert_int_equal(cpb_outline_error(outline)->code, CPB_E_DAMAGED);
        assert_string_equal(cpb_outline_error(outline)->message, "it is lost");
        check_left(b, outline, g);
      } else {
        assert_int_equal(cpb_outline_error(outline)->code, CPB_OK);
        assert_true(equal(message_of(outline), b->outline));
      }
      cpb_outline_free(outline);
    }
    free_both(b);
  }
  assert_true(losses > 1000 / sanitized_stride(7));
}

/* Exactly the others are there, also behind the gap. */
static void only_whole_fields_are_missing(void **state) {
  (void)state;
  size_t checked = 0;
  for (uint64_t n = 0; n < 2000; n += sanitized_stride(7)) {
    both *b = message_of_seed(n, true);
    const fields whole = fields_of(b->whole), intact = fields_of(b->outline);
    assert_int_equal(whole.count, intact.count);
    if (whole.count > 0) {
      size_t from = below((uint32_t)whole.count), to = from + 1 + below((uint32_t)(whole.count - from));
      const gap g = {whole.items[from].begin, whole.ends[to - 1], 1};
      cpb_outline *outline = outline_left(b->whole, &g, 1, true);
      bytes expected = {NULL, 0};
      for (size_t i = 0; i < whole.count; i++) {
        bytes field = part(b->outline, &intact, i);
        if (i < from || i >= to) put(&expected, field.data, field.size);
      }
      assert_true(equal(message_of(outline), expected));
      assert_int_equal(cpb_outline_lost(outline), g.end - g.begin);
      assert_int_equal(cpb_outline_lost_in(outline, 0), 0);
      checked += to < whole.count;
      cpb_outline_free(outline);
      free(expected.data);
    }
    free_both(b);
  }
  assert_true(checked > 500 / sanitized_stride(7));
}

/* {m: {m: {n: 5, b: "..." * 30, n: 6}, n: 7}, n: 8}, and what is lost of it. */
static bytes nested(uint64_t *inner, uint64_t *value) {
  bytes m = {NULL, 0}, middle = {NULL, 0}, in = {NULL, 0}, filling = noise(30, 1);
  put_int(&in, 1, 5);
  put_bytes(&in, 2, filling.data, MAX_VALUE);
  put_int(&in, 1, 6);
  *inner = in.size;
  put_message(&middle, 3, in);
  put_int(&middle, 1, 7);
  put_message(&m, 3, middle);
  put_int(&m, 1, 8);
  free(filling.data);
  *inner = m.size - 2 - 2 - *inner; /* where its fields begin */
  *value = *inner + 4;
  return m;
}

static void expect_numbers(bytes m, gap g, const char *expected) {
  char found[64] = "";
  cpb_outline *outline = outline_left(m, &g, 1, true);
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_wire_scanner s;
  bytes left = message_of(outline);
  cpb_span in = {left.data, left.size};
  cpb_wire_begin(&s, &a, 100, left.size, &error);
  for (cpb_wire_event event; (event = cpb_wire_next(&s, &in)) > CPB_WIRE_MORE && event != CPB_WIRE_END;) {
    size_t size = strlen(found);
    if (event == CPB_WIRE_LEAVE) strcat(found, "}");
    else if (s.field.number == 3 && cpb_wire_enter(&s)) strcat(found, "{");
    else if (s.field.number == 1) cpb_format(found + size, sizeof found - size, "%u", (unsigned)s.field.number_value);
    else strcat(found, "b");
  }
  assert_int_equal(error.code, CPB_OK);
  assert_string_equal(found, expected);
  cpb_wire_free(&s);
  cpb_outline_free(outline);
}

static void divisible_messages_keep_their_other_fields(void **state) {
  (void)state;
  uint64_t inner, value;
  bytes m = nested(&inner, &value);
  const gap of_value = {value, value + 3, 0}, of_fields = {inner, value + MAX_VALUE, 1},
            of_head = {inner, inner + 1, 0};
  expect_numbers(m, (gap){0, 0, 0}, "{{5b6}7}8");
  expect_numbers(m, of_value, "8"); /* only the whole message is divisible */
  type_of_all()->divisible = CPB_DIVISIBLE_ANYWHERE;
  expect_numbers(m, of_value, "{{56}7}8");
  expect_numbers(m, of_fields, "{{6}7}8");
  expect_numbers(m, of_head, "{{}7}8");
  type_of_all()->divisible = CPB_DIVISIBLE_BEGINNING;
  expect_numbers(m, of_value, "{{5}7}8");
  expect_numbers(m, of_fields, "{{}7}8");
  type_of_all()->divisible = CPB_DIVISIBLE_NOT;
  free(m.data);
}

/* {m: {m: {n: 5, n: 6}, n: 7}, n: 8}, short enough to be kept without being entered, with another byte at `at`. */
static void expect_damaged(size_t at, uint8_t byte, uint8_t divisible, const char *expected, uint64_t offset) {
  bytes m = {NULL, 0}, middle = {NULL, 0}, in = {NULL, 0};
  put_int(&in, 1, 5);
  put_int(&in, 1, 6);
  put_message(&middle, 3, in);
  put_int(&middle, 1, 7);
  put_message(&m, 3, middle);
  put_int(&m, 1, 8);
  m.data[at] = byte;
  type_of_all()->divisible = divisible;
  expect_numbers(m, (gap){0, 0, 0}, expected);
  cpb_outline *outline = outline_left(m, NULL, 0, true);
  assert_int_equal(cpb_outline_error(outline)->code, offset == CPB_NO_OFFSET ? CPB_OK : CPB_E_DAMAGED);
  assert_int_equal(cpb_outline_error(outline)->offset, offset);
  type_of_all()->divisible = CPB_DIVISIBLE_NOT;
  cpb_outline_free(outline);
  free(m.data);
}

static void a_damaged_message_costs_the_field_that_it_is_in(void **state) {
  (void)state;
  const size_t tag = 6, inner_length = 3;
  expect_damaged(tag, 1 << 3, CPB_DIVISIBLE_NOT, "{{56}7}8", CPB_NO_OFFSET);
  expect_damaged(tag, 7, CPB_DIVISIBLE_NOT, "8", tag);
  expect_damaged(tag, 7, CPB_DIVISIBLE_ANYWHERE, "{{5}7}8", tag);
  expect_damaged(tag, 7, CPB_DIVISIBLE_BEGINNING, "{{5}7}8", tag);
  expect_damaged(inner_length, 100, CPB_DIVISIBLE_ANYWHERE, "{}8", inner_length - 1);
  expect_damaged(inner_length, 3, CPB_DIVISIBLE_ANYWHERE, "{{5}}8", tag); /* whose number 6 is then a tag */
}

static void the_first_loss_is_located(void **state) {
  (void)state;
  uint64_t inner, value;
  bytes m = nested(&inner, &value);
  const gap g = {value, value + 3, 0};
  cpb_outline *outline = outline_left(m, &g, 1, true);
  assert_int_equal(cpb_outline_lost(outline), 3);
  assert_int_equal(cpb_outline_lost_in(outline, 0), 3);
  assert_int_equal(cpb_outline_lost_in(outline, 1), 3);
  assert_int_equal(cpb_outline_lost_in(outline, 2), 0);
  cpb_outline_free(outline);
  free(m.data);
}

static void divisible_messages_are_left_in_part(void **state) {
  (void)state;
  size_t more = 0;
  for (uint64_t n = 0; n < 400; n += sanitized_stride(7)) {
    both *b = message_of_seed(n, true);
    for (int i = 0; i < 20 && b->whole.size > 0; i++) {
      gap g = {.begin = below((uint32_t)b->whole.size)};
      g.end = g.begin + 1 + below(20);
      size_t sizes[2];
      for (int divisible = 0; divisible < 2; divisible++) {
        type_of_all()->divisible = divisible ? CPB_DIVISIBLE_ANYWHERE : CPB_DIVISIBLE_NOT;
        cpb_outline *outline = outline_left(b->whole, &g, 1, true);
        sizes[divisible] = message_of(outline).size;
        assert_true(is_left_of(message_of(outline), b->outline, false));
        cpb_outline_free(outline);
      }
      assert_true(sizes[1] >= sizes[0]);
      more += sizes[1] > sizes[0];
    }
    free_both(b);
  }
  type_of_all()->divisible = CPB_DIVISIBLE_NOT;
  assert_true(more > 100 / sanitized_stride(7));
}

/* --- How much, and without -------------------------------------------------------- */

static void a_hundred_gaps_are_passed_over(void **state) {
  (void)state;
  for (size_t count = 100; count <= 101; count++) {
    gap gaps[101];
    bytes m = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
      put_int(&m, 1, i);
      gaps[i] = (gap){m.size, 0, 1};
      put_int(&m, 1, 1000);
      gaps[i].end = m.size;
    }
    put_int(&m, 1, 5);
    cpb_outline *outline = outline_left(m, gaps, count, true);
    bytes left = message_of(outline);
    assert_int_equal(cpb_outline_error(outline)->code, CPB_E_DAMAGED);
    assert_int_equal(fields_of((bytes){left.data, 0}).count, 0);
    assert_int_equal(left.data[left.size - 1], count == 100 ? 5 : 100); /* the last field that is there */
    cpb_outline_free(outline);
    free(m.data);
  }
}

static void reading_fails_at_damage_unless_it_is_kept(void **state) {
  (void)state;
  uint64_t inner, value;
  bytes m = nested(&inner, &value);
  const gap g = {value, value + 3, 0};
  cpb_outline *outline = outline_left(m, &g, 1, false);
  assert_int_equal(cpb_outline_error(outline)->code, CPB_E_DAMAGED);
  assert_string_equal(cpb_outline_error(outline)->message, "it is lost");
  cpb_outline_free(outline);
  free(m.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_costs_the_fields_that_it_is_in),
      cmocka_unit_test(only_whole_fields_are_missing),
      cmocka_unit_test(divisible_messages_keep_their_other_fields),
      cmocka_unit_test(the_first_loss_is_located),
      cmocka_unit_test(divisible_messages_are_left_in_part),
      cmocka_unit_test(a_hundred_gaps_are_passed_over),
      cmocka_unit_test(reading_fails_at_damage_unless_it_is_kept),
      cmocka_unit_test(a_damaged_message_costs_the_field_that_it_is_in),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
