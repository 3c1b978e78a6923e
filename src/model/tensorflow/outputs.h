/* The types of what a node gives: by TensorFlow's own description of its operation or that of a function of the
 * library, and by what its attributes say. */
#ifndef CPB_MODEL_TENSORFLOW_OUTPUTS_H
#define CPB_MODEL_TENSORFLOW_OUTPUTS_H

#include "model/tensorflow/graph.h"
#include "model/view/view.h"

/* Its outputs, without names, each with its type as far as it is known. */
cpb_view_values cpb_tensorflow_outputs(const cpb_part *part, const cpb_graph *graph, cpb_span node);
/* One of them; false if nothing is known of it: also of one that has a name, as in functions, where the operation has
 * several. */
bool cpb_tensorflow_output(const cpb_part *part, const cpb_graph *graph, cpb_span node, const cpb_view_source *source,
                           cpb_view_value *value);

#endif
