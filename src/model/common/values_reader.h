/* The interface between cpb_values (cpb/values.h) and the reader of one kind of model. */
#ifndef CPB_MODEL_COMMON_VALUES_READER_H
#define CPB_MODEL_COMMON_VALUES_READER_H

#include "base/bytes.h"
#include "base/input.h"
#include "base/meter.h"
#include "cpb/values.h"

typedef struct cpb_values_reader {
  /* NULL if memory is short. `options` has its defaults filled in. Its texts, `name` and the meter live as long as the
   * reader; `allocator` is the meter's. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                  const cpb_values_options *options);
  void (*destroy)(void *reader);
  /* CPB_HAVE: `info` describes the array, and `data` is the next of its values, empty after the last; CPB_WAIT; or
   * CPB_FAILED with the error set. */
  cpb_have (*next)(void *reader, cpb_values_info *info, cpb_span *data);
  cpb_input *(*input)(void *reader);
  cpb_error *(*error)(void *reader);
} cpb_values_reader;

#endif
