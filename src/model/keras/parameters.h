/* How many parameters a layer has, with all that is in it. */
#ifndef CPB_MODEL_KERAS_PARAMETERS_H
#define CPB_MODEL_KERAS_PARAMETERS_H

#include "model/keras/rules.h"

/* Of the layer and all that is in it, each counted once. False when memory is short. */
bool cpb_keras_count_parameters(cpb_keras *keras, uint32_t layer, cpb_keras_count *count, bool *from_variables,
                                cpb_json_writer *charged);

#endif
