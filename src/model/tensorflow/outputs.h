/* The types of what a node gives: by TensorFlow's own description of its operation or that of a function of the
 * library, and by what its attributes say. */
#ifndef CPB_MODEL_TENSORFLOW_OUTPUTS_H
#define CPB_MODEL_TENSORFLOW_OUTPUTS_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/tensorflow/graph.h"

/* "outputs": a list of {"dtype", "shape"}, each as far as it is known. */
void cpb_write_outputs(cpb_json_writer *answer, const cpb_part *part, const cpb_graph *graph, cpb_span node);
/* Of that output the members "dtype" and "shape", as far as they are known. `is_named`: it is one of an output of that
 * name, as functions have it, of which nothing is known where the operation has several. */
void cpb_write_output(cpb_json_writer *answer, const cpb_part *part, const cpb_graph *graph, cpb_span node,
                      uint64_t number, bool is_named);

#endif
