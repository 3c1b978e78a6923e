/* keras_metadata.pb as a model of its own. */
#ifndef CPB_MODEL_KERAS_METADATA_H
#define CPB_MODEL_KERAS_METADATA_H

#include "model/common/model_reader.h"

extern const cpb_model_reader cpb_keras_metadata_reader;

#endif
