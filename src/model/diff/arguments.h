/* Which argument of a function is which of the same function in the other model, where they go by other names:
 * TensorFlow numbers what it has no name for ("a_1244", "unknown_12") anew each time that it traces.
 *
 * An argument is known by its place. The n-th of the one is the n-th of the other, if there are as many, of the same
 * dtype, and their names but for the number are the same, or what the user called them. Names of arguments mean
 * nothing outside of the function, so that no difference is lost by this as long as all that refers to them is read
 * in the same way. */
#ifndef CPB_MODEL_DIFF_ARGUMENTS_H
#define CPB_MODEL_DIFF_ARGUMENTS_H

#include "model/diff/state.h"

/* Sets the arguments of a pair of functions, which are the items that were added last. */
void cpb_diff_arguments_pair(cpb_diff *d, cpb_diff_pair *functions);

/* Whether one of two texts, of the first model and of the second, is or begins with an argument's name: "a_1244:0".
 * `same` is then whether both do, of the same argument, and agree in the rest. */
bool cpb_diff_are_arguments(const cpb_diff_pairs *arguments, cpb_span a, cpb_span b, bool *same);

#endif
