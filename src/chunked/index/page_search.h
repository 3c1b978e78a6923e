/* Of an index in pages, those that one field needs, and what they make of it: the index of a message that has
 * nothing but that field.
 *
 * Where the tree is in order, and chunks are apart (IndexPage.apart), the field is in the chunks of the longest path
 * that leads to it or to what it is in, its base, and of the paths below the field. In the message made of these the
 * base is the only one of its kind: indices up to it are 0. */
#ifndef CPB_CHUNKED_INDEX_PAGE_SEARCH_H
#define CPB_CHUNKED_INDEX_PAGE_SEARCH_H

#include "chunked/index/tree_order.h"
#include "cpb/message.h"

/* A page of nodes. */
typedef struct cpb_found_page {
  uint64_t first, count;
  cpb_metadata nodes;
} cpb_found_page;

typedef enum cpb_search_phase {
  CPB_SEARCH_FIELD, /* reads the pages that the field may be in, */
  CPB_SEARCH_BASE,  /* its base, */
  CPB_SEARCH_CHUNKS,
  CPB_SEARCH_DONE,
  CPB_SEARCH_GIVEN_UP /* the whole index is needed */
} cpb_search_phase;

typedef struct cpb_page_search {
  cpb_allocator allocator;
  cpb_search_phase phase;
  cpb_page_list path; /* its one page has the tags */
  cpb_page_list list; /* those of the last record; a page of pages is replaced by what it lists */
  cpb_metadata page;  /* the one at hand */
  size_t at;          /* its place in the list */
  cpb_found_page *found;
  size_t num_found, found_capacity;
  size_t base;       /* tags of its path */
  cpb_metadata part; /* what is made */
  uint64_t *numbers; /* of the chunks that it takes, in the file */
  size_t num_numbers, numbers_capacity;
  bool *known; /* which of these chunks the part has, from CPB_SEARCH_CHUNKS on */
  size_t resolved;
} cpb_page_search;

/* The tags of a path in a message of this type. False when there is no such field, or memory is short: then the
 * search has nothing to look for. */
bool cpb_page_search_path(cpb_page_list *tags, const cpb_message_type *type, const cpb_path *path);

/* `list`: that of the last record. False when memory is short. */
bool cpb_page_search_begin(cpb_page_search *s, const cpb_page_list *list);
void cpb_page_search_free(cpb_page_search *s);

/* The page to be decoded into s->page; NULL: the search is done or given up, or has failed. */
const cpb_index_page *cpb_page_search_next(cpb_page_search *s, cpb_error *error);

/* Up to where that page may go, in the file. */
uint64_t cpb_page_search_end(const cpb_page_search *s);

/* That page was decoded. */
bool cpb_page_search_take(cpb_page_search *s, cpb_error *error);

/* The path in the part; NULL when memory is short. */
cpb_path *cpb_page_search_rename(const cpb_page_search *s, const cpb_path *path, cpb_error *error);

#endif
