/* Looks up the operators of a framework in a table: text made from the rows of tools/operators.py, or given by a host
 * (cpb_model_set_operators). The table is not trusted: it may hold anything, and only its own bytes are read.
 *
 * A line has four parts separated by tabs, NAME, DOMAIN, VERSIONS and SENTENCE, and ends with a newline. Lines are
 * sorted by the bytes of NAME, then of DOMAIN. VERSIONS are separated by spaces, oldest first. Each is the version in
 * which the operator changed; a colon and the names of its inputs follow, unless these are the same as in the version
 * before. Operators without versions have one without a number:
 *
 *     Tile <tab> <tab> 1:input,tiles,axis 6:input,repeats 13 <tab> Constructs a tensor by tiling a given tensor.
 *     Conv2D <tab> <tab> :input,filter <tab> Computes a 2-D convolution ... */
#ifndef CPB_MODEL_OPERATORS_OPERATORS_H
#define CPB_MODEL_OPERATORS_OPERATORS_H

#include <stdbool.h>

#include "base/bytes.h"

typedef struct cpb_operator {
  cpb_span versions, sentence;
} cpb_operator;

/* False, with nothing set, if the operator is not in the table. */
bool cpb_operator_find(cpb_span table, cpb_span name, cpb_span domain, cpb_operator *found);

/* The names of the inputs in that version; empty if none needs a name. `since` is the operator's newest version that is
 * not newer than `version`; 0: none. */
cpb_span cpb_operator_inputs(const cpb_operator *found, uint64_t version, uint64_t *since);

/* An input of an operator. It may stand for several inputs of a node: "NAME*" takes all the remaining ones,
 * "NAME*ATTRIBUTE" as many as the attribute's value or its number of elements, and none without the attribute. */
typedef struct cpb_operator_input {
  cpb_span name;
  cpb_span attribute; /* empty: the number is `count` */
  uint64_t count;
} cpb_operator_input;

/* Takes the next input off such a list, "X,W,B"; false at its end. */
bool cpb_operator_next_input(cpb_span *inputs, cpb_operator_input *input);

/* --- tables ----------------------------------------------------------------------------------- */

/* The built-in tables of operators (model/operators/operators.h): all, or none in modules that must be small, whose
 * host provides the one that a model needs. */

/* Empty where it is not built in. */
cpb_span cpb_operators_onnx(void);
cpb_span cpb_operators_tensorflow(void);
cpb_span cpb_operators_coreml(void);

#endif
