/* Outlines. Random messages are written down together with their outlines, so
 * that nothing here reads a message. */
#include "split_help.h"

#include "base/checked.h"
#include "cpb/find.h"
#include "cpb/outline.h"
#include "failing_allocator.h"
#include "map_schema.h"

#define MAX_VALUE 20
#define MAX_OMITTED 4096

/* --- Running ---------------------------------------------------------------- */

typedef struct {
  bytes whole, outline;
  cpb_omitted omitted[MAX_OMITTED];
  size_t num_omitted;
} both;

typedef struct {
  const cpb_allocator *allocator;
  const char *type; /* "" for none, NULL for t.M */
  const cpb_range *ranges;
  size_t num_ranges;
  size_t piece;
  cpb_outline_options options;
} how;

typedef struct {
  cpb_error error;
  bytes message;
  cpb_omitted *omitted;
  size_t num_omitted;
} result;

static cpb_outline *new_outline(how h) {
  const cpb_message_type *type = cpb_schema_find_message(types, h.type != NULL ? h.type : "t.M");
  h.options.struct_size = sizeof h.options;
  if (h.options.max_value == 0) h.options.max_value = MAX_VALUE;
  return cpb_outline_new(h.allocator, type, h.ranges, h.num_ranges, &h.options);
}

static void take(result *r, const cpb_outline *outline) {
  size_t size;
  const uint8_t *data = cpb_outline_message(outline, &size);
  const cpb_omitted *omitted = cpb_outline_omitted(outline, &r->num_omitted);
  put(&r->message, data, size);
  r->omitted = malloc(r->num_omitted * sizeof *omitted + 1);
  if (r->num_omitted > 0) memcpy(r->omitted, omitted, r->num_omitted * sizeof *omitted);
}

static result outline_with(how h, bytes message) {
  result r = {.error = {.code = CPB_OK}};
  cpb_outline *outline = new_outline(h);
  if (outline == NULL) {
    r.error.code = CPB_E_MEMORY;
    return r;
  }
  uint8_t *lent = NULL;
  cpb_step step;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED)
    lent = lend(cpb_outline_input(outline), message, h.piece, lent);
  free(lent);
  assert_int_equal(cpb_outline_step(outline), step);
  r.error = *cpb_outline_error(outline);
  if (step == CPB_STEP_DONE) take(&r, outline);
  else assert_int_equal(step, CPB_STEP_ERROR);
  cpb_outline_free(outline);
  return r;
}

static void free_result(result *r) {
  free(r->message.data);
  free(r->omitted);
}

static bool same(const result *r, const uint8_t *message, size_t size, const cpb_omitted *omitted, size_t count) {
  if (r->error.code != CPB_OK || r->message.size != size || r->num_omitted != count) return false;
  for (size_t i = 0; i < count; i++) {
    const cpb_omitted *a = &r->omitted[i], *b = &omitted[i];
    if (a->at != b->at || a->offset != b->offset || a->size != b->size || a->number != b->number) return false;
  }
  return size == 0 || memcmp(r->message.data, message, size) == 0;
}

static void outlines_to(how h, const both *b) {
  result r = outline_with(h, b->whole);
  if (!same(&r, b->outline.data, b->outline.size, b->omitted, b->num_omitted))
    fail_msg("pieces of %zu: %s", h.piece, r.error.code != CPB_OK ? r.error.message : "another outline");
  free_result(&r);
}

static void fails(how h, bytes message, cpb_code code, const char *text) {
  result r = outline_with(h, message);
  if (r.error.code != code || strstr(r.error.message, text) == NULL)
    fail_msg("%s instead of %s: %s", cpb_code_name(r.error.code), text, r.error.message);
  free_result(&r);
}

#define MESSAGE_OF(literal) ((bytes){(uint8_t *)(literal), sizeof(literal) - 1})

/* --- Messages with their outlines ---------------------------------------------- */

static void note_omitted(both *b, uint64_t offset, uint64_t size, size_t at, uint32_t number) {
  assert_true(b->num_omitted < MAX_OMITTED);
  b->omitted[b->num_omitted++] = (cpb_omitted){.offset = offset, .size = size, .at = at, .number = number};
}

static void add_kept(both *b, uint32_t number, bytes value) {
  put_bytes(&b->whole, number, value.data, value.size);
  put_bytes(&b->outline, number, value.data, value.size);
}

static void add_value(both *b, uint32_t number, bytes value) {
  if (value.size <= MAX_VALUE) {
    add_kept(b, number, value);
    return;
  }
  put_bytes(&b->whole, number, value.data, value.size);
  put_bytes(&b->outline, number, NULL, 0);
  note_omitted(b, b->whole.size - value.size, value.size, b->outline.size, number);
}

static void add_number(both *b, uint32_t number, uint64_t value) {
  put_int(&b->whole, number, value);
  put_int(&b->outline, number, value);
}

static void append(both *b, const both *inner) {
  for (size_t i = 0; i < inner->num_omitted; i++) {
    const cpb_omitted *o = &inner->omitted[i];
    note_omitted(b, b->whole.size + o->offset, o->size, b->outline.size + o->at, o->number);
  }
  put(&b->whole, inner->whole.data, inner->whole.size);
  put(&b->outline, inner->outline.data, inner->outline.size);
}

static void free_both(both *b) {
  free(b->whole.data);
  free(b->outline.data);
  free(b);
}

/* These take `inner`. */
static void add_message(both *b, uint32_t number, both *inner, bool known) {
  uint8_t head[CPB_WIRE_HEADER_MAX];
  if (!known || inner->whole.size <= MAX_VALUE) {
    add_value(b, number, inner->whole);
  } else {
    put(&b->whole, head, (size_t)(cpb_wire_put_len(head, number, inner->whole.size) - head));
    put(&b->outline, head, (size_t)(cpb_wire_put_len(head, number, inner->outline.size) - head));
    append(b, inner);
  }
  free_both(inner);
}

static void add_group(both *b, uint32_t number, both *inner) {
  put_head(&b->whole, number, CPB_WIRE_START_GROUP);
  put_head(&b->outline, number, CPB_WIRE_START_GROUP);
  append(b, inner);
  put_head(&b->whole, number, CPB_WIRE_END_GROUP);
  put_head(&b->outline, number, CPB_WIRE_END_GROUP);
  free_both(inner);
}

/* --- Random ones ------------------------------------------------------------------ */

static uint64_t seed;

static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static bytes random_value(void) {
  static const size_t sizes[] = {0, 1, 3, MAX_VALUE - 1, MAX_VALUE, MAX_VALUE + 1, 40, 300};
  return noise(sizes[below(sizeof sizes / sizeof *sizes)], below(1000));
}

static void add_random_value(both *b, uint32_t number) {
  bytes value = random_value();
  add_value(b, number, value);
  free(value.data);
}

static both *random_message(unsigned depth, bool known);

/* Its key is kept, however long. */
static both *random_entry(unsigned depth, bool text, bool known) {
  both *entry = calloc(1, sizeof *entry);
  bytes key = random_value();
  if (!text) add_number(entry, 1, below(1000));
  else if (known) add_kept(entry, 1, key);
  else add_value(entry, 1, key);
  free(key.data);
  if (text) add_message(entry, 2, random_message(depth, known), known);
  else add_random_value(entry, 2);
  return entry;
}

static void add_fixed(both *b) {
  for (int i = 0; i < 2; i++) {
    bytes *out = i == 0 ? &b->whole : &b->outline;
    put(put_head(out, 5, CPB_WIRE_FIXED32), "abcd", 4);
    put(put_head(out, 6, CPB_WIRE_FIXED64), "abcdefgh", 8);
  }
}

static void add_random_field(both *b, unsigned depth, bool known) {
  switch (below(depth > 0 ? 14 : 7)) {
    case 0: add_number(b, 1, (uint64_t)below(1000) << below(40)); break;
    case 1: add_fixed(b); break;
    case 2: add_random_value(b, 2); break;
    case 3: add_random_value(b, 10); break;
    case 4: add_random_value(b, 7); break;   /* packed */
    case 5: add_random_value(b, 8); break;   /* a group's number */
    case 6: add_random_value(b, 536870911); break;
    case 7: add_message(b, 3, random_message(depth - 1, known), known); break;
    case 8: add_message(b, 4, random_message(depth - 1, known), known); break;
    case 9: add_group(b, 8, random_message(depth - 1, known)); break;
    case 10: add_group(b, 99, random_message(depth - 1, false)); break;
    case 11: add_group(b, 4, random_message(depth - 1, false)); break; /* a message's number */
    case 12: add_message(b, 20, random_entry(depth - 1, true, known), known); break;
    default: add_message(b, 26, random_entry(depth - 1, false, known), known); break;
  }
}

static both *random_message(unsigned depth, bool known) {
  both *b = calloc(1, sizeof *b);
  for (uint32_t i = below(6); i > 0; i--) add_random_field(b, depth, known);
  return b;
}

static both *message_of_seed(uint64_t n, bool known) {
  seed = n;
  return random_message(4, known);
}

static void random_messages_have_the_outlines_they_were_written_with(void **state) {
  (void)state;
  size_t omitted = 0;
  for (uint64_t n = 0; n < 2000; n++) {
    both *b = message_of_seed(n, true);
    outlines_to((how){.piece = 0}, b);
    outlines_to((how){.piece = 1 + n % 50}, b);
    omitted += b->num_omitted;
    free_both(b);
  }
  assert_true(omitted > 2000);
}

static void without_a_type_no_message_is_entered(void **state) {
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
  for (size_t piece = 0; piece < 300; piece++) outlines_to((how){.piece = piece}, b);
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
  result r = outline_with((how){.piece = 0}, MESSAGE_OF("\x92\x80\x00\x83\x00" "abc" "\x08\x81\x00"));
  assert_true(same(&r, (const uint8_t *)"\x12\x03" "abc" "\x08\x01", 7, NULL, 0));
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
  bytes m = MESSAGE_OF("\x08\x01\x12\x1e" "0123456789abcdefghij0123456789");
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
  bytes m = MESSAGE_OF("\x08\x01\x12\x1e" "0123");
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
  for (size_t size = 0; size < b->whole.size; size++) agree((bytes){b->whole.data, size});
  for (size_t i = 0; i < b->whole.size * 8; i++) {
    b->whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
    agree(b->whole);
    b->whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
  }
  free_both(b);
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
  static const struct { uint32_t number; const char *before; size_t size; } outer[] = {
      {2, "", 0}, {2, "\x0a\x05value", 7}, {20, "\x08\x05", 2}, {4, "", 0}};
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

static void of_a_gigabyte_a_ten_thousandth_is_read(void **state) {
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

static void what_the_type_knows_may_be_kept_however_long(void **state) {
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
static void of_a_damaged_message_there_is_what_stands_before(void **state) {
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
      while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) lent = lend(cpb_outline_input(outline), part, 9, lent);
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
      cmocka_unit_test(what_the_type_knows_may_be_kept_however_long),
      cmocka_unit_test(of_a_damaged_message_there_is_what_stands_before),
      cmocka_unit_test(random_messages_have_the_outlines_they_were_written_with),
      cmocka_unit_test(without_a_type_no_message_is_entered),
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
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(a_host_that_fails_is_an_error),
      cmocka_unit_test(of_a_gigabyte_a_ten_thousandth_is_read),
      cmocka_unit_test(small_fields_are_asked_for_in_growing_pieces),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
