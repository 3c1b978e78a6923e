/* Pairs the functions of two models. TensorFlow appends a number to the names of functions that it traces, and the
 * number changes with each run. */
#ifndef CPB_MODEL_DIFF_PAIRS_H
#define CPB_MODEL_DIFF_PAIRS_H

#include "base/alloc.h"
#include "model/common/spans.h"

typedef struct cpb_diff_pair {
  cpb_span names[2];                /* NULL data: only the other model has the function */
  struct cpb_diff_pairs *arguments; /* arguments that are the same under different names (arguments.h), or NULL */
} cpb_diff_pair;

typedef struct cpb_diff_pairs {
  cpb_allocator allocator;
  cpb_buffer bytes; /* the names */
  struct cpb_diff_name *names[2];
  size_t counts[2], capacities[2];
  cpb_diff_pair *list;
  size_t count;
  cpb_diff_pair **by_name[2]; /* the pairs with a name in that model, sorted by it */
} cpb_diff_pairs;

void cpb_diff_pairs_init(cpb_diff_pairs *pairs, const cpb_allocator *a);
void cpb_diff_pairs_free(cpb_diff_pairs *pairs);

/* Adds a function of a side. When all are added, pairs them: first equal names, then names that differ only in their
 * numbers, in the order of the numbers. False if memory is short. */
bool cpb_diff_pairs_add(cpb_diff_pairs *pairs, int side, cpb_span name);
bool cpb_diff_pairs_make(cpb_diff_pairs *pairs);

/* Alternatively, pairs the n-th function added for one side with the n-th of the other. Both sides must have equally
 * many. */
bool cpb_diff_pairs_make_in_order(cpb_diff_pairs *pairs);

/* The pair of the function, or NULL if that side has no function of this name. */
const cpb_diff_pair *cpb_diff_pairs_find(const cpb_diff_pairs *pairs, int side, cpb_span name);

/* The size of the text without the digits at its end. */
size_t cpb_diff_size_without_number(cpb_span text);

/* Whether texts are equal, name the same function, or differ only in a number that TensorFlow gives in each run:
 * "CustomGradient-12". */
bool cpb_diff_same_text(const cpb_diff_pairs *pairs, cpb_span a, cpb_span b);

/* A common form of texts that are the same in this sense, to sort them by. A function in both models has its name in
 * the first one. */
cpb_span cpb_diff_common_text(const cpb_diff_pairs *pairs, int side, cpb_span text);

#endif
