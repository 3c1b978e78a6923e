/* Keras's descriptions of a model's objects, and their object graph.
 *
 * The list of objects comes from keras_metadata.pb. If that file does not exist (Keras before 2.5, and models saved by
 * tf.saved_model.save), the list comes from the object graph: SavedObject.user_object of all nodes whose identifier
 * begins with "_tf_keras_". */
#ifndef CPB_MODEL_KERAS_OBJECTS_H
#define CPB_MODEL_KERAS_OBJECTS_H

#include "model/common/problems.h"
#include "model/common/spans.h"

/* A SavedObject of keras_metadata.pb. */
typedef struct cpb_keras_object {
  uint64_t offset;                /* in the file it came from, for problems */
  int64_t node;                   /* number in the object graph */
  cpb_span path;                  /* from the root, such as "root.layer-0" */
  bool path_is_cut;               /* cut in the middle: other objects may have the same */
  cpb_span identifier;            /* "_tf_keras_layer", "_tf_keras_network", ... */
  cpb_span metadata;              /* JSON; may be empty */
  int64_t producer, min_consumer; /* of its version */
} cpb_keras_object;

/* The object graph, if available: its variables give the number of parameters of a layer, and LOAD follows every
 * reference. */
typedef struct cpb_keras_graph {
  void *user;
  uint32_t nodes; /* their number */
  /* The next child of a node, false after the last. `*place` is 0 for the first child; the callee then updates it. */
  bool (*child)(void *user, uint32_t node, uint64_t *place, uint32_t *child, cpb_span *name);
  /* Whether the node is a variable with a known shape, and its number of elements. */
  bool (*variable)(void *user, uint32_t node, uint64_t *elements);
  /* TensorFlow's name of a variable. */
  cpb_span (*variable_name)(void *user, uint32_t node);
  /* Calls `found` for the nodes that must be loaded together with this one: a function's captures, `dependencies`, a
   * resource's creator. */
  void (*dependencies)(void *user, uint32_t node, void (*found)(void *to, uint32_t needed), void *to);
} cpb_keras_graph;

typedef struct cpb_keras_list {
  cpb_keras_object *objects;
  size_t count, capacity;
} cpb_keras_list;

/* Adds the objects of a SavedMetadata message to `list`; their spans point into `message`. Damage becomes a problem;
 * false if memory is short. */
bool cpb_keras_decode(const cpb_allocator *a, cpb_span message, cpb_keras_list *list, cpb_problems *problems);
void cpb_keras_list_free(const cpb_allocator *a, cpb_keras_list *list);

/* Whether an identifier in the object graph belongs to Keras. */
bool cpb_keras_is_identifier(cpb_span identifier);
bool cpb_keras_is_metric(const cpb_keras_object *object);

#endif
