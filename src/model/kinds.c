#include "model/kinds.h"

#include "model/checkpoint/stored_values.h"

#define ROW(NAME, name, number, label, type) [number] = &cpb_##name##_kind,
static const cpb_kind *const kinds[] = {CPB_MODEL_KINDS(ROW)};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

const cpb_kind *cpb_kind_find(cpb_model_kind kind) { return (size_t)kind < NUM_KINDS ? kinds[kind] : NULL; }

const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options) {
  const cpb_kind *found = cpb_kind_find(kind);
  if (options->checkpoint) return &cpb_stored_values;
  return found ? found->values : NULL;
}
