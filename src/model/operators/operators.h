/* What is known of the operators of a framework, by a table: text that tools/operators.py writes, or that a host gives
 * (cpb_model_set_operators). It may come from anywhere and hold anything: only its own bytes are read.
 *
 * A line ends with a newline and is of four parts, with tabs between them: NAME, DOMAIN, VERSIONS and SENTENCE. Lines
 * are in the order of the bytes of NAME, then of DOMAIN. VERSIONS have spaces between them, the oldest first, each the
 * number of the version since which an operator is as it is; then, with a colon before them, what its inputs are called
 * if they are not called as in the version before. Where operators have no versions there is one without a number:
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

/* False, and nothing given, for one that is not in the table. */
bool cpb_operator_find(cpb_span table, cpb_span name, cpb_span domain, cpb_operator *found);

/* What the inputs are called in that version; empty where none of them needs a name. `since`: of the versions that the
 * operator has the newest that is not newer; 0: there is none. */
cpb_span cpb_operator_inputs(const cpb_operator *found, uint64_t version, uint64_t *since);

/* An input of an operator, which may be several of a node: "NAME*" all up to the end, "NAME*ATTRIBUTE" as many as the
 * attribute says, or as it has elements, none without it. */
typedef struct cpb_operator_input {
  cpb_span name;
  cpb_span attribute; /* empty: `count` of them */
  uint64_t count;
} cpb_operator_input;

/* Takes the next one from such a list, "X,W,B"; false at its end. */
bool cpb_operator_next_input(cpb_span *inputs, cpb_operator_input *input);

#endif
