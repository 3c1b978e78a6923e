/* A SavedModel or a GraphDef that answers questions.
 *
 * It is read in parts, each when a question first needs it: the skeleton, which is everything but the graphs; the graph
 * of one meta graph; Keras's metadata of its objects. The question's file in ask/ then writes the answer from
 * memory. */
#ifndef CPB_MODEL_TENSORFLOW_STATE_H
#define CPB_MODEL_TENSORFLOW_STATE_H

#include "base/input.h"
#include "model/common/entries.h"
#include "model/common/part.h"
#include "model/common/pieces.h"
#include "model/questions/questions.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/meta_graphs.h"
#include "model/tensorflow/objects.h"

typedef struct cpb_saved_model {
  cpb_viewed viewed; /* its view covers the graph and the library's functions, once these are read */
  cpb_model_options options;
  cpb_limits limits;
  bool is_graph; /* a GraphDef, which has no skeleton */
  bool is_alone; /* a MetaGraphDef, which is the skeleton, and its only meta graph */
  cpb_input no_input;
  cpb_error damage; /* from the host, about the input */

  cpb_part skeleton; /* of the SavedModel */
  bool has_looked;   /* at the next two */
  uint64_t schema_version;
  size_t num_meta_graphs;
  cpb_meta_graphs next_meta; /* after the question's meta graph */
  cpb_span meta;             /* MetaGraphDef of the question */
  uint32_t meta_number;      /* the meta graph that the following members belong to */
  bool has_objects, has_graph;
  bool knows_frozen, is_frozen; /* at the next one: see weights.h */
  cpb_objects objects;
  cpb_problems object_problems;
  cpb_part graph_part;
  cpb_graph graph;
  cpb_problems graph_problems;
  struct cpb_saved_keras *keras; /* keras.c; NULL until it is needed */
  bool with_keras;               /* this question uses Keras's description */

  struct cpb_saved_variables *variables; /* variables.c; NULL: no checkpoint was given */

  cpb_buffer fingerprint; /* fingerprint.pb; empty: not given */

  cpb_pieces cut, cut_keras; /* the answer to CUT, as a plan */
} cpb_saved_model;

/* The damage to the parts read so far, or NULL. */
const cpb_error *cpb_saved_damage(const cpb_saved_model *m);

/* The memory that the parts read so far have left over. */
uint64_t cpb_saved_memory_left(const cpb_saved_model *m);

/* Begins to read a field of the meta graph as a part (of a GraphDef, the entire input); false with the error set.
 * `read_ahead` as for an outline. */
bool cpb_saved_begin_part(cpb_saved_model *m, cpb_part *part, uint32_t field, const cpb_message_type *view,
                          uint64_t read_ahead);

/* The entries of a map by name; false with the error set if memory is short. */
bool cpb_saved_entries(cpb_saved_model *m, cpb_span message, uint32_t number, cpb_entries *entries);

/* A CollectionDef of the meta graph. */
cpb_span cpb_saved_collection(const cpb_saved_model *m, const char *name);

#endif
