/* Finds the pages of an index that one field needs, and makes a smaller index from them, which describes a message with
 * only that field.
 *
 * This works if the tree is ordered and chunks are separate (IndexPage.apart). The field's bytes are then in the chunks
 * of the base, which is the longest path with chunks that leads to the field or to a message around it, and in the
 * chunks of the paths below the field. In the smaller message the base is the only one of its kind, so all indices up
 * to it are 0. */
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
  CPB_SEARCH_FIELD, /* reads the pages that may contain the field */
  CPB_SEARCH_BASE,  /* the same for its base */
  CPB_SEARCH_CHUNKS,
  CPB_SEARCH_DONE,
  CPB_SEARCH_GIVEN_UP /* the entire index is needed */
} cpb_search_phase;

typedef struct cpb_page_search {
  cpb_allocator allocator;
  cpb_search_phase phase;
  cpb_page_list path; /* its single page has the tags */
  cpb_page_list list; /* from the last record; a page of pages is replaced by the pages that it lists */
  cpb_metadata page;  /* the current page */
  size_t at;          /* its index in the list */
  cpb_found_page *found;
  size_t num_found, found_capacity;
  size_t base;       /* tags of the base's path */
  cpb_metadata part; /* the smaller index */
  uint64_t *numbers; /* of the chunks in the part: their numbers in the file */
  size_t num_numbers, numbers_capacity;
  bool *known; /* whether the part has each of these chunks, from CPB_SEARCH_CHUNKS on */
  size_t resolved;
} cpb_page_search;

/* The tags of a path in a message of this type. False if the field does not exist, or memory is short: then the search
 * cannot begin. */
bool cpb_page_search_path(cpb_page_list *tags, const cpb_message_type *type, const cpb_path *path);

/* `list` is from the last record. False if memory is short. */
bool cpb_page_search_begin(cpb_page_search *s, const cpb_page_list *list);
void cpb_page_search_free(cpb_page_search *s);

/* The page to decode into s->page; NULL if the search is finished, given up, or failed. */
const cpb_index_page *cpb_page_search_next(cpb_page_search *s, cpb_error *error);

/* The end of that page in the file, at most. */
uint64_t cpb_page_search_end(const cpb_page_search *s);

/* Takes that page, which was decoded. */
bool cpb_page_search_take(cpb_page_search *s, cpb_error *error);

/* The path in the part; NULL if memory is short. */
cpb_path *cpb_page_search_rename(const cpb_page_search *s, const cpb_path *path, cpb_error *error);

#endif
