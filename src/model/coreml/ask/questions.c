#include "model/coreml/ask/questions.h"

#include "model/coreml/ask/constants.h"
#include "model/coreml/ask/consumers.h"
#include "model/coreml/ask/functions.h"
#include "model/coreml/ask/layers.h"
#include "model/coreml/ask/nodes.h"
#include "model/coreml/ask/ops.h"
#include "model/coreml/ask/overview.h"
#include "model/coreml/ask/scopes.h"
#include "model/coreml/ask/search.h"

cpb_coreml_write *cpb_coreml_find_question(cpb_question_kind kind) {
  switch (kind) {
    case CPB_ASK_OVERVIEW: return cpb_coreml_ask_overview;
    case CPB_ASK_FUNCTIONS: return cpb_coreml_ask_functions;
    case CPB_ASK_FUNCTION: return cpb_coreml_ask_function;
    case CPB_ASK_NODES: return cpb_coreml_ask_nodes;
    case CPB_ASK_LAYERS: return cpb_coreml_ask_layers;
    case CPB_ASK_CONSTANTS: return cpb_coreml_ask_constants;
    case CPB_ASK_OPS: return cpb_coreml_ask_ops;
    case CPB_ASK_SEARCH: return cpb_coreml_ask_search;
    case CPB_ASK_SCOPES: return cpb_coreml_ask_scopes;
    case CPB_ASK_CONSUMERS: return cpb_coreml_ask_consumers;
    default: return NULL;
  }
}
