/* Keras in a SavedModel: its objects, with what keras_metadata.pb says of them where it
 * was given, or else what the object graph itself does (as TensorFlow before 2.5 wrote). */
#ifndef CPB_MODEL_ASK_KERAS_H
#define CPB_MODEL_ASK_KERAS_H

#include "model/tensorflow/saved_model.h"

/* A copy; false when memory is short. What was made of another one goes. */
bool cpb_saved_set_keras(cpb_saved_model *m, const void *metadata, size_t size);
/* What was given; NULL data when nothing of use was. */
cpb_span cpb_saved_keras_given(const cpb_saved_model *m);
/* Forgets what belongs to the meta graph; with `all` the given file too. */
void cpb_saved_forget_keras(cpb_saved_model *m, bool all);

/* After the skeleton: CPB_STEP_NEED with cpb_saved_keras_input, CPB_STEP_DONE. */
cpb_step cpb_saved_read_keras(cpb_saved_model *m);
/* NULL when nothing is waited for. */
cpb_input *cpb_saved_keras_input(cpb_saved_model *m);

void cpb_ask_layers(cpb_saved_model *m);
void cpb_ask_load(cpb_saved_model *m);

#endif
