/* The reader of SameDiff models, zips and graph files. */
#ifndef CPB_MODEL_SAMEDIFF_SAMEDIFF_H
#define CPB_MODEL_SAMEDIFF_SAMEDIFF_H

#include "model/common/kind.h"

extern const cpb_model_reader cpb_samediff_reader;
extern const cpb_values_reader cpb_samediff_values; /* of an array, streamed */

#endif
