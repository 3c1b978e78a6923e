/* ONNX models: their view (model/view) and their reader (model/questions). */
#ifndef CPB_MODEL_ONNX_MODEL_H
#define CPB_MODEL_ONNX_MODEL_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_writer.h"
#include "base/meter.h"
#include "cpb/message.h"
#include "model/common/answer.h"
#include "model/common/kind.h"
#include "model/common/lists.h"
#include "model/common/part.h"
#include "model/common/tensor/values.h"
#include "model/onnx/fields.h"
#include "model/questions/questions.h"
#include "model/questions/values.h"
#include "model/view/view.h"

/* --- dtypes ----------------------------------------------------------------------------------- */

/* ONNX's types of elements (TensorProto.DataType), under the names that TensorFlow and NumPy's users
 * know, and its tensors' layout. */

/* Such as "float32"; "dtype 77" if it is unknown; null for 0, which means no type. */
void cpb_onnx_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* Whether weights have it: floating-point and complex numbers, and integers of at most 8 bits. */
bool cpb_onnx_dtype_is_weight_like(uint64_t dtype);

/* How it is stored; false if unknown. */
bool cpb_onnx_describe_dtype(uint64_t dtype, cpb_tensor_type *type);

/* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
void cpb_onnx_write_element(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);

/* The layout of TensorProto, and of values that are in an attribute: one, or a list. */
extern const cpb_tensor_layout cpb_onnx_layout, cpb_onnx_layout_of_one, cpb_onnx_layout_of_list;

/* --- brief ------------------------------------------------------------------------------------ */

/* Reads a model without the tensors of its graph: only the parts before and after them, in a few requests however many
 * tensors there are. */

typedef struct cpb_onnx_brief {
  cpb_allocator allocator;
  cpb_meter *meter;
  bool tried;
  cpb_range unread; /* the skipped range; its length is 0 if nothing was skipped */
  /* The last `size` bytes of the graph while they come, of which `have` are there, with some that follow it: */
  cpb_buffer window;
  size_t size, have;
} cpb_onnx_brief;

/* It must stay where it is. `meter` must outlive it. */
void cpb_onnx_brief_init(cpb_onnx_brief *brief, const cpb_allocator *a, cpb_meter *meter);
void cpb_onnx_brief_free(cpb_onnx_brief *brief); /* empties it */

/* For the outline of a ModelProto, with a cpb_onnx_brief as their context. */
extern const cpb_outline_jumps cpb_onnx_brief_jumps;

/* --- model ------------------------------------------------------------------------------------ */

/* Functions by name, domain and overload, with the numbers of their graphs. */
typedef struct cpb_onnx_functions {
  cpb_allocator allocator;
  uint32_t *items;
  size_t count;
} cpb_onnx_functions;

void cpb_onnx_functions_free(cpb_onnx_functions *functions); /* empties it; its allocator must be set */

/* Builds the graphs from the part, which is a ModelProto; they keep spans of it. False with the error set. */
bool cpb_onnx_graphs_build(cpb_view_graphs *graphs, cpb_onnx_functions *functions, cpb_part *part,
                           cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* The field that has a graph's nodes, for cpb_cursor_find. */
static inline uint32_t cpb_onnx_node_field(const cpb_view_graph *graph) {
  return graph->role == CPB_GRAPH_FUNCTION ? FUNCTION_NODE : GRAPH_NODE;
}

/* The function with this domain, name and overload, or CPB_NO_GRAPH. */
uint32_t cpb_onnx_callee(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                         cpb_span name, cpb_span overload);
/* Whether such a function exists, with any overload; "" and "ai.onnx" are one domain. */
bool cpb_onnx_has_function(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                           cpb_span name);

/* The domain, with "ai.onnx" replaced by "", which means the same. */
cpb_span cpb_onnx_domain(cpb_span domain);

/* Messages by a name in them. */
typedef struct cpb_onnx_named {
  cpb_names names; /* their numbers are indices in `messages` */
  cpb_span *messages;
  size_t count;
} cpb_onnx_named;

/* The first with this name, or NULL data. */
cpb_span cpb_onnx_named_find(const cpb_onnx_named *named, cpb_span name);

/* A model's properties besides its graphs. */
typedef struct cpb_onnx_own {
  cpb_onnx_brief brief;
  cpb_onnx_functions functions;
  uint64_t opset;             /* the version of ONNX's own domain; the newest if the model does not give it */
  cpb_onnx_named opsets;      /* OperatorSetIdProto, by domain */
  cpb_onnx_named annotations; /* TensorAnnotation of the model's graph, by the tensor's name */
  cpb_names result_scales;    /* values that results of MatMulInteger and ConvInteger are multiplied with */
} cpb_onnx_own;

extern const cpb_view_kind cpb_onnx_view;
extern const cpb_model_reader cpb_onnx_reader;
extern const cpb_values_reader cpb_onnx_values; /* streams the values of a tensor */

/* The members of an answer to OVERVIEW. */
void cpb_onnx_overview(cpb_viewed *m);

/* Whether its message is a SparseTensorProto; or an AttributeProto. */
bool cpb_onnx_is_sparse(const cpb_view_tensor *tensor);
bool cpb_onnx_is_attribute(const cpb_view_tensor *tensor);
/* Like the view's each_tensor, without tensors of nodes. */
bool cpb_onnx_each_initializer(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);

/* Input `number` of the node; empty if the node has fewer. */
cpb_span cpb_onnx_input_of(const cpb_view_node *node, uint32_t number);

/* See cpb_view_kind. */
cpb_tensor_use cpb_onnx_use(const cpb_view *view, const cpb_view_tensor *tensor, const cpb_view_node *taker,
                            cpb_span role, uint64_t input, cpb_view_measure *measure);
void cpb_onnx_write_quantized(cpb_json_writer *answer, const cpb_view *view, const cpb_view_graph *graph,
                              const cpb_view_node *node, cpb_span value, cpb_span member);

static inline const cpb_onnx_own *cpb_onnx_own_of(const cpb_view *view) { return view->own; }

/* A list of the messages in field `number`. */
void cpb_onnx_write_attributes(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message,
                               uint32_t number);

/* Writes members of an object for a TypeProto. A tensor has "dtype" and "shape", a sparse one also "sparse": true. A
 * shape is a list of sizes, names of sizes, and nulls for unknown ones; it is null if the rank is unknown. Other types
 * have "type": {"sequence": ...}, {"optional": ...}, {"map": {"key", "value"}} or {"opaque": NAME}, where element types
 * have such members again. */
void cpb_onnx_write_type(cpb_json_writer *answer, cpb_span type);

/* Writes an object for a ValueInfoProto: "name", and the members of its type. */
void cpb_onnx_write_value_info(cpb_json_writer *answer, cpb_span value_info);

/* An object for an OperatorSetIdProto, and one for a StringStringEntryProto. */
void cpb_onnx_write_opset(cpb_json_writer *answer, cpb_span opset);
void cpb_onnx_write_entry(cpb_json_writer *answer, cpb_span entry);

/* A ModelProto without the values of its tensors. */
extern const cpb_message_type cpb_view_onnx;

/* The parts of a ModelProto that are needed to find its tensors: of the nodes, only constants and subgraphs. */
extern const cpb_message_type cpb_view_onnx_tensors;

/* --- tensor ----------------------------------------------------------------------------------- */

/* A tensor of a model, without its values. */

/* A TensorProto without its values; or an attribute with numbers or texts that are a tensor. */
typedef struct cpb_onnx_tensor {
  const cpb_part *part;
  cpb_span message;  /* TensorProto or AttributeProto, in the part */
  bool of_attribute; /* the latter: `tensor` is the range of the attribute, */
  uint32_t rank;     /* and `rank` is 1 for a list, 0 for a single value */
  uint64_t dtype;
  cpb_tensor_type type; /* its `format` is NULL if the dtype is unknown */
  bool has_elements;    /* `elements` and `bytes` are valid */
  uint64_t elements;
  uint64_t bytes;   /* by shape and type; elements that share bytes count as one; 0 for strings */
  uint32_t field;   /* of the message, with the values; 0: none */
  uint64_t parts;   /* number of such fields: 1 if they are packed */
  uint64_t size;    /* of the values in bytes, here or in another file */
  cpb_range values; /* of the first field, if the values are in the model */
  cpb_range tensor; /* the TensorProto itself */
  bool is_external; /* the values are in another file */
  cpb_external external;
} cpb_onnx_tensor;

cpb_onnx_tensor cpb_onnx_tensor_of(const cpb_part *part, cpb_span message);
/* The stored part of the view's tensor: the values of a sparse one. */
cpb_onnx_tensor cpb_onnx_stored(const cpb_part *part, const cpb_view_tensor *tensor);

/* The field of AttributeProto that is a tensor by itself, without a message for it: value_float and the like of a
 * Constant, and learned numbers of operations for classical machine learning; else 0. */
uint32_t cpb_onnx_field_of_attribute(cpb_span op, cpb_span domain, cpb_span attribute);
/* Whether the attribute of an operation of the domain has them. */
bool cpb_onnx_is_learned(cpb_span domain, cpb_span attribute);

/* Writes members of an object: "dtype", "shape", "elements", "bytes", "size", the place of the values, and the first
 * values if they are in memory. */
void cpb_onnx_write_tensor(cpb_json_writer *answer, const cpb_onnx_tensor *tensor);

/* Writes members for a SparseTensorProto: for its dense shape, the number of values, and the two tensors. */
void cpb_onnx_write_sparse(cpb_json_writer *answer, const cpb_part *part, cpb_span message);

/* --- sparse ----------------------------------------------------------------------------------- */

/* The dense array of a SparseTensorProto, streamed. All indices are held in memory, the values are not. */
typedef struct cpb_onnx_sparse {
  cpb_viewed_values *common; /* whose `tensor` reads the indices, and then the values */
  cpb_range indices, values;
  uint64_t shape[CPB_TENSOR_RANK_MAX], count; /* of the array */
  uint32_t rank, columns;                     /* `columns`: numbers of an index */
  unsigned stage;
  cpb_buffer places;     /* the indices, as int64 */
  uint64_t stored, next; /* the number of values, and of those placed so far */
  uint64_t place;        /* of the next one; `count` after the last */
  cpb_values_info info;  /* of the array */
  cpb_span piece;        /* of values */
  size_t part;           /* bytes of the next value that are placed */
  uint64_t given;        /* elements returned so far */
  bool is_begun;         /* `out` has some of those that follow */
  uint8_t out[CPB_TENSOR_OUT];
} cpb_onnx_sparse;

void cpb_onnx_sparse_init(cpb_onnx_sparse *sparse, const cpb_allocator *a);
void cpb_onnx_sparse_free(cpb_onnx_sparse *sparse);

/* `message` is a span of the part of `common`, whose tensor it initializes. */
cpb_have cpb_onnx_sparse_begin(cpb_onnx_sparse *sparse, cpb_viewed_values *common, cpb_span message);
/* Like `next` of a cpb_values_reader. */
cpb_have cpb_onnx_sparse_next(cpb_onnx_sparse *sparse, cpb_values_info *info, cpb_span *data);

#endif
