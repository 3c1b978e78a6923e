/* Problems of a model that do not prevent an answer. The answer lists them under "problems". */
#ifndef CPB_MODEL_COMMON_PROBLEMS_H
#define CPB_MODEL_COMMON_PROBLEMS_H

#include <stdbool.h>

#include "base/json_writer.h"

typedef struct cpb_problem {
  uint64_t offset; /* in the input, or CPB_NO_OFFSET */
  bool is_damage;  /* the rest of the model could not be read */
  char text[192];
} cpb_problem;

typedef struct cpb_problems {
  cpb_allocator allocator;
  cpb_problem *items; /* the first 100, because a hostile model can have any number */
  size_t count, capacity;
  uint64_t more; /* further problems, only counted */
} cpb_problems;

void cpb_problems_init(cpb_problems *problems, const cpb_allocator *a);
void cpb_problems_free(cpb_problems *problems);
/* Text from the input must have passed through cpb_quote(). If memory is short, the problem is only counted. */
void cpb_problems_add(cpb_problems *problems, uint64_t offset, const char *text);

/* The same for damage: the answer lacks the damaged part, and perhaps what follows. */
void cpb_problems_add_damage(cpb_problems *problems, uint64_t offset, const char *text);

/* The elements of a list: {"offset": N or null, "text"}, and "damage": true for damage. */
void cpb_problems_write(const cpb_problems *problems, cpb_json_writer *answer);

#endif
