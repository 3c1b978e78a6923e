/* Memory for texts that are kept together and freed together: in blocks, which never move, so that
 * pointers into them stay valid, and so that growing takes no second copy. */
#ifndef CPB_BASE_TEXTS_H
#define CPB_BASE_TEXTS_H

#include "base/alloc.h"

typedef struct cpb_text_block cpb_text_block;

/* Zeroed: none yet. */
typedef struct cpb_texts {
  cpb_text_block *last;
} cpb_texts;

/* Room for `size` bytes, not initialized and not aligned. NULL if memory is short. */
uint8_t *cpb_texts_add(cpb_texts *texts, const cpb_allocator *a, size_t size);

void cpb_texts_free(cpb_texts *texts, const cpb_allocator *a);

#endif
