/* What a kind of model does behind cpb_values (cpb/values.h). */
#ifndef CPB_MODEL_COMMON_VALUES_READER_H
#define CPB_MODEL_COMMON_VALUES_READER_H

#include "base/bytes.h"
#include "base/input.h"
#include "base/meter.h"
#include "cpb/values.h"

typedef struct cpb_values_reader {
  /* NULL when memory is short. `options` has its defaults filled in; the texts in it and
   * `name` live as long as the reader, and so does the meter, whose allocator it is. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                  const cpb_values_options *options);
  void (*destroy)(void *reader);
  /* CPB_HAVE: what the array is, from the first on, and the next of its values, none at
   * their end; CPB_WAIT; CPB_FAILED with the error set. */
  cpb_have (*next)(void *reader, cpb_values_info *info, cpb_span *data);
  cpb_input *(*input)(void *reader);
  cpb_error *(*error)(void *reader);
} cpb_values_reader;

#endif
