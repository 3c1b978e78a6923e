/* Classes of layers by the names that Keras gives them. */
#ifndef CPB_MODEL_KERAS_CLASS_NAMES_H
#define CPB_MODEL_KERAS_CLASS_NAMES_H

#include "model/common/spans.h"

/* "BatchNormalization" for "batch_normalization_3", the last part of a path; NULL data for one that somebody gave. */
cpb_span cpb_keras_class_of_name(cpb_span path);

#endif
