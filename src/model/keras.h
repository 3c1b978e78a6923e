/* What Keras says of a model's objects: its layers, models and metrics.
 *
 * The list of objects comes from keras_metadata.pb, or where there is no such file
 * (Keras before 2.5, and models saved by tf.saved_model.save) from the object graph:
 * SavedObject.user_object of those nodes whose identifier begins with "_tf_keras_".
 *
 *     cpb_keras *keras = cpb_keras_new(a, objects, count, &graph, &options, error);
 *     cpb_answer_open(answer, NULL, '{');
 *     cpb_keras_layers(keras, question, answer, error);
 *     cpb_keras_problems(keras, answer, false);
 *     cpb_answer_close(answer, '}');
 *     cpb_keras_free(keras);
 *
 * Each question writes members into the object that is open, and is false with the
 * error set when it has no answer. */
#ifndef CPB_MODEL_KERAS_H
#define CPB_MODEL_KERAS_H

#include "cpb/model.h"
#include "model/answer.h"

typedef struct cpb_keras cpb_keras;

/* A SavedObject of keras_metadata.pb. */
typedef struct cpb_keras_object {
  uint64_t offset;     /* where it stands in what was read, for problems */
  int64_t node;        /* number in the object graph */
  cpb_span path;       /* from the root, such as "root.layer-0" */
  cpb_span identifier; /* "_tf_keras_layer", "_tf_keras_network", ... */
  cpb_span metadata;   /* JSON; may be empty */
  int64_t producer, min_consumer; /* of its version */
} cpb_keras_object;

/* The object graph, where it is at hand: variables then say how many parameters a
 * layer has, and LOAD follows every reference. */
typedef struct cpb_keras_graph {
  void *user;
  uint32_t nodes; /* how many */
  /* The n-th child of a node, from 0; false when there are not so many. */
  bool (*child)(void *user, uint32_t node, size_t n, uint32_t *child, cpb_span *name);
  /* Whether the node is a variable of known shape, and how many elements it has. */
  bool (*variable)(void *user, uint32_t node, uint64_t *elements);
  /* The n-th node that must be loaded for this one to be: what a function captures,
   * `dependencies`, a resource's creator. */
  bool (*dependency)(void *user, uint32_t node, size_t n, uint32_t *needed);
} cpb_keras_graph;

/* What is read of keras_metadata.pb, in memory: see cpb_keras_decode. */
typedef struct cpb_keras_list {
  cpb_keras_object *objects;
  size_t count, capacity;
} cpb_keras_list;

/* Adds the objects of a SavedMetadata message to `list`; their spans point into
 * `message`. False with the error set when it is damaged: those before are there. */
bool cpb_keras_decode(const cpb_allocator *a, cpb_span message, cpb_keras_list *list, cpb_error *error);
void cpb_keras_list_free(const cpb_allocator *a, cpb_keras_list *list);

/* Whether an identifier of the object graph is Keras's. */
bool cpb_keras_is_identifier(cpb_span identifier);

/* `objects` is copied; what its spans point to, `graph` (NULL: none) and `a` must
 * outlive the result. NULL with the error set. */
cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, const cpb_model_options *options, cpb_error *error);
void cpb_keras_free(cpb_keras *keras);

/* "class", "name", "keras_version", "parameters", "training", ... of the model. */
bool cpb_keras_overview(cpb_keras *keras, cpb_answer *answer, cpb_error *error);
/* "layers", a page; of the layer at the path question->name and those in it, if given. */
bool cpb_keras_layers(cpb_keras *keras, const cpb_question *question, cpb_answer *answer, cpb_error *error);
/* "paths", "nodes" (a page) and "missing", for the paths in question->name, one a line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_answer *answer, cpb_error *error);
/* "found", a page of the layers with question->name in their name, class or path. */
bool cpb_keras_search(cpb_keras *keras, const cpb_question *question, cpb_answer *answer, cpb_error *error);

/* "problems", a list; or, with `only_items`, its items into a list that is open. */
void cpb_keras_problems(const cpb_keras *keras, cpb_answer *answer, bool only_items);

#endif
