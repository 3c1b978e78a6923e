#include "model/common/kind.h"
#include "model/samediff/samediff.h"

static const cpb_diff_list compared[] = {
    CPB_DIFF_OVERVIEW(CPB_DIFF_IGNORED("bytes", "entries", "tags", "inputs", "outputs", "nodes", "subgraphs",
                                       "subgraph_nodes", "functions", "function_nodes", "graph", "size", "problems"),
                      false),
    {"tags", CPB_ASK_OVERVIEW, "tags", {"tag"}, CPB_DIFF_IGNORED("graph_bytes", "bytes"), true},
    {.section = NULL}};

#define OF_TAG(member, key) {member, CPB_ASK_TAG, member, {key}, cpb_diff_of_entry, true}

static const cpb_diff_list of_tag[] = {
    {"tag",
     CPB_ASK_TAG,
     NULL,
     {NULL},
     CPB_DIFF_IGNORED("variables", "nodes", "constants", "maps", "updater_state", "problems"),
     false},
    OF_TAG("variables", "name"),
    OF_TAG("nodes", "name"),
    OF_TAG("maps", "node"),
    CPB_DIFF_PROBLEMS(CPB_ASK_TAG),
    {.section = NULL}};

const cpb_kind cpb_samediff_zip_kind = {
    &cpb_samediff_reader, &cpb_samediff_values, {CPB_DIFF_TAGS, .lists = compared, .of_part = of_tag}};
const cpb_kind cpb_samediff_graph_kind = {
    &cpb_samediff_reader, &cpb_samediff_values, {CPB_DIFF_TAG, .lists = compared, .of_part = of_tag}};
