/* Keras in a SavedModel: its objects, with what keras_metadata.pb says of them where it
 * was given, or else what the object graph itself does (as TensorFlow before 2.5 wrote). */
#ifndef CPB_MODEL_TENSORFLOW_KERAS_H
#define CPB_MODEL_TENSORFLOW_KERAS_H

#include "model/keras/keras.h"
#include "model/tensorflow/state.h"

/* A copy; false when memory is short. What was made of another one goes. */
bool cpb_saved_set_keras(cpb_saved_model *m, const void *metadata, size_t size);
/* What was given; NULL data when nothing of use was. */
cpb_span cpb_saved_keras_given(const cpb_saved_model *m);
/* Forgets what belongs to the meta graph; with `all` the given file too. */
void cpb_saved_forget_keras(cpb_saved_model *m, bool all);

/* After the skeleton: whether the model may have layers, whether or not Keras says anything of them. */
bool cpb_saved_has_layers(const cpb_saved_model *m);
/* After the skeleton: whether Keras says anything, in the given file or in an object graph
 * of at most `most` bytes. */
bool cpb_saved_has_keras(const cpb_saved_model *m, uint64_t most);
/* After the skeleton: CPB_STEP_NEED with cpb_saved_keras_input, CPB_STEP_DONE. */
cpb_step cpb_saved_read_keras(cpb_saved_model *m);
/* NULL when nothing is waited for. */
cpb_input *cpb_saved_keras_input(cpb_saved_model *m);

/* Calls `use` with what Keras says; what fails is m->viewed.error. */
typedef void (*cpb_keras_use)(cpb_saved_model *m, cpb_keras *keras, void *user);
void cpb_saved_use_keras(cpb_saved_model *m, cpb_keras_use use, void *user);
/* The same if the question takes it in, as a part of its answer: what fails but for lack of memory is
 * a problem, and no error. */
void cpb_saved_use_keras_too(cpb_saved_model *m, cpb_keras_use use, void *user);

#endif
