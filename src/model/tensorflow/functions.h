/* A function of the library: by its name, and what is around it. */
#ifndef CPB_MODEL_TENSORFLOW_FUNCTIONS_H
#define CPB_MODEL_TENSORFLOW_FUNCTIONS_H

#include "model/tensorflow/arguments.h"

/* The function of that name, or of the question's; CPB_MAIN_GRAPH for a name with `data` NULL.
 * False when there is none. */
bool cpb_saved_function_named(cpb_saved_model *m, cpb_span name, uint32_t *function);
bool cpb_saved_function(cpb_saved_model *m, uint32_t *function);
/* "function": its name; null for the graph. */
void cpb_write_function_name(cpb_saved_model *m, uint32_t function);

/* What the object graph says of a function: "objects", "captures", "arguments" and
 * "returns". `signature` is its OpDef; `names` as for cpb_write_call_signature(). */
void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names);
/* "objects" alone, which lead to the function; returns the FunctionSpec of the first. */
cpb_span cpb_write_function_objects(cpb_saved_model *m, cpb_span function);
/* "calls": {"function", "nodes"}. */
void cpb_write_calls(cpb_saved_model *m, uint32_t function);
/* "called_by", likewise. */
void cpb_write_callers(cpb_saved_model *m, uint32_t function);

#endif
