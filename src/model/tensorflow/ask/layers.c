/* The layers that Keras tells of, and what is loaded for some of them. */
#include "model/tensorflow/ask/layers.h"

#include "model/keras/answers.h"
#include "model/keras/load.h"
#include "model/tensorflow/keras.h"

typedef bool (*write)(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

static void write_members(cpb_saved_model *m, cpb_keras *keras, void *members) {
  cpb_json_writer_text(m->answer, "format", cpb_saved_keras_given(m).data ? "keras_metadata" : "saved_model");
  (*(const write *)members)(keras, &m->question, m->answer, m->error);
}

void cpb_ask_layers(cpb_saved_model *m) { cpb_saved_use_keras(m, write_members, &(write){cpb_keras_layers}); }
void cpb_ask_load(cpb_saved_model *m) { cpb_saved_use_keras(m, write_members, &(write){cpb_keras_load}); }
