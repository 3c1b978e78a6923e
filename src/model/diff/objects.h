/* The trees of objects of two SavedModels, breadth first from both roots. */
#ifndef CPB_MODEL_DIFF_OBJECTS_H
#define CPB_MODEL_DIFF_OBJECTS_H

#include "model/diff/state.h"

/* As a task (tasks.h): the roots, then in each round the children of an object that both have. */
bool cpb_diff_objects_begin(cpb_diff *d);
cpb_step cpb_diff_objects_compare(cpb_diff *d);

#endif
