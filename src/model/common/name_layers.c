#include "model/common/name_layers.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/lists.h"
#include "model/common/spans.h"

/* --- name layers ------------------------------------------------------------------------------ */

cpb_span cpb_name_layer_path(cpb_span name) {
  size_t end = name.size;
  while (end > 0 && name.data[end - 1] != '/') end--;
  return end > 1 ? (cpb_span){name.data, end - 1} : name;
}

void cpb_layer_sum_add(cpb_layer_sum *sum, bool has_elements, uint64_t elements, uint64_t bytes) {
  sum->tensors++;
  if (!has_elements) return;
  cpb_add_saturated(&sum->elements, elements);
  cpb_add_saturated(&sum->bytes, bytes);
}

/* --- Joining --------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b) {
  return cpb_span_compare(((const cpb_name_layer *)a)->path, ((const cpb_name_layer *)b)->path);
}

static int by_order(const void *a, const void *b) {
  const cpb_name_layer *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

/* Joins happen in any order. The lower `order` therefore decides which node gives the layer its place and class. */
static void join(void *to, const void *from) {
  cpb_name_layer *a = to, both = *a;
  const cpb_name_layer *b = from;
  if (b->order < a->order) both = *b;
  both.nodes = a->nodes + b->nodes;
  both.sum.tensors = a->sum.tensors + b->sum.tensors;
  both.sum.elements = a->sum.elements;
  both.sum.bytes = a->sum.bytes;
  cpb_add_saturated(&both.sum.elements, b->sum.elements);
  cpb_add_saturated(&both.sum.bytes, b->sum.bytes);
  *a = both;
}

cpb_name_layers cpb_name_layers_on(const cpb_allocator *a) {
  return (cpb_name_layers){.list = {.allocator = *a, .each = sizeof(cpb_name_layer), .compare = by_path, .join = join}};
}

void cpb_name_layers_free(cpb_name_layers *l) { cpb_joined_free(&l->list); }

bool cpb_name_layers_add(cpb_name_layers *l, cpb_name_layer node) {
  node.order = l->added++;
  return cpb_joined_add(&l->list, &node);
}

/* --- The answer ----------------------------------------------------------------------------------- */

/* All layers are sorted for each page, by the first node instead of by path: the order of the graph is what a reader
 * expects. */

static void write_layer(cpb_json_writer *a, const cpb_name_layer *l) {
  char unnamed[48];
  cpb_format(unnamed, sizeof unnamed, "(%llu unnamed %s)", (unsigned long long)l->nodes,
             l->nodes == 1 ? "node" : "nodes");
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", l->path.size > 0 ? l->path : cpb_span_of(unnamed));
  if (l->has_class || l->nodes == 1) cpb_json_writer_span(a, "class", l->op);
  else cpb_json_writer_null(a, "class");
  cpb_json_writer_unsigned(a, "nodes", l->nodes);
  cpb_json_writer_unsigned(a, "tensors", l->sum.tensors);
  cpb_json_writer_exact_unsigned(a, "parameters", l->sum.elements);
  cpb_json_writer_exact_unsigned(a, "bytes", l->sum.bytes);
  cpb_json_writer_close(a, '}');
}

void cpb_name_layers_write(cpb_name_layers *l, const cpb_question *question, cpb_json_writer *a) {
  const cpb_span name = {(const uint8_t *)question->name, question->name_size};
  const cpb_name_layer *items = l->list.items;
  cpb_joined_join(&l->list);
  if (l->list.count > 1) qsort(l->list.items, l->list.count, sizeof *items, by_order);
  cpb_page page = cpb_page_open(a, question, "layers");
  for (size_t i = 0; i < l->list.count; i++) {
    const bool is_wanted = !name.data || cpb_span_begins(items[i].path, name);
    if (is_wanted && cpb_page_has(&page)) write_layer(a, &items[i]);
  }
  cpb_page_close(a, &page);
}

/* --- variable names --------------------------------------------------------------------------- */

/* Names are all that a checkpoint without an object graph has. The lists have the names that TensorFlow and Keras
 * give to their own variables; every other variable is a weight, unless its name extends another variable's. */

bool cpb_is_optimizer_name(cpb_span name) {
  static const char *const optimizers[] = {"optimizer", "_optimizer", NULL};
  return cpb_span_is_one_of(name, optimizers);
}

bool cpb_is_metrics_name(cpb_span name) {
  static const char *const metrics[] = {"metrics",          "_metrics",      "compiled_metrics",
                                        "_compile_metrics", "compiled_loss", NULL};
  return cpb_span_is_one_of(name, metrics);
}

static bool is_alike(const cpb_named_variable *a, const cpb_named_variable *b) {
  return !a->has_elements || !b->has_elements || a->elements == b->elements;
}

#define SCOPES_MOST 16 /* scopes before it that are examined */

/* X/Slot, where X is another variable with as many elements; the scope of the optimizer may precede it. */
static bool is_slot(const cpb_named_variable *v, const cpb_names *names, const cpb_named_variable *all) {
  const size_t slash = v->name.size - cpb_span_last_part(v->name).size;
  cpb_span of = {v->name.data, slash > 0 ? slash - 1 : 0};
  /* "training/Adam/dense/kernel/m" is a slot of "dense/kernel": scopes are dropped from the front, one by one */
  for (int scopes = 0; of.size > 0 && scopes < SCOPES_MOST; scopes++) {
    const uint32_t i = cpb_names_find(names, of);
    if (i != CPB_NO_NAME) return is_alike(v, &all[i]);
    const uint8_t *next = memchr(of.data, '/', of.size);
    if (!next) return false;
    of = cpb_span_from(of, (size_t)(next + 1 - of.data));
  }
  return false;
}

/* The slots of a partitioned variable repeat a piece of its name: "dense/w/se/w/part_0/Adam" is one of "dense/w". So
 * anything may be between the variable and the name of TensorFlow 1's optimizer. */
static bool is_slot_of_parts(const cpb_named_variable *v, const cpb_names *names, const cpb_named_variable *all) {
  static const char *const slots[] = {"Adadelta", "Adagrad",         "AdagradDA", "Adam", "Ftrl",
                                      "Momentum", "ProximalAdagrad", "RMSProp",   NULL};
  cpb_span of = v->name;
  if (!cpb_span_is_one_of(cpb_span_without_number(cpb_span_last_part(of)), slots)) return false;
  for (int scopes = 0; scopes < SCOPES_MOST; scopes++) {
    const size_t rest = of.size - cpb_span_last_part(of).size;
    if (rest == 0) return false;
    of.size = rest - 1;
    const uint32_t i = cpb_names_find(names, of);
    if (i != CPB_NO_NAME && is_alike(v, &all[i])) return true;
  }
  return false;
}

#define SCOPE_MOST 256 /* bytes of a scope that is examined */

static bool scope_has(cpb_span scope, const cpb_names *names, const char *const *list) {
  uint8_t text[SCOPE_MOST + 32];
  memcpy(text, scope.data, scope.size);
  for (; *list; list++) {
    const cpb_span own = cpb_span_of(*list);
    memcpy(text + scope.size, own.data, own.size);
    if (cpb_names_find(names, (cpb_span){text, scope.size + own.size}) != CPB_NO_NAME) return true;
  }
  return false;
}

/* Keras's optimizers have their settings, such as "momentum" and "rho", in one scope: with a learning rate, and a
 * decay or a number of steps. */
static bool is_setting(const cpb_named_variable *v, const cpb_names *names) {
  static const char *const rates[] = {"learning_rate", "lr", NULL};
  static const char *const others[] = {"decay", "iter", "iterations", NULL};
  const cpb_span scope = {v->name.data, v->name.size - cpb_span_last_part(v->name).size};
  if (scope.size == 0 || scope.size > SCOPE_MOST) return false;
  return scope_has(scope, names, rates) && scope_has(scope, names, others);
}

static cpb_tensor_use use_of_name(const cpb_named_variable *v, const cpb_names *names, const cpb_named_variable *all) {
  static const char *const states[] = {"ExponentialMovingAverage", "biased",   "local_step",
                                       "seed_generator_state",     "StateVar", NULL};
  static const char *const scalars[] = {"beta1_power", "beta2_power",   "global_step", "iter",
                                        "iteration",   "iterations",    "beta_1",      "beta_2",
                                        "decay",       "learning_rate", "lr",          NULL};
  const cpb_span last = cpb_span_without_number(cpb_span_last_part(v->name));
  const bool is_scalar = !v->has_elements || v->elements == 1;
  if (cpb_span_is_one_of(last, states)) return CPB_TENSOR_STATE;
  if (is_scalar && (cpb_span_is_one_of(last, scalars) || is_setting(v, names))) return CPB_TENSOR_OPTIMIZER;
  return is_slot(v, names, all) || is_slot_of_parts(v, names, all) ? CPB_TENSOR_OPTIMIZER : CPB_TENSOR_WEIGHT;
}

bool cpb_use_names(const cpb_allocator *a, cpb_named_variable *all, size_t count) {
  cpb_names names;
  bool done = true;
  cpb_names_init(&names, a);
  for (size_t i = 0; done && i < count && i < CPB_NO_NAME; i++) done = cpb_names_add(&names, all[i].name, (uint32_t)i);
  cpb_names_sort(&names);
  for (size_t i = 0; done && i < count; i++)
    if (!all[i].is_known) all[i].use = use_of_name(&all[i], &names, all);
  cpb_names_free(&names);
  return done;
}
