#include "model/diff/lists.h"

#include <stddef.h>

#define IGNORE(list, ...) static const char *const list[] = {__VA_ARGS__, NULL}

IGNORE(of_onnx, "opset_imports", "inputs", "outputs", "metadata", "external_data", "size", "problems");
IGNORE(of_coreml, "inputs", "outputs", "states", "training_inputs", "metadata", "external_data", "size", "problems");
IGNORE(of_meta_graph, "number", "graph", "signatures");
IGNORE(of_overview, "meta_graphs", "meta_graph", "signatures", "assets", "initializers", "collections", "fingerprint",
       "stored", "names", "elements", "size", "distinct", "copies", "problems");
IGNORE(of_layer, "index", "parent", "depth", "node", "variables");
IGNORE(of_graph, "node");
IGNORE(of_constant, "node", "is", "use", "shared", "parameters"); /* which follow from its place */
/* What inputs are for follows from the operation, whose names for them are not the model's. */
IGNORE(of_onnx_node, "node", "parameters");
IGNORE(of_typed_node, "node", "outputs", "parameters");
IGNORE(of_op, "version"); /* of its domain, which is told once */
IGNORE(of_function, "node", "calls", "called_by", "objects", "problems");
IGNORE(of_object, "node", "children", "problems");
IGNORE(of_child, "node", "children", "child");
IGNORE(of_variable, "node", "layer", "copy_of", "use", "parameters", "shard", "offset");
IGNORE(of_variable_alone, "node", "layer", "copy_of", "use", "parameters", "shard", "offset", "crc32c");
IGNORE(of_metadata, "problems");
IGNORE(of_problem, "offset");
IGNORE(of_samediff, "bytes", "entries", "tags", "inputs", "outputs", "nodes", "subgraphs", "subgraph_nodes",
       "functions", "function_nodes", "graph", "size", "problems");
IGNORE(of_tag, "graph_bytes", "bytes");
IGNORE(of_tag_members, "variables", "nodes", "constants", "maps", "updater_state", "problems");
IGNORE(of_entry, "use", "parameters", "reference", "of_other_tag", "entry", "size", "compressed", "compressed_bytes",
       "cut", "offset", "preview", "preview_more");

#define PROBLEMS(question) {"problems", question, "problems", {"text"}, of_problem, false}

static const cpb_diff_list none[] = {{.section = NULL}};

static const cpb_diff_list saved_model[] = {
    {"meta_graphs", CPB_ASK_OVERVIEW, "meta_graphs", {"tags"}, of_meta_graph, false}, {.section = NULL}};

static const cpb_diff_list meta_graph[] = {
    {"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_overview, true},
    {"signatures", CPB_ASK_OVERVIEW, "signatures", {"key"}, NULL, false},
    {"assets", CPB_ASK_OVERVIEW, "assets", {"file"}, NULL, false},
    {"initializers", CPB_ASK_OVERVIEW, "initializers", {"signature", "collection"}, NULL, false},
    {"collections", CPB_ASK_OVERVIEW, "collections", {"name"}, NULL, false},
    {"layers", CPB_ASK_LAYERS, "layers", {"path", "?name"}, of_layer, false},
    {"ops", CPB_ASK_OPS, "ops", {"op"}, NULL, false},
    PROBLEMS(CPB_ASK_OPS),
    {.section = NULL}};

static const cpb_diff_list graph[] = {{"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_overview, true},
                                      {"ops", CPB_ASK_OPS, "ops", {"op"}, NULL, false},
                                      PROBLEMS(CPB_ASK_OPS),
                                      {.section = NULL}};

static const cpb_diff_list onnx[] = {{"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_onnx, true},
                                     {"inputs", CPB_ASK_OVERVIEW, "inputs", {"name"}, NULL, false},
                                     {"outputs", CPB_ASK_OVERVIEW, "outputs", {"name"}, NULL, false},
                                     {"opset_imports", CPB_ASK_OVERVIEW, "opset_imports", {"domain"}, NULL, false},
                                     {"metadata", CPB_ASK_OVERVIEW, "metadata", {"key"}, NULL, false},
                                     {"ops", CPB_ASK_OPS, "ops", {"domain", "op"}, of_op, false},
                                     PROBLEMS(CPB_ASK_OPS),
                                     {.section = NULL}};

static const cpb_diff_list coreml[] = {{"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_coreml, true},
                                       {"inputs", CPB_ASK_OVERVIEW, "inputs", {"name"}, NULL, false},
                                       {"outputs", CPB_ASK_OVERVIEW, "outputs", {"name"}, NULL, false},
                                       {"states", CPB_ASK_OVERVIEW, "states", {"name"}, NULL, false},
                                       {"metadata", CPB_ASK_OVERVIEW, "metadata", {"key"}, NULL, false},
                                       {"ops", CPB_ASK_OPS, "ops", {"op"}, NULL, false},
                                       PROBLEMS(CPB_ASK_OPS),
                                       {.section = NULL}};

static const cpb_diff_list metadata[] = {{"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_metadata, false},
                                         {"layers", CPB_ASK_LAYERS, "layers", {"path", "?name"}, of_layer, false},
                                         PROBLEMS(CPB_ASK_LAYERS),
                                         {.section = NULL}};

static const cpb_diff_list samediff[] = {{"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, of_samediff, false},
                                         {"tags", CPB_ASK_OVERVIEW, "tags", {"tag"}, of_tag, true},
                                         {.section = NULL}};

static const cpb_diff_list tag[] = {{"tag", CPB_ASK_TAG, NULL, {NULL}, of_tag_members, false},
                                    {"variables", CPB_ASK_TAG, "variables", {"name"}, of_entry, true},
                                    {"nodes", CPB_ASK_TAG, "nodes", {"name"}, of_entry, true},
                                    {"maps", CPB_ASK_TAG, "maps", {"node"}, of_entry, true},
                                    PROBLEMS(CPB_ASK_TAG),
                                    {.section = NULL}};

const cpb_diff_list cpb_diff_functions = {"functions", CPB_ASK_FUNCTION, NULL, {NULL}, of_function, true};
const cpb_diff_list cpb_diff_nodes = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_graph, true};
const cpb_diff_list cpb_diff_onnx_nodes = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_onnx_node, true};
const cpb_diff_list cpb_diff_nodes_with_types = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_typed_node, true};
const cpb_diff_list cpb_diff_objects = {"objects", CPB_ASK_OBJECTS, "children", {"child", "?name"}, of_child, true};
const cpb_diff_list cpb_diff_object = {"objects", CPB_ASK_OBJECTS, NULL, {NULL}, of_object, true};
const cpb_diff_list cpb_diff_constants = {"constants",          CPB_ASK_CONSTANTS, "constants",
                                          {"function", "node"}, of_constant,       false};
const cpb_diff_list cpb_diff_variables = {
    "variables", CPB_ASK_VARIABLES, "variables", {"path", "?name", "?key"}, of_variable, true};
const cpb_diff_list cpb_diff_variables_alone = {
    "variables", CPB_ASK_VARIABLES, "variables", {"path", "?name", "?key"}, of_variable_alone, true};
const cpb_diff_list cpb_diff_parameters = {"constants", CPB_ASK_TAG, "constants", {"node"}, of_entry, true};
const cpb_diff_list cpb_diff_states = {"updater_state", CPB_ASK_TAG, "updater_state", {"parameter"}, of_entry, true};

const cpb_diff_list *cpb_diff_lists_of_model(cpb_model_kind kind) {
  switch (kind) {
    case CPB_MODEL_META_GRAPH:
    case CPB_MODEL_SAVED_MODEL: return saved_model;
    case CPB_MODEL_KERAS_METADATA: return metadata;
    case CPB_MODEL_SAMEDIFF_ZIP:
    case CPB_MODEL_SAMEDIFF_GRAPH: return samediff;
    default: return none;
  }
}

const cpb_diff_list *cpb_diff_lists_of_part(cpb_model_kind kind) {
  switch (kind) {
    case CPB_MODEL_META_GRAPH:
    case CPB_MODEL_SAVED_MODEL: return meta_graph;
    case CPB_MODEL_GRAPH_DEF: return graph;
    case CPB_MODEL_ONNX: return onnx;
    case CPB_MODEL_COREML: return coreml;
    case CPB_MODEL_SAMEDIFF_ZIP:
    case CPB_MODEL_SAMEDIFF_GRAPH: return tag;
    default: return none;
  }
}
