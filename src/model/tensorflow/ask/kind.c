#include "model/common/kind.h"
#include "model/tensorflow/ask/questions.h"
#include "model/tensorflow/constant.h"

static const char *const ignored[] = {"meta_graphs", "meta_graph",  "signatures", "assets",   "initializers",
                                      "collections", "fingerprint", "stored",     "names",    "elements",
                                      "size",        "distinct",    "copies",     "problems", NULL};

static const cpb_diff_list saved_model[] = {{"meta_graphs",
                                             CPB_ASK_OVERVIEW,
                                             "meta_graphs",
                                             {"tags"},
                                             CPB_DIFF_IGNORED("number", "graph", "signatures"),
                                             false},
                                            {.section = NULL}};

static const cpb_diff_list meta_graph[] = {CPB_DIFF_OVERVIEW(ignored, true),
                                           CPB_DIFF_LISTED("signatures", "key"),
                                           CPB_DIFF_LISTED("assets", "file"),
                                           CPB_DIFF_LISTED("initializers", "signature", "collection"),
                                           CPB_DIFF_LISTED("collections", "name"),
                                           CPB_DIFF_LAYERS,
                                           CPB_DIFF_OPS,
                                           CPB_DIFF_PROBLEMS(CPB_ASK_OPS),
                                           {.section = NULL}};

static const cpb_diff_list graph[] = {
    CPB_DIFF_OVERVIEW(ignored, true), CPB_DIFF_OPS, CPB_DIFF_PROBLEMS(CPB_ASK_OPS), {.section = NULL}};

#define READ &cpb_saved_model_reader, &cpb_constant_values

const cpb_kind cpb_saved_model_kind = {
    READ, {CPB_DIFF_META_GRAPHS, .told_outputs = true, .lists = saved_model, .of_part = meta_graph}};
const cpb_kind cpb_meta_graph_kind = {
    READ, {CPB_DIFF_META_GRAPHS, .told_outputs = true, .lists = saved_model, .of_part = meta_graph}};
const cpb_kind cpb_graph_def_kind = {READ, {CPB_DIFF_GRAPH, .told_outputs = true, .of_part = graph}};
