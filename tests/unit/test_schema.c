#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cpb/message.h"
#include "editions_schema.h"
#include "failing_allocator.h"

static const cpb_field *field(const cpb_schema *s, const char *type, const char *name) {
  const cpb_field *f = cpb_message_find_name(cpb_schema_find_message(s, type), name, strlen(name));
  if (f == NULL) fail_msg("%s has no field %s", type, name);
  return f;
}

static cpb_schema *make(const void *data, size_t size) {
  cpb_error error;
  cpb_schema *s = cpb_schema_new(NULL, data, size, NULL, &error);
  if (s == NULL) fail_msg("%s", error.message);
  return s;
}

static void features_decide_how_fields_are_written(void **state) {
  (void)state;
  cpb_schema *s = make(editions, editions_size);
  assert_int_equal(field(s, "ed.A", "a_b_c1")->type, CPB_TYPE_GROUP);
  assert_int_equal(field(s, "ed.A", "lp")->type, CPB_TYPE_MESSAGE);
  assert_false(field(s, "ed.A", "im")->presence);
  assert_true(field(s, "ed.A", "rq")->required);
  assert_true(field(s, "ed.A", "rp")->packed);
  assert_false(field(s, "ed.A", "rx")->packed);
  assert_true(field(s, "ed.A", "en")->enumeration->closed);
  assert_false(field(s, "ed.A", "eo")->enumeration->closed);
  assert_false(field(s, "ed.A.MpEntry", "key")->utf8);
  cpb_schema_free(s);
}

static void maps_are_never_delimited(void **state) {
  (void)state;
  cpb_schema *s = make(editions, editions_size);
  assert_true(field(s, "ed.A", "mp")->map);
  assert_int_equal(field(s, "ed.A", "mp")->type, CPB_TYPE_MESSAGE);
  assert_int_equal(field(s, "ed.A.MpEntry", "value")->type, CPB_TYPE_MESSAGE);
  cpb_schema_free(s);
}

static void extensions_are_fields_of_what_they_extend(void **state) {
  (void)state;
  cpb_schema *s = make(editions, editions_size);
  const cpb_message_type *a = cpb_schema_find_message(s, "ed.A");
  assert_int_equal(a->num_fields, 11);
  assert_string_equal(cpb_message_find_number(a, 100)->name, "ed.out");
  assert_string_equal(cpb_message_find_number(a, 101)->name, "ed.A.in");
  assert_true(cpb_message_find_number(a, 101)->extension);
  assert_null(cpb_message_find_number(a, 10));
  assert_null(cpb_message_find_number(a, 0));
  cpb_schema_free(s);
}

static void json_names_are_made_where_there_are_none(void **state) {
  (void)state;
  cpb_schema *s = make(editions, editions_size);
  assert_string_equal(field(s, "ed.A", "a_b_c1")->json_name, "aBC1");
  assert_string_equal(field(s, "ed.A", "aBC1")->name, "a_b_c1");
  cpb_schema_free(s);
}

static void the_first_name_of_an_enum_value_counts(void **state) {
  (void)state;
  cpb_schema *s = make(editions, editions_size);
  assert_string_equal(cpb_enum_find_number(cpb_schema_find_enum(s, "ed.O"), 2)->name, "OA");
  assert_string_equal(cpb_enum_find_number(cpb_schema_find_enum(s, "ed.C"), -5)->name, "C0");
  assert_null(cpb_enum_find_number(cpb_schema_find_enum(s, "ed.C"), 0));
  cpb_schema_free(s);
}

static void tensorflow_is_built_in(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *s = cpb_schema_new_builtin(NULL, &error);
  assert_non_null(s);
  const char *roots[] = {
      "tensorflow.SavedModel",     "tensorflow.MetaGraphDef",     "tensorflow.GraphDef",
      "tensorflow.FunctionDef",    "tensorflow.NodeDef",          "tensorflow.AttrValue",
      "tensorflow.TensorProto",    "tensorflow.SaverDef",         "tensorflow.CollectionDef",
      "tensorflow.SignatureDef",   "tensorflow.SavedObjectGraph", "tensorflow.TrackableObjectGraph",
      "tensorflow.OpList",         "tensorflow.StructuredValue",  "tensorflow.VersionDef",
      "tensorflow.FingerprintDef", "tensorflow.Example",          "tensorflow.proto_splitter.ChunkMetadata"};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) assert_non_null(cpb_schema_find_message(s, roots[i]));
  assert_null(cpb_schema_find_message(s, "tensorflow.NoSuch"));
  assert_null(cpb_schema_find_message(s, ""));
  const cpb_field *content = cpb_message_find_number(cpb_schema_find_message(s, "tensorflow.TensorProto"), 4);
  assert_string_equal(content->name, "tensor_content");
  assert_int_equal(content->type, CPB_TYPE_BYTES);
  assert_string_equal(field(s, "tensorflow.NodeDef", "attr")->message->fields[1].message->name, "tensorflow.AttrValue");
  cpb_schema_free(s);
}

/* --- The built-in types, against protoc's descriptors ---------------------- */

static cpb_schema *of_protoc(void) {
  static uint8_t set[1 << 18];
  FILE *file = fopen(CPB_DESCRIPTOR_SET, "rb");
  assert_non_null(file);
  size_t size = fread(set, 1, sizeof set, file);
  fclose(file);
  return make(set, size);
}

static const char *name_or_none(const char *const *named) { return named != NULL ? *named : ""; }

static void fields_are_the_same(const cpb_field *a, const cpb_field *b) {
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->json_name, b->json_name);
  assert_int_equal(a->number, b->number);
  assert_int_equal(a->type, b->type);
  assert_string_equal(name_or_none(a->message ? &a->message->name : NULL),
                      name_or_none(b->message ? &b->message->name : NULL));
  assert_int_equal(a->oneof, b->oneof);
  const uint8_t ours[] = {a->repeated, a->map, a->packed, a->required, a->presence, a->extension, a->utf8};
  const uint8_t theirs[] = {b->repeated, b->map, b->packed, b->required, b->presence, b->extension, b->utf8};
  assert_memory_equal(ours, theirs, sizeof ours);
  const cpb_enum_type *x = a->enumeration, *y = b->enumeration;
  assert_int_equal(x == NULL, y == NULL);
  if (x == NULL) return;
  assert_string_equal(x->name, y->name);
  assert_int_equal(x->closed, y->closed);
  assert_int_equal(x->num_values, y->num_values);
  for (size_t i = 0; i < x->num_values; i++) {
    assert_string_equal(x->values[i].name, y->values[i].name);
    assert_int_equal(x->values[i].number, y->values[i].number);
  }
}

static void the_built_in_types_are_what_protoc_says(void **state) {
  (void)state;
  cpb_schema *ours = cpb_schema_new_builtin(NULL, NULL), *theirs = of_protoc();
  size_t count = cpb_schema_num_messages(theirs);
  assert_true(count > 100);
  assert_int_equal(cpb_schema_num_messages(ours), count);
  for (size_t i = 0; i < count; i++) {
    const cpb_message_type *a = cpb_schema_get_message(ours, i), *b = cpb_schema_get_message(theirs, i);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->map_entry, b->map_entry);
    assert_int_equal(a->num_fields, b->num_fields);
    for (size_t f = 0; f < a->num_fields; f++) fields_are_the_same(&a->fields[f], &b->fields[f]);
  }
  cpb_schema_free(ours);
  cpb_schema_free(theirs);
}

#define DESCRIPTOR(text) {(const uint8_t *)(text), sizeof(text) - 1}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    struct {
      const uint8_t *data;
      size_t size;
    } bytes;
    cpb_code code;
    const char *text;
  } cases[] = {
      /* file {message_type {name: "A" field {name: "f" number: 1 label: 1 type: 11 type_name: ".B"}}} */
      {DESCRIPTOR("\x0a\x14\x22\x12\x0a\x01"
                  "A\x12\x0d\x0a\x01"
                  "f\x18\x01\x20\x01\x28\x0b\x32\x02.B"),
       CPB_E_DAMAGED, "no definition (was protoc called without --include_imports?) of B"},
      /* file {message_type {name: "A"} message_type {name: "A"}} */
      {DESCRIPTOR("\x0a\x0a\x22\x03\x0a\x01"
                  "A\x22\x03\x0a\x01"
                  "A"),
       CPB_E_DAMAGED, "two definitions of A"},
      /* file {message_type {name: "A" field {name: "f" number: 1 type: 5} field {the same}}} */
      {DESCRIPTOR("\x0a\x17\x22\x15\x0a\x01"
                  "A\x12\x07\x0a\x01"
                  "f\x18\x01\x28\x05\x12\x07\x0a\x01"
                  "f\x18\x01\x28\x05"),
       CPB_E_DAMAGED, "two fields with the number of f"},
      /* file {message_type {name: "A" field {name: "f" type: 5}}} */
      {DESCRIPTOR("\x0a\x0c\x22\x0a\x0a\x01"
                  "A\x12\x05\x0a\x01"
                  "f\x28\x05"),
       CPB_E_DAMAGED, "a number out of range (1 to 536870911) for field f"},
      /* file {message_type {name: "A" field {name: "f" number: 1 type: 19}}} */
      {DESCRIPTOR("\x0a\x0e\x22\x0c\x0a\x01"
                  "A\x12\x07\x0a\x01"
                  "f\x18\x01\x28\x13"),
       CPB_E_DAMAGED, "an unknown type for field f"},
      /* file {extension {name: "x" extendee: ".A" number: 1 type: 5}} */
      {DESCRIPTOR("\x0a\x0d\x3a\x0b\x0a\x01x\x12\x02.A\x18\x01\x28\x05"), CPB_E_DAMAGED,
       "no definition of the extended type A"},
      /* file {syntax: "editions" edition: 2000} */
      {DESCRIPTOR("\x0a\x0d\x62\x08"
                  "editions\x70\xd0\x0f"),
       CPB_E_UNSUPPORTED, "edition 2000"},
      {DESCRIPTOR("\x0a\x08\x62\x06"
                  "proto4"),
       CPB_E_UNSUPPORTED, "edition 0"},
      {DESCRIPTOR("\x0a\x05\x22\x03\x0a\x04"
                  "A"),
       CPB_E_DAMAGED, "descriptor at byte 4"},
      {DESCRIPTOR("syntax = \"proto3\";"), CPB_E_DAMAGED,
       "descriptor set: tag with an unknown wire type (6 or 7) at byte 12"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_error error;
    assert_null(cpb_schema_new(NULL, cases[i].bytes.data, cases[i].bytes.size, NULL, &error));
    if (error.code != cases[i].code || strstr(error.message, cases[i].text) == NULL)
      fail_msg("case %zu: %s: %s", i, cpb_code_name(error.code), error.message);
  }
}

/* A message type nested `levels` deep, made from the inside out. */
static cpb_code nest(size_t levels) {
  static uint8_t bytes[1 << 20];
  size_t at = sizeof bytes;
  for (size_t i = 0; i < levels; i++) {
    uint8_t head[12];
    size_t body = sizeof bytes - at, n = 0;
    head[n++] = i + 1 == levels ? 0x22 : 0x1a; /* message_type, nested_type */
    for (body += 3; body >= 0x80; body >>= 7) head[n++] = (uint8_t)(body | 0x80);
    head[n++] = (uint8_t)body;
    memcpy(head + n, "\x0a\x01n", 3);
    n += 3;
    at -= n;
    memcpy(bytes + at, head, n);
  }
  size_t body = sizeof bytes - at;
  uint8_t head[6] = {0x0a, (uint8_t)(body | 0x80), (uint8_t)(body >> 7 | 0x80), (uint8_t)(body >> 14)};
  at -= 4;
  memcpy(bytes + at, head, 4);
  cpb_error error;
  cpb_schema *s = cpb_schema_new(NULL, bytes + at, sizeof bytes - at, NULL, &error);
  cpb_schema_free(s);
  return error.code;
}

static void nesting_is_limited(void **state) {
  (void)state;
  assert_int_equal(nest(99), CPB_OK);
  assert_int_equal(nest(100), CPB_E_LIMIT);
  assert_int_equal(nest(100000), CPB_E_LIMIT);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  cpb_schema *s = NULL;
  for (size_t n = 1; s == NULL; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_error error;
    s = cpb_schema_new(&a, editions, editions_size, NULL, &error);
    assert_true((s != NULL) == (f.calls < n));
    assert_int_equal(error.code, s != NULL ? CPB_OK : CPB_E_MEMORY);
    if (s != NULL) cpb_schema_free(s);
    assert_int_equal(f.blocks, 0);
  }
}

static void damaged_bytes_never_do_worse_than_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < editions_size * 8; i++) {
    uint8_t bytes[sizeof editions];
    memcpy(bytes, editions, editions_size);
    bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    cpb_error error;
    cpb_schema *s = cpb_schema_new(NULL, bytes, editions_size, NULL, &error);
    assert_true((s != NULL) == (error.code == CPB_OK));
    cpb_schema_free(s);
    cpb_schema_free(cpb_schema_new(NULL, bytes, i / 8, NULL, &error));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_decide_how_fields_are_written),
      cmocka_unit_test(maps_are_never_delimited),
      cmocka_unit_test(extensions_are_fields_of_what_they_extend),
      cmocka_unit_test(json_names_are_made_where_there_are_none),
      cmocka_unit_test(the_first_name_of_an_enum_value_counts),
      cmocka_unit_test(tensorflow_is_built_in),
      cmocka_unit_test(the_built_in_types_are_what_protoc_says),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(nesting_is_limited),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(damaged_bytes_never_do_worse_than_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
