/* The layers of a model, and their metadata. */
#ifndef CPB_MODEL_KERAS_LAYERS_H
#define CPB_MODEL_KERAS_LAYERS_H

#include "model/keras/members.h"
#include "model/keras/objects.h"

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

#endif
