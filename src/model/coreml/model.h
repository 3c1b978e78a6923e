/* Core ML models: their view (model/view) and their reader (model/questions). */
#ifndef CPB_MODEL_COREML_MODEL_H
#define CPB_MODEL_COREML_MODEL_H

#include "base/json_writer.h"
#include "cpb/message.h"
#include "model/common/answer.h"
#include "model/common/cursor.h"
#include "model/common/kind.h"
#include "model/common/part.h"
#include "model/common/tensor/values.h"
#include "model/coreml/fields.h"
#include "model/questions/questions.h"
#include "model/view/view.h"

/* --- messages --------------------------------------------------------------------------------- */

/* Helpers that read single messages of a Core ML model. */

/* Room for a name that is made up because the model has none. */
#define CPB_COREML_SPARE 32

/* The message of a graph, and of its nodes. */
typedef enum cpb_coreml_form {
  CPB_COREML_OTHER,    /* a model without a graph, such as trees: no nodes */
  CPB_COREML_BLOCK,    /* of a program: operations */
  CPB_COREML_NETWORK,  /* layers */
  CPB_COREML_PIPELINE, /* models */
  CPB_COREML_NUM_FORMS
} cpb_coreml_form;

/* The field of a Model that holds its type, such as TYPE_NETWORK, and the content; 0 if none. */
uint32_t cpb_coreml_type_of(cpb_span model, cpb_span *content);
/* The form of the graph in a model of that type. For a pipeline `content` becomes the Pipeline. */
cpb_coreml_form cpb_coreml_form_of(uint32_t type, cpb_span *content);
/* The block of a MILSpec.Function for its operation set; else the first block. */
cpb_span cpb_coreml_block_of(cpb_span function);

/* A network within a layer, named after its field. */
typedef struct cpb_coreml_network {
  cpb_span name, message;
} cpb_coreml_network;
size_t cpb_coreml_networks_of(cpb_span layer, cpb_coreml_network networks[2]);

/* Write the objects of attributes: whatever a layer, or a model besides its graph, is set to (settings.c). With a page,
 * only those that it has. */
void cpb_coreml_write_layer_settings(cpb_json_writer *answer, const cpb_part *part, cpb_span layer);
void cpb_coreml_write_model_settings(cpb_json_writer *answer, const cpb_part *part, cpb_span model, cpb_page *page);

/* The name of a type, such as "neuralNetwork"; an unknown one is "type 777", in `spare`. */
cpb_span cpb_coreml_type_name(uint32_t type, char *spare);

/* The name of a layer's type, by its field of NeuralNetworkLayer; an unknown one is "layer 7777", in `spare`. */
cpb_span cpb_coreml_layer_name(uint32_t field, char *spare);
/* The field of a layer that holds its type, and the layer's parameters in it; 0 if none. */
uint32_t cpb_coreml_layer_of(cpb_span layer, cpb_span *parameters);

/* The text of a Value that is a string; else empty. */
cpb_span cpb_coreml_text_of(cpb_span value);

/* --- model ------------------------------------------------------------------------------------ */

extern const cpb_view_kind cpb_coreml_view;
extern const cpb_model_reader cpb_coreml_reader;
extern const cpb_values_reader cpb_coreml_values_reader; /* streams the values of a tensor */

/* The members of an answer to OVERVIEW. */
void cpb_coreml_overview(cpb_viewed *m);

/* Builds the graphs from the view's part, which is a Model; it keeps spans of the part. Graph 0 is the model's own, for
 * a program its default function. False with the error set. */
bool cpb_coreml_graphs_build(cpb_view *view, cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* A Model without the values of its tensors. */
extern const cpb_message_type cpb_view_coreml;
/* A Value of a program alone. */
extern const cpb_message_type cpb_view_coreml_value;

/* False for an array without sizes; true for any other FeatureType. */
bool cpb_coreml_has_shape(cpb_span type);

/* Writes the type in whichever form the value has it. */
void cpb_coreml_write_value_type(cpb_json_writer *answer, const cpb_view_value *value);

/* Writes an object for a FeatureDescription: "name"; its type, or the MILSpec.ValueType `made` unless that is NULL; and
 * "doc" if it has one. */
void cpb_coreml_write_feature(cpb_json_writer *answer, cpb_span feature, cpb_span made);

/* As in model/view/view.h. */
bool cpb_coreml_next_node(cpb_view_nodes *nodes, cpb_view_node *node);
cpb_view_values cpb_coreml_values(const cpb_view *view, const cpb_view_graph *graph, const cpb_view_node *node,
                                  bool outputs);

/* The inputs of the node with this message. */
cpb_view_values cpb_coreml_inputs(const cpb_view_graph *graph, cpb_span node);

/* Where a layer keeps one of its weights. */
typedef struct cpb_coreml_weights {
  uint16_t layer;   /* field of NeuralNetworkLayer */
  uint8_t within;   /* field of the layer that has the message with the weights, or 0 */
  uint8_t field;    /* of WeightParams */
  uint8_t shape[3]; /* fields with sizes, from the first dimension on: lists or numbers; 0 ends them */
  uint8_t how;      /* a cpb_coreml_shape_rule */
  const char *name;
} cpb_coreml_weights;

typedef enum cpb_coreml_shape_rule {
  CPB_COREML_SIZES,       /* as given */
  CPB_COREML_CONVOLUTION, /* from output and input channels and the kernel */
  CPB_COREML_CONVOLUTION_3D
} cpb_coreml_shape_rule;

/* Calls `visit` with each constant of the graph until it returns false; returns the last result. Among a program's
 * immediate values, only those of "const" operations count, and those that are neither a single number nor a text. For
 * the weights of layers, `rule` is a cpb_coreml_weights, and `parameters` the layer's parameters. */
bool cpb_coreml_each_constant(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);
/* The same for one node. */
bool cpb_coreml_each_constant_of(const cpb_view *view, uint32_t graph, const cpb_view_node *node, cpb_view_visit *visit,
                                 void *user);

/* --- dtypes ----------------------------------------------------------------------------------- */

/* Core ML's types of elements (MILSpec.DataType), under the names that users of TensorFlow and NumPy know. Weights of
 * neural networks have further types: quantized to any number of bits. */

enum {
  MIL_BOOL = 1,
  MIL_STRING = 2,
  MIL_FLOAT16 = 10,
  MIL_FLOAT32 = 11,
  MIL_FLOAT64 = 12,
  MIL_INT8 = 21,
  MIL_INT16 = 22,
  MIL_INT32 = 23,
  MIL_INT64 = 24,
  MIL_UINT16 = 32,
  MIL_UINT64 = 34
};

/* Unsigned numbers of 1 to 8 bits that share bytes, highest bits first: numbers of our own, not in DataType. */
#define CPB_COREML_QUANTIZED 1000
static inline uint32_t cpb_coreml_quantized(unsigned bits) { return CPB_COREML_QUANTIZED + bits; }

/* The DataType of a feature's ArrayDataType; 0 if unknown. */
uint32_t cpb_coreml_array_dtype(uint64_t type);

/* Such as "float32"; "dtype 77" if it is unknown; null for 0, which means no type. */
void cpb_coreml_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* How it is stored as bytes; false if unknown. */
bool cpb_coreml_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
void cpb_coreml_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* The number of the type in a file of weights; 0 if it has none. */
uint32_t cpb_coreml_blob_dtype(uint64_t dtype);

/* --- tensor ----------------------------------------------------------------------------------- */

/* A constant of a model as a tensor, without its values. */

#define CPB_COREML_RANK_MAX 32

typedef struct cpb_coreml_tensor {
  const cpb_part *part;
  uint64_t dtype;       /* as in "dtypes" above */
  cpb_tensor_type type; /* its `format` is NULL if the dtype is unknown, or cannot be stored in such a field */
  uint64_t shape[CPB_COREML_RANK_MAX];
  uint32_t rank;
  bool is_weights;   /* weights of a layer: the message with the values lacks type and shape */
  bool is_tensor;    /* otherwise a list, a dictionary and the like, without further details */
  bool has_elements; /* `elements` and `bytes` are valid */
  uint64_t elements;
  uint64_t bytes;    /* by shape and type; elements that share bytes count as one; 0 for texts */
  const char *field; /* name of the field with the values, such as "floats", or NULL */
  cpb_span message;  /* the message with that field */
  uint32_t number;
  uint64_t parts;   /* number of such fields: 1 if they are packed */
  bool is_content;  /* the values are stored as in memory */
  uint64_t size;    /* of the values in bytes, here or in another file */
  cpb_range values; /* of the first one */
  cpb_range tensor; /* the Value itself, or a layer's WeightParams */
  bool is_external; /* the values are in another file */
  cpb_span location;
  uint64_t offset;       /* of the description that precedes the values */
  const char *wrong;     /* NULL, or why that position is invalid */
  cpb_span quantization; /* a layer's QuantizationParams */
} cpb_coreml_tensor;

cpb_coreml_tensor cpb_coreml_tensor_of(const cpb_part *part, const cpb_view_tensor *constant);
/* The same for a Value that is not a constant of the graph. */
cpb_coreml_tensor cpb_coreml_tensor_of_value(const cpb_part *part, cpb_span value);

/* The number of elements of a MILSpec.TensorType, if it is known; and the bytes of that many elements of a dtype. */
void cpb_coreml_elements(cpb_span type, bool *is_known, uint64_t *elements);
uint64_t cpb_coreml_bytes(uint64_t dtype, uint64_t elements);

/* The prefix in the names of files that represents the model's folder. */
#define CPB_COREML_FOLDER "@model_path/"

/* The name of the file, relative to the model's folder. */
cpb_span cpb_coreml_file_of(cpb_span location);

/* Writes members of an object: "dtype", "shape", "elements", "bytes", "size", the place of the values, "quantization"
 * of a layer's weights, and the first values if they are in memory. */
void cpb_coreml_write_tensor(cpb_json_writer *answer, const cpb_coreml_tensor *tensor);

/* Writes a single number or text; false if it is something else, or is not in memory. `kind` is the key for its type,
 * or NULL. */
bool cpb_coreml_write_single(cpb_json_writer *answer, const char *kind, const char *key,
                             const cpb_coreml_tensor *tensor);

/* Writes an object for a MILSpec.Value of that name: "name", "kind", and "value". The kind of a tensor is "tensor", and
 * its value has the members above. The kind of a single number or text is its dtype, and its value the number or text.
 * The kind of others is "list", "tuple" or "dictionary", and their value the number of elements. */
void cpb_coreml_write_attribute(cpb_json_writer *answer, const cpb_part *part, cpb_span name, cpb_span value);

#endif
