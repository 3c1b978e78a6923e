/* An index as records: the pages, if it is to have any, and the last record of the file. */
#ifndef CPB_CHUNKED_INDEX_PAGE_WRITER_H
#define CPB_CHUNKED_INDEX_PAGE_WRITER_H

#include "chunked/index/tree_order.h"

typedef struct cpb_page_writer {
  cpb_allocator allocator;
  const cpb_metadata *m;
  bool paged;
  uint64_t page_size;         /* about that of a record, before compression */
  cpb_metadata root;          /* the versions; in the end the last record */
  cpb_page_list made, listed; /* pages of this level so far, and all of the one below, */
  size_t next;                /* of which this comes next */
  size_t chunk, node;         /* number written so far */
  uint32_t *order;            /* nodes in the order of their paths; NULL: they are so in the tree */
  uint32_t at;                /* the next node in that order */
  cpb_tree_order tree;        /* the last one, and those that it is in; */
  uint32_t *copies;           /* these in the page at hand */
  size_t copies_capacity;
  bool apart, ordered; /* it is that of their paths from the root */
  uint32_t level;
} cpb_page_writer;

/* Whether there are pages: if `page_size` is not 0. CPB_PAGES_SIZE: a suitable size for the index. */
#define CPB_PAGES_SIZE ((uint64_t)1)

/* An index larger than the limit of protobuf messages always has pages. `m` must outlive it. False if memory is short.
 * `apart` is the value for the pages. */
bool cpb_page_writer_begin(cpb_page_writer *w, const cpb_metadata *m, uint64_t page_size, bool apart);
void cpb_page_writer_free(cpb_page_writer *w);

/* Replaces `out` by the next record; `last` tells whether it is the file's last one. After each of the others, call
 * cpb_page_writer_placed() with its position. */
bool cpb_page_writer_next(cpb_page_writer *w, cpb_buffer *out, bool *last, cpb_error *error);
void cpb_page_writer_placed(cpb_page_writer *w, uint64_t position);

#endif
