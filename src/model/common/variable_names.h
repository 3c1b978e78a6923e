/* The use of TensorFlow's variables, as far as their names tell. */
#ifndef CPB_MODEL_COMMON_VARIABLE_NAMES_H
#define CPB_MODEL_COMMON_VARIABLE_NAMES_H

#include "base/bytes.h"
#include "model/common/parameters.h"

typedef struct cpb_named_variable {
  cpb_span name;
  bool has_elements;
  uint64_t elements;
  bool is_known; /* its use is known already; otherwise it is decided */
  cpb_tensor_use use;
} cpb_named_variable;

/* False if memory is short. Linear in the number of names, except for searching them. */
bool cpb_use_names(const cpb_allocator *a, cpb_named_variable *all, size_t count);

/* Whether objects keep their optimizers and metrics under this name. */
bool cpb_is_optimizer_name(cpb_span name);
bool cpb_is_metrics_name(cpb_span name);

#endif
