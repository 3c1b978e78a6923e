/* A checkpoint by itself: its tensors. */
#include <stdlib.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/fields.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/kind.h"
#include "model/common/links.h"
#include "model/common/name_layers.h"
#include "model/common/spans.h"
#include "model/common/tensor/tensor.h"

/* --- What tensors are to the model, by the object graph or else by their names ----------------- */

#define ATTRIBUTES "/.ATTRIBUTES/"
#define SLOT "/.OPTIMIZER_SLOT/"
#define VALUE "VARIABLE_VALUE" /* the attribute of a variable; those of tables and Python's state have other names */

/* --- Keys ---------------------------------------------------------------------------------- */

/* The name in a key, without the suffix that TensorFlow 2 appends to the path of an object. */
static cpb_span stored_name(const cpb_stored *s) {
  const cpb_span key = cpb_stored_key(s);
  return (cpb_span){key.data, cpb_span_find(key, ATTRIBUTES)};
}

/* The number of elements; false if it is 2^64 or more. */
static bool stored_elements(const cpb_stored *s, uint64_t *elements) {
  return cpb_elements_of(s->shape, s->rank, elements);
}

/* Whether only its name tells what it is, or it is the value of a variable. */
static bool is_value(cpb_span key) {
  const size_t at = cpb_span_find(key, ATTRIBUTES);
  return at == key.size || cpb_span_is(cpb_span_from(key, at), ATTRIBUTES VALUE);
}

/* The use of a tensor, from the objects along its key's path. */
static cpb_tensor_use use_of_key(cpb_span key) {
  cpb_span name = {key.data, cpb_span_find(key, ATTRIBUTES)};
  if (cpb_span_find(name, SLOT) < name.size) return CPB_TENSOR_OPTIMIZER;
  while (name.size > 0) {
    const cpb_span part = cpb_span_take(&name, '/');
    if (cpb_is_optimizer_name(part)) return CPB_TENSOR_OPTIMIZER;
    if (cpb_is_metrics_name(part)) return CPB_TENSOR_STATE;
  }
  return is_value(key) ? CPB_TENSOR_WEIGHT : CPB_TENSOR_STATE;
}

/* --- Objects -------------------------------------------------------------------------------- */

/* The objects are walked breadth first from the root, once for weights, then from the optimizers, then from the
 * metrics. The first walk stops at optimizers and metrics. An object that both sides reach is a weight, since an
 * optimizer may refer to the weights that it trains. */

typedef struct walk {
  cpb_allocator allocator;
  cpb_span *objects; /* TrackableObjects */
  size_t count, capacity;
  uint8_t *reached; /* by object: 0, or its use plus 1 */
  uint8_t *begins;  /* the same for objects that are roots of an optimizer or of metrics */
  cpb_link *links;  /* by object: its path from a root other than an optimizer */
  uint32_t *queue;
  size_t first, last;
} walk;

/* Facts about the tensors, by index, and the paths of objects. */
typedef struct facts {
  uint8_t *uses;    /* NULL until computed; slices and the object graph have CPB_TENSOR_UNKNOWN */
  uint32_t *owners; /* objects, or NO_OWNER */
  cpb_link *links;  /* by object; NULL without an object graph */
} facts;

#define NO_OWNER UINT32_MAX

static void forget_facts(const cpb_allocator *a, facts *k) {
  cpb_release(a, k->uses);
  cpb_release(a, k->owners);
  cpb_release(a, k->links);
  *k = (facts){NULL, NULL, NULL};
}

static bool list_objects(walk *w, cpb_span graph) {
  cpb_cursor c = cpb_cursor_of(graph);
  while (cpb_cursor_find(&c, TRACKABLE_NODES, CPB_WIRE_LEN)) {
    if (w->count == UINT32_MAX || !CPB_RESERVE(&w->allocator, &w->objects, &w->capacity, w->count + 1)) return false;
    w->objects[w->count++] = c.bytes;
  }
  w->reached = cpb_alloc_zeroed(&w->allocator, w->count + 1);
  w->begins = cpb_alloc_zeroed(&w->allocator, w->count + 1);
  w->links = cpb_alloc_zeroed(&w->allocator, (w->count + 1) * sizeof *w->links);
  w->queue = cpb_alloc(&w->allocator, (w->count + 1) * sizeof *w->queue);
  return w->reached && w->begins && w->links && w->queue;
}

/* Keras's optimizers are not always called `optimizer`: a learning rate and an iteration count identify them. */
static bool is_optimizer(cpb_span object) {
  cpb_cursor c = cpb_cursor_of(object);
  bool has_rate = false, has_iterations = false;
  while (cpb_cursor_find(&c, TRACKABLE_CHILDREN, CPB_WIRE_LEN)) {
    const cpb_span name = cpb_get_bytes(c.bytes, CHILD_NAME);
    has_rate = has_rate || cpb_span_is(name, "learning_rate") || cpb_span_is(name, "_learning_rate");
    has_iterations = has_iterations || cpb_span_is(name, "iterations") || cpb_span_is(name, "_iterations") ||
                     cpb_span_is(name, "iter");
  }
  return (has_rate && has_iterations) || cpb_get_bytes(object, TRACKABLE_SLOTS).data;
}

static void reach(walk *w, uint32_t object, uint8_t by) {
  if (w->reached[object]) return;
  w->reached[object] = by;
  w->queue[w->last++] = object;
}

static void reach_children(walk *w, uint32_t object, uint8_t by) {
  cpb_cursor c = cpb_cursor_of(w->objects[object]);
  while (cpb_cursor_find(&c, TRACKABLE_CHILDREN, CPB_WIRE_LEN)) {
    const uint64_t child = cpb_get_number(c.bytes, CHILD_NODE);
    const cpb_span name = cpb_get_bytes(c.bytes, CHILD_NAME);
    if (child >= w->count) continue;
    if (by != CPB_TENSOR_WEIGHT + 1) reach(w, (uint32_t)child, by);
    else if (cpb_is_optimizer_name(name) || w->begins[child] == CPB_TENSOR_OPTIMIZER + 1)
      w->begins[child] = CPB_TENSOR_OPTIMIZER + 1;
    else if (cpb_is_metrics_name(name)) w->begins[child] = CPB_TENSOR_STATE + 1;
    else if (!w->reached[child]) {
      cpb_link_child(w->links, (uint32_t)child, object, name);
      reach(w, (uint32_t)child, by);
    }
  }
}

static void spread(walk *w, uint8_t by) {
  for (uint32_t i = 0; i < w->count; i++)
    if (by == CPB_TENSOR_WEIGHT + 1 ? i == 0 : w->begins[i] == by) reach(w, i, by);
  while (w->first < w->last) reach_children(w, w->queue[w->first++], by);
}

static void mark_slots(walk *w) {
  for (size_t i = 0; i < w->count; i++) {
    cpb_cursor c = cpb_cursor_of(w->objects[i]);
    while (cpb_cursor_find(&c, TRACKABLE_SLOTS, CPB_WIRE_LEN)) {
      const uint64_t slot = cpb_get_number(c.bytes, KEPT_SLOT);
      if (slot < w->count) w->reached[slot] = CPB_TENSOR_OPTIMIZER + 1;
    }
  }
}

/* Sets the use of each key from the object that owns it, and the object of a weight. */
static void use_reached(const walk *w, const cpb_checkpoint *checkpoint, cpb_named_variable *all, uint32_t *owners) {
  for (size_t i = 0; i < w->count; i++) {
    cpb_cursor c = cpb_cursor_of(w->objects[i]);
    while (w->reached[i] && cpb_cursor_find(&c, TRACKABLE_ATTRIBUTES, CPB_WIRE_LEN)) {
      const cpb_span key = cpb_get_bytes(c.bytes, ATTRIBUTE_KEY);
      const cpb_stored *stored = cpb_checkpoint_find(checkpoint, (const char *)key.data, key.size);
      cpb_named_variable *v = stored ? &all[cpb_checkpoint_place(checkpoint, stored)] : NULL;
      /* not in the index, or not a tensor */
      if (!v || (v->is_known && v->use == CPB_TENSOR_UNKNOWN)) continue;
      v->use = (cpb_tensor_use)(w->reached[i] - 1);
      if (v->use == CPB_TENSOR_WEIGHT && !cpb_span_is(cpb_get_bytes(c.bytes, ATTRIBUTE_NAME), VALUE))
        v->use = CPB_TENSOR_STATE;
      v->is_known = v->use != CPB_TENSOR_WEIGHT;
      if (!v->is_known) owners[v - all] = (uint32_t)i;
    }
  }
}

static bool use_objects(const cpb_allocator *a, const cpb_checkpoint *checkpoint, cpb_span graph,
                        cpb_named_variable *all, facts *found) {
  walk w = {.allocator = *a};
  const bool done = list_objects(&w, graph);
  if (done) {
    for (size_t i = 1; i < w.count; i++) w.begins[i] = is_optimizer(w.objects[i]) ? CPB_TENSOR_OPTIMIZER + 1 : 0;
    cpb_link_root(w.links, 0, cpb_span_of("root"));
    spread(&w, CPB_TENSOR_WEIGHT + 1);
    spread(&w, CPB_TENSOR_OPTIMIZER + 1);
    spread(&w, CPB_TENSOR_STATE + 1);
    mark_slots(&w);
    use_reached(&w, checkpoint, all, found->owners);
    found->links = w.links;
    w.links = NULL;
  }
  cpb_release(a, w.objects);
  cpb_release(a, w.reached);
  cpb_release(a, w.begins);
  cpb_release(a, w.links);
  cpb_release(a, w.queue);
  return done;
}

/* --- All of them ---------------------------------------------------------------------------------- */

static cpb_named_variable named_of(const cpb_stored *s) {
  cpb_named_variable v = {.name = stored_name(s), .use = CPB_TENSOR_UNKNOWN, .is_known = true};
  if (!cpb_stored_is_tensor(s)) return v;
  v.has_elements = stored_elements(s, &v.elements);
  v.use = use_of_key(cpb_stored_key(s));
  v.is_known = v.use != CPB_TENSOR_WEIGHT;
  return v;
}

/* A scalar that is not a weight is a counter: of steps, epochs or saves. */
static bool is_counter(const cpb_stored *s, const cpb_named_variable *v) {
  return cpb_dtype_bits(s->dtype) > 0 && !cpb_dtype_is_weight_like(s->dtype) && v->has_elements && v->elements == 1;
}

/* `graph` is the TrackableObjectGraph, or empty. False if memory is short. */
static bool find_facts(const cpb_allocator *a, const cpb_checkpoint *checkpoint, cpb_span graph, facts *found) {
  const size_t count = cpb_checkpoint_count(checkpoint);
  cpb_named_variable *all = cpb_alloc(a, (count + 1) * sizeof *all);
  found->uses = cpb_alloc(a, count + 1);
  found->owners = cpb_alloc(a, (count + 1) * sizeof *found->owners);
  bool done = all && found->uses && found->owners;
  for (size_t i = 0; done && i < count; i++) {
    all[i] = named_of(cpb_checkpoint_get(checkpoint, i));
    found->owners[i] = NO_OWNER;
  }
  done = done && (graph.size == 0 || use_objects(a, checkpoint, graph, all, found)) && cpb_use_names(a, all, count);
  for (size_t i = 0; done && i < count; i++) {
    const bool counts = all[i].use == CPB_TENSOR_WEIGHT && is_counter(cpb_checkpoint_get(checkpoint, i), &all[i]);
    found->uses[i] = (uint8_t)(counts ? CPB_TENSOR_STATE : all[i].use);
  }
  cpb_release(a, all);
  if (!done) forget_facts(a, found);
  return done;
}

typedef struct reader {
  cpb_allocator allocator;
  cpb_meter *meter;
  cpb_limits limits;
  cpb_model_options options;
  cpb_question question;
  cpb_checkpoint *own;         /* read from the input; NULL if the host gave one */
  const cpb_checkpoint *given; /* by the host */
  cpb_buffer graph;            /* TrackableObjectGraph, or empty */
  facts facts;
  cpb_input no_input;
} reader;

static const cpb_checkpoint *checkpoint_of(const reader *r) { return r->given ? r->given : r->own; }

/* --- Creation --------------------------------------------------------------------------- */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  r->allocator = *a;
  r->meter = meter;
  r->options = *options;
  r->limits = cpb_limits_or_default(options->limits);
  cpb_buffer_init(&r->graph, a);
  cpb_input_init(&r->no_input);
  return r;
}

static void forget(reader *r) {
  cpb_checkpoint_free(r->own);
  forget_facts(&r->allocator, &r->facts);
  cpb_buffer_free(&r->graph);
  r->own = NULL;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  forget(r);
  cpb_release(&a, r);
}

static int set_checkpoint(void *state, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size) {
  reader *r = state;
  forget(r);
  r->given = checkpoint;
  return size == 0 || cpb_buffer_append(&r->graph, object_graph, size);
}

static void ask(void *state, const cpb_question *question) {
  reader *r = state;
  r->question = *question;
  if (r->own && cpb_checkpoint_error(r->own)->code != CPB_OK) forget(r);
}

static cpb_input *input(void *state) {
  reader *r = state;
  return r->own ? cpb_checkpoint_input(r->own) : &r->no_input;
}

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return question == CPB_ASK_OVERVIEW || question == CPB_ASK_VARIABLES || question == CPB_ASK_LAYERS ||
         question == CPB_ASK_SEARCH;
}

/* --- Tensors ------------------------------------------------------------------------------- */

/* `uses` has a value for every key, slices included, so all lists share the index of the checkpoint. */

/* Slices are skipped: they are reported with their tensor. */
static const cpb_stored *tensor_at(const reader *r, size_t i) {
  const cpb_stored *s = cpb_checkpoint_get(checkpoint_of(r), i);
  return s->key[0] != 0 ? s : NULL;
}

/* By type and shape; 0 for strings. */
static uint64_t bytes_of(const cpb_stored *s, uint64_t elements) {
  uint64_t bytes;
  return cpb_elements_bytes(elements, cpb_dtype_bits(s->dtype), &bytes) ? bytes : UINT64_MAX;
}

static bool is_weight(const reader *r, size_t i) { return r->facts.uses[i] == CPB_TENSOR_WEIGHT; }

static void write_tensor(const reader *r, size_t i, cpb_json_writer *a) {
  const cpb_stored *s = cpb_checkpoint_get(checkpoint_of(r), i);
  uint64_t elements;
  const bool counts = is_weight(r, i) && stored_elements(s, &elements);
  const char *use = cpb_tensor_use_name((cpb_tensor_use)r->facts.uses[i]);
  cpb_json_writer_null(a, "node");
  cpb_json_writer_null(a, "path");
  cpb_json_writer_text(a, "kind", use ? "variable" : "none");
  cpb_json_writer_span(a, "name", cpb_stored_key(s));
  cpb_write_dtype(a, "dtype", s->dtype);
  cpb_stored_write_shape(s, a);
  if (use) cpb_json_writer_text(a, "use", use);
  else cpb_json_writer_null(a, "use");
  cpb_json_writer_exact_unsigned(a, "parameters", counts ? elements : 0);
  cpb_stored_write(&r->allocator, checkpoint_of(r), s, a);
}

/* Writes a page of the tensors that `is_wanted` selects; returns their number. */
static uint64_t write_page(const reader *r, const char *key, const char *is, cpb_json_writer *a,
                           bool (*is_wanted)(const reader *r, const cpb_stored *s)) {
  cpb_page page = cpb_page_open(a, &r->question, key);
  for (size_t i = 0; i < cpb_checkpoint_count(checkpoint_of(r)); i++) {
    const cpb_stored *s = tensor_at(r, i);
    if (!s || !is_wanted(r, s) || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    if (is) cpb_json_writer_text(a, "is", is);
    if (is) cpb_json_writer_span(a, "name", cpb_stored_key(s));
    if (is) cpb_json_writer_null(a, "function");
    else write_tensor(r, i, a);
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(a, &page);
  return page.total;
}

static cpb_span asked(const reader *r) { return (cpb_span){(const uint8_t *)r->question.name, r->question.name_size}; }

/* --- Answers -------------------------------------------------------------------------------- */

/* A name may omit the suffix that TensorFlow 2 appends. */
static bool is_asked(const reader *r, const cpb_stored *s) {
  const cpb_span name = asked(r);
  return name.size == 0 || cpb_span_equal(cpb_stored_key(s), name) || cpb_span_equal(stored_name(s), name);
}

static bool has_text(const reader *r, const cpb_stored *s) { return cpb_span_contains(cpb_stored_key(s), asked(r)); }

static void write_counts(const reader *r, cpb_json_writer *a) {
  cpb_json_writer_open(a, "checkpoint", '{');
  cpb_checkpoint_write_counts(checkpoint_of(r), a);
  cpb_json_writer_unsigned(a, "without_value", 0);
  cpb_json_writer_close(a, '}');
}

static bool write_variables(const reader *r, cpb_json_writer *a, cpb_error *error) {
  char quoted[81];
  write_counts(r, a);
  if (write_page(r, "variables", NULL, a, is_asked) > 0 || asked(r).size == 0) return true;
  return CPB_FAILS(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no tensor \"%s\" in the checkpoint",
                   cpb_quote(quoted, sizeof quoted, asked(r).data, asked(r).size));
}

/* The name of the layer that has the tensor. If its key is in an optimizer, which refers to it as well, the path of the
 * object that has it, added to `paths`: then `data` is NULL, until `paths` no longer moves. */
static bool layer_of(const reader *r, size_t i, cpb_buffer *paths, cpb_span *layer) {
  const cpb_stored *s = tensor_at(r, i);
  const uint32_t owner = r->facts.owners[i];
  const size_t begin = paths->size;
  *layer = cpb_name_layer_path(stored_name(s));
  if (owner == NO_OWNER || use_of_key(cpb_stored_key(s)) != CPB_TENSOR_OPTIMIZER) return true;
  const bool done = cpb_link_path(r->facts.links, r->facts.links[owner].parent, paths);
  *layer = (cpb_span){NULL, paths->size - begin};
  return done;
}

static void set_paths(cpb_name_layers *layers, const cpb_buffer *paths) {
  const uint8_t *at = paths->data;
  for (size_t i = 0; at && i < layers->list.count; i++) {
    cpb_span *path = &((cpb_name_layer *)layers->list.items)[i].path;
    if (path->data) continue;
    path->data = at;
    at += path->size;
  }
}

static bool write_layers(const reader *r, cpb_json_writer *a, cpb_error *error) {
  cpb_name_layers layers = cpb_name_layers_on(&r->allocator);
  cpb_buffer paths;
  bool done = true;
  layers.list.late = true; /* some paths move while others are added */
  cpb_buffer_init(&paths, &r->allocator);
  for (size_t i = 0; done && i < cpb_checkpoint_count(checkpoint_of(r)); i++) {
    const cpb_stored *s = tensor_at(r, i);
    uint64_t elements;
    if (!s || !is_weight(r, i)) continue;
    cpb_name_layer layer = {.has_class = false};
    const bool known = stored_elements(s, &elements);
    cpb_layer_sum_add(&layer.sum, known, elements, known ? bytes_of(s, elements) : 0);
    done = layer_of(r, i, &paths, &layer.path) && cpb_name_layers_add(&layers, layer);
  }
  set_paths(&layers, &paths);
  cpb_json_writer_text(a, "source", "variables");
  if (done) cpb_name_layers_write(&layers, &r->question, a);
  else cpb_fail_memory(error);
  cpb_name_layers_free(&layers);
  cpb_buffer_free(&paths);
  return done;
}

/* --- The overview ------------------------------------------------------------------------------- */

/* Totals for one dtype. */
typedef struct sum {
  uint32_t dtype;
  uint64_t tensors, elements, bytes;
} sum;

#define SUMS 64 /* the largest number of types; further ones are added to the last */

static int largest_first(const void *a, const void *b) {
  const sum *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return (x->dtype > y->dtype) - (x->dtype < y->dtype);
}

static void add_to(sum *sums, size_t *count, const cpb_stored *s, uint64_t elements, uint64_t bytes) {
  size_t i = 0;
  while (i < *count && sums[i].dtype != s->dtype) i++;
  if (i == SUMS) i = SUMS - 1;
  if (i == *count) sums[(*count)++] = (sum){.dtype = s->dtype};
  sums[i].tensors++;
  cpb_add_saturated(&sums[i].elements, elements);
  cpb_add_saturated(&sums[i].bytes, bytes);
}

static void write_sums(const sum *sums, size_t count, cpb_json_writer *a) {
  cpb_json_writer_open(a, "dtypes", '[');
  for (size_t i = 0; i < count; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_write_dtype(a, "dtype", sums[i].dtype);
    cpb_json_writer_unsigned(a, "tensors", sums[i].tensors);
    cpb_json_writer_exact_unsigned(a, "elements", sums[i].elements);
    cpb_json_writer_exact_unsigned(a, "bytes", sums[i].bytes);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_overview(const reader *r, cpb_json_writer *a) {
  const cpb_checkpoint *c = checkpoint_of(r);
  cpb_parameters p = {.knows_trainable = false};
  sum sums[SUMS];
  size_t count = 0;
  for (size_t i = 0; i < cpb_checkpoint_count(c); i++) {
    const cpb_stored *s = tensor_at(r, i);
    uint64_t elements = 0;
    if (!s) continue;
    const bool known = stored_elements(s, &elements);
    const uint64_t bytes = known ? bytes_of(s, elements) : 0;
    if (cpb_stored_is_tensor(s)) add_to(sums, &count, s, known ? elements : 0, bytes);
    if (!is_weight(r, i)) continue;
    p.tensors++;
    p.partial = p.partial || !known;
    cpb_parameters_add(&p, known ? elements : 0, bytes, cpb_stored_size(&r->allocator, c, s, a), false);
  }
  if (count > 1) qsort(sums, count, sizeof *sums, largest_first);
  cpb_json_writer_text(a, "kind", "checkpoint");
  cpb_json_writer_unsigned(a, "checkpoint_version", cpb_checkpoint_version(c));
  cpb_checkpoint_write_counts(c, a);
  cpb_json_writer_bool(a, "object_graph",
                       cpb_checkpoint_find(c, CPB_CHECKPOINT_GRAPH, strlen(CPB_CHECKPOINT_GRAPH)) != NULL);
  write_sums(sums, count, a);
  cpb_parameters_write(&p, a);
}

/* --- Steps ---------------------------------------------------------------------------------------- */

/* If the host may read the checkpoint, its object graph is read as well. */
static cpb_step read_own(reader *r, cpb_error *error) {
  const cpb_checkpoint_options how = {
      .struct_size = sizeof how, .max_memory = r->options.max_memory, .limits = &r->limits};
  if (r->given) return CPB_STEP_DONE;
  if (!r->own) r->own = cpb_checkpoint_new(&r->allocator, &how);
  if (!r->own) return cpb_fail_memory(error), CPB_STEP_ERROR;
  cpb_step step = cpb_checkpoint_step(r->own);
  if (step == CPB_STEP_ERROR) *error = *cpb_checkpoint_error(r->own);
  return step;
}

/* Goes through all keys and the object graph. */
static bool find_uses(reader *r, cpb_error *error) {
  const cpb_checkpoint *c = checkpoint_of(r);
  uint64_t work = 4 * (uint64_t)r->graph.size;
  if (r->facts.uses) return true;
  for (size_t i = 0; i < cpb_checkpoint_count(c); i++) work += 4 * (uint64_t)cpb_checkpoint_get(c, i)->key_size;
  if (!cpb_meter_charge(r->meter, CPB_WORK_WALKED, work, CPB_NO_OFFSET, error)) return false;
  if (find_facts(&r->allocator, c, (cpb_span){r->graph.data, r->graph.size}, &r->facts)) return true;
  return cpb_fail_memory(error), false;
}

/* Values whose use is unknown are counted by their names. */
static void write_problems(const reader *r, cpb_json_writer *a) {
  const bool has = cpb_checkpoint_find(checkpoint_of(r), CPB_CHECKPOINT_GRAPH, strlen(CPB_CHECKPOINT_GRAPH)) != NULL;
  cpb_problems problems;
  cpb_problems_init(&problems, &r->allocator);
  if (has && r->given && r->graph.size == 0)
    cpb_problems_add(&problems, CPB_NO_OFFSET,
                     "the object graph could not be read: its data file is missing or damaged; what tensors are for is "
                     "told by their names");
  cpb_json_writer_open(a, "problems", '[');
  cpb_problems_write(&problems, a);
  cpb_json_writer_close(a, ']');
  cpb_problems_free(&problems);
}

static cpb_step step(void *state, cpb_json_writer *a, cpb_error *error) {
  reader *r = state;
  cpb_step read = read_own(r, error);
  if (read != CPB_STEP_DONE) return read;
  if (!find_uses(r, error)) return CPB_STEP_ERROR;
  bool done = true;
  cpb_json_writer_open(a, NULL, '{');
  switch (r->question.kind) {
    case CPB_ASK_OVERVIEW: write_overview(r, a); break;
    case CPB_ASK_VARIABLES: done = write_variables(r, a, error); break;
    case CPB_ASK_LAYERS: done = write_layers(r, a, error); break;
    default: write_page(r, "found", "variable", a, has_text); break;
  }
  write_problems(r, a);
  cpb_json_writer_close(a, '}');
  return done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

static const cpb_model_reader checkpoint_reader = {.create = create,
                                                   .destroy = destroy,
                                                   .ask = ask,
                                                   .step = step,
                                                   .input = input,
                                                   .answers = answers,
                                                   .set_checkpoint = set_checkpoint};

static const cpb_diff_list compared[] = {
    CPB_DIFF_OVERVIEW(CPB_DIFF_IGNORED("problems", "size", "shards"), false), CPB_DIFF_LAYERS, {.section = NULL}};

const cpb_kind cpb_checkpoint_kind = {&checkpoint_reader, NULL, {CPB_DIFF_VARIABLES, .lists = compared}};
