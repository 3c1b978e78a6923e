#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/index_state.h"
#include "riegeli/records/reader.h"

#include <string.h>

/* Stored bytes of the index that are kept until they are verified and can be decoded; a larger index is requested
 * twice. */
enum { INDEX_BUFFER = 64 * 1024 * 1024 };

static cpb_index *new_index(const cpb_allocator *allocator, const cpb_limits *limits) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_index *index = cpb_alloc_zeroed(&a, sizeof *index);
  if (!index) return NULL;
  index->outer = a;
  cpb_input_init(&index->none);
  cpb_meter_init(&index->meter, &a, limits, &index->none);
  index->allocator = cpb_meter_allocator(&index->meter);
  cpb_metadata_init(&index->metadata, &index->allocator);
  index->positions.allocator = index->allocator;
  return index;
}

cpb_index *cpb_index_new(const cpb_allocator *allocator, const cpb_limits *limits) {
  cpb_index *index = new_index(allocator, limits);
  if (!index) return NULL;
  const cpb_record_reader_options options = {
      .struct_size = sizeof options, .buffer = INDEX_BUFFER, .limits = &index->meter.limits};
  index->reader = cpb_record_reader_new_within(&index->outer, &options, &index->meter);
  if (!index->reader) {
    cpb_index_free(index);
    return NULL;
  }
  index->meter.input = cpb_record_reader_input(index->reader);
  cpb_record_reader_seek_last(index->reader);
  return index;
}

void cpb_index_free(cpb_index *index) {
  if (!index) return;
  cpb_allocator a = index->outer;
  cpb_record_reader_free(index->reader);
  cpb_metadata_decoder_free(&index->decoder);
  cpb_page_reader_free(&index->pages);
  cpb_page_search_free(&index->search);
  cpb_path_free(index->wanted);
  cpb_positions_free(&index->positions);
  cpb_metadata_free(&index->metadata);
  cpb_meter_free(&index->meter);
  cpb_release(&a, index);
}

/* --- From memory ---------------------------------------------------------- */

static bool has_no_pages(const cpb_index *index, cpb_error *error) {
  if (index->metadata.pages.count == 0) return true;
  return CPB_FAILS(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "the chunk index is in pages, which are in a file; expected all of it");
}

/* A tree alone (`bare`) is of chunks that are given elsewhere. */
static bool sort_positions(cpb_index *index, bool bare, cpb_error *error) {
  const cpb_metadata *m = &index->metadata;
  if (!cpb_metadata_check_files(m, error) || (!bare && !cpb_metadata_check_numbers(m, error))) return false;
  if (cpb_positions_init(&index->positions, &index->allocator, &index->metadata)) return true;
  return cpb_fail_memory(error), false;
}

static cpb_index *from_bytes(const cpb_allocator *allocator, const cpb_limits *limits, bool bare, cpb_span bytes,
                             cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_index *index = new_index(allocator, limits);
  if (!index) return cpb_fail_memory(error), NULL;
  cpb_meter_grow(&index->meter, bytes.size);
  if (cpb_metadata_decode(&index->metadata, bare, bytes, &index->meter.limits, error) && has_no_pages(index, error) &&
      sort_positions(index, bare, error)) {
    index->done = true;
    return index;
  }
  cpb_meter_explain(&index->meter, error);
  cpb_index_free(index);
  return NULL;
}

cpb_index *cpb_index_from_metadata(const cpb_allocator *allocator, const cpb_limits *limits, const void *data,
                                   size_t size, cpb_error *error) {
  return from_bytes(allocator, limits, false, (cpb_span){data, size}, error);
}

cpb_index *cpb_index_from_message(const cpb_allocator *allocator, const cpb_limits *limits, const void *data,
                                  size_t size, cpb_error *error) {
  return from_bytes(allocator, limits, true, (cpb_span){data, size}, error);
}

/* --- From the end of a file ----------------------------------------------- */

cpb_input *cpb_index_input(cpb_index *index) {
  return index->reader ? cpb_record_reader_input(index->reader) : &index->none;
}

static cpb_step fail(cpb_index *index, const cpb_error *error) {
  if (index->error.code == CPB_OK) index->error = *error;
  cpb_meter_explain(&index->meter, &index->error);
  return CPB_STEP_ERROR;
}

/* The index is complete, so its reader is no longer needed. */
static cpb_step finish(cpb_index *index) {
  cpb_error error = {0};
  index->none = *cpb_record_reader_input(index->reader);
  index->meter.input = &index->none;
  cpb_record_reader_free(index->reader);
  index->reader = NULL;
  index->done = sort_positions(index, false, &error);
  if (error.code == CPB_E_DAMAGED) error.offset = index->record.chunk_begin;
  return index->done ? CPB_STEP_DONE : fail(index, &error);
}

/* Goes to the next page. `end` is how far it will read. */
static cpb_step go_to_page(cpb_index *index, const cpb_index_page *page, uint64_t end) {
  index->page = page;
  index->num_pages++;
  cpb_reader_seek_chunk(index->reader, page->position, page->position, end);
  return CPB_STEP_NEED;
}

static cpb_step next_page(cpb_index *index) {
  const cpb_index_page *page = cpb_page_reader_next(&index->pages);
  if (page) return go_to_page(index, page, index->record.chunk_begin);
  index->page = NULL;
  return finish(index);
}

static cpb_step read_all_pages(cpb_index *index) {
  cpb_error error = {0};
  cpb_metadata *m = &index->metadata;
  if (cpb_page_reader_begin(&index->pages, m, index->record.position, &index->meter.limits, &error))
    return next_page(index);
  error.offset = index->record.chunk_begin;
  return fail(index, &error);
}

/* --- Pages that are searched for --------------------------------------------- */

/* Makes the part that was found the index. */
static cpb_step take_part(cpb_index *index) {
  cpb_error error = {0};
  cpb_metadata *m = &index->metadata, *part = &index->search.part;
  index->wanted = cpb_page_search_rename(&index->search, index->path, &error);
  if (!index->wanted) return fail(index, &error);
  cpb_metadata_keep_pages(m);
  cpb_page_list_free(&m->pages);
  cpb_metadata_move_tree(m, part);
  cpb_page_search_free(&index->search);
  return finish(index);
}

static cpb_step search_page(cpb_index *index) {
  cpb_error error = {0};
  cpb_page_search *s = &index->search;
  const cpb_index_page *page = cpb_page_search_next(s, &error);
  if (page) return go_to_page(index, page, cpb_page_search_end(s));
  index->page = NULL;
  if (s->phase == CPB_SEARCH_DONE) return take_part(index);
  error.offset = index->record.chunk_begin;
  if (error.code != CPB_OK) return fail(index, &error);
  index->path = NULL;
  cpb_page_search_free(s);
  return read_all_pages(index);
}

static cpb_step begin_search(cpb_index *index) {
  cpb_error error = {0};
  const cpb_page_list *pages = &index->metadata.pages;
  if (!cpb_page_list_check(pages, index->record.position, &index->meter.limits, &error)) {
    error.offset = index->record.chunk_begin;
    return fail(index, &error);
  }
  if (cpb_page_search_begin(&index->search, pages)) return search_page(index);
  cpb_fail_memory(&error);
  return fail(index, &error);
}

int cpb_index_want(cpb_index *index, const cpb_message_type *type, const cpb_path *path) {
  cpb_page_search *s = &index->search;
  if (!index->reader || index->record.size > 0 || index->path) return 0;
  s->allocator = index->allocator;
  cpb_page_list_init(&s->path, &s->allocator);
  if (cpb_page_search_path(&s->path, type, path)) index->path = path;
  else cpb_page_list_free(&s->path);
  return index->path != NULL;
}

const cpb_path *cpb_index_wanted(const cpb_index *index) { return index->wanted; }

/* --- The last record --------------------------------------------------------- */

static uint64_t chunks_in(const cpb_page_list *pages) {
  uint64_t count = 0;
  for (size_t i = 0; i < pages->count; i++)
    if (pages->items[i].kind == CPB_PAGE_CHUNKS) count = pages->items[i].first + pages->items[i].count;
  return count;
}

static cpb_step end_root(cpb_index *index) {
  const cpb_page_list *pages = &index->metadata.pages;
  if (pages->count == 0) return finish(index);
  index->num_listed = chunks_in(pages);
  index->apart = pages->items[pages->count - 1].apart;
  return index->path ? begin_search(index) : read_all_pages(index);
}

static cpb_step end_page(cpb_index *index) {
  cpb_error error = {0};
  const uint64_t position = index->page->position;
  if (!cpb_metadata_decoder_end(&index->decoder, &error)) {
    cpb_error inner = error;
    if (error.code == CPB_E_DAMAGED)
      cpb_fail(&error, CPB_E_DAMAGED, CPB_NO_OFFSET, "the page of the chunk index at position %llu: %s",
               (unsigned long long)position, inner.message);
  } else if (index->path ? cpb_page_search_take(&index->search, &error) : cpb_page_reader_take(&index->pages, &error)) {
    cpb_metadata_decoder_free(&index->decoder);
    return index->path ? search_page(index) : next_page(index);
  }
  error.offset = position;
  return fail(index, &error);
}

/* A record that does not decode is not damage: its hashes are correct, so the file is some other Riegeli file. Almost
 * any message decodes as an index without a message, which no splitter writes. */
static cpb_step end_decoding(cpb_index *index) {
  cpb_error error = {0};
  if (cpb_metadata_decoder_end(&index->decoder, &error)) {
    if (cpb_metadata_node(&index->metadata, 0).has_message) return end_root(index);
    cpb_fail(&error, CPB_E_DAMAGED, CPB_NO_OFFSET, "message is not set");
  }
  if (error.code == CPB_E_DAMAGED) {
    cpb_fail(&index->error, CPB_E_FORMAT, index->record.chunk_begin,
             "not a chunked file: its last Riegeli record is not a ChunkMetadata (%s)", error.message);
  }
  error.offset = index->record.chunk_begin;
  return fail(index, &error);
}

static cpb_step end_record(cpb_index *index) {
  if (index->page) return end_page(index);
  index->riegeli = *cpb_record_reader_chunk(index->reader);
  return end_decoding(index);
}

/* Reports a mistake in the record only at its end, because until then the file may turn out to be damaged. */
static cpb_step take_data(cpb_index *index, cpb_span in) {
  cpb_metadata_decoder_feed(&index->decoder, in);
  const uint64_t size = index->page ? index->page->size : index->record.size;
  return index->decoder.fed == size ? end_record(index) : CPB_STEP_NEED;
}

/* The record must be the page that the list describes. */
static bool is_page(cpb_index *index, const cpb_record *record) {
  const cpb_index_page *page = index->page;
  if (!page || (record && record->position == page->position && record->size == page->size)) return true;
  return CPB_FAILS(&index->error, CPB_E_DAMAGED, page->position,
                   "the page of the chunk index at position %llu: no record of %llu bytes is there",
                   (unsigned long long)page->position, (unsigned long long)page->size);
}

static cpb_step begin_record(cpb_index *index) {
  const cpb_record *record = cpb_record_reader_record(index->reader);
  if (!is_page(index, record)) return CPB_STEP_ERROR;
  if (!cpb_meter_charge(&index->meter, CPB_WORK_INDEX, record->size, record->chunk_begin, &index->error))
    return CPB_STEP_ERROR;
  if (!index->page) index->record = *record;
  cpb_metadata *m = !index->page ? &index->metadata : index->path ? &index->search.page : &index->pages.page;
  cpb_metadata_decoder_free(&index->decoder);
  cpb_metadata_decoder_begin(&index->decoder, m, false, record->size, &index->meter.limits);
  return take_data(index, (cpb_span){NULL, 0});
}

static cpb_step no_record(cpb_index *index) {
  if (!is_page(index, NULL)) return CPB_STEP_ERROR;
  bool empty = cpb_record_reader_input(index->reader)->size == 0;
  cpb_fail(&index->error, CPB_E_FORMAT, CPB_NO_OFFSET, "the %s; expected a ChunkMetadata in the last one",
           empty ? "file is empty, not a Riegeli file with records" : "Riegeli file has no records");
  return CPB_STEP_ERROR;
}

cpb_step cpb_index_step(cpb_index *index) {
  cpb_meter_update(&index->meter);
  while (index->error.code == CPB_OK && !index->done) {
    cpb_span data;
    cpb_step step = cpb_record_reader_step(index->reader);
    switch (step) {
      case CPB_STEP_RECORD: step = begin_record(index); break;
      case CPB_STEP_DATA:
        data.data = cpb_record_reader_data(index->reader, &data.size);
        step = take_data(index, data);
        break;
      case CPB_STEP_DONE: return no_record(index);
      case CPB_STEP_ERROR: return fail(index, cpb_record_reader_error(index->reader));
      default: return step;
    }
    if (step != CPB_STEP_NEED) return step;
  }
  return index->done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

const cpb_error *cpb_index_error(const cpb_index *index) { return &index->error; }

/* --- What it says --------------------------------------------------------- */

void cpb_index_get_version(const cpb_index *index, cpb_index_version *version) {
  const cpb_metadata *m = &index->metadata;
  *version = (cpb_index_version){m->splitter_version, m->join_version, m->bad_consumers, m->num_bad_consumers};
}

uint64_t cpb_index_num_chunks(const cpb_index *index) {
  return index->done ? index->metadata.num_chunks : index->num_listed;
}

cpb_code cpb_index_get_chunk(const cpb_index *index, uint64_t chunk, cpb_chunk_info *info) {
  if (chunk >= index->metadata.num_chunks) return CPB_E_NOT_FOUND;
  const cpb_chunk_entry entry = cpb_metadata_chunk(&index->metadata, (size_t)chunk);
  *info = (cpb_chunk_info){.type = entry.type,
                           .file = cpb_metadata_reference(&index->metadata, (size_t)chunk).file,
                           .size = entry.size,
                           .position = entry.offset};
  return CPB_OK;
}

uint32_t cpb_index_num_files(const cpb_index *index) { return (uint32_t)index->metadata.num_files; }

cpb_code cpb_index_get_file(const cpb_index *index, uint32_t file, cpb_other_file *out) {
  if (file == 0 || file > index->metadata.num_files) return CPB_E_NOT_FOUND;
  *out = cpb_metadata_file(&index->metadata, file);
  return CPB_OK;
}

uint32_t cpb_index_num_nodes(const cpb_index *index) { return (uint32_t)index->metadata.num_nodes; }

cpb_code cpb_index_get_node(const cpb_index *index, uint32_t node, cpb_index_node *out) {
  if (node >= index->metadata.num_nodes) return CPB_E_NOT_FOUND;
  const cpb_chunked_node n = cpb_metadata_node(&index->metadata, node);
  *out = (cpb_index_node){n.chunk, n.num_tags, n.parent, n.first_child, n.next};
  return CPB_OK;
}

cpb_code cpb_index_get_tag(const cpb_index *index, uint32_t node, uint32_t i, cpb_field_tag *out) {
  const cpb_metadata *m = &index->metadata;
  if (node >= m->num_nodes || i >= cpb_column_get(&m->nodes.num_tags, node)) return CPB_E_NOT_FOUND;
  const cpb_tag tag = cpb_metadata_tag(m, (size_t)cpb_column_get(&m->nodes.first_tag, node) + i);
  *out = (cpb_field_tag){.kind = tag.kind, .value = tag.value};
  if (tag.kind == CPB_TAG_KEY_STRING) {
    out->text = tag.length > 0 ? (const char *)m->text.data + tag.value : "";
    out->length = tag.length;
    out->value = 0;
  }
  return CPB_OK;
}

uint64_t cpb_index_num_pages(const cpb_index *index) { return index->num_pages; }

void cpb_index_get_record(const cpb_index *index, cpb_record *record, cpb_riegeli_chunk *chunk) {
  *record = index->record;
  *chunk = index->riegeli;
}
