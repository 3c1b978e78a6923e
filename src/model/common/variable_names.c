#include "model/common/variable_names.h"

#include "model/common/names.h"
#include "model/common/spans.h"

static bool is_one_of(cpb_span name, const char *const *list) {
  for (; *list; list++) {
    if (cpb_span_is(name, *list)) return true;
  }
  return false;
}

bool cpb_is_optimizer_name(cpb_span name) {
  static const char *const optimizers[] = {"optimizer", "_optimizer", NULL};
  return is_one_of(name, optimizers);
}

bool cpb_is_metrics_name(cpb_span name) {
  static const char *const metrics[] = {"metrics",          "_metrics",      "compiled_metrics",
                                        "_compile_metrics", "compiled_loss", NULL};
  return is_one_of(name, metrics);
}

static size_t last_slash(cpb_span name) {
  size_t end = name.size;
  while (end > 0 && name.data[end - 1] != '/') end--;
  return end;
}

/* Without the number that TensorFlow appends to a name that is taken: "Adam_1". */
static cpb_span without_number(cpb_span name) {
  size_t end = name.size;
  while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') end--;
  const bool has = end > 1 && end < name.size && name.data[end - 1] == '_';
  return has ? (cpb_span){name.data, end - 1} : name;
}

static bool is_alike(const cpb_named_variable *a, const cpb_named_variable *b) {
  return !a->has_elements || !b->has_elements || a->elements == b->elements;
}

#define SCOPES_MOST 16 /* scopes before it that are examined */

/* X/Slot, where X is another variable with as many elements; the scope of the optimizer may precede it. */
static bool is_slot(const cpb_named_variable *v, const cpb_names *names, const cpb_named_variable *all) {
  const size_t slash = last_slash(v->name);
  cpb_span of = {v->name.data, slash > 0 ? slash - 1 : 0};
  for (int scopes = 0; of.size > 0 && scopes < SCOPES_MOST; scopes++) {
    const uint32_t i = cpb_names_find(names, of);
    if (i != CPB_NO_NAME) return is_alike(v, &all[i]);
    const uint8_t *next = memchr(of.data, '/', of.size);
    if (!next) return false;
    of = cpb_span_from(of, (size_t)(next + 1 - of.data));
  }
  return false;
}

static cpb_tensor_use use_of_name(const cpb_named_variable *v, const cpb_names *names, const cpb_named_variable *all) {
  static const char *const states[] = {"ExponentialMovingAverage", "biased",   "local_step",
                                       "seed_generator_state",     "StateVar", NULL};
  static const char *const scalars[] = {"beta1_power", "beta2_power",   "global_step", "iter",
                                        "iteration",   "iterations",    "beta_1",      "beta_2",
                                        "decay",       "learning_rate", "lr",          NULL};
  const cpb_span last = without_number(cpb_span_from(v->name, last_slash(v->name)));
  if (is_one_of(last, states)) return CPB_TENSOR_STATE;
  if (is_one_of(last, scalars) && (!v->has_elements || v->elements == 1)) return CPB_TENSOR_OPTIMIZER;
  return is_slot(v, names, all) ? CPB_TENSOR_OPTIMIZER : CPB_TENSOR_WEIGHT;
}

bool cpb_use_names(const cpb_allocator *a, cpb_named_variable *all, size_t count) {
  cpb_names names;
  bool done = true;
  cpb_names_init(&names, a);
  for (size_t i = 0; done && i < count && i < CPB_NO_NAME; i++) done = cpb_names_add(&names, all[i].name, (uint32_t)i);
  cpb_names_sort(&names);
  for (size_t i = 0; done && i < count; i++) {
    if (!all[i].is_known) all[i].use = use_of_name(&all[i], &names, all);
  }
  cpb_names_free(&names);
  return done;
}
