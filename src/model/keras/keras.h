/* What Keras says of a model's objects: its layers, models and metrics.
 *
 * The list of objects comes from keras_metadata.pb, or where there is no such file
 * (Keras before 2.5, and models saved by tf.saved_model.save) from the object graph:
 * SavedObject.user_object of those nodes whose identifier begins with "_tf_keras_".
 *
 *     cpb_keras *keras = cpb_keras_new(a, objects, count, &graph, max_memory, problems, error);
 *     cpb_json_writer_open(answer, NULL, '{');
 *     cpb_keras_layers(keras, question, answer, error);
 *     cpb_json_writer_close(answer, '}');
 *     cpb_keras_free(keras);
 *
 * Each question writes members into the object that is open, and is false with the
 * error set when it has no answer. What cannot be made out of the metadata is added
 * to `problems` once, by cpb_keras_new. */
#ifndef CPB_MODEL_KERAS_KERAS_H
#define CPB_MODEL_KERAS_KERAS_H

#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/problems.h"

typedef struct cpb_keras cpb_keras;

/* A SavedObject of keras_metadata.pb. */
typedef struct cpb_keras_object {
  uint64_t offset;                /* where it stands in what was read, for problems */
  int64_t node;                   /* number in the object graph */
  cpb_span path;                  /* from the root, such as "root.layer-0" */
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
  /* Calls `found` for the nodes that must be loaded for this one to be: what a function
   * captures, `dependencies`, a resource's creator. */
  void (*dependencies)(void *user, uint32_t node, void (*found)(void *to, uint32_t needed), void *to);
} cpb_keras_graph;

/* What is read of keras_metadata.pb, in memory: see cpb_keras_decode. */
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

/* `objects` is copied; what its spans point to, and `graph` (NULL: none), must outlive
 * the result. The metadata as JSON that is read takes at most `max_memory` bytes, else
 * CPB_E_LIMIT. NULL with the error set. */
cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, uint64_t max_memory, cpb_problems *problems, cpb_error *error);
void cpb_keras_free(cpb_keras *keras);

/* "class", "name", "keras_version", "parameters", "training", ... of the model. */
bool cpb_keras_overview(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* "layers", a page; of the layer at the path question->name and those in it, if given. */
bool cpb_keras_layers(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);
/* "paths", "nodes" (a page) and "missing", for the paths in question->name, one a line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);
/* "class", "name", "layers" (how many), "parameters", ... of the model, for a line of an
 * overview. */
bool cpb_keras_summary(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* The first layer from number *layer on that has the text in its name, class or path,
 * whatever the case; false when there is none. And its members. */
bool cpb_keras_find(const cpb_keras *keras, cpb_span text, uint32_t *layer);
void cpb_keras_write_found(const cpb_keras *keras, uint32_t layer, cpb_json_writer *answer);
/* "found", a page of the layers with question->name in their name, class or path. */
bool cpb_keras_search(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
