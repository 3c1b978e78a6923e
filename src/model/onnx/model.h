/* ONNX models: how they are seen (model/view) and read (model/questions). */
#ifndef CPB_MODEL_ONNX_MODEL_H
#define CPB_MODEL_ONNX_MODEL_H

#include "cpb/message.h"

#include "base/bytes.h"
#include "base/json_writer.h"
#include "model/common/model_reader.h"
#include "model/common/names.h"
#include "model/common/part.h"
#include "model/common/problems.h"
#include "model/common/values_reader.h"
#include "model/onnx/brief.h"
#include "model/onnx/fields.h"
#include "model/questions/questions.h"
#include "model/view/view.h"

/* Functions by name, domain and overload: their graphs' numbers. */
typedef struct cpb_onnx_functions {
  cpb_allocator allocator;
  uint32_t *items;
  size_t count;
} cpb_onnx_functions;

void cpb_onnx_functions_free(cpb_onnx_functions *functions); /* empties it; its allocator must be set */

/* From the part, which is a ModelProto, and of which spans are kept. False with the error set. */
bool cpb_onnx_graphs_build(cpb_view_graphs *graphs, cpb_onnx_functions *functions, cpb_part *part,
                           cpb_problems *problems, cpb_meter *meter, cpb_error *error);

/* The nodes of a graph: cpb_cursor_find with this number. */
static inline uint32_t cpb_onnx_node_field(const cpb_view_graph *graph) {
  return graph->role == CPB_GRAPH_FUNCTION ? FUNCTION_NODE : GRAPH_NODE;
}

/* The function of that domain, name and overload, or CPB_NO_GRAPH. */
uint32_t cpb_onnx_callee(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                         cpb_span name, cpb_span overload);
/* Whether there is one, of any overload, where "" and "ai.onnx" are one domain. */
bool cpb_onnx_has_function(const cpb_onnx_functions *functions, const cpb_view_graphs *graphs, cpb_span domain,
                           cpb_span name);

/* The domain, but "" for "ai.onnx", which is the same. */
cpb_span cpb_onnx_domain(cpb_span domain);

/* What is known of a model besides its graphs. */
typedef struct cpb_onnx_own {
  cpb_onnx_brief brief;
  cpb_onnx_functions functions;
  uint64_t opset; /* the version of ONNX's own domain; the newest where the model does not say it */
  /* Quantization annotations of the model's graph by the names of tensors; numbers: places in `annotations`. */
  cpb_names annotated;
  cpb_span *annotations;
  size_t num_annotations;
} cpb_onnx_own;

extern const cpb_view_kind cpb_onnx_view;
extern const cpb_model_reader cpb_onnx_reader;
extern const cpb_values_reader cpb_onnx_values; /* of a tensor, streamed */

/* The members of an answer to OVERVIEW. */
void cpb_onnx_overview(cpb_viewed *m);

/* The version of a domain that a model imports; false for none. */
bool cpb_onnx_version(cpb_span model, cpb_span domain, int64_t *version);

/* Whether its message is a SparseTensorProto. */
bool cpb_onnx_is_sparse(const cpb_view_tensor *tensor);
/* As the view's each_tensor, without those that belong to nodes. */
bool cpb_onnx_each_initializer(const cpb_view *view, uint32_t graph, cpb_view_visit *visit, void *user);

static inline const cpb_onnx_own *cpb_onnx_own_of(const cpb_view *view) { return view->own; }

/* A list of the messages in field `number`. */
void cpb_onnx_write_attributes(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message,
                               uint32_t number);

/* Members of an object, of a TypeProto: "dtype" and "shape" of a tensor, of a sparse one also "sparse": true.
 * A shape is a list of sizes, of names of sizes, and of null for those that are not known; null for one of
 * unknown rank. Of other types "type": {"sequence": ...}, {"optional": ...}, {"map": {"key", "value"}} or
 * {"opaque": NAME}, where an element is such members again. */
void cpb_onnx_write_type(cpb_json_writer *answer, cpb_span type);

/* An object, of a ValueInfoProto: "name", and those. */
void cpb_onnx_write_value_info(cpb_json_writer *answer, cpb_span value_info);

/* The sizes of a field of varints, as a list. */
void cpb_onnx_write_dims(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* A ModelProto without what tensors hold. */
extern const cpb_message_type cpb_view_onnx;

/* Of a ModelProto, what its tensors are found by: nothing of nodes but constants and subgraphs. */
extern const cpb_message_type cpb_view_onnx_tensors;

#endif
