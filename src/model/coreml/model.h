/* Core ML models: how they are seen (model/view) and read (model/questions). */
#ifndef CPB_MODEL_COREML_MODEL_H
#define CPB_MODEL_COREML_MODEL_H

#include "model/common/model_reader.h"
#include "model/questions/questions.h"

extern const cpb_view_kind cpb_coreml_view;
extern const cpb_model_reader cpb_coreml_reader;

/* The members of an answer to OVERVIEW. */
void cpb_coreml_overview(cpb_viewed *m);

#endif
