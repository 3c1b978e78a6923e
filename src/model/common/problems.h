/* What is wrong with a model although the question can be answered. The answer lists it, under
 * "problems". */
#ifndef CPB_MODEL_COMMON_PROBLEMS_H
#define CPB_MODEL_COMMON_PROBLEMS_H

#include <stdbool.h>

#include "base/json_writer.h"

typedef struct cpb_problem {
  uint64_t offset; /* in the input, or CPB_NO_OFFSET */
  bool is_damage;  /* the model could not be read any further there */
  char text[192];
} cpb_problem;

typedef struct cpb_problems {
  cpb_allocator allocator;
  cpb_problem *items; /* the first 100, as a hostile model can have any number */
  size_t count, capacity;
  uint64_t more; /* problems that were only counted */
} cpb_problems;

void cpb_problems_init(cpb_problems *problems, const cpb_allocator *a);
void cpb_problems_free(cpb_problems *problems);
/* Text from the input must have passed through cpb_quote(). When memory is short the problem is
 * only counted. */
void cpb_problems_add(cpb_problems *problems, uint64_t offset, const char *text);

/* The same for damage: what comes after it, or is in it, is missing from the answer. */
void cpb_problems_add_damage(cpb_problems *problems, uint64_t offset, const char *text);

/* The elements of a list: {"offset": N or null, "text"}, and "damage": true for damage. */
void cpb_problems_write(const cpb_problems *problems, cpb_json_writer *answer);

#endif
