#include "model/common/kind.h"
#include "model/coreml/model.h"

static const cpb_diff_list compared[] = {
    CPB_DIFF_OVERVIEW(CPB_DIFF_IGNORED("inputs", "outputs", "states", "training_inputs", "attributes", "metadata",
                                       "external_data", "size", "problems"),
                      true),
    CPB_DIFF_LISTED("inputs", "name"),
    CPB_DIFF_LISTED("outputs", "name"),
    CPB_DIFF_LISTED("states", "name"),
    CPB_DIFF_LISTED("training_inputs", "name"),
    CPB_DIFF_LISTED("attributes", "name"),
    CPB_DIFF_LISTED("metadata", "key"),
    CPB_DIFF_OPS,
    CPB_DIFF_PROBLEMS(CPB_ASK_OPS),
    {.section = NULL}};

const cpb_kind cpb_coreml_kind = {&cpb_coreml_reader, &cpb_coreml_values_reader, {CPB_DIFF_GRAPH, .of_part = compared}};
