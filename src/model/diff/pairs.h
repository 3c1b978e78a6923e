/* Which function of one model is which of the other. TensorFlow appends a number to the
 * names of functions that it traces, another one each time. */
#ifndef CPB_MODEL_DIFF_PAIRS_H
#define CPB_MODEL_DIFF_PAIRS_H

#include "base/alloc.h"
#include "model/common/spans.h"

typedef struct cpb_diff_pair {
  cpb_span names[2];                /* NULL data: only the other model has it */
  struct cpb_diff_pairs *arguments; /* whose names differ though they are the same (arguments.h); NULL for none */
} cpb_diff_pair;

typedef struct cpb_diff_pairs {
  cpb_allocator allocator;
  cpb_buffer bytes; /* the names */
  struct cpb_diff_name *names[2];
  size_t counts[2], capacities[2];
  cpb_diff_pair *list;
  size_t count;
  cpb_diff_pair **by_name[2]; /* those that have a name there, in its order */
} cpb_diff_pairs;

void cpb_diff_pairs_init(cpb_diff_pairs *pairs, const cpb_allocator *a);
void cpb_diff_pairs_free(cpb_diff_pairs *pairs);

/* Adds a function of a side; then, when all are there, pairs them: those of the same name,
 * then those that differ in their numbers, in the order of these. False when memory is
 * short. */
bool cpb_diff_pairs_add(cpb_diff_pairs *pairs, int side, cpb_span name);
bool cpb_diff_pairs_make(cpb_diff_pairs *pairs);

/* In place of that: the n-th that was added of the one side with the n-th of the other, of which there are as
 * many. */
bool cpb_diff_pairs_make_in_order(cpb_diff_pairs *pairs);

/* The pair of the function; NULL when that side has none of that name. */
const cpb_diff_pair *cpb_diff_pairs_find(const cpb_diff_pairs *pairs, int side, cpb_span name);

/* How much of a text precedes the digits that it ends with. */
size_t cpb_diff_size_without_number(cpb_span text);

/* Whether texts are the same, or name the same function, or differ in a number that is
 * TensorFlow's for one run: "CustomGradient-12". */
bool cpb_diff_same_text(const cpb_diff_pairs *pairs, cpb_span a, cpb_span b);

/* What texts that are the same in this sense have in common, to be sorted by: a function's name in
 * the first model where both have it. */
cpb_span cpb_diff_common_text(const cpb_diff_pairs *pairs, int side, cpb_span text);

#endif
