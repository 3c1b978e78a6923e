/* The questions that a SavedModel or a graph can answer. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_QUESTIONS_H
#define CPB_MODEL_TENSORFLOW_ASK_QUESTIONS_H

#include "model/common/kind.h"
#include "model/tensorflow/variables.h"

/* The data that a question needs besides the skeleton. For some questions, Keras's description is the entire answer.
 * For others it is only a part: it is read if it exists, and for an overview only if it is small. Questions about
 * layers also read it if it does not describe layers, because the objects have paths. */
enum {
  CPB_SAVED_NEEDS_GRAPH = 1,
  CPB_SAVED_NEEDS_KERAS = 2,
  CPB_SAVED_TAKES_KERAS = 4,
  CPB_SAVED_TAKES_LITTLE_KERAS = 8,
  CPB_SAVED_TAKES_LAYERS = 16,
  CPB_SAVED_TAKES_WEIGHTS = 32 /* the graph, if nothing else has the weights or their shapes */
};

typedef struct cpb_saved_question {
  cpb_question_kind kind;
  unsigned needs;
  /* Writes the answer's members; to fail, it sets the model's error. NULL: the view answers. */
  void (*write)(cpb_saved_model *m);
} cpb_saved_question;

/* NULL if the question has no answer. */
const cpb_saved_question *cpb_saved_find_question(bool is_graph, cpb_question_kind kind);

/* The answers, each in the file of its name; the overview's file has those of the three kinds. */
void cpb_ask_overview(cpb_saved_model *m);
void cpb_ask_graph_overview(cpb_saved_model *m);
void cpb_ask_signature(cpb_saved_model *m);
void cpb_ask_objects(cpb_saved_model *m);
void cpb_ask_search(cpb_saved_model *m);
void cpb_ask_layers(cpb_saved_model *m);
void cpb_ask_load(cpb_saved_model *m);
void cpb_ask_cut(cpb_saved_model *m);
void cpb_ask_variables(cpb_saved_model *m);

/* A VersionDef. */
void cpb_write_versions(cpb_json_writer *a, const char *key, cpb_span versions);

/* fingerprint.pb; as cpb_model_set_fingerprint(). */
int cpb_saved_set_fingerprint(cpb_saved_model *m, const void *data, size_t size);
void cpb_write_fingerprint(cpb_saved_model *m);

/* If a MetaGraphDef has no signatures, only its graph tells which tensors are fed: then the graph is read. */
bool cpb_overview_shows_placeholders(const cpb_saved_model *m);

/* Writes "stored" in the overview's "variables": the contents of the checkpoint, or nothing without one. Call it after
 * cpb_saved_link(). */
void cpb_write_stored_summary(cpb_saved_model *m);

/* Writes the number and size of an object graph's variables: "total", "trainable", "elements", "size", "names",
 * "distinct", "copies". */
void cpb_write_variable_counts(cpb_saved_model *m, const cpb_variable_list *list);

/* --- saved model ------------------------------------------------------------------------------ */

/* The reader of SavedModels and of separate graphs. */

extern const cpb_model_reader cpb_saved_model_reader; /* SAVED_MODEL, GRAPH_DEF */

#endif
