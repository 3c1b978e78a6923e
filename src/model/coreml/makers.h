/* The nodes of a graph by number, and by the values that they make. */
#ifndef CPB_MODEL_COREML_MAKERS_H
#define CPB_MODEL_COREML_MAKERS_H

#include "model/common/names.h"
#include "model/coreml/constants.h"

typedef struct cpb_coreml_maker {
  cpb_coreml_node node; /* with texts that stay */
  bool is_const;        /* an operation "const" */
  char number[CPB_COREML_SPARE], op[CPB_COREML_SPARE];
} cpb_coreml_maker;

typedef struct cpb_coreml_makers {
  cpb_allocator allocator;
  cpb_coreml_maker *items;
  size_t count;
  cpb_names names; /* of values: numbers of nodes */
} cpb_coreml_makers;

/* False when memory is short; to be freed then, too. */
bool cpb_coreml_makers_build(cpb_coreml_makers *makers, const cpb_allocator *a, const cpb_coreml_graph *graph);
void cpb_coreml_makers_free(cpb_coreml_makers *makers);

/* Whether a constant counts as weights: those of layers, and values in files. */
bool cpb_coreml_is_weight(const cpb_coreml_constant *constant);

#endif
