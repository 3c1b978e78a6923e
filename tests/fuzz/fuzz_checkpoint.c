/* A checkpoint: [how 1][sizes of model, object graph and data file 2 each] these, and the index.
 * With an odd `how` the checksums in the index are put right first, so that what is behind
 * them is reached. All that is in it is listed, for the model and by itself, and every tensor
 * read, at once and in pieces. */
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "cpb/model.h"
#include "cpb/values.h"
#include "host.h"
#include "model/formats/leveldb/crc32c.h"

#define FOOTER 48
#define MOST_TENSORS 40

/* Of the checkpoint, and three questions about the model. */
static const fuzz_bounds bounds = {.decoded = {0, 64},
                                   .held = {1 << 20, 1024},
                                   .walked = {64 << 10, 1024},
                                   .entries = {4096, 64},
                                   .answer = {64 << 10, 1024}};

/* --- Checksums ------------------------------------------------------------------------ */

typedef struct handle {
  uint64_t offset, size;
} handle;

static const uint8_t *take_handle(const uint8_t *at, const uint8_t *end, handle *h) {
  at = cpb_varint_read(at, end, &h->offset);
  return at ? cpb_varint_read(at, end, &h->size) : NULL;
}

static int put_right(const cpb_crc32c *crc, uint8_t *file, size_t size, handle h) {
  uint64_t most = size - FOOTER;
  if (h.offset > most || h.size > most - h.offset || most - h.offset - h.size < 5) return 0;
  cpb_span covered = {file + h.offset, (size_t)h.size + 1};
  cpb_store32(file + h.offset + h.size + 1, cpb_crc32c_mask(cpb_crc32c_extend(crc, 0, covered)));
  return 1;
}

/* Those of blocks that a plain index names; its own last, as one may be within another. */
static void repair(uint8_t *file, size_t size) {
  cpb_crc32c crc;
  handle about, index, block;
  if (size < FOOTER) return;
  cpb_store64(file + size - 8, 0xdb4775248b80fb57u);
  const uint8_t *end = file + size - 8, *at = take_handle(file + size - FOOTER, end, &about);
  if (!at || !take_handle(at, end, &index)) return;
  cpb_crc32c_init(&crc);
  if (!put_right(&crc, file, size, index)) return;
  at = file + index.offset;
  end = at + index.size;
  for (uint64_t shared, rest, value; at < end; at += rest + value) {
    at = cpb_varint_read(at, end, &shared);
    if (at) at = cpb_varint_read(at, end, &rest);
    if (at) at = cpb_varint_read(at, end, &value);
    if (!at || rest > (size_t)(end - at) || value > (size_t)(end - at) - rest) break;
    if (take_handle(at + rest, at + rest + value, &block)) put_right(&crc, file, size, block);
  }
  put_right(&crc, file, size, about);
  put_right(&crc, file, size, index);
}

/* --- Questions --------------------------------------------------------------------------- */

static void lend(cpb_input *input, fuzz_in data, size_t piece) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, data.size);
  if (need.kind != CPB_NEED_RANGE || need.offset >= data.size) return;
  size_t left = data.size - (size_t)need.offset, length = need.length < left ? need.length : left;
  cpb_input_supply(input, need.offset, data.data + need.offset, length < piece ? length : piece);
}

static void check_json(const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){(const uint8_t *)json, size}, 1000, &error);
  fuzz_check(doc != NULL && cpb_json_member(yyjson_doc_get_root(doc), "problems") != NULL);
  yyjson_doc_free(doc);
}

static void ask(cpb_model *model, cpb_question_kind kind, fuzz_in name, fuzz_in message) {
  cpb_step step;
  size_t size;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = kind,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .count = 30};
  cpb_model_ask(model, &question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) lend(cpb_model_input(model), message, SIZE_MAX);
  const char *json = cpb_model_answer(model, &size);
  if (step == CPB_STEP_DONE) check_json(json, size);
  else fuzz_check(step == CPB_STEP_ERROR && cpb_model_error(model)->message[0] != '\0');
}

/* --- Values --------------------------------------------------------------------------------- */

typedef struct outcome {
  cpb_code code;
  uint64_t total, sum;
} outcome;

static outcome read_values(const cpb_checkpoint *checkpoint, const cpb_stored *stored, fuzz_in data, size_t piece) {
  outcome o = {CPB_OK, 0, 0};
  cpb_step step;
  const cpb_values_options how = {.struct_size = sizeof how, .max_memory = 1 << 20, .checkpoint = checkpoint};
  cpb_values *values = cpb_values_new(NULL, CPB_MODEL_SAVED_MODEL, stored->key, stored->key_size, &how);
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size = 0;
    const uint8_t *bytes = cpb_values_data(values, &size);
    if (step == CPB_STEP_NEED) lend(cpb_values_input(values), data, piece);
    for (size_t i = 0; i < size; i++) o.sum = o.sum * 31 + bytes[i];
    o.total += size;
  }
  fuzz_check(step == CPB_STEP_DONE || step == CPB_STEP_ERROR);
  if (step == CPB_STEP_DONE) fuzz_check(cpb_values_get_info(values)->size == o.total);
  o.code = cpb_values_error(values)->code;
  cpb_values_free(values);
  return o;
}

static void use(const cpb_checkpoint *checkpoint, fuzz_in model, fuzz_in graph, fuzz_in data,
                const cpb_limits *counted) {
  size_t count = cpb_checkpoint_count(checkpoint);
  fuzz_in key = {NULL, 0};
  for (size_t i = 0; i < count && i < MOST_TENSORS; i++) {
    const cpb_stored *stored = cpb_checkpoint_get(checkpoint, i);
    fuzz_check(cpb_checkpoint_find(checkpoint, stored->key, stored->key_size) == stored);
    fuzz_check(stored->slices > 0 || stored->shard < cpb_checkpoint_num_shards(checkpoint));
    outcome whole = read_values(checkpoint, stored, data, SIZE_MAX), pieces = read_values(checkpoint, stored, data, 3);
    fuzz_check(whole.code == pieces.code);
    if (whole.code == CPB_OK) fuzz_check(whole.total == pieces.total && whole.sum == pieces.sum);
    key = (fuzz_in){(const uint8_t *)stored->key, stored->key_size};
  }
  const cpb_model_options options = {.struct_size = sizeof options, .max_memory = 4 << 20, .limits = counted};
  cpb_model *m = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, &options);
  fuzz_check(cpb_model_set_checkpoint(m, checkpoint, graph.data, graph.size));
  ask(m, CPB_ASK_VARIABLES, (fuzz_in){NULL, 0}, model);
  ask(m, CPB_ASK_OVERVIEW, (fuzz_in){NULL, 0}, model);
  ask(m, CPB_ASK_VARIABLES, key, model);
  cpb_model_free(m);
}

/* The index as a model of its own. */
static void ask_alone(fuzz_in index, const cpb_limits *counted) {
  static const cpb_question_kind all[] = {CPB_ASK_OVERVIEW, CPB_ASK_VARIABLES, CPB_ASK_LAYERS, CPB_ASK_SEARCH};
  const cpb_model_options options = {.struct_size = sizeof options, .max_memory = 4 << 20, .limits = counted};
  cpb_model *m = cpb_model_new(NULL, CPB_MODEL_CHECKPOINT, &options);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) ask(m, all[i], (fuzz_in){NULL, 0}, index);
  cpb_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_in in = {bytes, size};
  uint32_t how = fuzz_number(&in, 1), sizes[3];
  for (int i = 0; i < 3; i++) sizes[i] = fuzz_number(&in, 2);
  fuzz_in model = fuzz_bytes(&in, sizes[0]), graph = fuzz_bytes(&in, sizes[1]), data = fuzz_bytes(&in, sizes[2]);
  uint8_t *index = malloc(in.size + 1);
  if (in.size > 0) memcpy(index, in.data, in.size);
  if (how & 1) repair(index, in.size);
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  const cpb_checkpoint_options options = {.struct_size = sizeof options, .max_memory = 4 << 20, .limits = &counted};
  cpb_checkpoint *checkpoint = cpb_checkpoint_new(NULL, &options);
  cpb_step step;
  while ((step = cpb_checkpoint_step(checkpoint)) == CPB_STEP_NEED)
    lend(cpb_checkpoint_input(checkpoint), (fuzz_in){index, in.size}, how & 2 ? 7 : SIZE_MAX);
  const cpb_error *error = cpb_checkpoint_error(checkpoint);
  fuzz_check(step == CPB_STEP_DONE ? error->code == CPB_OK : error->code != CPB_OK && error->message[0] != '\0');
  ask_alone((fuzz_in){index, in.size}, &counted);
  if (cpb_checkpoint_version(checkpoint) == 1) data = (fuzz_in){index, in.size};
  if (step == CPB_STEP_DONE) use(checkpoint, model, graph, data, &counted);
  free(index);
  cpb_checkpoint_free(checkpoint);
  fuzz_bounded(&work, &bounds, size);
  return 0;
}
