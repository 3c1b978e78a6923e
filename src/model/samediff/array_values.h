/* The values of an array, streamed. */
#ifndef CPB_MODEL_SAMEDIFF_ARRAY_VALUES_H
#define CPB_MODEL_SAMEDIFF_ARRAY_VALUES_H

#include "model/common/values_reader.h"

extern const cpb_values_reader cpb_samediff_values; /* SAMEDIFF_ZIP, SAMEDIFF_GRAPH */

#endif
