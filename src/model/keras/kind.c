#include "model/common/kind.h"
#include "model/keras/keras.h"

static const cpb_diff_list compared[] = {CPB_DIFF_OVERVIEW(CPB_DIFF_IGNORED("problems"), false),
                                         CPB_DIFF_LAYERS,
                                         CPB_DIFF_PROBLEMS(CPB_ASK_LAYERS),
                                         {.section = NULL}};

const cpb_kind cpb_keras_metadata_kind = {&cpb_keras_metadata_reader, NULL, {CPB_DIFF_LISTS, .lists = compared}};
