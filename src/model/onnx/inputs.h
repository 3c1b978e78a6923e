/* What the inputs of ONNX's operations are for. */
#ifndef CPB_MODEL_ONNX_INPUTS_H
#define CPB_MODEL_ONNX_INPUTS_H

#include "base/bytes.h"

/* The names of an operation's inputs in its newest version, with commas between them; "..." behind the last one says
 * that it may come several times. NULL data for one with a single input, and for one that is not known. */
cpb_span cpb_onnx_inputs(cpb_span op);

/* Takes the next name from such a list; empty at its end. */
cpb_span cpb_onnx_next_input(cpb_span *names);

#endif
