#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "proto/wire.h"

/* --- An event log --------------------------------------------------------- */

typedef struct {
  char text[2000];
  size_t size;
  size_t fed; /* how many bytes of the message were lent */
} event_log;

#define LOG(log, ...) \
  ((log)->size += (size_t)snprintf((log)->text + (log)->size, sizeof(log)->text - (log)->size, __VA_ARGS__))

static void log_field(event_log *log, const char *event, const cpb_wire_field *f) {
  LOG(log, "%s%u:%d@%d+%d", event, (unsigned)f->number, f->type, (int)f->begin, (int)f->size);
  if (f->type != CPB_WIRE_LEN && f->type != CPB_WIRE_START_GROUP) LOG(log, "=%lld", (long long)f->number_value);
  LOG(log, " ");
}

/* Lends the bytes in pieces, the first one of `first` bytes; enters the fields
 * numbered 4 to `enter_to`. */
static void walk(event_log *log, cpb_span bytes, size_t first, size_t piece, uint32_t enter_to) {
  memset(log, 0, sizeof *log);
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {0};
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &a, 100, bytes.size, &error);
  cpb_span in = {bytes.data, first};
  log->fed = first;
  for (;;) {
    cpb_wire_event event = cpb_wire_next(&s, &in);
    if (event == CPB_WIRE_END || event == CPB_WIRE_ERROR) break;
    if (event == CPB_WIRE_LEAVE) log_field(log, "/", &s.field);
    if (event == CPB_WIRE_FIELD) {
      log_field(log, "", &s.field);
      bool nests = s.field.type == CPB_WIRE_LEN || s.field.type == CPB_WIRE_START_GROUP;
      if (nests && s.field.number >= 4 && s.field.number <= enter_to && !cpb_wire_enter(&s)) break;
    }
    if (event == CPB_WIRE_MORE) {
      assert_int_equal(in.size, 0);
      assert_true(s.pos < bytes.size);
      size_t left = bytes.size - (size_t)s.pos;
      in = (cpb_span){bytes.data + s.pos, left < piece ? left : piece};
      log->fed += in.size;
    }
  }
  LOG(log, "%s", error.code == CPB_OK ? "END" : error.message);
  cpb_wire_free(&s);
}

#define SPAN(text) ((cpb_span){(const uint8_t *)(text), sizeof(text) - 1})

/* A varint, both fixed sizes, a LEN with fields, nested groups, an empty LEN,
 * the largest field number, -1. */
static const char everything[] =
    "\x08\x96\x01"
    "\x15\x01\x02\x03\x80"
    "\x19\xff\xff\xff\xff\xff\xff\xff\xff"
    "\x22\x08\x0a\x03"
    "abc"
    "\x10\x80\x01"
    "\x2b\x30\x01\x33\x12\x01z\x34\x2c"
    "\x3a\x00"
    "\xfa\xff\xff\xff\x0f\x01q"
    "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";

static void every_wire_type_is_read_and_values_are_left_out(void **state) {
  (void)state;
  event_log log;
  cpb_span all = SPAN(everything);
  walk(&log, all, all.size, all.size, 0);
  assert_string_equal(log.text,
                      "1:0@0+2=150 2:5@3+4=2147680769 3:1@8+8=-1 4:2@17+8 5:3@27+0 7:2@36+0 "
                      "536870911:2@38+1 4:0@45+10=-1 END");
}

static void entered_messages_are_walked_and_left_with_their_size(void **state) {
  (void)state;
  event_log log;
  cpb_span all = SPAN(everything);
  walk(&log, all, all.size, all.size, 7);
  assert_string_equal(log.text,
                      "1:0@0+2=150 2:5@3+4=2147680769 3:1@8+8=-1 "
                      "4:2@17+8 1:2@19+3 2:0@24+2=128 /4:2@17+8 "
                      "5:3@27+0 6:0@28+1=1 6:3@30+0 2:2@31+1 /6:3@30+4 /5:3@27+8 "
                      "7:2@36+0 /7:2@36+0 536870911:2@38+1 4:0@45+10=-1 END");
  walk(&log, all, all.size, all.size, 5); /* the inner group is left out */
  assert_non_null(strstr(log.text, "5:3@27+0 6:0@28+1=1 6:3@30+0 /5:3@27+8 7:2@36+0"));
}

static void any_splitting_of_the_input_gives_the_same_events(void **state) {
  (void)state;
  cpb_span all = SPAN(everything);
  for (uint32_t enter_to = 0; enter_to <= 7; enter_to++) {
    event_log whole, pieces;
    walk(&whole, all, all.size, all.size, enter_to);
    for (size_t first = 0; first <= all.size; first++) {
      for (size_t piece = 1; piece <= all.size; piece++) {
        walk(&pieces, all, first, piece, enter_to);
        assert_string_equal(pieces.text, whole.text);
      }
    }
  }
}

static void every_truncation_is_damage(void **state) {
  (void)state;
  cpb_span all = SPAN(everything);
  const size_t whole_fields[] = {0, 3, 8, 17, 27, 36, 38, 45};
  for (size_t size = 0, next = 0; size < all.size; size++) {
    bool whole = next < 8 && whole_fields[next] == size;
    if (whole) next++;
    for (size_t piece = 1; piece < 4; piece++) {
      event_log log;
      walk(&log, (cpb_span){all.data, size}, 0, piece, 7);
      assert_int_equal(strstr(log.text, "END") != NULL, whole);
    }
  }
}

static void values_left_out_need_no_bytes(void **state) {
  (void)state;
  static uint8_t message[100010] = {0x12, 0xa0, 0x8d, 0x06};
  memcpy(message + 100004, "\x12\x03xyz\x08", 6);
  event_log log;
  walk(&log, (cpb_span){message, sizeof message}, 0, 4, 0);
  assert_string_equal(log.text,
                      "2:2@0+100000 2:2@100004+3 message that ends within a field at byte 100009 of the message");
  assert_true(log.fed < 16);
}

static void sizes_beyond_32_bits_are_walked(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {0};
  cpb_wire_scanner s;
  const uint64_t value = UINT64_C(1) << 62;
  uint8_t head[CPB_WIRE_HEADER_MAX];
  size_t head_size = (size_t)(cpb_wire_put_len(head, 4, value) - head);
  assert_int_equal(head_size, cpb_wire_len_size(4, value));
  cpb_wire_begin(&s, &a, 100, value + head_size + 2, &error);
  cpb_span in = {NULL, 0};
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_MORE);
  in = (cpb_span){head, head_size};
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_FIELD);
  assert_true(s.field.size == value);
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_MORE);
  assert_true(s.pos == value + head_size);
  in = SPAN("\x08\x01");
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_FIELD);
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_END);
  cpb_wire_free(&s);
}

static void damage_is_named_with_its_offset(void **state) {
  (void)state;
  static const struct {
    cpb_span bytes;
    const char *text;
  } cases[] = {
      {{(const uint8_t *)"\x08\x01\x00\x01", 4}, "tag with field number 0 at byte 2 "},
      {{(const uint8_t *)"\x0e", 1}, "tag with an unknown wire type (6 or 7) at byte 0 "},
      {{(const uint8_t *)"\x0f", 1}, "tag with an unknown wire type (6 or 7) at byte 0 "},
      {{(const uint8_t *)"\x80\x80\x80\x80\x10", 5}, "tag with a field number above 536870911 at byte 0 "},
      {{(const uint8_t *)"\x88\x80\x80\x80\x80\x00\x01", 7}, "tag with a field number above 536870911 at byte 0 "},
      {{(const uint8_t *)"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
       "varint of more than 64 bits at byte 0 "},
      {{(const uint8_t *)"\x08\x01\x12\x03xy", 6}, "field that goes past the end of its message at byte 2 "},
      {{(const uint8_t *)"\x22\x02\x12\x01x", 5}, "field that goes past the end of its message at byte 2 "},
      {{(const uint8_t *)"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
       "field that goes past the end of its message at byte 0 "},
      {{(const uint8_t *)"\x0c", 1}, "end of a group that was not begun at byte 0 "},
      {{(const uint8_t *)"\x23\x2c", 2}, "end of a group that was not begun at byte 1 "},
      {{(const uint8_t *)"\x0b\x13\x0c\x14", 4}, "end of a group that was not begun at byte 2 "}, /* left out */
      {{(const uint8_t *)"\x23\x22\x01\x24", 4}, "end of a group that was not begun at byte 3 "}, /* in a LEN */
      {{(const uint8_t *)"\x08\x00\x23\x08\x00", 5}, "group without an end at byte 2 "},
      {{(const uint8_t *)"\x22\x01\x2b\x2c", 4}, "group without an end at byte 2 "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t piece = 1; piece <= 12; piece++) {
      event_log log;
      walk(&log, cases[i].bytes, 0, piece, 7);
      if (strstr(log.text, cases[i].text) == NULL) fail_msg("case %zu: %s", i, log.text);
    }
  }
}

static cpb_code nest(const char *open, size_t open_size, size_t levels, uint32_t limit, bool enter) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {0};
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &a, limit, UINT64_MAX / 2, &error);
  for (size_t level = 0; level < levels; level++) {
    cpb_span in = {(const uint8_t *)open, open_size};
    cpb_wire_event event = cpb_wire_next(&s, &in);
    if (event != CPB_WIRE_FIELD && event != CPB_WIRE_MORE) break;
    if (enter && !cpb_wire_enter(&s)) break;
  }
  cpb_wire_free(&s);
  return error.code;
}

static void depth_is_limited_whether_entered_or_left_out(void **state) {
  (void)state;
  assert_int_equal(nest("\x0b", 1, 100, 100, true), CPB_OK);
  assert_int_equal(nest("\x0b", 1, 101, 100, true), CPB_E_LIMIT);
  assert_int_equal(nest("\x0b", 1, 100, 100, false), CPB_OK);
  assert_int_equal(nest("\x0b", 1, 102, 100, false), CPB_E_LIMIT);
  assert_int_equal(nest("\x0b", 1, 100000, UINT32_MAX, true), CPB_OK);
}

static void entering_a_number_is_a_mistake_of_the_caller(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {0};
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &a, 100, 2, &error);
  cpb_span in = SPAN("\x08\x01");
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_FIELD);
  assert_false(cpb_wire_enter(&s));
  assert_int_equal(error.code, CPB_E_USAGE);
  assert_int_equal(cpb_wire_next(&s, &in), CPB_WIRE_ERROR);
  assert_false(cpb_wire_enter(&s)); /* after an error too */
  cpb_wire_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_wire_type_is_read_and_values_are_left_out),
      cmocka_unit_test(entered_messages_are_walked_and_left_with_their_size),
      cmocka_unit_test(any_splitting_of_the_input_gives_the_same_events),
      cmocka_unit_test(every_truncation_is_damage),
      cmocka_unit_test(values_left_out_need_no_bytes),
      cmocka_unit_test(sizes_beyond_32_bits_are_walked),
      cmocka_unit_test(damage_is_named_with_its_offset),
      cmocka_unit_test(depth_is_limited_whether_entered_or_left_out),
      cmocka_unit_test(entering_a_number_is_a_mistake_of_the_caller),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
