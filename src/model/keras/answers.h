/* Answers about Keras's layers.
 *
 * Each function writes members into the open object; it returns false with the error set if it has no answer. */
#ifndef CPB_MODEL_KERAS_ANSWERS_H
#define CPB_MODEL_KERAS_ANSWERS_H

#include "cpb/model.h"

#include "base/json_writer.h"
#include "model/keras/layers.h"

/* "class", "name", "keras_version", "parameters", "training", ... of the model. */
bool cpb_keras_overview(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* "source", which is "metadata" if Keras describes the layers, else "objects"; and "layers", a page of all layers, or
 * of the one at path question->name and those nested in it. */
bool cpb_keras_layers(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);
/* "class", "name", "layers" (how many), "parameters", ... of the model, for a line of an
 * overview. */
bool cpb_keras_summary(cpb_keras *keras, cpb_json_writer *answer, cpb_error *error);
/* Finds the first layer from number *layer on whose name, class or path contains the text, ignoring case; false if none
 * does. The other function writes its members. */
bool cpb_keras_find(const cpb_keras *keras, cpb_span text, uint32_t *layer);
void cpb_keras_write_found(const cpb_keras *keras, uint32_t layer, cpb_json_writer *answer);
/* "layer": {"name", "path"} of the layer that owns the variable of this node, or null. */
void cpb_keras_write_owner(cpb_keras *keras, uint32_t node, cpb_json_writer *answer);
/* "found", a page of the layers with question->name in their name, class or path. */
bool cpb_keras_search(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

/* "paths", "nodes" (a page) and "missing" for the paths in question->name, one per line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
