/* Which kind of model a file is. A table of its own beside that of kinds.c, so that a program which only asks this does
 * not have the readers. */
#include "model/common/kind.h"

#define GUESS(NAME, name, number, label, type) {number, cpb_##name##_guess},
static const struct {
  cpb_model_kind kind;
  int (*guess)(cpb_span begin);
} kinds[] = {CPB_MODEL_KINDS(GUESS)};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

/* The kind that fits best; of several the first. */
cpb_model_kind cpb_model_guess(const void *data, size_t size) {
  const cpb_span begin = {data, size};
  int best = 0;
  cpb_model_kind kind = 0;
  if (size == 0) return 0;
  for (size_t i = 0; i < NUM_KINDS; i++) {
    int score = kinds[i].guess(begin);
    if (score <= best) continue;
    best = score;
    kind = kinds[i].kind;
  }
  return kind;
}
