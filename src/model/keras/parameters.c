#include "model/keras/parameters.h"

#include "base/checked.h"

/* --- By variables ---------------------------------------------------------------- */

#define COST 2048 /* of a layer whose parameters are counted, in bytes that are walked: about as slow */
#define CHILD 64  /* of a child */

static bool find_child(const cpb_keras_graph *g, uint32_t node, const char *name, uint32_t *child, cpb_json_writer *a) {
  cpb_span text;
  for (uint64_t place = 0; g->child(g->user, node, &place, child, &text);) {
    if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, CHILD)) return false;
    if (*child < g->nodes && cpb_span_is(text, name)) return true;
  }
  return false;
}

/* Of the list that Keras keeps with a layer, in which each variable stands once; false
 * when there is none, or a variable's shape is not known. */
static bool sum_list(const cpb_keras_graph *g, uint32_t node, const char *list, uint64_t *sum, cpb_json_writer *a) {
  uint32_t owner, variable;
  uint64_t elements;
  cpb_span name;
  if (!find_child(g, node, list, &owner, a)) return false;
  for (uint64_t place = 0; g->child(g->user, owner, &place, &variable, &name);) {
    if (!cpb_json_writer_charge(a, CPB_WORK_WALKED, CHILD)) return false;
    if (variable >= g->nodes || !g->variable(g->user, variable, &elements) || !cpb_add_u64(*sum, elements, sum))
      return false;
  }
  return true;
}

static bool count_variables(const cpb_keras *k, const cpb_keras_layer *layer, cpb_keras_count *count,
                            cpb_json_writer *a) {
  if (!k->graph || layer->object == CPB_KERAS_NONE) return false;
  int64_t node = k->objects[layer->object].node;
  *count = (cpb_keras_count){.complete = true};
  return node >= 0 && node < k->graph->nodes && sum_list(k->graph, (uint32_t)node, "variables", &count->all, a) &&
         sum_list(k->graph, (uint32_t)node, "trainable_variables", &count->trainable, a);
}

/* --- By config -------------------------------------------------------------------- */

/* Layers that are still to be counted. */
typedef struct todo {
  uint32_t at, end;
  bool trainable;
} todo;

typedef struct todos {
  todo *items;
  size_t count, capacity;
} todos;

static bool push(const cpb_keras *k, todos *t, todo item) {
  void *items = t->items;
  if (item.at == item.end) return true;
  if (!cpb_reserve(&k->allocator, &items, &t->capacity, t->count + 1, sizeof *t->items)) return false;
  t->items = items;
  t->items[t->count++] = item;
  return true;
}

static void add(cpb_keras_count *sum, cpb_keras_count own, bool trainable) {
  bool fits = cpb_add_u64(sum->all, own.all, &sum->all);
  if (trainable) sum->trainable += own.trainable; /* not more than all */
  sum->complete = sum->complete && own.complete && fits;
}

/* Whether the layer is met for the first time in this count. */
static bool stamp(cpb_keras *k, const cpb_keras_layer *layer) {
  if (layer->object == CPB_KERAS_NONE) return true;
  bool first = k->stamps[layer->object] != k->stamp;
  k->stamps[layer->object] = k->stamp;
  return first;
}

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
    if (l->shared) at = k->homes[l->object]; /* what is in it stands there */
    l = &k->layers[at];
    trainable = trainable && cpb_keras_is_trainable(k, l);
    if (!stamp(k, l)) continue;
    add(sum, cpb_keras_count_own(k, l), trainable);
    ok = push(k, &t, (todo){at + 1, l->end, trainable});
  }
  cpb_release(&k->allocator, t.items);
  return ok;
}

bool cpb_keras_count_parameters(cpb_keras *k, uint32_t layer, cpb_keras_count *count, bool *from_variables,
                                cpb_json_writer *charged) {
  *from_variables = count_variables(k, &k->layers[layer], count, charged);
  return *from_variables || count_configs(k, layer, count, charged);
}
