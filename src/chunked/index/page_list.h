/* The pages of an index that is read by range: records before the last one, each a ChunkMetadata with a run
 * of the chunks, a run of the tree's nodes, or a list of further pages. The last record lists the first of
 * them (docs/chunked-format.md). */
#ifndef CPB_CHUNKED_INDEX_PAGE_LIST_H
#define CPB_CHUNKED_INDEX_PAGE_LIST_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "chunked/index/field_tag.h"

typedef enum cpb_index_page_kind { CPB_PAGE_CHUNKS = 1, CPB_PAGE_NODES = 2 } cpb_index_page_kind;

enum { CPB_PAGE_LEVELS = 8 };

typedef struct cpb_index_page {
  uint64_t position, size; /* of its record */
  uint64_t first, count;   /* chunks or nodes: the number of the first one, and their count */
  uint32_t kind;
  uint32_t level;               /* 0: it has them itself; else it lists pages of the level below */
  bool apart;                   /* NODES: of all nodes, see page_search.h */
  bool ordered;                 /* NODES: they come in the order of their paths, and `tags` are the first one's */
  uint32_t first_tag, num_tags; /* in the list's tags */
} cpb_index_page;

typedef struct cpb_page_list {
  cpb_allocator allocator;
  cpb_index_page *items;
  size_t count, capacity;
  cpb_tag *tags;
  size_t num_tags, tags_capacity;
  cpb_buffer text; /* of string keys */
} cpb_page_list;

void cpb_page_list_init(cpb_page_list *p, const cpb_allocator *a);
void cpb_page_list_free(cpb_page_list *p);

/* False if memory is short. Tags belong to the last page added. */
bool cpb_page_list_add(cpb_page_list *p, const cpb_index_page *page);
bool cpb_page_list_add_tag(cpb_page_list *p, cpb_tag tag, const uint8_t *text);

/* Appends an IndexPage as field METADATA_PAGES. */
bool cpb_page_list_put(const cpb_page_list *p, size_t i, cpb_buffer *out);

/* Adds a serialized IndexPage. NULL, or the problem; with `memory` set, the problem is only lack of memory. */
const char *cpb_page_list_read(cpb_page_list *p, cpb_span in, bool *memory);

#endif
