/* The state of a cpb_index. */
#ifndef CPB_CHUNKED_INDEX_INDEX_STATE_H
#define CPB_CHUNKED_INDEX_INDEX_STATE_H

#include "base/meter.h"
#include "chunked/index/tree_order.h"

struct cpb_index {
  cpb_allocator outer; /* of the index itself */
  cpb_meter meter;
  cpb_allocator allocator;   /* of everything else */
  cpb_input none;            /* used without a file */
  cpb_record_reader *reader; /* NULL once the index is complete */
  cpb_metadata metadata;
  cpb_positions positions; /* of its chunks */
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  bool done, apart; /* according to its pages */
  uint64_t num_pages;
  uint64_t num_listed; /* chunks, according to the list of pages in the last record */
  cpb_error error;
  cpb_metadata_decoder decoder; /* of the last record, then of each page */
  cpb_page_reader pages;
  const cpb_index_page *page; /* the page being read */
  cpb_page_search search;
  const cpb_path *path; /* the path that is searched; NULL: none */
  cpb_path *wanted;
};

#endif
