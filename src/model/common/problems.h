/* What could not be made out of a model: told with the answer. */
#ifndef CPB_MODEL_COMMON_PROBLEMS_H
#define CPB_MODEL_COMMON_PROBLEMS_H

#include "base/json_writer.h"

typedef struct cpb_problem {
  uint64_t offset; /* in the input, or CPB_NO_OFFSET */
  char text[192];
} cpb_problem;

typedef struct cpb_problems {
  cpb_allocator allocator;
  cpb_problem *items; /* the first ones: a hostile model has no end of them */
  size_t count, capacity;
  uint64_t more; /* that were only counted */
} cpb_problems;

void cpb_problems_init(cpb_problems *problems, const cpb_allocator *a);
void cpb_problems_free(cpb_problems *problems);
/* Text from the input must come through cpb_quote. When memory is short the problem
 * is only counted. */
void cpb_problems_add(cpb_problems *problems, uint64_t offset, const char *text);

/* The elements of a list: {"offset": N or null, "text"}. */
void cpb_problems_write(const cpb_problems *problems, cpb_json_writer *answer);

#endif
