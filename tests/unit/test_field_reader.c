/* The field reader: the bytes of a field are those which find gives from the merged message. */
#include <stdio.h>

#include "cpb/field_reader.h"
#include "cpb/find.h"
#include "merge_files.h"
#include "proto/descriptors.h"
#include "reader_host.h"
#include "stride.h"

typedef struct found {
  cpb_code code;
  cpb_buffer bytes;
  bool appended; /* something was appended to the value, which find has in its place */
  char message[256];
} found;

/* --- By merge and find ------------------------------------------------------------ */

static cpb_buffer merged(merge_case *c) {
  cpb_buffer out;
  cpb_error error;
  cpb_buffer_init(&out, &plain);
  assert_int_equal(merge_with(c, NULL, NULL, &out, &error), CPB_OK);
  return out;
}

static found find_in(const cpb_buffer *message, const char *text) {
  found f = {.code = CPB_OK};
  cpb_error error;
  cpb_buffer_init(&f.bytes, &plain);
  cpb_path *path = cpb_path_parse(NULL, text, strlen(text), &error);
  assert_non_null(path);
  cpb_find *find = cpb_find_new(NULL, NULL, path, NULL);
  while (cpb_find_step(find) == CPB_STEP_NEED) {
    if (message->size > 0) cpb_input_supply(cpb_find_input(find), 0, message->data, message->size);
    cpb_input_end(cpb_find_input(find), message->size);
  }
  f.code = cpb_find_error(find)->code;
  for (size_t i = 0; f.code == CPB_OK && i < cpb_find_num_ranges(find); i++)
    append(&f.bytes, message->data + cpb_find_get_range(find, i).offset, cpb_find_get_range(find, i).length);
  cpb_find_free(find);
  cpb_path_free(path);
  return f;
}

/* --- By the reader ------------------------------------------------------------------ */

static cpb_field_reader *reader_of(size_t memory, cpb_verify verify) {
  const cpb_field_reader_options options = {.struct_size = sizeof options, .memory = memory, .verify = verify};
  cpb_field_reader *r = cpb_field_reader_new(NULL, &options);
  assert_non_null(r);
  return r;
}

/* What was asked for. */
static found take_found(cpb_field_reader *r, host *h) {
  found f = {.code = CPB_OK};
  cpb_buffer_init(&f.bytes, &plain);
  cpb_step step;
  while ((step = cpb_field_reader_step(r)) > CPB_STEP_DONE) {
    size_t length;
    const uint8_t *data = cpb_field_reader_data(r, &length);
    if (step == CPB_STEP_NEED) answer(h, cpb_field_reader_input(r));
    else append(&f.bytes, data, length);
  }
  f.code = cpb_field_reader_error(r)->code;
  memcpy(f.message, cpb_field_reader_error(r)->message, sizeof f.message);
  cpb_segment piece;
  for (size_t i = 0; cpb_field_reader_piece(r, i, &piece) == CPB_OK; i++) f.appended |= piece.literal != NULL;
  return f;
}

static found read_with(cpb_field_reader *r, host *h, const char *text, uint64_t offset, uint64_t size) {
  cpb_field_reader_read(r, text, strlen(text), offset, size);
  return take_found(r, h);
}

static found json_with(cpb_field_reader *r, host *h, const char *text, uint64_t max_value) {
  cpb_field_reader_read_json(r, text, strlen(text), max_value);
  return take_found(r, h);
}

/* --- What a parser makes of a message ------------------------------------------------ */

static bool put_normal(cpb_buffer *out, cpb_span in, int depth);

/* The fields of one number: of 2 the last one, all of 3 as one message, and 4 as messages. */
static bool put_fields(cpb_buffer *out, cpb_span in, uint32_t number, int depth) {
  cpb_buffer joined, value;
  cpb_small_field f;
  bool any = false, good = true;
  cpb_buffer_init(&joined, &plain);
  while (cpb_small_next(&in, &f)) {
    if (f.number != number || f.type != CPB_WIRE_LEN) continue;
    if (number == 2) joined.size = 0;
    if (number == 2 || number == 3) append(&joined, f.bytes.data, f.bytes.size);
    any = true;
    if (number == 2 || number == 3) continue;
    cpb_buffer_init(&value, &plain);
    if (number == 4) good = good && put_normal(&value, f.bytes, depth + 1);
    else append(&value, f.bytes.data, f.bytes.size);
    append_field(out, number, &value);
    cpb_buffer_free(&value);
  }
  if (any && number == 2) append_field(out, 2, &joined);
  if (any && number == 3) {
    cpb_buffer_init(&value, &plain);
    good = good && put_normal(&value, (cpb_span){joined.data, joined.size}, depth + 1);
    append_field(out, 3, &value);
    cpb_buffer_free(&value);
  }
  cpb_buffer_free(&joined);
  return good;
}

/* In the order of field numbers. False if it is none of the random messages. */
static bool put_normal(cpb_buffer *out, cpb_span in, int depth) {
  static const char group[] = "\x4b\x0a\x01g\x4c";
  cpb_small_field f;
  bool good = depth < 12;
  size_t at = 0, begin = out->size;
  cpb_buffer rest;
  cpb_buffer_init(&rest, &plain);
  while (at < in.size) {
    cpb_span left = {in.data + at, in.size - at};
    if (left.size >= 5 && memcmp(left.data, group, 5) == 0) {
      append(out, group, 5);
      at += 5;
      continue;
    }
    if (!cpb_small_next(&left, &f) || f.number > 9) break;
    if (f.number == 1) append_number(out, 1, f.value);
    else append(&rest, in.data + at, in.size - at - left.size);
    at = in.size - left.size;
  }
  good = good && at == in.size && out->size - begin <= 16;
  for (uint32_t number = 2; good && number <= 7; number++)
    good = put_fields(out, (cpb_span){rest.data, rest.size}, number, depth);
  cpb_buffer_free(&rest);
  return good;
}

static bool same_bytes(const cpb_buffer *a, const cpb_buffer *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static bool same_message(const cpb_buffer *a, const cpb_buffer *b) {
  cpb_buffer x, y;
  cpb_buffer_init(&x, &plain);
  cpb_buffer_init(&y, &plain);
  bool same = put_normal(&x, (cpb_span){a->data, a->size}, 0) && put_normal(&y, (cpb_span){b->data, b->size}, 0) &&
              same_bytes(&x, &y);
  cpb_buffer_free(&x);
  cpb_buffer_free(&y);
  return same;
}

/* --- What was cut up --------------------------------------------------------------- */

static void random_path(char *text, size_t size) {
  size_t length = 0;
  for (uint32_t depth = 1 + random_below(4); depth > 0; depth--) {
    static const char *const steps[] = {"2", "3", "3", "3", "3", "3[0]", "3[1]", "9"};
    char step[24];
    uint32_t kind = random_below(10), n = random_below(4);
    if (kind < 4) cpb_format(step, sizeof step, "4[%u]", n);
    else if (kind < 5) cpb_format(step, sizeof step, "5[%u]", n);
    else if (kind < 6) cpb_format(step, sizeof step, "6[\"k%u\"]", n);
    else cpb_format(step, sizeof step, "%s", steps[random_below(8)]);
    length += cpb_format(text + length, size - length, "%s%s", length > 0 ? "." : "", step);
  }
}

typedef struct tally {
  unsigned same, other, found, appended, refused;
} tally;

static void check_path(cpb_field_reader *r, host *h, const cpb_buffer *message, const char *text, tally *t) {
  found wanted = find_in(message, text), got = read_with(r, h, text, 0, UINT64_MAX);
  if (got.code == CPB_E_UNSUPPORTED) {
    t->refused++;
  } else {
    bool same = wanted.code == got.code;
    if (same && !same_bytes(&wanted.bytes, &got.bytes)) same = same_message(&wanted.bytes, &got.bytes);
    if (!same) {
      t->other++;
      print_message("%s: %d and %zu bytes, not %d and %zu: %s\n", text, got.code, got.bytes.size, wanted.code,
                    wanted.bytes.size, got.message);
    }
    t->same++;
    t->found += got.code == CPB_OK;
    t->appended += got.appended;
  }
  cpb_buffer_free(&wanted.bytes);
  cpb_buffer_free(&got.bytes);
}

static void check_case(merge_case *c, uint64_t i, tally *t) {
  cpb_buffer file, message = merged(c);
  write_file(c, &layouts[i % (sizeof layouts / sizeof *layouts)], &file);
  host h = {.bytes = file.data, .size = file.size, .manner = (manner)(i % MANNERS), .says_end = true, .random = 1};
  cpb_field_reader *r = reader_of(1 << 20, (cpb_verify)(i % 3));
  for (int k = 0; k < 12; k++) {
    char text[128];
    random_path(text, sizeof text);
    check_path(r, &h, &message, text, t);
  }
  assert_true(cpb_field_reader_memory(r) <= 1 << 20);
  cpb_field_reader_free(r);
  free(h.lent);
  cpb_buffer_free(&file);
  cpb_buffer_free(&message);
}

static void a_field_of_a_message_that_was_cut_up_is_the_same(void **state) {
  (void)state;
  tally t = {0};
  for (uint64_t i = 0; i < 1200; i += sanitized_stride(5)) {
    merge_case c;
    cpb_buffer whole;
    make_case(&c, &whole, i);
    check_case(&c, i, &t);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
  assert_int_equal(t.other, 0);
  assert_true(t.found > 400 / sanitized_stride(5) && t.refused < t.same / 4 && t.appended > 0);
}

/* Chunks that go anywhere, in any order: what nobody cut up. */
static void make_odd(merge_case *c, uint64_t from) {
  cpb_buffer whole;
  make_case(c, &whole, from); /* its chunks, in another tree */
  cpb_buffer_free(&whole);
  cpb_metadata_free(&c->index);
  cpb_metadata_init(&c->index, &plain);
  for (size_t i = 0; i < c->num_chunks; i++)
    assert_true(cpb_metadata_add_chunk(&c->index, (cpb_chunk_entry){c->chunks[i].size, 64 + i, c->chunks[i].type}));
  uint32_t nodes[8] = {add_node(c, CPB_NO_NODE, "", c->num_chunks - 1)};
  for (size_t i = 1; i < 8; i++) {
    static const char *const ways[] = {"",     "",     "3",         "3",         "4[0]",     "4[1]",
                                       "4[2]", "4[3]", "4[0].4[1]", "6[\"k1\"]", "3.4[0].2", "4[1].3"};
    uint64_t chunk = one_in(6) ? CPB_NO_CHUNK : random_below((uint32_t)c->num_chunks);
    nodes[i] = add_node(c, nodes[i / 2 - (i > 3 && one_in(2))], ways[random_below(12)], chunk);
  }
}

/* Where the types are not known, what is merged into a field that is there twice is not, either; and what
 * is damaged beside the way is not looked at. */
static void a_field_of_any_tree_is_the_same(void **state) {
  (void)state;
  tally t = {0};
  for (uint64_t i = 0; i < 3000; i += sanitized_stride(7)) {
    merge_case c;
    cpb_buffer out;
    cpb_error error;
    make_odd(&c, i);
    cpb_buffer_init(&out, &plain);
    if (merge_with(&c, NULL, NULL, &out, &error) == CPB_OK) check_case(&c, i, &t);
    cpb_buffer_free(&out);
    merge_case_free(&c);
  }
  assert_true(t.found > 100 / sanitized_stride(7) && t.other < 5);
}

/* --- By hand, with names ------------------------------------------------------------ */

static cpb_buffer file_of(const char *path) {
  cpb_buffer out;
  uint8_t part[4096];
  size_t size;
  cpb_buffer_init(&out, &plain);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  while ((size = fread(part, 1, sizeof part, file)) > 0) append(&out, part, size);
  fclose(file);
  return out;
}

typedef struct hand {
  cpb_buffer set, file;
  cpb_schema *schema;
  host host;
  cpb_field_reader *r;
} hand;

/* Of a GraphDef, as protobuf writes it: node[0] with the attr "n" {i: 7} and "t", a tensor with packed numbers;
 * node[1], whose attr "value" is a tensor; node[2] and versions. */
static const char GRAPH[] =
    "\x0a\x25\x0a\x01\x61\x2a\x07\x0a\x01\x6e\x12\x02\x18\x07\x2a\x17\x0a\x01\x74\x12\x12\x42\x10\x3a"
    "\x04\x05\x96\x01\x06\x2a\x08\x00\x00\x00\x00\x01\x02\x03\x04\x0a\x14\x0a\x01\x62\x2a\x0f\x0a\x05"
    "\x76\x61\x6c\x75\x65\x12\x06\x42\x04\x08\x01\x12\x00";
static const char SLICE[] = "\x0a\x03\x0a\x01\x63\x22\x02\x08\x09";

/* Where the names of fields come from. */
typedef enum naming { NO_NAMES, DESCRIPTORS, BUILT_IN } naming;

/* The content of node[1]'s tensor is chunk 1, and node[2] in a slice. */
static void begin_by_hand(hand *h, size_t memory, naming names) {
  merge_case c;
  plain = cpb_allocator_or_default(NULL);
  merge_case_init(&c);
  uint32_t root = add_node(&c, CPB_NO_NODE, "", MESSAGE(&c, GRAPH));
  add_node(&c, root, "1[1].5[\"value\"].8.4", BYTES(&c, "content"));
  add_node(&c, root, "", MESSAGE(&c, SLICE));
  memset(h, 0, sizeof *h);
  write_file(&c, &layouts[0], &h->file);
  merge_case_free(&c);
  h->set = file_of(CPB_TEST_DATA "/schema/tensorflow.fds");
  h->host = (host){.bytes = h->file.data, .size = h->file.size, .manner = AS_ASKED, .says_end = true, .random = 1};
  h->schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = cpb_schema_find_message(h->schema, "tensorflow.GraphDef");
  const cpb_field_reader_options options = {.struct_size = sizeof options,
                                            .memory = memory,
                                            .read_size = 512,
                                            .descriptors = names == DESCRIPTORS ? h->set.data : NULL,
                                            .descriptors_size = h->set.size,
                                            .message = "tensorflow.GraphDef",
                                            .type = names == BUILT_IN ? type : NULL};
  h->r = cpb_field_reader_new(NULL, &options);
}

static void end_by_hand(hand *h) {
  cpb_field_reader_free(h->r);
  cpb_schema_free(h->schema);
  cpb_buffer_free(&h->set);
  cpb_buffer_free(&h->file);
  free(h->host.lent);
}

static void expect(hand *h, const char *path, const char *bytes, size_t size, uint32_t wire_type) {
  found f = read_with(h->r, &h->host, path, 0, UINT64_MAX);
  if (f.code != CPB_OK) fail_msg("%s: %s", path, f.message);
  assert_int_equal(f.bytes.size, size);
  if (size > 0) assert_memory_equal(f.bytes.data, bytes, size);
  assert_int_equal(cpb_field_reader_place(h->r)->size, size);
  assert_int_equal(cpb_field_reader_place(h->r)->wire_type, wire_type);
  cpb_buffer_free(&f.bytes);
}
#define EXPECT_FIELD(h, path, bytes, wire) expect(h, path, bytes, sizeof(bytes) - 1, wire)

static void expect_refusal(hand *h, const char *path, cpb_code code, const char *text) {
  found f = read_with(h->r, &h->host, path, 0, UINT64_MAX);
  assert_int_equal(f.code, code);
  assert_string_equal(f.message, text);
  assert_int_equal(cpb_field_reader_step(h->r), CPB_STEP_ERROR);
  cpb_buffer_free(&f.bytes);
}

static void check_names(naming names) {
  hand h;
  begin_by_hand(&h, 16 << 10, names);
  EXPECT_FIELD(&h, "node[1].attr['value'].tensor.tensor_content", "content", CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "node[1].attr[\"value\"].tensor",
               "\x08\x01\x12\x00\x22\x07"
               "content",
               CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "1[1].5[\"value\"].8.4", "content", CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "node[2].name", "c", CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "node[0].attr[\"n\"].i", "\x07", CPB_WIRE_VARINT);
  EXPECT_FIELD(&h, "node[0].attr[\"t\"].tensor.int_val[1]", "\x96\x01", CPB_WIRE_VARINT);
  EXPECT_FIELD(&h, "node[0].attr[\"t\"].tensor.float_val[1]", "\1\2\3\4", CPB_WIRE_FIXED32);
  EXPECT_FIELD(&h, "versions", "\x08\x09", CPB_WIRE_LEN);
  assert_true(cpb_field_reader_memory(h.r) <= 16 << 10);
  end_by_hand(&h);
}

static void names_and_numbers_lead_to_fields(void **state) {
  (void)state;
  check_names(DESCRIPTORS);
  check_names(BUILT_IN);
}

static void pieces_say_where_a_field_is(void **state) {
  (void)state;
  hand h;
  cpb_segment piece;
  begin_by_hand(&h, 16 << 10, NO_NAMES);
  found f = read_with(h.r, &h.host, "1[1].5[\"value\"].8", 7, 0);
  assert_int_equal(f.bytes.size, 0);
  assert_int_equal(cpb_field_reader_place(h.r)->num_pieces, 3);
  assert_int_equal(cpb_field_reader_piece(h.r, 0, &piece), CPB_OK);
  assert_true(piece.chunk == 0 && piece.length == 4 && !piece.literal);
  assert_int_equal(cpb_field_reader_piece(h.r, 2, &piece), CPB_OK);
  assert_true(piece.chunk == 1 && piece.offset == 6 && piece.chunk_offset == 0 && piece.length == 7);
  assert_int_equal(cpb_field_reader_piece(h.r, 3, &piece), CPB_E_NOT_FOUND);
  assert_int_equal(cpb_field_reader_read(h.r, NULL, 0, 5, 4), CPB_OK);
  cpb_buffer part;
  cpb_buffer_init(&part, &plain);
  cpb_step step;
  while ((step = cpb_field_reader_step(h.r)) > CPB_STEP_DONE) {
    size_t length;
    const uint8_t *data = cpb_field_reader_data(h.r, &length);
    if (step == CPB_STEP_NEED) answer(&h.host, cpb_field_reader_input(h.r));
    else append(&part, data, length);
  }
  assert_int_equal(step, CPB_STEP_DONE);
  assert_int_equal(part.size, 4);
  assert_memory_equal(part.data,
                      "\x07"
                      "con",
                      4);
  cpb_buffer_free(&part);
  cpb_buffer_free(&f.bytes);
  end_by_hand(&h);
}

static void check_refusals(naming names) {
  hand h;
  begin_by_hand(&h, 16 << 10, names);
  expect_refusal(&h, "node[3].name", CPB_E_NOT_FOUND, "node[3]: the message has none");
  expect_refusal(&h, "nodes[3]", CPB_E_NOT_FOUND, "nodes: the type has no such field");
  expect_refusal(&h, "node.name", CPB_E_USAGE, "node: a repeated field; expected an index, as in name[0]");
  expect_refusal(&h, "node[0].attr[1]", CPB_E_USAGE, "node[0].attr[1]: the keys are strings; expected one in quotes");
  expect_refusal(&h, "node[0].name.x", CPB_E_USAGE, "node[0].name: not a message, so it has no fields");
  expect_refusal(&h, "node[", CPB_E_USAGE,
                 "expected an index or a map key: a number, true, false or \"text\" at character 6 of the path");
  expect_refusal(
      &h, "node[1]", CPB_E_UNSUPPORTED,
      "chunk 1: it belongs to an element or a map's entry inside of the field, which only a merge puts there");
  EXPECT_FIELD(&h, "node[2].name", "c", CPB_WIRE_LEN);
  end_by_hand(&h);
}

static void mistakes_in_a_path_are_reported(void **state) {
  (void)state;
  hand h;
  check_refusals(DESCRIPTORS);
  check_refusals(BUILT_IN);
  begin_by_hand(&h, 16 << 10, NO_NAMES);
  expect_refusal(&h, "node[2].name", CPB_E_USAGE,
                 "node: the type of the message is not known; expected a field number");
  assert_int_equal(cpb_field_reader_read(h.r, NULL, 0, 0, 1), CPB_E_USAGE);
  end_by_hand(&h);
}

static void expect_json(hand *h, const char *path, uint64_t max_value, const char *text) {
  found f = json_with(h->r, &h->host, path, max_value);
  if (f.code != CPB_OK) fail_msg("%s: %s", path, f.message);
  append(&f.bytes, "", 1);
  assert_string_equal((const char *)f.bytes.data, text);
  cpb_buffer_free(&f.bytes);
}

static void fields_are_given_as_json(void **state) {
  (void)state;
  hand h;
  begin_by_hand(&h, 32 << 10, BUILT_IN);
  expect_json(&h, "node[0].name", 0, "\"a\"");
  expect_json(&h, "node[0].attr[\"n\"]", 0, "{\"i\":\"7\"}");
  expect_json(&h, "node[0].attr[\"n\"].i", 0, "\"7\"");
  expect_json(&h, "node[0].attr[\"t\"].tensor.int_val", 0, "[5,150,6]");
  expect_json(&h, "node[0].attr[\"t\"].tensor.int_val[1]", 0, "150");
  expect_json(&h, "4", 0, "{\"producer\":9}");
  expect_json(&h, "node[1].attr[\"value\"].tensor.tensor_content", 0, "\"Y29udGVudA==\"");
  expect_json(&h, "node[1].attr[\"value\"].tensor.tensor_content", 6, "{\"@omitted\":{\"offset\":0,\"size\":7}}");
  expect_json(
      &h, "node[1].attr[\"value\"].tensor", 6,
      "{\"dtype\":\"DT_FLOAT\",\"tensor_shape\":{},\"tensor_content\":{\"@omitted\":{\"offset\":6,\"size\":7}}}");
  assert_string_equal(cpb_field_reader_found(h.r)->message->name, "tensorflow.TensorProto");
  assert_int_equal(cpb_field_reader_read(h.r, NULL, 0, 6, 7), CPB_OK); /* what was left out */
  found f = take_found(h.r, &h.host);
  assert_int_equal(f.bytes.size, 7);
  assert_memory_equal(f.bytes.data, "content", 7);
  cpb_buffer_free(&f.bytes);
  assert_true(cpb_field_reader_memory(h.r) <= 32 << 10);
  end_by_hand(&h);
  begin_by_hand(&h, 16 << 10, DESCRIPTORS);
  f = json_with(h.r, &h.host, "versions", 0);
  assert_int_equal(f.code, CPB_E_USAGE);
  assert_string_equal(f.message, "the type of the field is not known; expected one, to show JSON");
  EXPECT_FIELD(&h, "versions", "\x08\x09", CPB_WIRE_LEN);
  end_by_hand(&h);
}

static unsigned read_in_little_memory(bool json) {
  unsigned read = 0;
  for (size_t memory = 512; memory < 32 << 10; memory += 512) {
    hand h;
    begin_by_hand(&h, memory, json ? BUILT_IN : DESCRIPTORS);
    static const char path[] = "node[1].attr[\"value\"].tensor";
    found f = json ? json_with(h.r, &h.host, path, 0) : read_with(h.r, &h.host, path, 0, UINT64_MAX);
    assert_true(f.code == CPB_OK || f.code == CPB_E_LIMIT);
    if (f.code == CPB_OK) assert_true(cpb_field_reader_memory(h.r) <= memory);
    read += f.code == CPB_OK;
    cpb_buffer_free(&f.bytes);
    end_by_hand(&h);
  }
  return read;
}

/* TensorFlow's merger joins them in one field. */
static void chunks_without_index_are_the_only_element_without_types(void **state) {
  (void)state;
#define CHUNK "\x1a\x06lihahi\x22\x02\x62h"
  hand h = {.file = file_of(CPB_TEST_DATA "/cpb_odd/same_chunk_twice.cpb"), .r = reader_of(1 << 26, CPB_VERIFY_FIRST)};
  h.host = (host){.bytes = h.file.data, .size = h.file.size, .manner = AS_ASKED, .says_end = true, .random = 1};
  EXPECT_FIELD(&h, "1", CHUNK CHUNK, CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "1[0]", CHUNK CHUNK, CPB_WIRE_LEN);
  EXPECT_FIELD(&h, "1[0].4[1]", "bh", CPB_WIRE_LEN);
  expect_refusal(&h, "1[1]", CPB_E_NOT_FOUND, "1[1]: the message has none");
  end_by_hand(&h);
}

static void too_little_memory_is_a_limit(void **state) {
  (void)state;
  unsigned read = read_in_little_memory(false), as_json = read_in_little_memory(true);
  assert_true(read > 30 && read < 60);
  assert_true(as_json > 10 && as_json < read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_field_of_a_message_that_was_cut_up_is_the_same),
      cmocka_unit_test(a_field_of_any_tree_is_the_same),
      cmocka_unit_test(names_and_numbers_lead_to_fields),
      cmocka_unit_test(pieces_say_where_a_field_is),
      cmocka_unit_test(mistakes_in_a_path_are_reported),
      cmocka_unit_test(fields_are_given_as_json),
      cmocka_unit_test(chunks_without_index_are_the_only_element_without_types),
      cmocka_unit_test(too_little_memory_is_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
