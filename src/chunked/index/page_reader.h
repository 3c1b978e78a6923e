/* Puts an index together of its pages: which of them comes next, and whether it is what the list says. */
#ifndef CPB_CHUNKED_INDEX_PAGE_READER_H
#define CPB_CHUNKED_INDEX_PAGE_READER_H

#include "chunked/index/tree_order.h"

/* The pages of one list, of which `next` comes next. */
typedef struct cpb_page_frame {
  cpb_page_list list;
  size_t next;
} cpb_page_frame;

typedef struct cpb_page_reader {
  cpb_allocator allocator;
  cpb_metadata *m;   /* that is put together */
  cpb_metadata page; /* the one at hand */
  cpb_page_frame frames[CPB_PAGE_LEVELS + 1];
  size_t depth;
  cpb_tree_order order;
} cpb_page_reader;

/* `m`: the last record, which lists pages. Its tree and chunks then become what the pages say. `position` is
 * that of the last record. Errors: DAMAGED, LIMIT (limits->chunks, also for nodes), MEMORY. */
bool cpb_page_reader_begin(cpb_page_reader *r, cpb_metadata *m, uint64_t position, const cpb_limits *limits,
                           cpb_error *error);
void cpb_page_reader_free(cpb_page_reader *r);

/* The page to be decoded into r->page; NULL when all were taken. */
const cpb_index_page *cpb_page_reader_next(cpb_page_reader *r);

/* That page was decoded. Empties r->page. */
bool cpb_page_reader_take(cpb_page_reader *r, cpb_error *error);

/* Of the last record's list; `position` is that record's. */
bool cpb_page_list_check(const cpb_page_list *list, uint64_t position, const cpb_limits *limits, cpb_error *error);

/* Whether `list` is what `page`, page `i` of `above`, should list. */
bool cpb_page_list_follows(const cpb_index_page *page, const cpb_page_list *above, size_t i, const cpb_page_list *list,
                           cpb_error *error);

#endif
