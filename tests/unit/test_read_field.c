/* A field in one call. The message is written down as bytes by hand, and so are bytes and JSON of its fields; a chunked
 * file gives what the message gives that it was made of. */
#include "split_help.h"

#include <stdio.h>
#include <unistd.h>

#include "cpb/field_json.h"
#include "cpb/open.h"
#include "failing_allocator.h"
#include "map_schema.h"

#define MODEL CPB_TEST_DATA "/cpb/real_tf_module/"

/* n: 0 b: "xy" m {n: 5} m {b: "z"} ms {n: 1} ms {} f64: [2] s: [-1, 1] s: 2 gs {n: 7} by_text {"k": {n: 3}}
 * by_sint {-2: "v"}, then a b in the form of a number in an ms */
static const char content[] =
    "\x08\x00\x12\x02xy\x1a\x02\x08\x05\x1a\x03\x12\x01z\x22\x02\x08\x01\x22\x00"
    "\x32\x08\x00\x00\x00\x00\x00\x00\x00\x40\x3a\x02\x01\x02\x38\x04\x4b\x08\x07\x4c"
    "\xa2\x01\x07\x0a\x01k\x12\x02\x08\x03\xaa\x01\x05\x08\x03\x12\x01v\x22\x02\x10\x01";
static char file[] = "/tmp/cpb-field-XXXXXX.pb";

static int begin(void **state) {
  int fd = mkstemps(file, 3);
  if (fd < 0 || write(fd, content, sizeof content - 1) != sizeof content - 1 || close(fd) != 0) return -1;
  return make_types(state);
}

static int end(void **state) { return unlink(file) + free_types(state); }

static cpb_field_options typed(void) {
  return (cpb_field_options){.struct_size = sizeof(cpb_field_options), .type = cpb_schema_find_message(types, "t.M")};
}

static void has_json(const char *path, const cpb_field_options *options, const char *wanted) {
  cpb_error error;
  size_t size;
  char *json = cpb_read_field_json(file, path, options, &size, &error);
  if (!json) fail_msg("%s: %s", path, error.message);
  assert_string_equal(json, wanted);
  assert_int_equal(size, strlen(wanted));
  free(json);
}

static void fails(const char *path, const cpb_field_options *options, bool json, cpb_code code, const char *text) {
  cpb_error error;
  size_t size;
  void *got = json ? (void *)cpb_read_field_json(file, path, options, &size, &error)
                   : cpb_read_field(file, path, options, &size, &error);
  assert_null(got);
  if (error.code != code || !strstr(error.message, text))
    fail_msg("%s: %s: %s", path, cpb_code_name(error.code), error.message);
}

static void fields_are_bytes(void **state) {
  (void)state;
  static const struct {
    const char *path, *bytes;
    size_t size;
  } cases[] = {{"b", "xy", 2},
               {"m", "\x08\x05\x12\x01z", 5},
               {"ms[1]", "", 0},
               {"s[2]", "\x04", 1},
               {"by_text['k'].n", "\x03", 1},
               {"ms", "\x22\x02\x08\x01\x22\x00\x22\x02\x10\x01", 10},
               {"", content, sizeof content - 1}};
  const cpb_field_options options = typed();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_error error;
    size_t size;
    uint8_t *value = cpb_read_field(file, cases[i].path, &options, &size, &error);
    assert_non_null(value);
    assert_int_equal(size, cases[i].size);
    assert_memory_equal(value, cases[i].bytes, size + 1); /* with the NUL */
    free(value);
  }
  size_t size;
  uint8_t *value = cpb_read_field(file, "3.1", NULL, &size, NULL); /* numbers need no type */
  assert_int_equal(size, 1);
  assert_int_equal(*value, 5);
  free(value);
}

static void fields_are_json(void **state) {
  (void)state;
  cpb_field_options options = typed();
  has_json("n", &options, "0"); /* although it is the default */
  has_json("b", &options, "\"eHk=\"");
  has_json("m", &options, "{\"n\":5,\"b\":\"eg==\"}");
  has_json("ms[1]", &options, "{}");
  has_json("f64", &options, "[2]");
  has_json("f64[0]", &options, "2");
  has_json("s", &options, "[\"-1\",\"1\",\"2\"]");
  has_json("s[0]", &options, "\"-1\"");
  has_json("gs", &options, "[{\"n\":7}]");
  has_json("gs[0]", &options, "{\"n\":7}");
  has_json("by_text", &options, "{\"k\":{\"n\":3}}");
  has_json("by_text['k']", &options, "{\"n\":3}");
  has_json("by_sint[-2]", &options, "\"dg==\"");
  fails("ms[2].b", &options, true, CPB_E_DAMAGED, "wire type 0");

  const cpb_json_options json = {.struct_size = sizeof json, .unknown_fields = 1, .original_names = 1, .indent = 1};
  options.json = &json;
  options.omit = 1;
  has_json("by_text", &options, "{\n \"k\": {\n  \"n\": 3\n }\n}");
  has_json("b", &options, "{\"@omitted\": {\"offset\": 4, \"size\": 2}}");
  has_json("s[1]", &options, "\"1\"");
  has_json("ms[2]", &options, "{\n \"@unknown\": [\n  {\"number\": 2, \"wireType\": 0, \"value\": \"1\"}\n ]\n}");
}

/* JSON leaves it out as a member, but here it was asked for. */
static void default_of_an_enum_has_its_name(void **state) {
  (void)state;
  static const uint8_t attr[] = {0x30, 0};
  cpb_schema *schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.AttrValue");
  const cpb_found found = {.parent = type, .field = cpb_message_find_name(type, "type", 4), .number = 6};
  const cpb_range range = {1, 1};
  cpb_field_json *json = cpb_field_json_new(NULL, &found, &range, 1, NULL);
  cpb_step step;
  while ((step = cpb_field_json_step(json)) == CPB_STEP_NEED)
    cpb_input_supply(cpb_field_json_input(json), 0, attr, sizeof attr);
  size_t length;
  const char *text = cpb_field_json_output(json, &length);
  assert_int_equal(step, CPB_STEP_OUTPUT);
  assert_int_equal(length, strlen("\"DT_INVALID\""));
  assert_memory_equal(text, "\"DT_INVALID\"", length);
  assert_int_equal(cpb_field_json_step(json), CPB_STEP_DONE);
  cpb_field_json_free(json);
  cpb_schema_free(schema);
}

static void mistakes_are_reported(void **state) {
  (void)state;
  cpb_field_options options = typed();
  fails("ms[3]", &options, false, CPB_E_NOT_FOUND, "[3]: the length of ms is 3");
  fails("by_text['x']", &options, true, CPB_E_NOT_FOUND, "by_text has none");
  fails("n.", &options, false, CPB_E_USAGE, "");
  fails("3", NULL, true, CPB_E_USAGE, "type of the field is not known");
  const cpb_limits small = {.struct_size = sizeof small, .answer = 4};
  options.limits = &small;
  fails("m", &options, false, CPB_E_LIMIT, "bytes of the answer");
  fails("m", &options, true, CPB_E_LIMIT, "bytes of the answer");
}

static void memory_may_be_short(void **state) {
  (void)state;
  static const char *const paths[] = {"m", "s", "b"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    for (size_t n = 1, done = 0; !done; n++) {
      failing_allocator f = {.fail_at = n};
      const cpb_allocator allocator = failing_allocator_of(&f);
      cpb_field_options options = typed();
      cpb_error error;
      size_t size;
      options.allocator = &allocator;
      char *json = cpb_read_field_json(file, paths[i], &options, &size, &error);
      done = f.calls < n;
      if (done) assert_non_null(json);
      else assert_int_equal(error.code, CPB_E_MEMORY);
      if (json) failing_release(&f, json);
      assert_int_equal(f.blocks, 0);
    }
  }
}

/* Of a message, and of the file that it is split into; their types are built in. */
static void chunked_or_not_is_the_same(void **state) {
  (void)state;
  static const char *const paths[] = {"", "meta_graphs[0].graph_def.node", "meta_graphs[0].meta_info_def",
                                      "meta_graphs[0].graph_def.node[3].attr['dtype']", "saved_model_schema_version"};
  const cpb_split_options how = {
      .struct_size = sizeof how, .type_name = "tensorflow.SavedModel", .max_chunk_size = 1000};
  const cpb_file_options over = {.struct_size = sizeof over, .replace = 1};
  char chunked[] = "/tmp/cpb-field-XXXXXX.cpb";
  close(mkstemps(chunked, 4));
  assert_int_equal(cpb_file_split(MODEL "orig.pb", chunked, &how, &over, NULL), CPB_OK);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    size_t size[4];
    void *whole = cpb_read_field(MODEL "orig.pb", paths[i], NULL, &size[0], NULL),
         *chunks = cpb_read_field(chunked, paths[i], NULL, &size[1], NULL);
    assert_true(whole && chunks && size[0] > 0 && size[0] == size[1]);
    assert_memory_equal(whole, chunks, size[0]);
    char *json = cpb_read_field_json(MODEL "orig.pb", paths[i], NULL, &size[2], NULL),
         *of_chunks = cpb_read_field_json(chunked, paths[i], NULL, &size[3], NULL);
    assert_true(json && of_chunks && size[2] == size[3]);
    assert_string_equal(json, of_chunks);
    free(whole);
    free(chunks);
    free(json);
    free(of_chunks);
  }
  unlink(chunked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_are_bytes),
      cmocka_unit_test(fields_are_json),
      cmocka_unit_test(default_of_an_enum_has_its_name),
      cmocka_unit_test(mistakes_are_reported),
      cmocka_unit_test(memory_may_be_short),
      cmocka_unit_test(chunked_or_not_is_the_same),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
