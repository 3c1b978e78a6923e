/* Finds one tensor of a model with a view, by its name; the scope is a function or subgraph. The shared part of the
 * kinds' cpb_values_reader: each kind streams the values once the tensor is found. */
#ifndef CPB_MODEL_QUESTIONS_VALUES_H
#define CPB_MODEL_QUESTIONS_VALUES_H

#include "model/common/answer.h"
#include "model/common/kind.h"
#include "model/common/tensor/values.h"
#include "model/view/view.h"

typedef struct cpb_viewed_values {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_values_options *options;
  cpb_span name;
  cpb_error error;
  cpb_part part;
  cpb_view view;
  cpb_problems problems;
  cpb_input input; /* the tensor is read from it */
  cpb_tensor_values tensor;
  bool found; /* `tensor` must be freed */
  cpb_buffer text;
} cpb_viewed_values;

void cpb_viewed_values_init(cpb_viewed_values *r, const cpb_view_kind *kind, const cpb_allocator *a, cpb_meter *meter,
                            cpb_span name, const cpb_values_options *options);
void cpb_viewed_values_free(cpb_viewed_values *r);

/* Reads the part of the model's message that the view `type` selects; only the tensor's message, if the options give
 * its place. */
cpb_have cpb_viewed_values_read(cpb_viewed_values *r, const cpb_message_type *type);
/* Called after the view's graphs have been built: finds the tensor and calls `take` with it. `what` names the thing
 * that is missing, for the error. */
typedef void cpb_take_tensor(cpb_viewed_values *r, const cpb_view_tensor *tensor);
cpb_have cpb_viewed_values_find(cpb_viewed_values *r, const char *what, cpb_take_tensor *take);

cpb_have cpb_viewed_values_fail_memory(cpb_viewed_values *r);

/* The input of a reader that begins with a cpb_viewed_values. */
cpb_input *cpb_viewed_values_input(void *reader);
cpb_error *cpb_viewed_values_error(void *reader);

#endif
