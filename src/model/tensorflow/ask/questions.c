#include "model/tensorflow/ask/questions.h"

enum {
  SKELETON = 0,
  GRAPH = CPB_SAVED_NEEDS_GRAPH,
  GRAPH_IF_WEIGHTS = CPB_SAVED_TAKES_WEIGHTS,
  KERAS = CPB_SAVED_NEEDS_KERAS,
  KERAS_IF_ANY = CPB_SAVED_TAKES_KERAS,
  LAYERS_IF_ANY = CPB_SAVED_TAKES_LAYERS,
  KERAS_IF_LITTLE = CPB_SAVED_TAKES_LITTLE_KERAS
};

static const cpb_saved_question of_saved_models[] = {
    {CPB_ASK_OVERVIEW, GRAPH_IF_WEIGHTS | KERAS_IF_LITTLE, cpb_ask_overview},
    {CPB_ASK_SIGNATURE, GRAPH, cpb_ask_signature},
    {CPB_ASK_FUNCTIONS, GRAPH, NULL},
    {CPB_ASK_FUNCTION, GRAPH, NULL},
    {CPB_ASK_NODES, GRAPH, NULL},
    {CPB_ASK_OBJECTS, SKELETON, cpb_ask_objects},
    {CPB_ASK_CONSTANTS, GRAPH, NULL},
    {CPB_ASK_OPS, GRAPH, NULL},
    {CPB_ASK_SEARCH, GRAPH | LAYERS_IF_ANY, cpb_ask_search},
    {CPB_ASK_LAYERS, GRAPH_IF_WEIGHTS | LAYERS_IF_ANY, cpb_ask_layers},
    {CPB_ASK_LOAD, KERAS, cpb_ask_load},
    {CPB_ASK_SCOPES, GRAPH, NULL},
    {CPB_ASK_CUT, GRAPH, cpb_ask_cut},
    {CPB_ASK_CONSUMERS, GRAPH, NULL},
    {CPB_ASK_NODE, GRAPH, NULL},
    {CPB_ASK_UPSTREAM, GRAPH, NULL},
    {CPB_ASK_DOWNSTREAM, GRAPH, NULL},
    {CPB_ASK_VARIABLES, GRAPH_IF_WEIGHTS | KERAS_IF_ANY, cpb_ask_variables},
};
static const cpb_saved_question of_graphs[] = {
    {CPB_ASK_OVERVIEW, GRAPH, cpb_ask_graph_overview},
    {CPB_ASK_FUNCTIONS, GRAPH, NULL},
    {CPB_ASK_FUNCTION, GRAPH, NULL},
    {CPB_ASK_NODES, GRAPH, NULL},
    {CPB_ASK_CONSTANTS, GRAPH, NULL},
    {CPB_ASK_OPS, GRAPH, NULL},
    {CPB_ASK_SEARCH, GRAPH, cpb_ask_search},
    {CPB_ASK_SCOPES, GRAPH, NULL},
    {CPB_ASK_CONSUMERS, GRAPH, NULL},
    {CPB_ASK_LAYERS, GRAPH, cpb_ask_layers},
    {CPB_ASK_NODE, GRAPH, NULL},
    {CPB_ASK_UPSTREAM, GRAPH, NULL},
    {CPB_ASK_DOWNSTREAM, GRAPH, NULL},
};

#define COUNT(list) (sizeof list / sizeof *list)

const cpb_saved_question *cpb_saved_find_question(bool is_graph, cpb_question_kind kind) {
  const cpb_saved_question *list = is_graph ? of_graphs : of_saved_models;
  size_t count = is_graph ? COUNT(of_graphs) : COUNT(of_saved_models);
  for (size_t i = 0; i < count; i++) {
    if (list[i].kind == kind) return &list[i];
  }
  return NULL;
}
