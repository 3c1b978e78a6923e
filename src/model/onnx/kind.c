#include "model/common/kind.h"
#include "model/onnx/model.h"

static const cpb_diff_list compared[] = {
    CPB_DIFF_OVERVIEW(
        CPB_DIFF_IGNORED("opset_imports", "inputs", "outputs", "metadata", "external_data", "size", "problems"), true),
    CPB_DIFF_LISTED("inputs", "name"),
    CPB_DIFF_LISTED("outputs", "name"),
    CPB_DIFF_LISTED("opset_imports", "domain"),
    CPB_DIFF_LISTED("metadata", "key"),
    /* The version belongs to the domain and is reported there, once. */
    {"ops", CPB_ASK_OPS, "ops", {"domain", "op"}, CPB_DIFF_IGNORED("version"), false},
    CPB_DIFF_PROBLEMS(CPB_ASK_OPS),
    {.section = NULL}};

const cpb_kind cpb_onnx_kind = {
    &cpb_onnx_reader, &cpb_onnx_values, {CPB_DIFF_GRAPH, .told_roles = true, .of_part = compared}};
