/* All variables of a meta graph, each with its use. This is the only place that decides which of them are the model's
 * parameters, for every answer (docs/inspecting.md, "What counts as a parameter"). */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLE_LIST_H
#define CPB_MODEL_TENSORFLOW_VARIABLE_LIST_H

#include "model/tensorflow/variable.h"

/* Call it after cpb_saved_link(). False with m->viewed.error set; free `list` then as well. */
bool cpb_variable_list_build(cpb_variable_list *list, cpb_saved_model *m);
void cpb_variable_list_free(cpb_variable_list *list);

/* The totals of all variables. */
cpb_parameters cpb_variable_list_parameters(const cpb_variable_list *list);

#endif
