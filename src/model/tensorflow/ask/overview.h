/* OVERVIEW of a SavedModel. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_OVERVIEW_H
#define CPB_MODEL_TENSORFLOW_ASK_OVERVIEW_H

#include "model/tensorflow/state.h"

void cpb_ask_overview(cpb_saved_model *m);

/* Of a meta graph alone without signatures nothing else says what is fed: then the graph is read. */
bool cpb_overview_shows_placeholders(const cpb_saved_model *m);

#endif
