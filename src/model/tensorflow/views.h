/* The parts of TensorFlow's messages that are read: these types list only the messages to open and the lists that are
 * needed in full. Everything else is kept if it is short, and omitted otherwise (cpb/outline.h, keep_known). */
#ifndef CPB_MODEL_TENSORFLOW_VIEWS_H
#define CPB_MODEL_TENSORFLOW_VIEWS_H

#include "cpb/message.h"

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

#endif
