/* The layers of a model, and what each says of itself. */
#ifndef CPB_MODEL_KERAS_LAYERS_H
#define CPB_MODEL_KERAS_LAYERS_H

#include "model/keras/members.h"
#include "model/keras/objects.h"

#define CPB_KERAS_NONE UINT32_MAX
#define CPB_KERAS_DEPTH 100 /* of JSON, and of layers within layers */

/* A layer of the tree, where objects and the configs of the models that hold them
 * are put together. Metrics are none. */
typedef struct cpb_keras_layer {
  uint32_t object;                  /* CPB_KERAS_NONE: only its model's config knows it */
  bool shared;                      /* it stands elsewhere too, and what is in it only there */
  uint32_t depth;                   /* 0 for a root */
  uint32_t parent;                  /* a layer; CPB_KERAS_NONE for a root */
  uint32_t end;                     /* layers from this one's number + 1 to `end` - 1 are within it */
  uint32_t before;                  /* in a Sequential the layer whose output this one takes */
  yyjson_val *said;                 /* the object's metadata, or NULL */
  yyjson_val *entry;                /* the element of its model's config.layers, or NULL */
  const cpb_keras_members *members; /* for these two */
} cpb_keras_layer;

typedef struct cpb_keras {
  cpb_allocator allocator;
  cpb_allocator json; /* the same, for JSON, of which there may not be too much */
  uint64_t json_left;
  bool json_too_large;
  cpb_keras_object *objects;
  size_t count;
  cpb_keras_members members;
  yyjson_doc **docs; /* of each object; NULL when it has no metadata that is JSON */
  uint32_t *parents; /* of each object: the object with the longest path before it */
  uint32_t *homes;   /* of each object: its layer that is not shared, or CPB_KERAS_NONE */
  uint32_t *stamps;  /* of each object: the last count that it was in */
  uint32_t stamp;
  uint32_t *owners; /* of each node of the graph: a layer, or NULL so far */
  uint32_t *listed; /* of each such node: 1 + the last layer that it was listed for */
  const cpb_keras_graph *graph;
  cpb_problems *problems;
  cpb_keras_layer *layers; /* parents before what is in them */
  uint32_t num_layers;
} cpb_keras;

/* The member of its metadata, or else of its entry; NULL when there is none, or null. */
yyjson_val *cpb_keras_get(const cpb_keras_layer *layer, const char *key);
yyjson_val *cpb_keras_config(const cpb_keras_layer *layer, const char *key);
cpb_span cpb_keras_class(const cpb_keras_layer *layer);
cpb_span cpb_keras_name(const cpb_keras_layer *layer);
/* What it says, or else the model that it is in. */
bool cpb_keras_is_trainable(const cpb_keras *keras, const cpb_keras_layer *layer);
yyjson_val *cpb_keras_input_shape(const cpb_keras_layer *layer);
/* A Functional, Sequential or other model. */
bool cpb_keras_is_model(const cpb_keras *keras, const cpb_keras_layer *layer);

#endif
