/* JSON without memory: at every character of the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cpb/message.h"
#include "editions_schema.h"
#include "failing_allocator.h"

static cpb_schema *types;

static int make_types(void **state) {
  (void)state;
  types = cpb_schema_new(NULL, editions, editions_size, NULL, NULL);
  return types == NULL;
}

static int free_types(void **state) {
  (void)state;
  cpb_schema_free(types);
  return 0;
}

#define ONES_MAX 1000

/* An ed.A whose text is longer by 2 characters for each of `ones`, and by one
 * more if `odd`: lp {rp: [1, 1, ..., 1 or 10]}, then a field of each kind. */
static size_t make_message(uint8_t *out, size_t ones, bool odd) {
  static const char rest[] =
      "\x0b\x0b\x18\x03\x0c\x12\x12\x2a\x0c\x01\x02\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x30\x04\x30\x05\x0c"
      "\x12\x00\x20\x00\x38\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x40\x02\x4a\x09\x0a\x03k\"\n\x12\x02\x18\x01"
      "\x4a\x04\x0a\x00\x12\x00\xaa\x06\x06x\xe2\x80\xa8\xc3\xa9\xa3\x06\x38\x01\xa4\x06\xa3\x06\xa4\x06"
      "\x38\x03\x40\x09\xf8\x7f\x01\xfb\x07\x08\x01\xfc\x07\xfa\x7f\x03xyz\xfd\x7f"
      "abcd"
      "\xf9\x7f"
      "12345678";
  size_t packed = ones + 1, size = 0;
  const uint8_t head[] = {0x12, (uint8_t)((packed + 3) | 0x80), (uint8_t)((packed + 3) >> 7),
                          0x2a, (uint8_t)(packed | 0x80),       (uint8_t)(packed >> 7)};
  memcpy(out, head, sizeof head);
  memset(out + sizeof head, 1, packed);
  size = sizeof head + packed;
  if (odd) out[size - 1] = 10;
  memcpy(out + size, rest, sizeof rest - 1);
  return size + sizeof rest - 1;
}

typedef struct {
  char text[8192];
  size_t size;
  cpb_code code;
} result;

static result run(const cpb_allocator *a, const uint8_t *data, size_t size, const cpb_json_options *options) {
  result r = {.code = CPB_E_MEMORY};
  cpb_json *json = cpb_json_new(a, cpb_schema_find_message(types, "ed.A"), data, size, options);
  if (json == NULL) return r;
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    assert_true(length < sizeof r.text - r.size);
    memcpy(r.text + r.size, text, length);
    r.size += length;
  }
  r.code = cpb_json_error(json)->code;
  assert_int_equal(r.code == CPB_OK, step == CPB_STEP_DONE);
  cpb_json_free(json);
  return r;
}

/* Fails each allocation in turn. Text that is longer by one character each time
 * has the buffer grow at each place once. */
static void fail_everywhere(const cpb_json_options *options) {
  uint8_t data[ONES_MAX + 300];
  for (size_t shift = 0; shift < ONES_MAX; shift++) {
    size_t size = make_message(data, shift / 2, shift % 2);
    const result good = run(NULL, data, size, options);
    assert_int_equal(good.code, CPB_OK);
    bool done = false;
    for (size_t n = 1; !done; n++) {
      failing_allocator f = {.fail_at = n};
      cpb_allocator a = failing_allocator_of(&f);
      result r = run(&a, data, size, options);
      done = f.calls < n;
      assert_int_equal(r.code, done ? CPB_OK : CPB_E_MEMORY);
      assert_int_equal(f.blocks, 0);
      assert_memory_equal(r.text, good.text, r.size);
      if (done) assert_int_equal(r.size, good.size);
    }
  }
}

static void every_failing_allocation_leaves_the_beginning_of_the_text(void **state) {
  (void)state;
  fail_everywhere(NULL);
}

static void unknown_fields_are_treated_alike(void **state) {
  (void)state;
  fail_everywhere(&(cpb_json_options){.struct_size = sizeof(cpb_json_options), .unknown_fields = 1, .indent = 1});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failing_allocation_leaves_the_beginning_of_the_text),
      cmocka_unit_test(unknown_fields_are_treated_alike),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}
