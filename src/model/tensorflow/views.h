/* What is read of TensorFlow's messages: types that have only the messages that are
 * looked into and the lists that are needed whole. Everything else is there when it
 * is short, and omitted when not (cpb/outline.h, keep_known). */
#ifndef CPB_MODEL_TENSORFLOW_VIEWS_H
#define CPB_MODEL_TENSORFLOW_VIEWS_H

#include "cpb/message.h"

/* A SavedModel without its graphs: versions, signatures, assets, objects. */
extern const cpb_message_type cpb_view_saved_model;
extern const cpb_message_type cpb_view_meta_graph; /* and one of its meta graphs */
/* A GraphDef: nodes and functions, without what tensors hold. */
extern const cpb_message_type cpb_view_graph_def;
/* A SavedObjectGraph: what Keras says of its objects. */
extern const cpb_message_type cpb_view_keras;

/* Of a SavedModel, which meta graphs it has; and of a GraphDef, only what the tensors of its
 * nodes and functions are found by. */
extern const cpb_message_type cpb_view_meta_graphs, cpb_view_no_fields;
extern const cpb_message_type cpb_view_tensors;

#endif
