/* Keras in a SavedModel: its objects, with metadata from keras_metadata.pb if it was given, or else from the object
 * graph itself (written by TensorFlow before 2.5). */
#ifndef CPB_MODEL_TENSORFLOW_KERAS_H
#define CPB_MODEL_TENSORFLOW_KERAS_H

#include "model/keras/keras.h"
#include "model/tensorflow/state.h"

/* Describes a file next to the model that is not the expected one: "NAME is a Git LFS pointer; ...", or "NAME cannot be
 * parsed" and `otherwise`. */
void cpb_saved_describe_beside(const char *name, cpb_span content, const char *otherwise, char *out, size_t room);

/* Makes a copy; false if memory is short. Drops the data from an earlier file. */
int cpb_saved_set_keras(void *reader, const void *metadata, size_t size);
/* The given file; NULL data if it is missing or not usable. */
cpb_span cpb_saved_keras_given(const cpb_saved_model *m);
/* Forgets the data of the meta graph; with `all`, the given file as well. */
void cpb_saved_forget_keras(cpb_saved_model *m, bool all);

/* Call it after the skeleton was read: whether the model may have layers, with or without Keras's metadata. */
bool cpb_saved_has_layers(const cpb_saved_model *m);
/* Call it after the skeleton was read: whether there is metadata of Keras, in the given file or in an object graph of
 * at most `most` bytes. */
bool cpb_saved_has_keras(const cpb_saved_model *m, uint64_t most);
/* Call it after the skeleton was read: CPB_STEP_NEED with cpb_saved_keras_input, or CPB_STEP_DONE. */
cpb_step cpb_saved_read_keras(cpb_saved_model *m);
/* NULL if no input is needed. */
cpb_input *cpb_saved_keras_input(cpb_saved_model *m);

/* Calls `use` with Keras's description; a failure sets m->viewed.error. */
typedef void (*cpb_keras_use)(cpb_saved_model *m, cpb_keras *keras, void *user);
void cpb_saved_use_keras(cpb_saved_model *m, cpb_keras_use use, void *user);
/* The same for a question that uses the description as a part of its answer: failures become problems and not errors,
 * except for lack of memory. */
void cpb_saved_use_keras_too(cpb_saved_model *m, cpb_keras_use use, void *user);

#endif
