/* The reader of SameDiff models, zips and graph files. */
#ifndef CPB_MODEL_SAMEDIFF_SAMEDIFF_H
#define CPB_MODEL_SAMEDIFF_SAMEDIFF_H

#include "model/common/model_reader.h"

extern const cpb_model_reader cpb_samediff_reader;

/* Whether a file begins as one of them does. */
int cpb_samediff_zip_guess(cpb_span begin);
int cpb_samediff_graph_guess(cpb_span begin);

#endif
