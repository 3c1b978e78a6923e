/* Checkpoints: checksums by published vectors, memory that fails, and limits.
 * (tests/model/test_checkpoint.py compares what they say with TensorFlow.) */
#include "model_case.h"

#include "cpb/values.h"
#include "failing_allocator.h"
#include "model/checkpoint/fields.h"
#include "model/common/cursor.h"
#include "model/formats/leveldb/crc32c.h"

/* --- Checksums ------------------------------------------------------------------------- */

/* RFC 3720, B.4, and the check value of the catalogues of CRCs. */
static void crcs_are_those_published(void **state) {
  (void)state;
  uint8_t data[32];
  cpb_crc32c crc;
  cpb_crc32c_init(&crc);
  memset(data, 0, sizeof data);
  assert_int_equal(cpb_crc32c_extend(&crc, 0, (cpb_span){data, 32}), 0x8a9136aa);
  memset(data, 0xff, sizeof data);
  assert_int_equal(cpb_crc32c_extend(&crc, 0, (cpb_span){data, 32}), 0x62a8ab43);
  for (int i = 0; i < 32; i++) data[i] = (uint8_t)i;
  assert_int_equal(cpb_crc32c_extend(&crc, 0, (cpb_span){data, 32}), 0x46dd794e);
  assert_int_equal(cpb_crc32c_extend(&crc, 0, cpb_span_of("123456789")), 0xe3069283);
}

static void a_crc_is_the_same_wherever_the_data_is_cut(void **state) {
  (void)state;
  cpb_crc32c crc;
  cpb_crc32c_init(&crc);
  cpb_span all = cpb_span_of("a text of some bytes, more than sixteen");
  uint32_t whole = cpb_crc32c_extend(&crc, 0, all);
  for (size_t i = 0; i <= all.size; i++) {
    uint32_t first = cpb_crc32c_extend(&crc, 0, (cpb_span){all.data, i});
    assert_int_equal(cpb_crc32c_extend(&crc, first, cpb_span_from(all, i)), whole);
  }
}

/* --- A checkpoint ------------------------------------------------------------------------ */

static void put_varint(bytes *b, uint64_t value) {
  uint8_t text[CPB_VARINT_MAX];
  put(b, text, (size_t)(cpb_varint_write(text, value) - text));
}

static void put_u32(bytes *b, uint32_t value) {
  uint8_t text[4];
  cpb_store32(text, value);
  put(b, text, sizeof text);
}

static uint32_t masked(const void *data, size_t size) {
  cpb_crc32c crc;
  cpb_crc32c_init(&crc);
  return cpb_crc32c_mask(cpb_crc32c_extend(&crc, 0, (cpb_span){data, size}));
}

static void put_pair(bytes *block, const char *key, bytes value) {
  put_varint(block, 0);
  put_varint(block, strlen(key));
  put_varint(block, value.size);
  put(block, key, strlen(key));
  put(block, value.data, value.size);
  free(value.data);
}

/* Takes the block; its handle. */
static bytes put_block(bytes *file, bytes block) {
  bytes handle = {NULL, 0};
  size_t begin = file->size;
  put_u32(&block, 0);
  put_u32(&block, 1);
  put_varint(&handle, begin);
  put_varint(&handle, block.size);
  put(&block, "", 1);
  put(file, block.data, block.size);
  put_u32(file, masked(block.data, block.size));
  free(block.data);
  return handle;
}

static bytes table_of(bytes block) {
  bytes file = {NULL, 0}, index = {NULL, 0};
  put_pair(&index, "z", put_block(&file, block));
  bytes about = put_block(&file, (bytes){NULL, 0}), handle = put_block(&file, index);
  put(&about, handle.data, handle.size);
  uint8_t footer[48] = {0};
  memcpy(footer, about.data, about.size);
  cpb_store64(footer + 40, 0xdb4775248b80fb57u);
  put(&file, footer, sizeof footer);
  free(about.data);
  free(handle.data);
  return file;
}

static bytes entry_of(uint64_t dtype, uint64_t offset, const void *data, size_t size) {
  bytes entry = int_field(ENTRY_DTYPE, dtype), shape = {NULL, 0};
  put_message(&shape, SHAPE_DIM, int_field(DIM_SIZE, 2));
  put_message(&entry, ENTRY_SHAPE, shape);
  put_int(&entry, ENTRY_OFFSET, offset);
  put_int(&entry, ENTRY_SIZE, size);
  put_varint(&entry, ENTRY_CRC << 3 | CPB_WIRE_FIXED32);
  put_u32(&entry, masked(data, size));
  return entry;
}

static const char numbers[] = "\1\0\0\0\2\0\0"; /* two int32, of 8 bytes with the NUL */

/* "n" are two numbers, "t" two texts; both in a file of 19 bytes. */
static bytes data_of(bytes *index) {
  bytes data = {NULL, 0}, block = {NULL, 0}, lengths = {NULL, 0};
  put(&data, numbers, 8);
  put_u32(&lengths, 1);
  put_u32(&lengths, 4);
  uint32_t crc = masked(lengths.data, lengths.size);
  put(&data, "\1\4", 2);
  put_u32(&data, crc);
  put(&data, "abcde", 5);
  put_u32(&lengths, crc);
  put(&lengths, "abcde", 5);
  put_pair(&block, "", int_field(BUNDLE_SHARDS, 1));
  put_pair(&block, "n", entry_of(3, 0, data.data, 8));
  bytes texts = entry_of(7, 8, lengths.data, lengths.size);
  /* Stored are 11 bytes; the checksum is of lengths in 4 bytes each. */
  put_int(&texts, ENTRY_SIZE, 11);
  put_pair(&block, "t", texts);
  free(lengths.data);
  *index = table_of(block);
  return data;
}

static void answer(cpb_input *input, bytes data, size_t piece) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, data.size);
  if (need.kind != CPB_NEED_RANGE || need.offset >= data.size) return;
  size_t left = data.size - (size_t)need.offset;
  cpb_input_supply(input, need.offset, data.data + need.offset, left < piece ? left : piece);
}

/* NULL with the error. */
static cpb_checkpoint *open_index(const cpb_allocator *a, bytes index, const cpb_checkpoint_options *options,
                                  size_t piece, cpb_error *error) {
  cpb_checkpoint *c = cpb_checkpoint_new(a, options);
  cpb_step step = CPB_STEP_ERROR;
  error->code = CPB_E_MEMORY;
  while (c && (step = cpb_checkpoint_step(c)) == CPB_STEP_NEED) answer(cpb_checkpoint_input(c), index, piece);
  if (c) *error = *cpb_checkpoint_error(c);
  if (step == CPB_STEP_DONE) return c;
  cpb_checkpoint_free(c);
  return NULL;
}

static bytes read_exact(const cpb_allocator *a, const cpb_checkpoint *c, const char *key, bytes data, size_t piece,
                        int exact, cpb_error *error) {
  bytes out = {NULL, 0};
  const cpb_values_options how = {.struct_size = sizeof how, .checkpoint = c, .exact_texts = exact};
  cpb_values *values = cpb_values_new(a, CPB_MODEL_SAVED_MODEL, key, strlen(key), &how);
  cpb_step step = CPB_STEP_ERROR;
  error->code = CPB_E_MEMORY;
  while (values && ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA)) {
    size_t size;
    const uint8_t *more = cpb_values_data(values, &size);
    if (step == CPB_STEP_NEED) answer(cpb_values_input(values), data, piece);
    else put(&out, more, size);
  }
  if (values) *error = *cpb_values_error(values);
  cpb_values_free(values);
  return out;
}

static bytes read_key(const cpb_allocator *a, const cpb_checkpoint *c, const char *key, bytes data, size_t piece,
                      cpb_error *error) {
  return read_exact(a, c, key, data, piece, 1, error);
}

static void values_are_the_same_in_pieces_of_any_size(void **state) {
  static const char texts[] = "\1\0\0\0\0\0\0\0a\4\0\0\0\0\0\0\0bcde";
  (void)state;
  bytes index, data = data_of(&index);
  cpb_error error;
  cpb_checkpoint *c = open_index(NULL, index, NULL, SIZE_MAX, &error);
  assert_non_null(c);
  for (size_t piece = 1; piece < 21; piece++) {
    bytes n = read_key(NULL, c, "n", data, piece, &error);
    assert_int_equal(error.code, CPB_OK);
    assert_true(n.size == 8 && memcmp(n.data, numbers, 8) == 0);
    bytes t = read_key(NULL, c, "t", data, piece, &error);
    assert_int_equal(error.code, CPB_OK);
    assert_true(t.size == sizeof texts - 1 && memcmp(t.data, texts, t.size) == 0);
    free(n.data);
    free(t.data);
  }
  for (size_t cut = 0; cut < data.size; cut++) {
    bytes t = read_key(NULL, c, "t", (bytes){data.data, cut}, 100, &error);
    assert_int_equal(error.code, CPB_E_TRUNCATED);
    free(t.data);
  }
  cpb_checkpoint_free(c);
  free(index.data);
  free(data.data);
}

static void an_index_is_the_same_in_pieces_of_any_size(void **state) {
  (void)state;
  bytes index, data = data_of(&index);
  cpb_error error;
  for (size_t piece = 1; piece < 60; piece++) {
    cpb_checkpoint *c = open_index(NULL, index, NULL, piece, &error);
    assert_non_null(c);
    assert_int_equal(cpb_checkpoint_version(c), 2);
    assert_int_equal(cpb_checkpoint_count(c), 2);
    cpb_checkpoint_free(c);
  }
  for (size_t cut = 0; cut < index.size; cut++) {
    assert_null(open_index(NULL, (bytes){index.data, cut}, NULL, 7, &error));
    assert_int_equal(error.code, CPB_E_FORMAT);
  }
  free(index.data);
  free(data.data);
}

static void texts_are_padded_to_the_longest(void **state) {
  static const char texts[] = "a\0\0\0bcde";
  (void)state;
  bytes index, data = data_of(&index);
  cpb_error error;
  cpb_checkpoint *c = open_index(NULL, index, NULL, SIZE_MAX, &error);
  for (size_t piece = 1; piece < 21; piece++) {
    bytes t = read_exact(NULL, c, "t", data, piece, 0, &error);
    assert_int_equal(error.code, CPB_OK);
    assert_true(t.size == sizeof texts - 1 && memcmp(t.data, texts, t.size) == 0);
    free(t.data);
  }
  cpb_checkpoint_free(c);
  free(index.data);
  free(data.data);
}

static void each_flipped_bit_of_texts_is_found(void **state) {
  (void)state;
  bytes index, data = data_of(&index);
  cpb_error error;
  cpb_checkpoint *c = open_index(NULL, index, NULL, SIZE_MAX, &error);
  for (size_t bit = 8 * 8; bit < 8 * data.size; bit++) {
    data.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    bytes t = read_key(NULL, c, "t", data, 100, &error);
    assert_int_equal(error.code, CPB_E_DAMAGED);
    data.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    free(t.data);
  }
  cpb_checkpoint_free(c);
  free(index.data);
  free(data.data);
}

/* --- Limits and memory ----------------------------------------------------------------------- */

static void the_memory_of_an_index_is_bounded(void **state) {
  (void)state;
  bytes index, data = data_of(&index);
  cpb_error error;
  const cpb_checkpoint_options little = {.struct_size = sizeof little, .max_memory = 100};
  assert_null(open_index(NULL, index, &little, SIZE_MAX, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  free(index.data);
  free(data.data);
}

/* Two variables in a circle of objects, and an optimizer's for one of them. */
static bytes model_of(bytes *graph) {
  bytes objects = {NULL, 0}, meta = {NULL, 0}, model = {NULL, 0}, root = {NULL, 0}, node = {NULL, 0};
  put_child(&root, 1, "n");
  put_child(&root, 0, "self");
  bytes slot = int_field(SLOT_ORIGINAL, 1);
  put_text(&slot, SLOT_NAME, "m");
  put_int(&slot, SLOT_VARIABLE, 2);
  put_message(&root, OBJECT_SLOTS, slot);
  put_message(&objects, OBJECTS_NODES, root);
  for (int i = 0; i < 2; i++) {
    bytes object = {NULL, 0};
    put_message(&object, OBJECT_VARIABLE, text_field(VARIABLE_NAME, i ? "m" : "n"));
    put_message(&objects, OBJECTS_NODES, object);
  }
  put_message(&meta, META_GRAPH_OBJECTS, objects);
  put_message(&model, SAVED_MODEL_META_GRAPHS, meta);
  *graph = (bytes){NULL, 0};
  put_child(&node, 2, "n");
  slot = int_field(SLOT_ORIGINAL, 2);
  put_text(&slot, SLOT_NAME, "m");
  put_int(&slot, SLOT_VARIABLE, 1);
  put_message(&node, TRACKABLE_SLOTS, slot);
  put_message(graph, TRACKABLE_NODES, node);
  for (int i = 0; i < 2; i++) {
    bytes attribute = text_field(ATTRIBUTE_NAME, "VARIABLE_VALUE"), object = {NULL, 0};
    put_text(&attribute, ATTRIBUTE_KEY, i ? "n" : "t");
    put_message(&object, TRACKABLE_ATTRIBUTES, attribute);
    put_message(graph, TRACKABLE_NODES, object);
  }
  return model;
}

/* The answer about variables, or none. */
static bytes list(const cpb_allocator *a, bytes index, bytes model, bytes graph, cpb_error *error) {
  bytes out = {NULL, 0};
  cpb_step step;
  cpb_checkpoint *c = open_index(a, index, NULL, SIZE_MAX, error);
  cpb_model *m = c ? cpb_model_new(a, CPB_MODEL_SAVED_MODEL, NULL) : NULL;
  bool given = m && cpb_model_set_checkpoint(m, c, graph.data, graph.size);
  if (!given) error->code = CPB_E_MEMORY;
  if (given) cpb_model_ask(m, &(cpb_question){.struct_size = sizeof(cpb_question), .kind = CPB_ASK_VARIABLES});
  while (given && (step = cpb_model_step(m)) == CPB_STEP_NEED) answer(cpb_model_input(m), model, SIZE_MAX);
  if (given) {
    size_t size = 0;
    const char *json = cpb_model_answer(m, &size);
    *error = *cpb_model_error(m);
    if (json) put(&out, json, size);
  }
  cpb_model_free(m);
  cpb_checkpoint_free(c);
  return out;
}

static bool has(bytes json, const char *text) {
  put(&json, "", 1);
  bool found = strstr((const char *)json.data, text) != NULL;
  free(json.data);
  return found;
}

static void variables_of_optimizers_are_found_through_what_they_are_for(void **state) {
  (void)state;
  cpb_error error;
  bytes graph, index, data = data_of(&index), model = model_of(&graph);
  assert_true(has(list(NULL, index, model, graph, &error),
                  "\"name\":\"n\",\"dtype\":\"invalid\",\"shape\":[],\"trainable\":false,\"use\":\"weight\","
                  "\"parameters\":1,\"key\":\"n\""));
  assert_true(has(list(NULL, index, model, graph, &error),
                  "\"name\":\"m\",\"dtype\":\"invalid\",\"shape\":[],\"trainable\":false,\"use\":\"optimizer\","
                  "\"parameters\":0,\"key\":\"t\""));
  assert_true(has(list(NULL, index, model, graph, &error), "\"without_value\":0"));
  assert_true(has(list(NULL, index, model, (bytes){NULL, 0}, &error), "\"without_value\":2"));
  free(graph.data);
  free(index.data);
  free(data.data);
  free(model.data);
}

static void memory_that_fails_is_an_error_and_nothing_leaks(void **state) {
  (void)state;
  bytes graph, index, data = data_of(&index), model = model_of(&graph);
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    for (size_t fail_at = 1;; fail_at++) {
      cpb_error error;
      failing_allocator f = {.fail_at = fail_at, .for_ever = for_ever};
      cpb_allocator a = failing_allocator_of(&f);
      bytes json = list(&a, index, model, graph, &error);
      assert_int_equal(f.blocks, 0);
      if (f.calls < fail_at) {
        assert_int_equal(error.code, CPB_OK);
        free(json.data);
        break;
      }
      if (error.code != CPB_OK) assert_int_equal(error.code, CPB_E_MEMORY);
      free(json.data);
    }
  }
  cpb_error error;
  cpb_checkpoint *c = open_index(NULL, index, NULL, SIZE_MAX, &error);
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    cpb_allocator a = failing_allocator_of(&f);
    bytes t = read_key(&a, c, "t", data, 3, &error);
    assert_int_equal(f.blocks, 0);
    free(t.data);
    if (f.calls < fail_at) break;
    assert_int_equal(error.code, CPB_E_MEMORY);
  }
  cpb_checkpoint_free(c);
  free(graph.data);
  free(index.data);
  free(data.data);
  free(model.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crcs_are_those_published),
      cmocka_unit_test(a_crc_is_the_same_wherever_the_data_is_cut),
      cmocka_unit_test(values_are_the_same_in_pieces_of_any_size),
      cmocka_unit_test(an_index_is_the_same_in_pieces_of_any_size),
      cmocka_unit_test(texts_are_padded_to_the_longest),
      cmocka_unit_test(each_flipped_bit_of_texts_is_found),
      cmocka_unit_test(the_memory_of_an_index_is_bounded),
      cmocka_unit_test(variables_of_optimizers_are_found_through_what_they_are_for),
      cmocka_unit_test(memory_that_fails_is_an_error_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
