/* Fields by path. Each expected value is written down as bytes by hand, or
 * taken from where the message was put together. */
#include "split_help.h"

#include "cpb/find.h"
#include "failing_allocator.h"
#include "map_schema.h"

/* --- Running ---------------------------------------------------------------- */

typedef struct {
  cpb_error error;
  bytes value;
  size_t ranges;
  cpb_found found;
} result;

typedef struct {
  const cpb_allocator *allocator;
  const cpb_limits *limits;
  size_t piece;
  bool untyped;
} how;

static result find_with(how h, bytes message, const char *text) {
  result r = {.error = {.code = CPB_OK}};
  cpb_path *path = cpb_path_parse(NULL, text, strlen(text), &r.error);
  assert_non_null(path);
  const cpb_message_type *type = h.untyped ? NULL : cpb_schema_find_message(types, "t.M");
  cpb_find *find = cpb_find_new(h.allocator, type, path, h.limits);
  if (find == NULL) {
    r.error.code = CPB_E_MEMORY;
    cpb_path_free(path);
    return r;
  }
  uint8_t *lent = NULL;
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) lent = lend(cpb_find_input(find), message, h.piece, lent);
  assert_int_equal(cpb_find_step(find), step);
  r.error = *cpb_find_error(find);
  if (step == CPB_STEP_DONE) {
    r.found = *cpb_find_found(find);
    r.ranges = cpb_find_num_ranges(find);
    for (size_t i = 0; i < r.ranges; i++) {
      cpb_range range = cpb_find_get_range(find, i);
      put(&r.value, message.data + range.offset, (size_t)range.length);
    }
  } else {
    assert_int_equal(step, CPB_STEP_ERROR);
  }
  free(lent);
  cpb_find_free(find);
  cpb_path_free(path);
  return r;
}

static result find(bytes message, const char *path) { return find_with((how){.limits = NULL}, message, path); }
static result find_untyped(bytes message, const char *path) { return find_with((how){.untyped = true}, message, path); }

static cpb_found is_bytes(const char *path, result r, const void *value, size_t size) {
  if (r.error.code != CPB_OK) fail_msg("%s: %s", path, r.error.message);
  if (r.value.size != size || (size > 0 && memcmp(r.value.data, value, size) != 0)) fail_msg("%s: other bytes", path);
  free(r.value.data);
  return r.found;
}
#define FINDS(message, path, literal) is_bytes(path, find(message, path), literal, sizeof(literal) - 1)
#define FINDS_UNTYPED(message, path, literal) is_bytes(path, find_untyped(message, path), literal, sizeof(literal) - 1)

static void fails(result r, cpb_code code, const char *text) {
  if (r.error.code != code || strstr(r.error.message, text) == NULL)
    fail_msg("%s instead of %s: %s", cpb_code_name(r.error.code), text, r.error.message);
}

#define MESSAGE_OF(literal) ((bytes){(uint8_t *)(literal), sizeof(literal) - 1})

/* --- Fields and elements ------------------------------------------------------ */

static void the_empty_path_is_the_message(void **state) {
  (void)state;
  cpb_found found = FINDS(MESSAGE_OF("\x08\x01"), "", "\x08\x01");
  assert_string_equal(found.message->name, "t.M");
  assert_int_equal(found.number, 0);
  FINDS(MESSAGE_OF(""), "", "");
}

static void names_and_numbers_lead_to_values(void **state) {
  (void)state;
  /* n: 300 b: "xy" m {m {n: 5}} */
  bytes m = MESSAGE_OF("\x08\xac\x02\x12\x02xy\x1a\x04\x1a\x02\x08\x05");
  cpb_found found = FINDS(m, "n", "\xac\x02");
  assert_int_equal(found.wire_type, CPB_WIRE_VARINT);
  assert_string_equal(found.field->name, "n");
  FINDS(m, "b", "xy");
  found = FINDS(m, "m.m.n", "\x05");
  assert_string_equal(found.parent->name, "t.M");
  FINDS(m, "m.3", "\x08\x05");
  FINDS_UNTYPED(m, "3.3.1", "\x05");
  found = FINDS(MESSAGE_OF("\xf8\x3f\x09"), "1023", "\x09"); /* that the type lacks */
  assert_null(found.field);
}

static void the_last_value_counts_and_messages_merge(void **state) {
  (void)state;
  /* n: 1 n: 2 m {n: 3} n: 4 m {b: "z"} */
  bytes m = MESSAGE_OF("\x08\x01\x08\x02\x1a\x02\x08\x03\x08\x04\x1a\x03\x12\x01z");
  FINDS(m, "n", "\x04");
  FINDS(m, "m", "\x08\x03\x12\x01z");
  FINDS(m, "m.n", "\x03");
  FINDS(m, "m.b", "z");
  FINDS_UNTYPED(m, "3.2", "z");
  FINDS_UNTYPED(m, "3", "\x12\x01z");
}

static void elements_are_counted(void **state) {
  (void)state;
  /* bs: "a" ms {n: 1} bs: "" ms {n: 2} bs: "c" */
  bytes m = MESSAGE_OF(
      "\x52\x01"
      "a\x22\x02\x08\x01\x52\x00\x22\x02\x08\x02\x52\x01"
      "c");
  FINDS(m, "bs[0]", "a");
  FINDS(m, "bs[1]", "");
  FINDS(m, "bs[2]", "c");
  FINDS(m, "ms[1].n", "\x02");
  FINDS_UNTYPED(m, "4[1].1", "\x02");
  fails(find(m, "bs[3]"), CPB_E_NOT_FOUND, "[3]");
  fails(find(m, "ms[0].b"), CPB_E_NOT_FOUND, "b: ms[0] has none");
  cpb_found found = FINDS(m, "bs",
                          "\x52\x01"
                          "a\x52\x00\x52\x01"
                          "c");
  assert_true(found.fields);
  assert_false(FINDS(m, "bs[0]", "a").fields);
}

/* What cpb_find_within() and cpb_find_each() find of `path` in the ranges, as offset+length, ... */
static const char *finds_within(bytes m, const cpb_range *ranges, size_t count, const char *path, bool each) {
  static char text[256];
  cpb_error error;
  cpb_path *parsed = cpb_path_parse(NULL, path, strlen(path), &error);
  cpb_find *f = cpb_find_new(NULL, cpb_schema_find_message(types, "t.M"), parsed, NULL);
  if (ranges) assert_int_equal(cpb_find_within(f, ranges, count), CPB_OK);
  if (each) cpb_find_each(f);
  uint8_t *lent = NULL;
  while (cpb_find_step(f) == CPB_STEP_NEED) lent = lend(cpb_find_input(f), m, 3, lent);
  snprintf(text, sizeof text, "%s", cpb_find_error(f)->message);
  if (cpb_find_error(f)->code == CPB_OK) *text = '\0';
  for (size_t i = 0; cpb_find_error(f)->code == CPB_OK && i < cpb_find_num_ranges(f); i++) {
    cpb_range range = cpb_find_get_range(f, i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d+%d", i ? " " : "", (int)range.offset,
             (int)range.length);
  }
  free(lent);
  cpb_find_free(f);
  cpb_path_free(parsed);
  return text;
}

static void a_search_goes_on_in_ranges(void **state) {
  (void)state;
  /* ms {n: 1} n: 7 ms {n: 2 b: "x"}, of which the two values are one message: {n: 1 n: 2 b: "x"} */
  bytes m = MESSAGE_OF("\x22\x02\x08\x01\x08\x07\x22\x05\x08\x02\x12\x01x");
  const cpb_range values[] = {{2, 2}, {8, 5}}, beyond = {8, 6}, far = {UINT64_MAX, UINT64_MAX};
  assert_string_equal(finds_within(m, values, 2, "n", false), "9+1");
  assert_string_equal(finds_within(m, values, 1, "n", false), "3+1");
  assert_string_equal(finds_within(m, values, 2, "b", false), "12+1");
  assert_string_equal(finds_within(m, values, 2, "", false), "2+2 8+5");
  assert_string_equal(finds_within(m, values, 0, "n", false), "n: the message has none");
  assert_string_equal(finds_within(m, &beyond, 1, "n", false), "a range of 6 bytes ends beyond the message");
  assert_non_null(strstr(finds_within(m, &far, 1, "n", false), "ends beyond the message"));
}

static void each_element_is_a_range(void **state) {
  (void)state;
  /* ms {n: 1} ms {} n: 7 ms {n: 2}; s: [1, 2] s: 3 in both forms; by_bool {true: ""} */
  bytes m = MESSAGE_OF("\x22\x02\x08\x01\x22\x00\x08\x07\x22\x02\x08\x02\x3a\x02\x02\x04\x38\x06\xba\x01\x02\x08\x01");
  const cpb_range second = {4, 8};
  assert_string_equal(finds_within(m, NULL, 0, "ms", true), "2+2 6+0 10+2");
  assert_string_equal(finds_within(m, &second, 1, "ms", true), "6+0 10+2");
  assert_string_equal(finds_within(m, NULL, 0, "ms", false), "0+6 8+4");
  assert_string_equal(finds_within(m, NULL, 0, "s", true), "14+2 17+1");
  assert_string_equal(finds_within(m, NULL, 0, "by_bool", true), "21+2");
  assert_string_equal(finds_within(m, NULL, 0, "ms[2]", true), "10+2");
  assert_string_equal(finds_within(m, NULL, 0, "n", true), "7+1");
  /* gs, if they are groups, have neither of their tags; those of a repeated field of messages. */
  assert_string_equal(finds_within(MESSAGE_OF("\x23\x08\x01\x24\x23\x24"), NULL, 0, "ms", true), "1+2 5+0");
}

/* What cpb_find_elements() reports: wire type:offset+length, ..., and how it ends. */
static const char *reports(bytes m, const char *path) {
  static char text[256];
  cpb_error error;
  cpb_path *parsed = cpb_path_parse(NULL, path, strlen(path), &error);
  cpb_find *f = cpb_find_new(NULL, cpb_schema_find_message(types, "t.M"), parsed, NULL);
  cpb_find_elements(f);
  uint8_t *lent = NULL;
  cpb_step step;
  *text = '\0';
  while ((step = cpb_find_step(f)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      lent = lend(cpb_find_input(f), m, 3, lent);
      continue;
    }
    cpb_range range = cpb_find_element(f);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d:%d+%d ", (int)cpb_find_found(f)->wire_type,
             (int)range.offset, (int)range.length);
  }
  const char *end = step == CPB_STEP_DONE ? "done" : cpb_find_error(f)->message;
  if (step == CPB_STEP_DONE) assert_int_equal(cpb_find_num_ranges(f), cpb_find_found(f)->fields ? 0 : 1);
  snprintf(text + strlen(text), sizeof text - strlen(text), "%s", end);
  free(lent);
  cpb_find_free(f);
  cpb_path_free(parsed);
  return text;
}

static void elements_are_reported_one_by_one(void **state) {
  (void)state;
  bytes m = MESSAGE_OF(
      "\x22\x02\x08\x01\x22\x00\x08\x07\x22\x02\x08\x02\x3a\x03\x02\xac\x02\x3a\x00\x38\x06\xba\x01\x02\x08\x01");
  assert_string_equal(reports(m, "ms"), "2:2+2 2:6+0 2:10+2 done");
  assert_string_equal(reports(m, "s"), "0:14+1 0:15+2 0:20+1 done");
  assert_string_equal(reports(m, "by_bool"), "2:24+2 done");
  assert_string_equal(reports(m, "ms[2].n"), "done"); /* not repeated */
  assert_string_equal(reports(m, "bs"), "bs: the message has none");
  assert_string_equal(reports(MESSAGE_OF("\x2a\x08\x01\x00\x00\x00\x02\x00\x00\x00\x2d\x03\x00\x00\x00"), "f32"),
                      "5:2+4 5:6+4 5:11+4 done");
  assert_string_equal(reports(MESSAGE_OF("\x23\x08\x01\x24\x23\x24"), "ms"), "3:1+2 3:5+0 done");
  assert_string_equal(reports(MESSAGE_OF("\x3a\x00"), "s"), "done");
  assert_string_equal(reports(MESSAGE_OF("\x3a\x03\x01\xac\x82"), "s"),
                      "0:2+1 packed field that ends within an element at byte 3 of the message");
  assert_string_equal(reports(MESSAGE_OF("\x2a\x05\x01\x00\x00\x00\xff"), "f32"),
                      "packed field that ends within an element at byte 2 of the message");
}

static void neighbours_are_one_range(void **state) {
  (void)state;
  result r = find(MESSAGE_OF("\x52\x01"
                             "a\x52\x01"
                             "b\x08\x01\x52\x01"
                             "c"),
                  "bs");
  assert_int_equal(r.ranges, 2);
  free(r.value.data);
}

static void packed_elements_have_no_tags(void **state) {
  (void)state;
  /* f32: [1, -1] f64: [0.0, 2.0] s: [-1, 150], then f32: 7 and s: [0] */
  bytes m = MESSAGE_OF(
      "\x2a\x08\x01\x00\x00\x00\xff\xff\xff\xff"
      "\x32\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40"
      "\x3a\x03\x01\xac\x02\x2d\x07\x00\x00\x00\x3a\x01\x00");
  assert_int_equal(FINDS(m, "f32[0]", "\x01\x00\x00\x00").wire_type, CPB_WIRE_FIXED32);
  FINDS(m, "f32[1]", "\xff\xff\xff\xff");
  FINDS(m, "f32[2]", "\x07\x00\x00\x00");
  assert_int_equal(FINDS(m, "f64[1]", "\x00\x00\x00\x00\x00\x00\x00\x40").wire_type, CPB_WIRE_FIXED64);
  assert_int_equal(FINDS(m, "s[0]", "\x01").wire_type, CPB_WIRE_VARINT);
  FINDS(m, "s[1]", "\xac\x02");
  FINDS(m, "s[2]", "\x00");
  fails(find(m, "s[3]"), CPB_E_NOT_FOUND, "[3]");
  fails(find(m, "f32[3]"), CPB_E_NOT_FOUND, "[3]");
}

static void packed_fields_that_end_early_are_damage(void **state) {
  (void)state;
  fails(find(MESSAGE_OF("\x2a\x05\x01\x00\x00\x00\xff"), "f32[0]"), CPB_E_DAMAGED, "within an element at byte 2");
  fails(find(MESSAGE_OF("\x3a\x03\x01\xac\x82"), "s[1]"), CPB_E_DAMAGED, "within an element at byte 3");
}

static void groups_are_without_their_tags(void **state) {
  (void)state;
  /* g {n: 1 g {n: 2}} gs {n: 3} gs {b: "q"} */
  bytes m = MESSAGE_OF("\x43\x08\x01\x43\x08\x02\x44\x44\x4b\x08\x03\x4c\x4b\x12\x01q\x4c");
  assert_int_equal(FINDS(m, "g", "\x08\x01\x43\x08\x02\x44").wire_type, CPB_WIRE_START_GROUP);
  FINDS(m, "g.n", "\x01");
  FINDS(m, "g.g.n", "\x02");
  FINDS(m, "gs[1].b", "q");
  FINDS(m, "gs", "\x4b\x08\x03\x4c\x4b\x12\x01q\x4c");
  FINDS_UNTYPED(m, "8.8.1", "\x02");
}

/* --- Maps ------------------------------------------------------------------------ */

static void text_keys_lead_to_values(void **state) {
  (void)state;
  /* by_text {"ab": {n: 1}, "": {n: 2}, "cd": {}} and ab again, its key last */
  bytes m = MESSAGE_OF(
      "\xa2\x01\x08\x0a\x02"
      "ab\x12\x02\x08\x01\xa2\x01\x04\x12\x02\x08\x02"
      "\xa2\x01\x04\x0a\x02"
      "cd\xa2\x01\x08\x12\x02\x08\x03\x0a\x02"
      "ab");
  cpb_found found = FINDS(m, "by_text[\"ab\"]", "\x08\x03");
  assert_string_equal(found.field->name, "value");
  assert_string_equal(found.message->name, "t.M");
  FINDS(m, "by_text[\"ab\"].n", "\x03");
  FINDS(m, "by_text[\"\"].n", "\x02");
  FINDS(m, "by_text[\"cd\"]", "");
  FINDS_UNTYPED(m, "20[\"ab\"].1", "\x03");
  fails(find(m, "by_text[\"ac\"]"), CPB_E_NOT_FOUND, "has none");
  fails(find(m, "by_text[\"abc\"]"), CPB_E_NOT_FOUND, "has none");
  fails(find(m, "by_text[0]"), CPB_E_USAGE, "one in quotes");
}

static void number_keys_are_compared_as_their_type(void **state) {
  (void)state;
  /* by_sint {-2: "a", 3: "b", : "z"} by_sfixed {-1: 7} by_bool {true: "t", : "f"}
   * by_int {-1: "n", 1: "p"} */
  bytes m = MESSAGE_OF(
      "\xaa\x01\x05\x08\x03\x12\x01"
      "a\xaa\x01\x05\x08\x06\x12\x01"
      "b\xaa\x01\x03\x12\x01z"
      "\xb2\x01\x07\x0d\xff\xff\xff\xff\x10\x07"
      "\xba\x01\x05\x08\x01\x12\x01t\xba\x01\x03\x12\x01"
      "f"
      "\xc2\x01\x0e\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01n\xc2\x01\x05\x08\x01\x12\x01p");
  FINDS(m, "by_sint[-2]", "a");
  FINDS(m, "by_sint[3]", "b");
  FINDS(m, "by_sint[0]", "z");
  assert_int_equal(FINDS(m, "by_sfixed[-1]", "\x07").wire_type, CPB_WIRE_VARINT);
  FINDS(m, "by_bool[true]", "t");
  FINDS(m, "by_bool[false]", "f");
  FINDS(m, "by_int[-1]", "n");
  FINDS(m, "by_int[1]", "p");
  FINDS_UNTYPED(m, "23[true]", "t");
  fails(find(m, "by_int[2]"), CPB_E_NOT_FOUND, "has none");
  fails(find(m, "by_int[\"1\"]"), CPB_E_USAGE, "not strings");
}

static void fields_that_are_no_entries_are_skipped(void **state) {
  (void)state;
  /* by_bool {true: "t"}, then fields of its number that are no entries, and an
   * entry with groups for key and value. */
  bytes m = MESSAGE_OF(
      "\xba\x01\x05\x08\x01\x12\x01t\xb8\x01\x05\xbb\x01\x12\x01x\xbc\x01"
      "\xba\x01\x06\x08\x01\x13\x14\x0b\x0c");
  FINDS(m, "by_bool[true]", "");
  m.size -= 9;
  FINDS(m, "by_bool[true]", "t");
}

/* --- Errors ------------------------------------------------------------------------- */

static void paths_that_do_not_fit_are_errors(void **state) {
  (void)state;
  bytes m = MESSAGE_OF("\x08\x01\x22\x02\x08\x01\x12\x01x\xba\x01\x05\x08\x01\x12\x01t");
  static const struct {
    const char *path;
    cpb_code code;
    const char *text;
  } cases[] = {
      {"nothing", CPB_E_NOT_FOUND, "no such field"},
      {"m", CPB_E_NOT_FOUND, "the message has none"},
      {"n[0]", CPB_E_USAGE, "not a repeated field"},
      {"ms.n", CPB_E_USAGE, "expected an index"},
      {"ms[-1]", CPB_E_USAGE, "an index from 0"},
      {"ms[\"k\"]", CPB_E_USAGE, "an index from 0"},
      {"n.n", CPB_E_USAGE, "not a message"},
      {"b.n", CPB_E_USAGE, "not a message"},
      {"by_bool[true].x", CPB_E_USAGE, "not a message"},
      {"ms[0][1]", CPB_E_USAGE, "expected a field before it"},
      {"m.nothing", CPB_E_NOT_FOUND, "none"},
      {"ms[1].n", CPB_E_NOT_FOUND, "[1]: the length of ms is 1"},
      {"ms[0].m", CPB_E_NOT_FOUND, "m: ms[0] has none"},
      {"by_text['k']", CPB_E_NOT_FOUND, "[\"k\"]: by_text has none"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) fails(find(m, cases[i].path), cases[i].code, cases[i].text);
  fails(find_untyped(m, "n"), CPB_E_USAGE, "expected a field number");
  fails(find_untyped(m, "1.1"), CPB_E_USAGE, "not a message");
}

static void damage_and_nesting_are_errors(void **state) {
  (void)state;
  fails(find(MESSAGE_OF("\x12\x05x"), "n"), CPB_E_DAMAGED, "past the end");
  fails(find(MESSAGE_OF("\x43\x08\x01"), "g"), CPB_E_DAMAGED, "group without an end");
  fails(find(MESSAGE_OF("\x08"), "n"), CPB_E_DAMAGED, "within a field");
  const cpb_limits flat = {.struct_size = sizeof flat, .depth = 1};
  fails(find_with((how){.limits = &flat}, MESSAGE_OF("\x43\x43\x44\x44"), "g"), CPB_E_LIMIT, "limit of 1");
}

/* Supplies the message and then says that the input ends before it. */
static void an_input_that_shrinks_or_fails_is_an_error(void **state) {
  (void)state;
  for (int shrinks = 0; shrinks <= 1; shrinks++) {
    cpb_error error;
    cpb_path *path = cpb_path_parse(NULL, "s[9]", 4, &error);
    cpb_find *f = cpb_find_new(NULL, cpb_schema_find_message(types, "t.M"), path, NULL);
    assert_int_equal(cpb_find_step(f), CPB_STEP_NEED);
    cpb_input_end(cpb_find_input(f), 12);
    assert_int_equal(cpb_find_step(f), CPB_STEP_NEED);
    cpb_input_supply(cpb_find_input(f), 0, "\x3a\x0a\x01\x02", 4);
    assert_int_equal(cpb_find_step(f), CPB_STEP_NEED);
    if (shrinks) cpb_input_end(cpb_find_input(f), 4);
    else cpb_input_fail(cpb_find_input(f), CPB_E_READ, "the disk is gone");
    assert_int_equal(cpb_find_step(f), CPB_STEP_ERROR);
    assert_int_equal(cpb_find_error(f)->code, shrinks ? CPB_E_TRUNCATED : CPB_E_READ);
    assert_int_equal(cpb_find_error(f)->offset, 4);
    cpb_find_free(f);
    cpb_path_free(path);
  }
  cpb_find_free(NULL);
}

/* --- Hosts ----------------------------------------------------------------------------- */

/* ms: 3 times {by_text {"key one": {s: [1 .. 300]}}} with bytes before them. */
static bytes large_message(void) {
  bytes packed = {NULL, 0}, whole = {NULL, 0};
  for (uint64_t i = 1; i <= 300; i++) {
    uint8_t varint[CPB_VARINT_MAX];
    put(&packed, varint, (size_t)(cpb_varint_write(varint, i) - varint));
  }
  for (size_t i = 0; i < 3; i++) {
    bytes value = {NULL, 0}, entry = {NULL, 0}, element = {NULL, 0};
    put_bytes(&value, 7, packed.data, packed.size);
    put_message(put_text(&entry, 1, "key one"), 2, value);
    put_message(put_message(&element, 2, noise(1000, 3)), 20, entry);
    put_message(&whole, 4, element);
  }
  free(packed.data);
  return whole;
}

static const char deep_path[] = "ms[2].by_text[\"key one\"].s[299]";

static void pieces_make_no_difference(void **state) {
  (void)state;
  bytes m = large_message();
  for (size_t piece = 0; piece < 40; piece++)
    is_bytes(deep_path, find_with((how){.piece = piece}, m, deep_path), "\xac\x02", 2);
  free(m.data);
}

static void values_on_the_way_are_not_asked_for(void **state) {
  (void)state;
  bytes big = noise(1 << 14, 4), m = {NULL, 0};
  put_int(put_bytes(&m, 2, big.data, big.size), 1, 5);
  cpb_error error;
  cpb_path *path = cpb_path_parse(NULL, "n", 1, &error);
  cpb_find *f = cpb_find_new(NULL, cpb_schema_find_message(types, "t.M"), path, NULL);
  size_t asked = 0;
  while (cpb_find_step(f) == CPB_STEP_NEED) {
    cpb_need need;
    cpb_input_need(cpb_find_input(f), &need);
    if (need.kind == CPB_NEED_SIZE) cpb_input_end(cpb_find_input(f), m.size);
    else cpb_input_supply(cpb_find_input(f), need.offset, m.data + need.offset, need.length);
    asked += need.kind == CPB_NEED_RANGE ? need.length : 0;
  }
  assert_int_equal(cpb_find_num_ranges(f), 1);
  assert_int_equal(cpb_find_get_range(f, 0).offset, m.size - 1);
  assert_true(asked < 1000);
  cpb_find_free(f);
  cpb_path_free(path);
  free(big.data);
  free(m.data);
}

/* Of 100,000 elements the heads are read, in few pieces: as many as the host lends
 * at once are taken from them, and the hint grows. */
static void a_repeated_field_is_listed_in_few_pieces(void **state) {
  (void)state;
  static const uint8_t element[9] = "\x22\x02\x08\x05\x08\x81\x01\x08\x02";
  enum { ELEMENTS = 100000 };
  bytes m = {malloc(ELEMENTS * sizeof element), ELEMENTS * sizeof element};
  for (size_t i = 0; i < m.size; i += sizeof element) memcpy(m.data + i, element, sizeof element);
  static const struct {
    int all, ahead;
    size_t most;
  } hosts[] = {{1, 0, 1}, {0, 1, 14}, {0, 0, ELEMENTS / 20}};
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    cpb_error error;
    cpb_path *path = cpb_path_parse(NULL, "ms", 2, &error);
    cpb_find *f = cpb_find_new(NULL, cpb_schema_find_message(types, "t.M"), path, NULL);
    size_t needs = 0;
    while (cpb_find_step(f) == CPB_STEP_NEED) {
      cpb_need need;
      cpb_input_need(cpb_find_input(f), &need);
      cpb_input_end(cpb_find_input(f), m.size);
      if (need.kind == CPB_NEED_SIZE) continue;
      size_t length = hosts[i].all ? m.size - (size_t)need.offset : hosts[i].ahead ? (size_t)need.ahead : need.length;
      cpb_input_supply(cpb_find_input(f), need.offset, m.data + need.offset, length);
      needs++;
    }
    assert_int_equal(cpb_find_num_ranges(f), ELEMENTS);
    assert_int_equal(cpb_find_get_range(f, ELEMENTS - 1).offset, m.size - sizeof element);
    assert_in_range(needs, 1, hosts[i].most);
    cpb_find_free(f);
    cpb_path_free(path);
  }
  free(m.data);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  bytes m = large_message();
  const char *paths[] = {deep_path, "ms", "ms[1].by_text", "ms[0].20[\"key one\"].7[0]"};
  for (size_t i = 0; i < 4; i++) {
    for (size_t n = 1, done = 0; !done; n++) {
      failing_allocator failing = {.fail_at = n};
      const cpb_allocator a = failing_allocator_of(&failing);
      result r = find_with((how){.allocator = &a}, m, paths[i]);
      done = r.error.code == CPB_OK;
      if (!done) assert_int_equal(r.error.code, CPB_E_MEMORY);
      assert_true(!done || n > 2);
      assert_int_equal(failing.blocks, 0);
      free(r.value.data);
    }
  }
  free(m.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_empty_path_is_the_message),
      cmocka_unit_test(names_and_numbers_lead_to_values),
      cmocka_unit_test(the_last_value_counts_and_messages_merge),
      cmocka_unit_test(elements_are_counted),
      cmocka_unit_test(a_search_goes_on_in_ranges),
      cmocka_unit_test(each_element_is_a_range),
      cmocka_unit_test(elements_are_reported_one_by_one),
      cmocka_unit_test(neighbours_are_one_range),
      cmocka_unit_test(packed_elements_have_no_tags),
      cmocka_unit_test(packed_fields_that_end_early_are_damage),
      cmocka_unit_test(groups_are_without_their_tags),
      cmocka_unit_test(text_keys_lead_to_values),
      cmocka_unit_test(number_keys_are_compared_as_their_type),
      cmocka_unit_test(fields_that_are_no_entries_are_skipped),
      cmocka_unit_test(paths_that_do_not_fit_are_errors),
      cmocka_unit_test(damage_and_nesting_are_errors),
      cmocka_unit_test(an_input_that_shrinks_or_fails_is_an_error),
      cmocka_unit_test(pieces_make_no_difference),
      cmocka_unit_test(values_on_the_way_are_not_asked_for),
      cmocka_unit_test(a_repeated_field_is_listed_in_few_pieces),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
