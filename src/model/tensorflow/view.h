/* SavedModels and graphs as a view: the graph itself and the functions of its library. */
#ifndef CPB_MODEL_TENSORFLOW_VIEW_H
#define CPB_MODEL_TENSORFLOW_VIEW_H

#include "base/json_writer.h"
#include "cpb/message.h"
#include "model/common/part.h"
#include "model/tensorflow/graph.h"
#include "model/view/view.h"

/* --- views ------------------------------------------------------------------------------------ */

/* The parts of TensorFlow's messages that are read: these types list only the messages to open and the lists that are
 * needed in full. Everything else is kept if it is short, and omitted otherwise (cpb/outline.h, keep_known). */

/* A SavedModel without its graphs: versions, signatures, assets, objects. */
extern const cpb_message_type cpb_view_saved_model;
extern const cpb_message_type cpb_view_meta_graph; /* and one of its meta graphs */
/* A GraphDef: nodes and functions, without the values of tensors. */
extern const cpb_message_type cpb_view_graph_def;
/* A SavedObjectGraph: Keras's metadata of its objects. */
extern const cpb_message_type cpb_view_keras;

/* Only the list of a SavedModel's meta graphs; and only the parts of a GraphDef that are needed to find the tensors of
 * its nodes and functions. */
extern const cpb_message_type cpb_view_meta_graphs, cpb_view_no_fields;
extern const cpb_message_type cpb_view_tensors;

/* --- view ------------------------------------------------------------------------------------- */

/* Its views have a cpb_saved_model as their own. */
extern const cpb_view_kind cpb_tensorflow_view;

/* A map of AttrValues as a list of {"name", "kind", "value"}, by name. When memory is
 * short the answer has failed. */
void cpb_write_attrs(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message, uint32_t number);

#endif
