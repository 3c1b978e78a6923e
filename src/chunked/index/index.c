#include "base/checked.h"
#include "base/status.h"
#include "chunked/index/index_state.h"
#include "riegeli/records/reader.h"

#include <string.h>

/* Stored bytes of the index that are held to be verified before they are
 * decoded; more would be asked for twice. */
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
  cpb_positions_free(&index->positions);
  cpb_metadata_free(&index->metadata);
  cpb_meter_free(&index->meter);
  cpb_release(&a, index);
}

/* --- From memory ---------------------------------------------------------- */

static bool sort_positions(cpb_index *index, cpb_error *error) {
  if (cpb_positions_init(&index->positions, &index->allocator, &index->metadata)) return true;
  cpb_fail_memory(error);
  return false;
}

static cpb_index *from_bytes(const cpb_allocator *allocator, const cpb_limits *limits, bool bare, cpb_span bytes,
                             cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_index *index = new_index(allocator, limits);
  if (!index) {
    cpb_fail_memory(error);
    return NULL;
  }
  cpb_meter_grow(&index->meter, bytes.size);
  if (cpb_metadata_decode(&index->metadata, bare, bytes, &index->meter.limits, error) && sort_positions(index, error)) {
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

/* A record that does not decode is not damage: the hashes say that it is what
 * was written, so the file is another Riegeli file. Almost any message decodes
 * as an index without a message; no splitter writes one. */
static cpb_step end_decoding(cpb_index *index) {
  cpb_error error = {0};
  if (cpb_metadata_decoder_end(&index->decoder, &error)) {
    bool is_index = index->metadata.nodes[0].has_message;
    index->done = is_index && sort_positions(index, &error);
    if (index->done) return CPB_STEP_DONE;
    if (!is_index) cpb_fail(&error, CPB_E_DAMAGED, CPB_NO_OFFSET, "message is not set");
  }
  if (error.code == CPB_E_DAMAGED) {
    cpb_fail(&index->error, CPB_E_FORMAT, index->record.chunk_begin,
             "not a chunked file: its last Riegeli record is not a ChunkMetadata (%s)", error.message);
  }
  error.offset = index->record.chunk_begin;
  return fail(index, &error);
}

/* The record was read; its reader is needed no more. */
static cpb_step end_record(cpb_index *index) {
  index->riegeli = *cpb_record_reader_chunk(index->reader);
  index->none = *cpb_record_reader_input(index->reader);
  index->meter.input = &index->none;
  cpb_record_reader_free(index->reader);
  index->reader = NULL;
  return end_decoding(index);
}

/* A mistake in the record is told at its end, when all of it was read: until then
 * the file may turn out to be damaged. */
static cpb_step take_data(cpb_index *index, cpb_span in) {
  cpb_metadata_decoder_feed(&index->decoder, in);
  return index->decoder.fed == index->record.size ? end_record(index) : CPB_STEP_NEED;
}

static cpb_step begin_record(cpb_index *index) {
  const cpb_record *record = &index->record;
  index->record = *cpb_record_reader_record(index->reader);
  if (!cpb_meter_charge(&index->meter, CPB_WORK_INDEX, record->size, record->chunk_begin, &index->error))
    return CPB_STEP_ERROR;
  cpb_metadata_decoder_begin(&index->decoder, &index->metadata, false, record->size, &index->meter.limits);
  return take_data(index, (cpb_span){NULL, 0});
}

static cpb_step no_record(cpb_index *index) {
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

uint64_t cpb_index_num_chunks(const cpb_index *index) { return index->metadata.num_chunks; }

cpb_code cpb_index_get_chunk(const cpb_index *index, uint64_t chunk, cpb_chunk_info *info) {
  if (chunk >= index->metadata.num_chunks) return CPB_E_NOT_FOUND;
  const cpb_chunk_entry *entry = &index->metadata.chunks[chunk];
  *info = (cpb_chunk_info){entry->type, entry->size, entry->offset};
  return CPB_OK;
}

uint32_t cpb_index_num_nodes(const cpb_index *index) { return (uint32_t)index->metadata.num_nodes; }

cpb_code cpb_index_get_node(const cpb_index *index, uint32_t node, cpb_index_node *out) {
  if (node >= index->metadata.num_nodes) return CPB_E_NOT_FOUND;
  const cpb_chunked_node *n = &index->metadata.nodes[node];
  *out = (cpb_index_node){n->chunk, n->num_tags, n->parent, n->first_child, n->next};
  return CPB_OK;
}

cpb_code cpb_index_get_tag(const cpb_index *index, uint32_t node, uint32_t i, cpb_field_tag *out) {
  const cpb_metadata *m = &index->metadata;
  if (node >= m->num_nodes || i >= m->nodes[node].num_tags) return CPB_E_NOT_FOUND;
  const cpb_tag *tag = &m->tags[m->nodes[node].first_tag + i];
  *out = (cpb_field_tag){.kind = tag->kind, .value = tag->value};
  if (tag->kind == CPB_TAG_KEY_STRING) {
    out->text = tag->length > 0 ? (const char *)m->text.data + tag->value : "";
    out->length = tag->length;
    out->value = 0;
  }
  return CPB_OK;
}

void cpb_index_get_record(const cpb_index *index, cpb_record *record, cpb_riegeli_chunk *chunk) {
  *record = index->record;
  *chunk = index->riegeli;
}
