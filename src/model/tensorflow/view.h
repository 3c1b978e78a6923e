/* SavedModels and graphs as a view: the graph itself and the functions of its library. */
#ifndef CPB_MODEL_TENSORFLOW_VIEW_H
#define CPB_MODEL_TENSORFLOW_VIEW_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/tensorflow/graph.h"
#include "model/view/view.h"

/* Its views have a cpb_saved_model as their own. */
extern const cpb_view_kind cpb_tensorflow_view;

/* A map of AttrValues as a list of {"name", "kind", "value"}, by name. When memory is
 * short the answer has failed. */
void cpb_write_attrs(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message, uint32_t number);

/* Its outputs, without names, each with its type if known. */
cpb_view_values cpb_tensorflow_outputs(const cpb_part *part, const cpb_graph *graph, cpb_span node);
/* One of the outputs; false if nothing is known about it. This includes outputs with names, as in functions, if the
 * operation has several. */
bool cpb_tensorflow_output(const cpb_part *part, const cpb_graph *graph, cpb_span node, const cpb_view_source *source,
                           cpb_view_value *value);

#endif
