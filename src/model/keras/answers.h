/* Answers about Keras's layers.
 *
 * Each question writes members into the object that is open, and is false with the
 * error set when it has no answer. */
#ifndef CPB_MODEL_KERAS_ANSWERS_H
#define CPB_MODEL_KERAS_ANSWERS_H

#include "cpb/model.h"

#include "base/json_writer.h"
#include "model/keras/layers.h"

/* "class", "name", "keras_version", "parameters", "training", ... of the model. */
bool cpb_keras_overview(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* "source", which is "metadata" where Keras says what layers are, else "objects"; "layers", a page; of the layer at the
 * path question->name and those in it, if given. */
bool cpb_keras_layers(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);
/* "class", "name", "layers" (how many), "parameters", ... of the model, for a line of an
 * overview. */
bool cpb_keras_summary(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* The first layer from number *layer on that has the text in its name, class or path,
 * whatever the case; false when there is none. And its members. */
bool cpb_keras_find(const cpb_keras *keras, cpb_span text, uint32_t *layer);
void cpb_keras_write_found(const cpb_keras *keras, uint32_t layer, cpb_json_writer *answer);
/* "layer", {"name", "path"}: the layer that the variable with that node belongs to, or null. */
void cpb_keras_write_owner(cpb_keras *keras, uint32_t node, cpb_json_writer *answer);
/* "found", a page of the layers with question->name in their name, class or path. */
bool cpb_keras_search(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

/* "paths", "nodes" (a page) and "missing", for the paths in question->name, one a line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
