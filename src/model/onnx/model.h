/* ONNX models: how they are seen (model/view) and read (model/questions). */
#ifndef CPB_MODEL_ONNX_MODEL_H
#define CPB_MODEL_ONNX_MODEL_H

#include "model/common/model_reader.h"
#include "model/common/names.h"
#include "model/common/values_reader.h"
#include "model/onnx/brief.h"
#include "model/onnx/graphs.h"
#include "model/questions/questions.h"

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

#endif
