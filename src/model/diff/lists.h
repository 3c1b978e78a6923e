/* The lists of answers that are compared, and by which members their items are found. */
#ifndef CPB_MODEL_DIFF_LISTS_H
#define CPB_MODEL_DIFF_LISTS_H

#include <stdbool.h>

#include "cpb/model.h"

typedef struct cpb_diff_list {
  const char *section; /* as the result calls it */
  cpb_question_kind question;
  const char *member;         /* of the answer: a page, or a list. NULL: the answer's members
                                 are the items, but for `ignored` */
  const char *keys[4];        /* members of an item, up to a NULL; "?name" only where
                                 there is none of those before it */
  const char *const *ignored; /* members of an item that say where it is, not what */
  bool deep;                  /* members within it of these names, too */
} cpb_diff_list;

/* Asked once of a model of that kind; of each meta graph or tag. Up to one without a
 * section. */
const cpb_diff_list *cpb_diff_lists_of_model(cpb_model_kind kind);
const cpb_diff_list *cpb_diff_lists_of_part(cpb_model_kind kind);

/* What several questions may be asked about. */
extern const cpb_diff_list cpb_diff_functions; /* FUNCTION of each */
extern const cpb_diff_list cpb_diff_nodes;     /* NODES of the graph and of each function */
extern const cpb_diff_list cpb_diff_onnx_nodes;
extern const cpb_diff_list cpb_diff_nodes_with_types; /* of TensorFlow, whose attributes say what the outputs are */
extern const cpb_diff_list cpb_diff_objects;          /* OBJECTS at each path */
extern const cpb_diff_list cpb_diff_object;           /* and the members of the object itself */
extern const cpb_diff_list cpb_diff_constants;        /* with their values */
extern const cpb_diff_list cpb_diff_variables;        /* with the checksums of what a checkpoint has */
extern const cpb_diff_list cpb_diff_variables_alone;
extern const cpb_diff_list cpb_diff_parameters;
extern const cpb_diff_list cpb_diff_states;

#endif
