/* Paths of fields, their order, and whether a tree is in that order. */
#ifndef CPB_CHUNKED_INDEX_TREE_ORDER_H
#define CPB_CHUNKED_INDEX_TREE_ORDER_H

#include "chunked/index/metadata.h"
#include "cpb/message.h"

/* --- Paths ------------------------------------------------------------------ */

/* Tags, and the text of their keys: in a list, or a metadata's from `first` on. */
typedef struct cpb_tags {
  const cpb_tag *tags; /* or NULL: */
  const cpb_metadata *metadata;
  const uint8_t *text;
  size_t first, count;
} cpb_tags;

static inline cpb_tags cpb_index_page_path(const cpb_page_list *p, size_t i) {
  return (cpb_tags){
      .tags = p->tags, .text = p->text.data, .first = p->items[i].first_tag, .count = p->items[i].num_tags};
}

/* The tags of a node, relative to its parent. */
cpb_tags cpb_node_tags(const cpb_metadata *m, uint32_t node);

/* Negative, 0 or positive. A path sorts before longer paths that begin with it. Keys that are numbers are of one
 * kind. */
int cpb_tags_compare(cpb_tags a, cpb_tags b);

/* The order of siblings in a merge: by their tags, and then by their chunks, where a missing one counts as chunk 0. */
int cpb_node_compare(const cpb_metadata *m, uint32_t a, uint32_t b);

/* Whether `b` begins with `a`. */
bool cpb_tags_lead(cpb_tags a, cpb_tags b);

/* --- The order of a tree ------------------------------------------------------ */

/* Checks whether nodes are added in the order of their paths from the root. Each is added after its parent and after
 * the nodes below its earlier siblings. Also tracks the nodes that contain the last one. */
typedef struct cpb_tree_order {
  const cpb_metadata *metadata;
  cpb_allocator allocator;
  uint32_t *open; /* from the root to the last node added */
  size_t depth, capacity;
  bool broken;
} cpb_tree_order;

void cpb_tree_order_init(cpb_tree_order *o, const cpb_allocator *a, const cpb_metadata *m);
void cpb_tree_order_free(cpb_tree_order *o);

/* False when memory is short. */
bool cpb_tree_order_add(cpb_tree_order *o, uint32_t node);

/* --- positions -------------------------------------------------------------------------------- */

/* The record positions that an index names, in order: from them follows where
 * Riegeli chunks probably begin and end, before any of their headers is read. */

typedef struct cpb_positions {
  cpb_allocator allocator;
  const cpb_metadata *metadata;
  uint64_t *sorted; /* each once; NULL: the index names them in this order */
  size_t count;
  size_t *files; /* by file: where its positions end in `sorted`, which may have unused places; NULL: there is only one
                  * file */
} cpb_positions;

/* False if memory is short. `metadata` must outlive the positions. */
bool cpb_positions_init(cpb_positions *p, const cpb_allocator *a, const cpb_metadata *metadata);
void cpb_positions_free(cpb_positions *p);

/* Records of one Riegeli chunk have consecutive positions. So the Riegeli chunk of the record at `position` begins at
 * the start of the run of consecutive positions around it. It ends, if the file holds nothing else, at the start of the
 * next run: `*end`, or CPB_NO_OFFSET after the last run. */
void cpb_positions_around(const cpb_positions *p, uint32_t file, uint64_t position, uint64_t *begin, uint64_t *end);

/* --- page reader ------------------------------------------------------------------------------ */

/* Assembles an index from its pages: chooses the next page, and checks it against the list. */

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

/* --- page search ------------------------------------------------------------------------------ */

/* Finds the pages of an index that one field needs, and makes a smaller index from them, which describes a message with
 * only that field.
 *
 * This works if the tree is ordered and chunks are separate (IndexPage.apart). The field's bytes are then in the chunks
 * of the base, which is the longest path with chunks that leads to the field or to a message around it, and in the
 * chunks of the paths below the field. In the smaller message the base is the only one of its kind, so all indices up
 * to it are 0. */

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

/* --- page writer ------------------------------------------------------------------------------ */

/* An index as records: the pages, if it is to have any, and the last record of the file. */

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
