#include "model/keras/keras.h"

#include "base/checked.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "model/common/answer.h"

/* --- Which layer a variable belongs to --------------------------------------------------------- */

/* Iterates over the variables of a layer, without those of nested layers; call keras_owners() first. */
typedef struct cpb_keras_variables {
  const cpb_keras_graph *graph;
  uint32_t layer, home; /* the layer, and its first place if it is shared */
  uint32_t node;        /* the node whose children are examined */
  bool none;
  uint64_t place;
} cpb_keras_variables;

#define CHILD 64 /* cost of examining a child, in bytes walked */

/* --- The variables of a layer ----------------------------------------------------------------- */

static bool next_child(cpb_keras_variables *v, uint32_t *child, cpb_span *name, cpb_json_writer *charged) {
  const cpb_keras_graph *g = v->graph;
  while (!v->none && g->child(g->user, v->node, &v->place, child, name)) {
    if (!cpb_json_writer_charge(charged, CPB_WORK_WALKED, CHILD)) return false;
    if (*child < g->nodes) return true;
  }
  return false;
}

/* Begins with the variables in the list that Keras keeps with a layer, or else among the object's children. */
static cpb_keras_variables keras_variables_of(const cpb_keras *k, uint32_t layer, cpb_json_writer *charged) {
  uint32_t object = k->layers[layer].object, child;
  uint32_t home = k->layers[layer].shared ? k->homes[object] : layer;
  int64_t node = object == CPB_KERAS_NONE ? -1 : k->objects[object].node;
  bool known = k->graph && node >= 0 && node < k->graph->nodes;
  cpb_keras_variables own = {k->graph, layer, home, known ? (uint32_t)node : 0, !known, 0}, list = own;
  cpb_span name;
  while (next_child(&list, &child, &name, charged))
    if (cpb_span_is(name, "variables")) return (cpb_keras_variables){k->graph, layer, home, child, false, 0};
  return own;
}

static bool next_variable(cpb_keras_variables *v, uint32_t *node, cpb_json_writer *charged) {
  cpb_span name;
  uint64_t elements;
  while (next_child(v, node, &name, charged))
    if (v->graph->variable(v->graph->user, *node, &elements)) return true;
  return false;
}

/* The next variable, each once; false after the last. */
static bool keras_variables_next(cpb_keras *k, cpb_keras_variables *v, uint32_t *node, cpb_json_writer *charged) {
  while (next_variable(v, node, charged)) {
    bool own = k->owners[*node] == v->home && k->listed[*node] != v->layer + 1;
    k->listed[*node] = v->layer + 1;
    if (own) return true;
  }
  return false;
}

/* --- All of them -------------------------------------------------------------------------------- */

/* Variables in a model's list may belong to nested layers. Nested layers come after their containers, so the last owner
 * wins. */
static const uint32_t *keras_owners(cpb_keras *k, cpb_json_writer *charged) {
  if (k->owners || !k->graph) return k->owners;
  k->owners = cpb_alloc(&k->allocator, k->graph->nodes * sizeof *k->owners);
  k->listed = cpb_alloc_zeroed(&k->allocator, k->graph->nodes * sizeof *k->listed);
  if (!k->owners || !k->listed) {
    charged->failed = true;
    return NULL;
  }
  for (uint32_t i = 0; i < k->graph->nodes; i++) k->owners[i] = CPB_KERAS_NONE;
  for (uint32_t i = 0; i < k->num_layers; i++) {
    uint32_t node;
    if (k->layers[i].shared) continue;
    cpb_keras_variables v = keras_variables_of(k, i, charged);
    while (next_variable(&v, &node, charged)) k->owners[node] = i;
  }
  return charged->failed ? NULL : k->owners;
}

/* --- Parameters -------------------------------------------------------------------------------- */

/* Variables in the object graph are exact, so they are preferred. keras_metadata.pb alone has none; the number then
 * follows from the class, the config and the input shape (rules.c), if the class is known. */

/* --- By variables ---------------------------------------------------------------- */

#define COST 2048 /* cost of counting a layer's parameters, in bytes walked that take about as long */
#define CHILD 64  /* cost of a child */

static bool find_child(const cpb_keras_graph *g, uint32_t node, const char *name, uint32_t *child, cpb_json_writer *a) {
  cpb_span text;
  for (uint64_t place = 0; g->child(g->user, node, &place, child, &text);) {
    if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, CHILD)) return false;
    if (*child < g->nodes && cpb_span_is(text, name)) return true;
  }
  return false;
}

/* The variables of metrics, which are in the list of the model that has the metric. */
static bool find_metrics(cpb_keras *k, cpb_json_writer *a) {
  const cpb_keras_graph *g = k->graph;
  uint32_t child;
  cpb_span name;
  if (k->metrics) return true;
  k->metrics = cpb_alloc_zeroed(&k->allocator, g->nodes);
  if (!k->metrics) a->failed = true;
  for (size_t i = 0; k->metrics && i < k->count; i++) {
    const int64_t node = cpb_keras_is_metric(&k->objects[i]) ? k->objects[i].node : -1;
    for (uint64_t place = 0;
         node >= 0 && node < g->nodes && g->child(g->user, (uint32_t)node, &place, &child, &name);) {
      if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, CHILD)) return false;
      if (child < g->nodes) k->metrics[child] = 1;
    }
  }
  return k->metrics != NULL;
}

/* Sums the list that Keras keeps with a layer, where each variable occurs once; false if it is missing, or if a
 * variable's shape is unknown. */
static bool sum_list(const cpb_keras *k, uint32_t node, const char *list, uint64_t *sum, cpb_json_writer *a) {
  const cpb_keras_graph *g = k->graph;
  uint32_t owner, variable;
  uint64_t elements;
  cpb_span name;
  if (!find_child(g, node, list, &owner, a)) return false;
  for (uint64_t place = 0; g->child(g->user, owner, &place, &variable, &name);) {
    if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, CHILD)) return false;
    if (variable < g->nodes && k->metrics[variable]) continue;
    if (variable >= g->nodes || !g->variable(g->user, variable, &elements) || !cpb_add_u64(*sum, elements, sum))
      return false;
  }
  return true;
}

static bool count_variables(cpb_keras *k, const cpb_keras_layer *layer, cpb_keras_count *count, cpb_json_writer *a) {
  if (!k->graph || layer->object == CPB_KERAS_NONE || !find_metrics(k, a)) return false;
  const int64_t node = k->objects[layer->object].node;
  *count = (cpb_keras_count){.complete = true};
  return node >= 0 && node < k->graph->nodes && sum_list(k, (uint32_t)node, "variables", &count->all, a) &&
         sum_list(k, (uint32_t)node, "trainable_variables", &count->trainable, a);
}

/* --- By config -------------------------------------------------------------------- */

/* The layers that are still to be counted. */
typedef struct todo {
  uint32_t at, end;
  bool trainable;
} todo;

typedef struct todos {
  todo *items;
  size_t count, capacity;
} todos;

static bool push(const cpb_keras *k, todos *t, todo item) {
  if (item.at == item.end) return true;
  if (!CPB_RESERVE(&k->allocator, &t->items, &t->capacity, t->count + 1)) return false;
  t->items[t->count++] = item;
  return true;
}

static void add(cpb_keras_count *sum, cpb_keras_count own, bool trainable) {
  bool fits = cpb_add_u64(sum->all, own.all, &sum->all);
  if (trainable) sum->trainable += own.trainable; /* at most all of them */
  sum->complete = sum->complete && own.complete && fits;
}

/* Whether this count meets the layer for the first time. */
static bool stamp(cpb_keras *k, const cpb_keras_layer *layer) {
  if (layer->object == CPB_KERAS_NONE) return true;
  bool first = k->stamps[layer->object] != k->stamp;
  k->stamps[layer->object] = k->stamp;
  return first;
}

/* Nested layers wait on a stack. Instead of clearing marks before each count, a count has a number of its own, and
 * stamps the objects that it has met: a layer with several places counts once. */
static bool count_configs(cpb_keras *k, uint32_t layer, cpb_keras_count *sum, cpb_json_writer *a) {
  todos t = {0};
  *sum = (cpb_keras_count){.complete = true};
  k->stamp++;
  bool ok = push(k, &t, (todo){layer, k->layers[layer].end, true});
  while (ok && t.count > 0) {
    todo *top = &t.items[t.count - 1];
    if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, COST)) break;
    uint32_t at = top->at;
    bool trainable = top->trainable;
    const cpb_keras_layer *l = &k->layers[at];
    top->at = l->end;
    if (top->at == top->end) t.count--;
    if (l->shared) at = k->homes[l->object]; /* its nested layers are at that place */
    l = &k->layers[at];
    trainable = trainable && cpb_keras_is_trainable(k, l);
    if (!stamp(k, l)) continue;
    add(sum, cpb_keras_count_own(k, l), trainable);
    ok = push(k, &t, (todo){at + 1, l->end, trainable});
  }
  cpb_release(&k->allocator, t.items);
  return ok;
}

/* Counts the layer and all layers nested in it, each once. False if memory is short. */
static bool keras_count_parameters(cpb_keras *k, uint32_t layer, cpb_keras_count *count, bool *from_variables,
                                   cpb_json_writer *charged) {
  *from_variables = count_variables(k, &k->layers[layer], count, charged);
  return *from_variables || count_configs(k, layer, count, charged);
}

static void put_text(cpb_json_writer *a, const char *key, cpb_span text) {
  if (text.size > 0) cpb_json_writer_span(a, key, text);
  else cpb_json_writer_null(a, key);
}

static void put_or_null(cpb_json_writer *a, const char *key, yyjson_val *value) {
  if (value) cpb_keras_put(a, key, value, NULL);
  else cpb_json_writer_null(a, key);
}

/* --- A layer --------------------------------------------------------------------- */

/* Writes a dtype: a name, or a policy that has one. */
static void put_dtype(const cpb_keras_layer *layer, cpb_json_writer *a) {
  yyjson_val *dtype = cpb_keras_get(layer, "dtype");
  if (!dtype) dtype = cpb_keras_config(layer, "dtype");
  yyjson_val *name = cpb_keras_member(layer->members, cpb_keras_member(layer->members, dtype, "config"), "name");
  put_or_null(a, "dtype", name ? name : dtype);
}

static bool put_parameters(cpb_keras *k, uint32_t layer, cpb_json_writer *a) {
  cpb_keras_count count;
  bool from_variables;
  if (!keras_count_parameters(k, layer, &count, &from_variables, a)) return false;
  cpb_json_writer_unsigned(a, "parameters", count.all);
  cpb_json_writer_unsigned(a, "trainable_parameters", count.trainable);
  cpb_json_writer_bool(a, "parameters_complete", count.complete);
  cpb_json_writer_text(a, "parameters_from", from_variables ? "variables" : "config");
  return true;
}

/* Its name, or else its path. */
static cpb_span label_of(const cpb_keras *k, const cpb_keras_layer *layer) {
  const cpb_span name = cpb_keras_name(layer);
  return name.size == 0 && layer->object != CPB_KERAS_NONE ? k->objects[layer->object].path : name;
}

static void put_identity(const cpb_keras *k, const cpb_keras_layer *layer, cpb_json_writer *a) {
  const cpb_keras_object *o = layer->object == CPB_KERAS_NONE ? NULL : &k->objects[layer->object];
  put_text(a, "class", cpb_keras_class(layer));
  put_text(a, "name", label_of(k, layer));
  put_text(a, "path", o ? o->path : (cpb_span){0});
  if (o) cpb_json_writer_signed(a, "node", o->node);
  else cpb_json_writer_null(a, "node");
  put_text(a, "identifier", o ? o->identifier : (cpb_span){0});
  if (!o) {
    cpb_json_writer_null(a, "version");
    return;
  }
  cpb_json_writer_open(a, "version", '{');
  cpb_json_writer_signed(a, "producer", o->producer);
  cpb_json_writer_signed(a, "min_consumer", o->min_consumer);
  cpb_json_writer_close(a, '}');
}

static bool put_facts(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  const cpb_keras_layer *layer = &k->layers[i];
  put_identity(k, layer, a);
  put_dtype(layer, a);
  cpb_json_writer_bool(a, "trainable", cpb_keras_is_trainable(k, layer));
  put_or_null(a, "input_shape", cpb_keras_input_shape(layer));
  return put_parameters(k, i, a);
}

static void put_variables(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  uint32_t node;
  if (!keras_owners(k, a)) return;
  cpb_keras_variables v = keras_variables_of(k, i, a);
  cpb_json_writer_open(a, "variables", '[');
  while (keras_variables_next(k, &v, &node, a)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_unsigned(a, "node", node);
    cpb_json_writer_span(a, "name", k->graph->variable_name(k->graph->user, node));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static bool put_layer(cpb_keras *k, uint32_t i, cpb_json_writer *a) {
  const cpb_keras_layer *layer = &k->layers[i];
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_unsigned(a, "index", i);
  if (layer->parent == CPB_KERAS_NONE) cpb_json_writer_null(a, "parent");
  else cpb_json_writer_unsigned(a, "parent", layer->parent);
  cpb_json_writer_unsigned(a, "depth", layer->depth);
  if (!put_facts(k, i, a)) return false;
  put_variables(k, i, a);
  cpb_json_writer_bool(a, "shared", layer->shared);
  cpb_keras_put_calls(k, layer, a);
  if (cpb_keras_is_model(k, layer)) {
    cpb_keras_put_references(a, "input_layers", cpb_keras_config(layer, "input_layers"));
    cpb_keras_put_references(a, "output_layers", cpb_keras_config(layer, "output_layers"));
  }
  yyjson_val *config = cpb_keras_get(layer, "config");
  if (config) cpb_keras_put(a, "config", config, "layers"); /* nested layers have their own elements */
  else cpb_json_writer_null(a, "config");
  cpb_json_writer_close(a, '}');
  return true;
}

/* --- Overview ---------------------------------------------------------------------- */

static void put_training(const cpb_keras_layer *model, cpb_json_writer *a) {
  static const char *const keys[] = {"loss", "metrics", "weighted_metrics", "loss_weights"};
  yyjson_val *training = cpb_keras_get(model, "training_config");
  yyjson_val *optimizer = cpb_json_member(training, "optimizer_config");
  if (!yyjson_is_obj(training)) {
    cpb_json_writer_null(a, "training");
    return;
  }
  cpb_json_writer_open(a, "training", '{');
  put_or_null(a, "optimizer", cpb_json_member(optimizer, "class_name"));
  put_or_null(a, "optimizer_config", cpb_json_member(optimizer, "config"));
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) put_or_null(a, keys[i], cpb_json_member(training, keys[i]));
  cpb_json_writer_close(a, '}');
}

static void put_metrics(const cpb_keras *k, cpb_json_writer *a) {
  cpb_json_writer_open(a, "metrics", '[');
  for (size_t i = 0; i < k->count; i++) {
    if (!cpb_keras_is_metric(&k->objects[i])) continue;
    yyjson_val *said = k->docs[i] ? yyjson_doc_get_root(k->docs[i]) : NULL;
    cpb_keras_layer metric = {.object = (uint32_t)i, .said = said, .members = &k->members};
    cpb_json_writer_open(a, NULL, '{');
    put_identity(k, &metric, a);
    put_dtype(&metric, a);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

/* Without variables, only the number of parameters is known, and not their types. */
static bool put_totals(cpb_keras *k, cpb_json_writer *a) {
  cpb_keras_count count;
  bool from_variables;
  if (!keras_count_parameters(k, 0, &count, &from_variables, a)) return false;
  const cpb_parameters totals = {.total = count.all,
                                 .trainable = count.trainable,
                                 .knows_trainable = true,
                                 .lacks_tensors = true,
                                 .partial = !count.complete};
  cpb_parameters_write(&totals, a);
  return true;
}

bool cpb_keras_overview(cpb_keras *k, cpb_json_writer *a, cpb_error *error) {
  cpb_json_writer_unsigned(a, "objects", k->count);
  cpb_json_writer_unsigned(a, "num_layers", k->num_layers);
  if (k->num_layers == 0) {
    cpb_json_writer_null(a, "model");
  } else {
    const cpb_keras_layer *model = &k->layers[0];
    cpb_json_writer_open(a, "model", '{');
    if (!put_facts(k, 0, a)) return cpb_fail_memory(error), false;
    put_or_null(a, "keras_version", cpb_keras_get(model, "keras_version"));
    put_or_null(a, "backend", cpb_keras_get(model, "backend"));
    put_training(model, a);
    cpb_json_writer_close(a, '}');
    if (!put_totals(k, a)) return cpb_fail_memory(error), false;
  }
  put_metrics(k, a);
  return true;
}

bool cpb_keras_summary(cpb_keras *k, cpb_json_writer *a, cpb_error *error) {
  if (k->num_layers == 0) return true;
  put_text(a, "class", cpb_keras_class(&k->layers[0]));
  put_text(a, "name", cpb_keras_name(&k->layers[0]));
  cpb_json_writer_unsigned(a, "layers", k->num_layers);
  if (!put_parameters(k, 0, a)) cpb_fail_memory(error);
  return error->code == CPB_OK;
}

/* --- Layers ------------------------------------------------------------------------- */

/* The layer with this path, or else the first one with this name. */
static uint32_t find_layer(const cpb_keras *k, cpb_span wanted) {
  for (uint32_t i = 0; i < k->num_layers; i++) {
    const cpb_keras_layer *l = &k->layers[i];
    if (l->object != CPB_KERAS_NONE && !l->shared && cpb_span_equal(k->objects[l->object].path, wanted)) return i;
  }
  for (uint32_t i = 0; i < k->num_layers; i++)
    if (cpb_span_equal(cpb_keras_name(&k->layers[i]), wanted)) return i;
  return CPB_KERAS_NONE;
}

static const char *source_of(const cpb_keras *k) {
  for (size_t i = 0; i < k->count; i++)
    if (k->docs[i]) return "metadata";
  return "objects";
}

bool cpb_keras_layers(cpb_keras *k, const cpb_question *q, cpb_json_writer *a, cpb_error *error) {
  uint32_t begin = 0, end = k->num_layers;
  cpb_json_writer_text(a, "source", source_of(k));
  if (q->name_size > 0) {
    char quoted[81];
    begin = find_layer(k, (cpb_span){(const uint8_t *)q->name, q->name_size});
    if (begin == CPB_KERAS_NONE)
      return CPB_FAILS(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no layer has the path or name %s",
                       cpb_quote(quoted, sizeof quoted, q->name, q->name_size));
    end = k->layers[begin].end;
  }
  cpb_page page = cpb_page_open_sized(a, q, "layers", end - begin);
  for (uint32_t i = begin; i < end; i++)
    if (cpb_page_has(&page) && !put_layer(k, i, a)) return cpb_fail_memory(error), false;
  cpb_page_close(a, &page);
  return true;
}

/* --- Search -------------------------------------------------------------------------- */

static bool matches(const cpb_keras *k, const cpb_keras_layer *l, cpb_span part) {
  return !l->shared && (cpb_span_contains(cpb_keras_name(l), part) || cpb_span_contains(cpb_keras_class(l), part) ||
                        (l->object != CPB_KERAS_NONE && cpb_span_contains(k->objects[l->object].path, part)));
}

bool cpb_keras_find(const cpb_keras *k, cpb_span text, uint32_t *layer) {
  while (*layer < k->num_layers && !matches(k, &k->layers[*layer], text)) ++*layer;
  return *layer < k->num_layers;
}

void cpb_keras_write_owner(cpb_keras *k, uint32_t node, cpb_json_writer *a) {
  const uint32_t *owners = keras_owners(k, a);
  if (!owners || owners[node] == CPB_KERAS_NONE) {
    cpb_json_writer_null(a, "layer");
    return;
  }
  const cpb_keras_layer *layer = &k->layers[owners[node]];
  cpb_json_writer_open(a, "layer", '{');
  put_text(a, "name", label_of(k, layer));
  put_text(a, "path", k->objects[layer->object].path);
  cpb_json_writer_close(a, '}');
}

void cpb_keras_write_found(const cpb_keras *k, uint32_t layer, cpb_json_writer *a) {
  cpb_json_writer_unsigned(a, "index", layer);
  put_identity(k, &k->layers[layer], a);
}

bool cpb_keras_search(cpb_keras *k, const cpb_question *q, cpb_json_writer *a, cpb_error *error) {
  (void)error;
  cpb_span part = {(const uint8_t *)q->name, q->name_size};
  uint64_t total = 0;
  for (uint32_t i = 0; cpb_keras_find(k, part, &i); i++) total++;
  cpb_page page = cpb_page_open_sized(a, q, "found", total);
  for (uint32_t i = 0; cpb_keras_find(k, part, &i); i++) {
    if (!cpb_page_has(&page)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_text(a, "is", "layer");
    cpb_keras_write_found(k, i, a);
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(a, &page);
  return true;
}
