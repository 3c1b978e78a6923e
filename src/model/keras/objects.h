/* What Keras says of the objects of a model, and the object graph that they are in.
 *
 * The list of objects comes from keras_metadata.pb, or where there is no such file
 * (Keras before 2.5, and models saved by tf.saved_model.save) from the object graph:
 * SavedObject.user_object of those nodes whose identifier begins with "_tf_keras_". */
#ifndef CPB_MODEL_KERAS_OBJECTS_H
#define CPB_MODEL_KERAS_OBJECTS_H

#include "model/common/problems.h"
#include "model/common/spans.h"

/* A SavedObject of keras_metadata.pb. */
typedef struct cpb_keras_object {
  uint64_t offset;                /* where it stands in what was read, for problems */
  int64_t node;                   /* number in the object graph */
  cpb_span path;                  /* from the root, such as "root.layer-0" */
  bool path_is_cut;               /* in the middle: others may have the same */
  cpb_span identifier;            /* "_tf_keras_layer", "_tf_keras_network", ... */
  cpb_span metadata;              /* JSON; may be empty */
  int64_t producer, min_consumer; /* of its version */
} cpb_keras_object;

/* The object graph, where it is at hand: variables then say how many parameters a
 * layer has, and LOAD follows every reference. */
typedef struct cpb_keras_graph {
  void *user;
  uint32_t nodes; /* how many */
  /* The next child of a node, false when there is none. `*place` is 0 for the first
   * one and then the callee's. */
  bool (*child)(void *user, uint32_t node, uint64_t *place, uint32_t *child, cpb_span *name);
  /* Whether the node is a variable of known shape, and how many elements it has. */
  bool (*variable)(void *user, uint32_t node, uint64_t *elements);
  /* What TensorFlow calls a variable. */
  cpb_span (*variable_name)(void *user, uint32_t node);
  /* Calls `found` for the nodes that must be loaded for this one to be: what a function
   * captures, `dependencies`, a resource's creator. */
  void (*dependencies)(void *user, uint32_t node, void (*found)(void *to, uint32_t needed), void *to);
} cpb_keras_graph;

typedef struct cpb_keras_list {
  cpb_keras_object *objects;
  size_t count, capacity;
} cpb_keras_list;

/* Adds the objects of a SavedMetadata message to `list`; their spans point into
 * `message`. Damage is a problem; false when memory is short. */
bool cpb_keras_decode(const cpb_allocator *a, cpb_span message, cpb_keras_list *list, cpb_problems *problems);
void cpb_keras_list_free(const cpb_allocator *a, cpb_keras_list *list);

/* Whether an identifier of the object graph is Keras's. */
bool cpb_keras_is_identifier(cpb_span identifier);
bool cpb_keras_is_metric(const cpb_keras_object *object);

#endif
