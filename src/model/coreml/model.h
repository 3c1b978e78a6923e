/* Core ML models: how they are seen (model/view) and read (model/questions). */
#ifndef CPB_MODEL_COREML_MODEL_H
#define CPB_MODEL_COREML_MODEL_H

#include "model/common/model_reader.h"
#include "model/common/values_reader.h"
#include "model/questions/questions.h"

extern const cpb_view_kind cpb_coreml_view;
extern const cpb_model_reader cpb_coreml_reader;
extern const cpb_values_reader cpb_coreml_values_reader; /* of a tensor, streamed */

/* The members of an answer to OVERVIEW. */
void cpb_coreml_overview(cpb_viewed *m);

#endif
