/* All RAM that is neither data nor stack, as blocks: first fit, neighbours joined. */
#ifndef CPB_HEAP_H
#define CPB_HEAP_H

#include <stddef.h>

/* NULL when no free block is large enough. Aligned to 8 bytes. */
void *heap_take(size_t size);
void *heap_resize(void *block, size_t size); /* with NULL: takes one */
void heap_give(void *block);                 /* NULL is allowed */

/* The largest block that could be taken now. */
size_t heap_largest(void);
/* From the heap's beginning to the end of the block that lay furthest so far: a heap of this size
 * would have done. */
size_t heap_peak(void);

#endif
