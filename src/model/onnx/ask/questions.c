#include "model/onnx/ask/questions.h"

#include "model/onnx/ask/consumers.h"
#include "model/onnx/ask/functions.h"
#include "model/onnx/ask/initializers.h"
#include "model/onnx/ask/layers.h"
#include "model/onnx/ask/nodes.h"
#include "model/onnx/ask/ops.h"
#include "model/onnx/ask/overview.h"
#include "model/onnx/ask/scopes.h"
#include "model/onnx/ask/search.h"

cpb_onnx_write *cpb_onnx_find_question(cpb_question_kind kind) {
  switch (kind) {
    case CPB_ASK_OVERVIEW: return cpb_onnx_overview;
    case CPB_ASK_FUNCTIONS: return cpb_onnx_functions;
    case CPB_ASK_FUNCTION: return cpb_onnx_function;
    case CPB_ASK_NODES: return cpb_onnx_nodes;
    case CPB_ASK_LAYERS: return cpb_onnx_layers;
    case CPB_ASK_CONSTANTS: return cpb_onnx_constants;
    case CPB_ASK_OPS: return cpb_onnx_ops;
    case CPB_ASK_SEARCH: return cpb_onnx_search;
    case CPB_ASK_SCOPES: return cpb_onnx_scopes;
    case CPB_ASK_CONSUMERS: return cpb_onnx_consumers;
    default: return NULL;
  }
}
