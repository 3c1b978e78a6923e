/* Reads Keras's description of a model's objects: layers, models and metrics.
 *
 *     cpb_keras *keras = cpb_keras_new(a, objects, count, &graph, max_memory, problems, meter, error);
 *     cpb_json_writer_open(answer, NULL, '{');
 *     cpb_keras_layers(keras, question, answer, error);
 *     cpb_json_writer_close(answer, '}');
 *     cpb_keras_free(keras);
 *
 * Metadata that cannot be understood is added to `problems` once, by cpb_keras_new. */
#ifndef CPB_MODEL_KERAS_KERAS_H
#define CPB_MODEL_KERAS_KERAS_H

#include "base/alloc.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/answer.h"
#include "model/common/kind.h"
#include "model/common/spans.h"

/* --- members ---------------------------------------------------------------------------------- */

/* Finds members of JSON objects by name. An object with many members, which any number of layers may search, is sorted
 * once. */

typedef struct cpb_keras_members {
  cpb_allocator allocator;
  struct cpb_keras_wide *wide; /* objects with many members, by address */
  size_t count, capacity;
  yyjson_val **keys; /* the members of each, sorted by name */
  size_t num_keys, keys_capacity;
} cpb_keras_members;

void cpb_keras_members_init(cpb_keras_members *members, const cpb_allocator *a);
void cpb_keras_members_free(cpb_keras_members *members);

/* Adds the objects of a document, which must outlive it. False if memory is short. */
bool cpb_keras_members_add(cpb_keras_members *members, yyjson_doc *doc);
/* Call it after the last document. */
void cpb_keras_members_sort(cpb_keras_members *members);

/* Like cpb_json_member(), for an object of one of the documents. */
yyjson_val *cpb_keras_member(const cpb_keras_members *members, yyjson_val *object, const char *key);

/* --- objects ---------------------------------------------------------------------------------- */

/* Keras's descriptions of a model's objects, and their object graph.
 *
 * The list of objects comes from keras_metadata.pb. If that file does not exist (Keras before 2.5, and models saved by
 * tf.saved_model.save), the list comes from the object graph: SavedObject.user_object of all nodes whose identifier
 * begins with "_tf_keras_". */

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

/* --- layers ----------------------------------------------------------------------------------- */

/* The layers of a model, and their metadata. */

#define CPB_KERAS_NONE UINT32_MAX
#define CPB_KERAS_DEPTH 100 /* depth of JSON, and of nested layers */

/* A layer in the tree, which combines the objects with the configs of the models that contain them. Metrics are not
 * layers. */
typedef struct cpb_keras_layer {
  uint32_t object;                  /* CPB_KERAS_NONE: only its model's config knows it */
  bool shared;                      /* the layer also occurs elsewhere, where its nested layers are */
  uint32_t depth;                   /* 0 for a root */
  uint32_t parent;                  /* a layer; CPB_KERAS_NONE for a root */
  uint32_t end;                     /* the layers numbered from this one's number + 1 to `end` - 1 are nested in it */
  uint32_t before;                  /* in a Sequential, the layer that provides this one's input */
  yyjson_val *said;                 /* the object's metadata, or NULL */
  yyjson_val *entry;                /* the element of its model's config.layers, or NULL */
  const cpb_keras_members *members; /* of `said` and `entry` */
} cpb_keras_layer;

typedef struct cpb_keras {
  cpb_allocator allocator;
  cpb_allocator json; /* the same with a limit, for JSON */
  uint64_t json_left;
  bool json_too_large;
  cpb_keras_object *objects;
  size_t count;
  cpb_keras_members members;
  yyjson_doc **docs; /* by object; NULL if it has no JSON metadata */
  uint32_t *parents; /* by object: the object with the longest path that is a prefix of its own */
  uint32_t *homes;   /* by object: its layer that is not shared, or CPB_KERAS_NONE */
  uint32_t *stamps;  /* by object: the last count that included it */
  uint32_t stamp;
  uint32_t *owners; /* by node of the graph: the layer; NULL until computed */
  uint32_t *listed; /* by node: 1 + the last layer that it was listed for */
  uint8_t *metrics; /* by node: whether a metric has it; NULL until computed */
  const cpb_keras_graph *graph;
  cpb_problems *problems;
  cpb_keras_layer *layers; /* in tree order, parents first */
  uint32_t num_layers;
} cpb_keras;

/* The member of its metadata, or else of its entry; NULL if it is missing or null. */
yyjson_val *cpb_keras_get(const cpb_keras_layer *layer, const char *key);
yyjson_val *cpb_keras_config(const cpb_keras_layer *layer, const char *key);
cpb_span cpb_keras_class(const cpb_keras_layer *layer);
cpb_span cpb_keras_name(const cpb_keras_layer *layer);
/* Its own setting, or else that of its model. */
bool cpb_keras_is_trainable(const cpb_keras *keras, const cpb_keras_layer *layer);
yyjson_val *cpb_keras_input_shape(const cpb_keras_layer *layer);
/* Whether it is a Functional, Sequential or other model. */
bool cpb_keras_is_model(const cpb_keras *keras, const cpb_keras_layer *layer);

/* --- keras ------------------------------------------------------------------------------------ */

/* Copies `objects`; the targets of their spans, and `graph` (may be NULL), must outlive the result. The parsed JSON
 * metadata takes at most `max_memory` bytes; otherwise the error is CPB_E_LIMIT. NULL with the error set. */
cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, uint64_t max_memory, cpb_problems *problems, cpb_meter *meter,
                         cpb_error *error);
void cpb_keras_free(cpb_keras *keras);

/* --- config ----------------------------------------------------------------------------------- */

/* Writes members of a layer's config into an answer. */

/* The items of a tuple or shape; any other value unchanged. */
yyjson_val *cpb_keras_unwrap(yyjson_val *value);
/* The value, with plain lists for tuples and shapes, and without the member `except`
 * (may be NULL). */
void cpb_keras_put(cpb_json_writer *answer, const char *key, yyjson_val *value, const char *except);
/* A list of {"layer", "node_index", "tensor_index"} for all references to layer outputs within the value. */
void cpb_keras_put_references(cpb_json_writer *answer, const char *key, yyjson_val *value);
/* The inputs of a layer's calls: a list of such lists, one for each call. */
void cpb_keras_put_calls(const cpb_keras *keras, const cpb_keras_layer *layer, cpb_json_writer *answer);

/* --- rules ------------------------------------------------------------------------------------ */

/* Computes the number of parameters of a layer from its config. */

typedef struct cpb_keras_count {
  uint64_t all, trainable;
  bool complete; /* false: there may be more parameters */
} cpb_keras_count;

/* Counts the layer itself from its config, as if it were trainable. */
cpb_keras_count cpb_keras_count_own(const cpb_keras *keras, const cpb_keras_layer *layer);

/* --- class names ------------------------------------------------------------------------------ */

/* Classes of layers by the names that Keras gives them. */

/* "BatchNormalization" for "batch_normalization_3", the last part of a path; NULL data for one that somebody gave. */
cpb_span cpb_keras_class_of_name(cpb_span path);

/* --- metadata --------------------------------------------------------------------------------- */

/* keras_metadata.pb as a model of its own. */

extern const cpb_model_reader cpb_keras_metadata_reader;

/* --- answers ---------------------------------------------------------------------------------- */

/* Answers about Keras's layers.
 *
 * Each function writes members into the open object; it returns false with the error set if it has no answer. */

/* "class", "name", "keras_version", "parameters", "training", ... of the model. */
bool cpb_keras_overview(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* "source", which is "metadata" if Keras describes the layers, else "objects"; and "layers", a page of all layers, or
 * of the one at path question->name and those nested in it. */
bool cpb_keras_layers(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);
/* "class", "name", "layers" (how many), "parameters", ... of the model, for a line of an
 * overview. */
bool cpb_keras_summary(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* Finds the first layer from number *layer on whose name, class or path contains the text, ignoring case; false if none
 * does. The other function writes its members. */
bool cpb_keras_find(const cpb_keras *keras, cpb_span text, uint32_t *layer);
void cpb_keras_write_found(const cpb_keras *keras, uint32_t layer, cpb_json_writer *answer);
/* "layer": {"name", "path"} of the layer that owns the variable of this node, or null. */
void cpb_keras_write_owner(cpb_keras *keras, uint32_t node, cpb_json_writer *answer);
/* "found", a page of the layers with question->name in their name, class or path. */
bool cpb_keras_search(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

/* "paths", "nodes" (a page) and "missing" for the paths in question->name, one per line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

/* --- fields ----------------------------------------------------------------------------------- */

/* Numbers of the fields of a SavedMetadata (third_party.tensorflow.python.keras.protobuf, later
 * third_party.py.tf_keras.protobuf). */

enum { METADATA_NODES = 1 };
enum { OBJECT_NODE_ID = 2, OBJECT_NODE_PATH = 3, OBJECT_IDENTIFIER = 4, OBJECT_METADATA = 5, OBJECT_VERSION = 6 };
enum { VERSION_PRODUCER = 1, VERSION_MIN_CONSUMER = 2 };

#endif
