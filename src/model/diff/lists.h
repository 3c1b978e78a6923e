/* The lists that several kinds of models have; a kind's own lists are in its rows (model/common/diff_kind.h). */
#ifndef CPB_MODEL_DIFF_LISTS_H
#define CPB_MODEL_DIFF_LISTS_H

#include "model/common/diff_kind.h"

extern const cpb_diff_list cpb_diff_functions;        /* FUNCTION of each */
extern const cpb_diff_list cpb_diff_nodes;            /* NODES of the graph and of each function */
extern const cpb_diff_list cpb_diff_nodes_with_roles; /* the same if roles of inputs follow from operations */
extern const cpb_diff_list cpb_diff_nodes_with_types; /* TensorFlow's, whose attributes give the types of outputs */
extern const cpb_diff_list cpb_diff_objects;          /* OBJECTS at each path */
extern const cpb_diff_list cpb_diff_object;           /* and the members of the object itself */
extern const cpb_diff_list cpb_diff_constants;        /* with their values */
extern const cpb_diff_list cpb_diff_variables;        /* with the checksums that a checkpoint has */
extern const cpb_diff_list cpb_diff_variables_alone;
extern const cpb_diff_list cpb_diff_variables_unchecked; /* that only their values can compare */
extern const cpb_diff_list cpb_diff_parameters;
extern const cpb_diff_list cpb_diff_states;

#endif
