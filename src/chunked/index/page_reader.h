/* Assembles an index from its pages: chooses the next page, and checks it against the list. */
#ifndef CPB_CHUNKED_INDEX_PAGE_READER_H
#define CPB_CHUNKED_INDEX_PAGE_READER_H

#include "chunked/index/tree_order.h"

/* The pages of one list; `next` is the next page. */
typedef struct cpb_page_frame {
  cpb_page_list list;
  size_t next;
} cpb_page_frame;

typedef struct cpb_page_reader {
  cpb_allocator allocator;
  cpb_metadata *m;   /* the index that is assembled */
  cpb_metadata page; /* the current page */
  cpb_page_frame frames[CPB_PAGE_LEVELS + 1];
  size_t depth;
  cpb_tree_order order;
} cpb_page_reader;

/* `m` is the last record, which lists pages. Its tree and chunks are replaced by the contents of the pages. `position`
 * is that of the last record. Errors: DAMAGED, LIMIT (limits->chunks, also for nodes), MEMORY. */
bool cpb_page_reader_begin(cpb_page_reader *r, cpb_metadata *m, uint64_t position, const cpb_limits *limits,
                           cpb_error *error);
void cpb_page_reader_free(cpb_page_reader *r);

/* The page to decode into r->page; NULL after the last. */
const cpb_index_page *cpb_page_reader_next(cpb_page_reader *r);

/* Takes that page, which was decoded, and empties r->page. */
bool cpb_page_reader_take(cpb_page_reader *r, cpb_error *error);

/* Checks the list in the last record, which is at `position`. */
bool cpb_page_list_check(const cpb_page_list *list, uint64_t position, const cpb_limits *limits, cpb_error *error);

/* Whether `list` is the one that belongs in `page`, page `i` of `above`. */
bool cpb_page_list_follows(const cpb_index_page *page, const cpb_page_list *above, size_t i, const cpb_page_list *list,
                           cpb_error *error);

#endif
