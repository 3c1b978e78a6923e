#include "model/diff/diff.h"

#define IGNORE(list, ...) static const char *const list[] = {__VA_ARGS__, NULL}

IGNORE(of_graph, "node");
IGNORE(of_constant, "node", "is", "use", "shared", "parameters"); /* members that follow from its place */
/* The roles of inputs follow from the operation; parameter names are not part of the model. */
IGNORE(of_node_with_roles, "node", "parameters");
IGNORE(of_typed_node, "node", "outputs", "parameters");
IGNORE(of_function, "node", "calls", "called_by", "objects", "problems");
IGNORE(of_object, "node", "children", "problems");
IGNORE(of_child, "node", "children", "child");
IGNORE(of_variable, "node", "layer", "copy_of", "use", "parameters", "shard", "offset");
IGNORE(of_variable_alone, "node", "layer", "copy_of", "use", "parameters", "shard", "offset", "crc32c");

IGNORE(of_unchecked, "use", "parameters", "shard", "offset", "crc32c", "slices", "size");

const cpb_diff_list cpb_diff_functions = {"functions", CPB_ASK_FUNCTION, NULL, {NULL}, of_function, true};
const cpb_diff_list cpb_diff_nodes = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_graph, true};
const cpb_diff_list cpb_diff_nodes_with_roles = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_node_with_roles, true};
const cpb_diff_list cpb_diff_nodes_with_types = {"nodes", CPB_ASK_NODES, "nodes", {"name"}, of_typed_node, true};
const cpb_diff_list cpb_diff_objects = {"objects", CPB_ASK_OBJECTS, "children", {"child", "?name"}, of_child, true};
const cpb_diff_list cpb_diff_object = {"objects", CPB_ASK_OBJECTS, NULL, {NULL}, of_object, true};
const cpb_diff_list cpb_diff_constants = {"constants",          CPB_ASK_CONSTANTS, "constants",
                                          {"function", "node"}, of_constant,       false};
const cpb_diff_list cpb_diff_variables = {
    "variables", CPB_ASK_VARIABLES, "variables", {"path", "?name", "?key"}, of_variable, true};
const cpb_diff_list cpb_diff_variables_alone = {
    "variables", CPB_ASK_VARIABLES, "variables", {"path", "?name", "?key"}, of_variable_alone, true};
const cpb_diff_list cpb_diff_variables_unchecked = {
    "variables", CPB_ASK_VARIABLES, "variables", {"path", "?name", "?key"}, of_unchecked, true};
const cpb_diff_list cpb_diff_parameters = {"constants", CPB_ASK_TAG, "constants", {"node"}, cpb_diff_of_entry, true};
const cpb_diff_list cpb_diff_states = {"updater_state", CPB_ASK_TAG,       "updater_state",
                                       {"parameter"},   cpb_diff_of_entry, true};
