/* Variables, and what the checkpoint beside the model has stored of each. */
#include "model/tensorflow/ask/variables.h"

#include "model/checkpoint/fields.h"
#include "model/checkpoint/slices.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/keras/answers.h"
#include "model/tensorflow/ask/variable_counts.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"
#include "model/tensorflow/variable_list.h"
#include "model/tensorflow/variables.h"

/* --- What is stored --------------------------------------------------------------------- */

static void write_sizes(cpb_json_writer *a, const cpb_stored *s) {
  cpb_json_writer_open(a, "shape", '[');
  for (uint32_t i = 0; i < s->rank; i++) cpb_json_writer_unsigned(a, NULL, s->shape[i]);
  cpb_json_writer_close(a, ']');
}

static void write_place(cpb_json_writer *a, const cpb_stored *s) {
  cpb_json_writer_unsigned(a, "size", s->size);
  cpb_json_writer_unsigned(a, "shard", s->shard);
  cpb_json_writer_unsigned(a, "offset", s->offset);
  cpb_json_writer_unsigned(a, "crc32c", s->crc32c);
}

/* Calls `use` with each part: its slice and its entry, or NULL. All keys of slices begin in the same
 * way, so that is looked for once. False when memory is short. */
typedef void (*use_slice)(cpb_saved_model *m, cpb_span slice, const cpb_stored *part, void *user);

static bool for_slices(cpb_saved_model *m, const cpb_stored *s, use_slice use, void *user) {
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  cpb_span message = cpb_checkpoint_message(s);
  cpb_buffer key;
  if (!cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED,
                              2 * (uint64_t)message.size + 8 * (uint64_t)s->key_size))
    return false;
  cpb_buffer_init(&key, &m->viewed.allocator);
  bool done = cpb_slice_key_begin(&key, cpb_stored_key(s));
  size_t skip = key.size, first = 0, count = cpb_checkpoint_begin(checkpoint, (cpb_span){key.data, skip}, &first);
  cpb_cursor c = cpb_cursor_of(message);
  while (done && cpb_cursor_find(&c, ENTRY_SLICES, CPB_WIRE_LEN)) {
    key.size = skip;
    done = cpb_slice_key_rest(&key, c.bytes);
    const cpb_span rest = {key.data + skip, key.size - skip};
    if (done) use(m, c.bytes, cpb_checkpoint_find_rest(checkpoint, first, count, skip, rest), user);
  }
  cpb_buffer_free(&key);
  return done || cpb_viewed_fail_memory(&m->viewed);
}

static void write_slice(cpb_saved_model *m, cpb_span slice, const cpb_stored *part, void *user) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_cursor c = cpb_cursor_of(slice);
  (void)user;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_open(a, "begin", '[');
  while (cpb_cursor_find(&c, SLICE_EXTENT, CPB_WIRE_LEN))
    cpb_json_writer_signed(a, NULL, (int64_t)cpb_get_number(c.bytes, EXTENT_START));
  cpb_json_writer_close(a, ']');
  if (part) write_sizes(a, part);
  else cpb_json_writer_null(a, "shape");
  if (part) write_place(a, part);
  cpb_json_writer_close(a, '}');
}

static void add_size(cpb_saved_model *m, cpb_span slice, const cpb_stored *part, void *size) {
  (void)m;
  (void)slice;
  if (part) *(uint64_t *)size += part->size;
}

/* Of a partitioned variable that of its parts. */
static uint64_t stored_size(cpb_saved_model *m, const cpb_stored *s) {
  uint64_t size = 0;
  if (s->slices == 0) return s->size;
  for_slices(m, s, add_size, &size);
  return size;
}

static void write_stored(cpb_saved_model *m, const cpb_stored *s) {
  cpb_json_writer *a = m->viewed.answer;
  if (!s) {
    cpb_json_writer_null(a, "key");
    cpb_json_writer_null(a, "stored");
    return;
  }
  cpb_json_writer_span(a, "key", cpb_stored_key(s));
  cpb_json_writer_open(a, "stored", '{');
  cpb_write_dtype(a, "dtype", s->dtype);
  write_sizes(a, s);
  if (s->slices == 0) write_place(a, s);
  else cpb_json_writer_unsigned(a, "size", stored_size(m, s));
  if (s->slices > 0) {
    cpb_json_writer_open(a, "slices", '[');
    for_slices(m, s, write_slice, NULL);
    cpb_json_writer_close(a, ']');
  }
  cpb_json_writer_close(a, '}');
}

/* --- Which are meant ------------------------------------------------------------------------ */

static cpb_span without_output(cpb_span name) {
  bool has = name.size > 2 && memcmp(name.data + name.size - 2, ":0", 2) == 0;
  return has ? (cpb_span){name.data, name.size - 2} : name;
}

static bool is_key(const cpb_stored *s, cpb_span asked) { return s && cpb_span_equal(cpb_stored_key(s), asked); }

/* By name or key: any, where no name was given. A path is looked up. */
static bool is_meant(const cpb_saved_model *m, cpb_span name, const cpb_stored *s) {
  cpb_span asked = cpb_viewed_name(&m->viewed);
  if (asked.size == 0 || is_key(s, asked)) return true;
  return name.size > 0 && cpb_span_equal(without_output(name), without_output(asked));
}

/* --- Items ----------------------------------------------------------------------------------- */

/* What is known of the variables beside themselves. */
typedef struct context {
  const cpb_variable_list *list;
  cpb_keras *keras; /* NULL: nothing is known of layers */
  bool written, found;
} context;

static void write_copy(cpb_saved_model *m, uint32_t of) {
  if (of == CPB_NO_OBJECT) return;
  cpb_json_writer_open(m->viewed.answer, "copy_of", '{');
  cpb_write_object_place(m, of);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_use(cpb_json_writer *a, const cpb_variable *v) {
  cpb_json_writer_text(a, "use", cpb_tensor_use_name(v->use));
  cpb_json_writer_exact_unsigned(a, "parameters", cpb_variable_parameters(v));
}

static void write_object(cpb_saved_model *m, const cpb_variable *v, const context *known) {
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_write_object_place(m, v->node);
  cpb_write_object(m, v->node);
  write_use(m->viewed.answer, v);
  if (known->keras) cpb_keras_write_owner(known->keras, v->node, m->viewed.answer);
  write_copy(m, v->copy_of);
  write_stored(m, v->stored);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void begin_known(cpb_saved_model *m, const char *kind, cpb_span name) {
  cpb_json_writer *a = m->viewed.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_null(a, "node");
  cpb_json_writer_null(a, "path");
  cpb_json_writer_text(a, "kind", kind);
  if (name.data) cpb_json_writer_span(a, "name", name);
  else cpb_json_writer_null(a, "name");
}

/* Of a part its own. */
static void write_extents(cpb_json_writer *a, cpb_span extents) {
  uint64_t size;
  cpb_varints sizes = cpb_varints_of(extents, SLICE_SHAPE);
  cpb_json_writer_open(a, "shape", '[');
  while (cpb_varints_next(&sizes, &size)) cpb_json_writer_unsigned(a, NULL, size);
  cpb_json_writer_close(a, ']');
}

/* Of TensorFlow 1 type and shape are those stored, or the node's. */
static void write_v1(cpb_saved_model *m, const cpb_variable *v) {
  cpb_json_writer *a = m->viewed.answer;
  begin_known(m, "variable", cpb_get_bytes(v->message, VARIABLE_DEF_NAME));
  if (v->dtype) cpb_write_dtype(a, "dtype", v->dtype);
  else cpb_json_writer_null(a, "dtype");
  if (v->whole.size > 0) write_extents(a, v->extents);
  else if (v->stored) write_sizes(a, v->stored);
  else cpb_write_shape(a, "shape", v->shape);
  cpb_json_writer_bool(a, "trainable", v->trainable);
  if (v->whole.size > 0) cpb_json_writer_span(a, "part_of", v->whole);
  write_use(a, v);
  write_stored(m, v->stored);
  cpb_json_writer_close(a, '}');
}

static void write_variables(cpb_saved_model *m, cpb_page *page, const context *known) {
  const cpb_span asked = cpb_viewed_name(&m->viewed);
  const uint32_t path = asked.size > 0 ? cpb_objects_find(&m->objects, asked) : CPB_NO_OBJECT;
  for (size_t i = 0; i < known->list->count; i++) {
    const cpb_variable *v = &known->list->items[i];
    const bool is_path = path != CPB_NO_OBJECT && v->node == path;
    if ((!is_path && !is_meant(m, v->name, v->stored)) || !cpb_page_has(page)) continue;
    if (v->node == CPB_NO_OBJECT) write_v1(m, v);
    else write_object(m, v, known);
  }
}

/* Tables, counters, what an optimizer keeps: whatever no variable has. */
static void write_others(cpb_saved_model *m, cpb_page *page) {
  static const cpb_span nothing = {NULL, 0};
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  for (size_t i = 0; checkpoint && i < cpb_checkpoint_count(checkpoint); i++) {
    const cpb_stored *s = cpb_checkpoint_get(checkpoint, i);
    if (cpb_saved_is_claimed(m, i) || !is_meant(m, nothing, s) || !cpb_page_has(page)) continue;
    begin_known(m, "none", nothing);
    cpb_write_dtype(m->viewed.answer, "dtype", s->dtype);
    write_sizes(m->viewed.answer, s);
    cpb_json_writer_null(m->viewed.answer, "use");
    cpb_json_writer_unsigned(m->viewed.answer, "parameters", 0);
    write_stored(m, s);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
}

/* --- How much ----------------------------------------------------------------------------------- */

/* Variables that have no value in the checkpoint. */
static uint64_t count_missing(const cpb_saved_model *m) {
  cpb_span variable;
  uint64_t missing = 0;
  for (uint32_t i = 0; i < m->objects.count; i++) {
    bool is = cpb_object_kind(&m->objects.items[i], &variable) == OBJECT_VARIABLE;
    if (is && !cpb_saved_stored(m, i)) missing++;
  }
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (m->objects.count == 0 && cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    if (!cpb_saved_stored_v1(m, c.bytes)) missing++;
  }
  return missing;
}

/* Whether it is a tensor of its own, and none that says something of others. */
static bool is_tensor(const cpb_stored *s) {
  return s->key[0] != 0 && !cpb_span_is(cpb_stored_key(s), CPB_CHECKPOINT_GRAPH);
}

static void write_summary(cpb_saved_model *m, const char *key) {
  cpb_json_writer *a = m->viewed.answer;
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  uint64_t tensors = 0, size = 0;
  for (size_t i = 0; i < cpb_checkpoint_count(checkpoint); i++) {
    const cpb_stored *s = cpb_checkpoint_get(checkpoint, i);
    if (s->slices == 0 && !cpb_span_is(cpb_stored_key(s), CPB_CHECKPOINT_GRAPH)) size += s->size;
    tensors += is_tensor(s);
  }
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "tensors", tensors);
  cpb_json_writer_unsigned(a, "size", size);
  cpb_json_writer_unsigned(a, "shards", cpb_checkpoint_num_shards(checkpoint));
  cpb_json_writer_unsigned(a, "without_value", count_missing(m));
  cpb_json_writer_close(a, '}');
}

void cpb_write_stored_summary(cpb_saved_model *m) {
  if (cpb_saved_checkpoint(m)) write_summary(m, "stored");
}

/* --- The answer ------------------------------------------------------------------------------------ */

static void write_checkpoint(cpb_saved_model *m) {
  if (cpb_saved_checkpoint(m)) write_summary(m, "checkpoint");
  else cpb_json_writer_null(m->viewed.answer, "checkpoint");
}

static void write_list(cpb_saved_model *m, cpb_keras *keras, void *user) {
  context *known = user;
  cpb_page page = cpb_viewed_page(&m->viewed, "variables");
  known->keras = keras;
  known->written = true;
  write_variables(m, &page, known);
  write_others(m, &page);
  cpb_page_close(m->viewed.answer, &page);
  known->found = page.total > 0;
}

static void write_answer(cpb_saved_model *m, context *known) {
  if (m->objects.count > 0) {
    cpb_json_writer_open(m->viewed.answer, "counts", '{');
    cpb_write_variable_counts(m, known->list);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_saved_use_keras_too(m, write_list, known);
  if (!known->written && m->viewed.error->code == CPB_OK) write_list(m, NULL, known);
}

void cpb_ask_variables(cpb_saved_model *m) {
  cpb_span asked = cpb_viewed_name(&m->viewed);
  cpb_variable_list list = {.allocator = m->viewed.allocator};
  context known = {.list = &list};
  if (!cpb_saved_link(m)) return;
  write_checkpoint(m);
  if (cpb_variable_list_build(&list, m)) write_answer(m, &known);
  cpb_variable_list_free(&list);
  if (asked.size > 0 && !known.found && m->viewed.error->code == CPB_OK)
    cpb_viewed_not_found(&m->viewed, "variable", asked);
}
