/* A SavedModel or a GraphDef that answers questions.
 *
 * It is read in parts, each when a question first needs it: the skeleton, which is everything but the graphs; the graph
 * of one meta graph; Keras's metadata of its objects. The question's file in ask/ then writes the answer from
 * memory. */
#ifndef CPB_MODEL_TENSORFLOW_STATE_H
#define CPB_MODEL_TENSORFLOW_STATE_H

#include "base/input.h"
#include "base/meter.h"
#include "cpb/model.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/links.h"
#include "model/common/lists.h"
#include "model/common/part.h"
#include "model/questions/questions.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/outputs.h"

/* --- meta graphs ------------------------------------------------------------------------------ */

/* The meta graphs of a SavedModel, or a single MetaGraphDef, as in TensorFlow 1's .meta files. */

typedef struct cpb_meta_graphs {
  cpb_cursor cursor;
  cpb_span alone; /* `data` is NULL for the meta graphs of a SavedModel, and behind the only one */
} cpb_meta_graphs;

static inline cpb_meta_graphs cpb_meta_graphs_of(cpb_span message, bool is_alone) {
  return (cpb_meta_graphs){cpb_cursor_of(is_alone ? (cpb_span){message.data, 0} : message),
                           is_alone ? message : (cpb_span){NULL, 0}};
}

static inline bool cpb_meta_graphs_next(cpb_meta_graphs *m, cpb_span *meta) {
  if (m->alone.data) {
    *meta = m->alone;
    m->alone = (cpb_span){NULL, 0};
    return true;
  }
  if (!cpb_cursor_find(&m->cursor, SAVED_MODEL_META_GRAPHS, CPB_WIRE_LEN)) return false;
  *meta = m->cursor.bytes;
  return true;
}

/* --- objects ---------------------------------------------------------------------------------- */

/* The object graph: the objects of the Python object that was saved, as a tree of the shortest paths from its root. */

#define CPB_NO_OBJECT UINT32_MAX

typedef struct cpb_object {
  cpb_span message;  /* SavedObject */
  cpb_span value;    /* of the field of SavedObject.kind that is set */
  uint32_t kind;     /* its number, or 0 */
  uint32_t children; /* number of references to children */
} cpb_object;

typedef struct cpb_objects {
  cpb_allocator allocator;
  cpb_object *items; /* by node id */
  cpb_link *links;   /* by node id: the shortest paths; a node without a parent cannot be reached */
  size_t count, capacity;
  cpb_span *concrete; /* SavedConcreteFunctions */
  size_t num_concrete, concrete_capacity;
  cpb_names functions; /* their names, sorted; numbers: indices of `concrete` */
  cpb_names owners;    /* names of functions again; numbers: an object that has the function */
  cpb_span *assets;    /* AssetFileDefs */
  size_t num_assets, assets_capacity;
} cpb_objects;

void cpb_objects_init(cpb_objects *objects, const cpb_allocator *a);
void cpb_objects_free(cpb_objects *objects);

/* Built from the MetaGraphDef `meta` of `part`. False with the error set. */
bool cpb_objects_build(cpb_objects *objects, const cpb_part *part, cpb_span meta, cpb_problems *problems,
                       cpb_meter *meter, cpb_error *error);

/* Such as "variable"; "none" for 0. */
const char *cpb_object_kind_name(uint32_t kind);

/* The child of that name, or CPB_NO_OBJECT. */
uint32_t cpb_objects_child(const cpb_objects *objects, uint32_t node, cpb_span name);

/* "root.child.call", or "#12" for the object with that node id. */
uint32_t cpb_objects_find(const cpb_objects *objects, cpb_span path);
/* Appends the path (model/common/links.h). False if memory is short. */
bool cpb_objects_path(const cpb_objects *objects, uint32_t node, cpb_buffer *out);

/* The SavedConcreteFunction with this name, or NULL data. */
cpb_span cpb_objects_concrete(const cpb_objects *objects, cpb_span function);

/* --- state ------------------------------------------------------------------------------------ */

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
  bool knows_frozen;          /* at the next ones: see weights.h */
  bool is_frozen, lists_none; /* no variable is known; none outside the graph */
  bool lacks_shapes;          /* of variables, without the graph */
  cpb_objects objects;
  cpb_problems object_problems;
  cpb_part graph_part;
  cpb_graph graph;
  cpb_tensorflow_walk walk; /* of the answer */
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

/* --- arguments -------------------------------------------------------------------------------- */

/* Maps the arguments of a Python call to the tensors of the function. */

/* A signature's names for the tensors that a function takes, in order; NULL data for a tensor without a name. */
typedef struct cpb_input_names {
  cpb_span *items;
  size_t count, capacity;
} cpb_input_names;

/* Writes "arguments", a list of {"name", "value"}, and "returns". `signature` is the function's OpDef, `spec` a
 * FunctionSpec or empty, `names` NULL or a signature's names of the tensors. Each TensorSpec among the values also gets
 * the function's "argument", each other TypeSpec "arguments"; with `names`, also the signature's "input" or "inputs".
 * These are left out if values and tensors do not match. */
void cpb_write_call_signature(cpb_saved_model *m, cpb_span signature, cpb_span concrete, cpb_span spec,
                              const cpb_input_names *names);

#endif
