/* The questions about a SavedModel or a graph that have an answer. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_QUESTIONS_H
#define CPB_MODEL_TENSORFLOW_ASK_QUESTIONS_H

#include "model/tensorflow/variable_list.h"

/* What a question needs beside the skeleton. What Keras says is the answer to some. For others it is only a part
 * of the answer: it is then read if there is any, and for an overview if that is little; where layers are looked
 * for, also if it says nothing of them, as they have paths. */
enum {
  CPB_SAVED_NEEDS_GRAPH = 1,
  CPB_SAVED_NEEDS_KERAS = 2,
  CPB_SAVED_TAKES_KERAS = 4,
  CPB_SAVED_TAKES_LITTLE_KERAS = 8,
  CPB_SAVED_TAKES_LAYERS = 16,
  CPB_SAVED_TAKES_WEIGHTS = 32 /* the graph, where nothing else has the weights, or their shapes */
};

typedef struct cpb_saved_question {
  cpb_question_kind kind;
  unsigned needs;
  /* The answer's members; failing is setting the model's error. NULL: the view gives it. */
  void (*write)(cpb_saved_model *m);
} cpb_saved_question;

/* NULL when such a question has no answer. */
const cpb_saved_question *cpb_saved_find_question(bool is_graph, cpb_question_kind kind);

/* The answers, each in the file of its name; the overview's has those of the three kinds. */
void cpb_ask_overview(cpb_saved_model *m);
void cpb_ask_graph_overview(cpb_saved_model *m);
void cpb_ask_signature(cpb_saved_model *m);
void cpb_ask_objects(cpb_saved_model *m);
void cpb_ask_search(cpb_saved_model *m);
void cpb_ask_layers(cpb_saved_model *m);
void cpb_ask_load(cpb_saved_model *m);
void cpb_ask_cut(cpb_saved_model *m);
void cpb_ask_variables(cpb_saved_model *m);

/* Of a meta graph alone without signatures nothing else says what is fed: then the graph is read. */
bool cpb_overview_shows_placeholders(const cpb_saved_model *m);

/* Of the overview's "variables": "stored", how much the checkpoint has; nothing without one. After cpb_saved_link(). */
void cpb_write_stored_summary(cpb_saved_model *m);

/* How many variables an object graph has, and how much they take: "total", "trainable", "elements", "size", "names",
 * "distinct", "copies". */
void cpb_write_variable_counts(cpb_saved_model *m, const cpb_variable_list *list);

#endif
