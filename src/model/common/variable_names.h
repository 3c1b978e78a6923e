/* What variables of TensorFlow are to a model, as far as their names tell. */
#ifndef CPB_MODEL_COMMON_VARIABLE_NAMES_H
#define CPB_MODEL_COMMON_VARIABLE_NAMES_H

#include "base/bytes.h"
#include "model/common/parameters.h"

typedef struct cpb_named_variable {
  cpb_span name;
  bool has_elements;
  uint64_t elements;
  bool is_known; /* what it is; only others are decided */
  cpb_tensor_use use;
} cpb_named_variable;

/* False when memory is short. Linear in the names, but for looking them up. */
bool cpb_use_names(const cpb_allocator *a, cpb_named_variable *all, size_t count);

/* What objects keep their optimizers and metrics under. */
bool cpb_is_optimizer_name(cpb_span name);
bool cpb_is_metrics_name(cpb_span name);

#endif
