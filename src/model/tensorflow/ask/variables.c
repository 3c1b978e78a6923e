/* Variables, and their entries in the checkpoint next to the model. */
#include "model/tensorflow/variables.h"
#include "base/checked.h"
#include "model/checkpoint/checkpoint.h"
#include "model/common/tensor/tensor.h"
#include "model/keras/keras.h"
#include "model/tensorflow/ask/questions.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"

/* --- How many there are ------------------------------------------------------------------------ */

typedef struct counts {
  uint64_t total, trainable, elements, size;
  bool partial; /* a variable's shape is unknown, so the sums lack it */
} counts;

static void count(counts *n, const cpb_variable *v) {
  n->total++;
  if (cpb_get_number(v->message, VARIABLE_TRAINABLE)) n->trainable++;
  bool known = v->has_elements && !v->is_open && cpb_add_u64(n->elements, v->elements, &n->elements) &&
               cpb_add_u64(n->size, v->bytes, &n->size);
  n->partial = n->partial || !known;
}

static void write_counts(cpb_json_writer *a, const counts *n) {
  cpb_json_writer_unsigned(a, "total", n->total);
  cpb_json_writer_unsigned(a, "trainable", n->trainable);
  cpb_json_writer_unsigned(a, "elements", n->elements);
  cpb_json_writer_unsigned(a, "size", n->size);
  if (n->partial) cpb_json_writer_bool(a, "partial", true);
}

static void write_names(cpb_saved_model *m, const cpb_variable_list *l) {
  cpb_names names;
  uint64_t distinct = 0;
  bool done = true;
  cpb_names_init(&names, &m->viewed.allocator);
  for (size_t i = 0; done && i < l->count; i++) done = cpb_names_add(&names, l->items[i].name, 0);
  cpb_names_sort(&names);
  for (size_t i = 0; i < names.count; i++)
    distinct += i == 0 || !cpb_span_equal(names.items[i].text, names.items[i - 1].text);
  cpb_json_writer_unsigned(m->viewed.answer, "names", distinct);
  cpb_names_free(&names);
  if (!done) cpb_viewed_fail_memory(&m->viewed);
}

static void write_copies(cpb_json_writer *a, const counts *copies) {
  if (copies->total == 0) {
    cpb_json_writer_null(a, "copies");
    return;
  }
  cpb_json_writer_open(a, "copies", '{');
  write_counts(a, copies);
  cpb_json_writer_text(a, "in", "root._all_variables");
  cpb_json_writer_text(a, "of", "root.variables");
  cpb_json_writer_text(a, "why",
                       "model.export of Keras 3 saves its own variables, which the functions use, and the "
                       "TensorFlow variables in them: each weight is stored twice");
  cpb_json_writer_close(a, '}');
}

void cpb_write_variable_counts(cpb_saved_model *m, const cpb_variable_list *l) {
  counts all = {0}, distinct = {0}, twice = {0};
  for (size_t i = 0; i < l->count; i++) {
    count(&all, &l->items[i]);
    count(l->items[i].copy_of == CPB_NO_OBJECT ? &distinct : &twice, &l->items[i]);
  }
  write_counts(m->viewed.answer, &all);
  write_names(m, l);
  cpb_json_writer_open(m->viewed.answer, "distinct", '{');
  write_counts(m->viewed.answer, &distinct);
  cpb_json_writer_close(m->viewed.answer, '}');
  write_copies(m->viewed.answer, &twice);
}

static void write_stored(cpb_saved_model *m, const cpb_stored *s) {
  cpb_stored_write(&m->viewed.allocator, cpb_saved_checkpoint(m), s, m->viewed.answer);
}

/* --- Which are meant ------------------------------------------------------------------------ */

static bool is_key(const cpb_stored *s, cpb_span asked) { return s && cpb_span_equal(cpb_stored_key(s), asked); }

/* Selects by name or key; without a name, all. A path is looked up. */
static bool is_meant(const cpb_saved_model *m, cpb_span name, const cpb_stored *s) {
  cpb_span asked = cpb_viewed_name(&m->viewed);
  if (asked.size == 0 || is_key(s, asked)) return true;
  return name.size > 0 && cpb_span_equal(cpb_span_without_end(name, ":0"), cpb_span_without_end(asked, ":0"));
}

/* --- Items ----------------------------------------------------------------------------------- */

/* Without Keras the list is the same but for the layers. So if reading Keras's metadata fails, write_answer() still
 * writes the list, and the failure becomes a problem of the answer; `written` tells whether Keras already did it. */

/* Data about the variables beyond themselves. */
typedef struct context {
  const cpb_variable_list *list;
  cpb_keras *keras; /* NULL: the layers are unknown */
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

/* Writes the extents of a part. */
static void write_extents(cpb_json_writer *a, cpb_span extents) {
  uint64_t size;
  cpb_varints sizes = cpb_varints_of(extents, SLICE_SHAPE);
  cpb_json_writer_open(a, "shape", '[');
  while (cpb_varints_next(&sizes, &size)) cpb_json_writer_unsigned(a, NULL, size);
  cpb_json_writer_close(a, ']');
}

/* Variables of TensorFlow 1 have the type and shape of their entries, or of their nodes. */
static void write_v1(cpb_saved_model *m, const cpb_variable *v) {
  cpb_json_writer *a = m->viewed.answer;
  begin_known(m, "variable", v->message.data ? cpb_get_bytes(v->message, VARIABLE_DEF_NAME) : v->name);
  if (v->dtype) cpb_write_dtype(a, "dtype", v->dtype);
  else cpb_json_writer_null(a, "dtype");
  if (v->whole.size > 0) write_extents(a, v->extents);
  else if (v->stored) cpb_stored_write_shape(v->stored, a);
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

/* Tables, counters, state of optimizers: entries that belong to no variable. */
static void write_others(cpb_saved_model *m, cpb_page *page) {
  static const cpb_span nothing = {NULL, 0};
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  for (size_t i = 0; checkpoint && i < cpb_checkpoint_count(checkpoint); i++) {
    const cpb_stored *s = cpb_checkpoint_get(checkpoint, i);
    if (cpb_saved_is_claimed(m, i) || !is_meant(m, nothing, s) || !cpb_page_has(page)) continue;
    begin_known(m, "none", nothing);
    cpb_write_dtype(m->viewed.answer, "dtype", s->dtype);
    cpb_stored_write_shape(s, m->viewed.answer);
    cpb_json_writer_null(m->viewed.answer, "use");
    cpb_json_writer_unsigned(m->viewed.answer, "parameters", 0);
    write_stored(m, s);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
}

/* --- How much ----------------------------------------------------------------------------------- */

/* The number of variables that have no value in the checkpoint. */
static uint64_t count_missing(const cpb_saved_model *m) {
  uint64_t missing = 0;
  for (uint32_t i = 0; i < m->objects.count; i++)
    missing += m->objects.items[i].kind == OBJECT_VARIABLE && !cpb_saved_stored(m, i);
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (m->objects.count == 0 && cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN))
    if (!cpb_saved_stored_v1(m, c.bytes)) missing++;
  return missing;
}

static void write_summary(cpb_saved_model *m, const char *key) {
  cpb_json_writer_open(m->viewed.answer, key, '{');
  cpb_checkpoint_write_counts(cpb_saved_checkpoint(m), m->viewed.answer);
  cpb_json_writer_unsigned(m->viewed.answer, "without_value", count_missing(m));
  cpb_json_writer_close(m->viewed.answer, '}');
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
