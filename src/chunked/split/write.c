#include "chunked/split/write.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_options *options,
                          cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->allocator = *a;
  w->error = error;
  w->plan = plan;
  w->options = options;
  w->read_size = options->read_size;
  cpb_split_sample_init(&w->sample, a);
  cpb_buffer_init(&w->index, &plan->allocator);
}

void cpb_split_write_free(cpb_split_write *w) {
  cpb_record_writer_free(w->writer);
  cpb_split_sample_free(&w->sample);
  cpb_buffer_free(&w->index);
}

static bool is_compat(const cpb_split_write *w) { return w->options->layout == CPB_LAYOUT_COMPAT; }

static cpb_codec_options with_codec(const cpb_split_write *w, cpb_codec codec) {
  cpb_codec_options options = w->options->codec;
  options.codec = codec;
  return options;
}

static bool open_writer(cpb_split_write *w) {
  cpb_codec layout_codec = is_compat(w) ? CPB_CODEC_BROTLI : CPB_CODEC_ZSTD;
  cpb_codec wanted = w->options->codec.codec;
  w->codec = wanted == CPB_CODEC_DEFAULT ? layout_codec : wanted;
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = with_codec(w, w->codec),
                                             .chunk_size = is_compat(w) ? 1u << 20 : 0,
                                             .record_per_chunk = !is_compat(w),
                                             .seekable = w->options->seekable,
                                             .buffer = w->options->buffer,
                                             .limits = w->options->limits};
  w->writer = cpb_record_writer_new(&w->allocator, &options);
  if (!w->writer) cpb_fail_memory(w->error);
  w->drain = true;
  return w->writer != NULL;
}

/* --- Input ---------------------------------------------------------------- */

/* The next bytes of the chunk; empty at its end. */
static cpb_have next_bytes(cpb_split_write *w, cpb_input *input, cpb_span *span) {
  cpb_plan_piece *piece = &w->piece;
  *span = (cpb_span){NULL, 0};
  if (!w->piece_open && !cpb_plan_next(w->plan, &w->cursor, piece)) return CPB_HAVE;
  w->piece_open = piece->length > 0;
  if (!w->piece_open) {
    *span = (cpb_span){piece->literal, piece->literal_size};
    return CPB_HAVE;
  }
  size_t want = (size_t)cpb_min_u64(piece->length, w->read_size);
  cpb_have have = cpb_input_span(input, piece->offset, want, piece->length, span);
  if (have != CPB_HAVE) return cpb_split_input_failed(input, have, piece->offset, w->error);
  piece->offset += span->size;
  piece->length -= span->size;
  w->copied += span->size;
  w->piece_open = piece->length > 0;
  return CPB_HAVE;
}

/* --- Chunks --------------------------------------------------------------- */

static bool called(cpb_split_write *w, cpb_code code) {
  w->drain = true;
  if (code == CPB_OK) return true;
  *w->error = *cpb_record_writer_error(w->writer);
  return false;
}

/* The layout for remote reading compresses where it pays. */
static cpb_have choose_codec(cpb_split_write *w, cpb_input *input) {
  cpb_codec codec = w->codec;
  if (!is_compat(w) && w->options->codec.codec == CPB_CODEC_DEFAULT) {
    cpb_have have = cpb_split_sample_codec(&w->sample, w->plan, w->chunk, input, &codec, w->error);
    if (have != CPB_HAVE) return have;
  }
  w->state = CPB_SPLIT_WRITE_BEGIN;
  if (codec == w->codec) return CPB_HAVE;
  w->codec = codec;
  cpb_codec_options options = with_codec(w, codec);
  return called(w, cpb_record_writer_flush(w->writer, &options)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have begin_chunk(cpb_split_write *w) {
  cpb_plan_open(w->plan, w->chunk, &w->cursor);
  w->piece_open = false;
  w->state = CPB_SPLIT_WRITE_COPY;
  uint64_t size = w->plan->chunks[w->chunk].size;
  return called(w, cpb_record_writer_begin_record(w->writer, size)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have copy(cpb_split_write *w, cpb_input *input) {
  cpb_span span;
  cpb_have have = next_bytes(w, input, &span);
  if (have != CPB_HAVE) return have;
  if (span.size == 0) {
    w->state = CPB_SPLIT_WRITE_END;
    return CPB_HAVE;
  }
  return called(w, cpb_record_writer_write(w->writer, span.data, span.size)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have end_chunk(cpb_split_write *w) {
  w->plan->chunks[w->chunk++].position = cpb_record_writer_position(w->writer);
  w->state = w->chunk < w->plan->num_chunks ? CPB_SPLIT_WRITE_CODEC : CPB_SPLIT_WRITE_INDEX_CODEC;
  return CPB_HAVE;
}

/* --- The index ------------------------------------------------------------ */

static bool set_version(const cpb_split_write *w, cpb_metadata *m) {
  const cpb_split_options *o = w->options;
  m->splitter_version = o->splitter_version;
  m->join_version = o->join_version;
  if (o->num_bad_consumers == 0) return true;
  void *items = NULL;
  if (!cpb_reserve(&m->allocator, &items, &m->bad_consumers_capacity, o->num_bad_consumers, sizeof *m->bad_consumers)) {
    cpb_fail_memory(w->error);
    return false;
  }
  memcpy(items, o->bad_consumers, o->num_bad_consumers * sizeof *m->bad_consumers);
  m->bad_consumers = items;
  m->num_bad_consumers = o->num_bad_consumers;
  return true;
}

static bool encode_index(const cpb_split_write *w, cpb_buffer *out) {
  cpb_metadata metadata;
  cpb_metadata_init(&metadata, &w->plan->allocator);
  bool done = set_version(w, &metadata) && cpb_plan_index(w->plan, &metadata, w->error) &&
              cpb_metadata_encode(&metadata, out, w->error);
  cpb_metadata_free(&metadata);
  return done;
}

/* A device goes through the index again and again, from any place in it. */
static cpb_have choose_index_codec(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_BEGIN_INDEX;
  if (w->options->for_memory == 0) return CPB_HAVE;
  const cpb_codec_options none = {.codec = CPB_CODEC_NONE};
  return called(w, cpb_record_writer_flush(w->writer, &none)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have begin_index(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_INDEX;
  return encode_index(w, &w->index) && called(w, cpb_record_writer_begin_record(w->writer, w->index.size)) ? CPB_HAVE
                                                                                                           : CPB_FAILED;
}

static cpb_have write_index(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_FINISH;
  cpb_code code = cpb_record_writer_write(w->writer, w->index.data, w->index.size);
  return called(w, code) ? CPB_HAVE : CPB_FAILED;
}

/* --- Stepping ------------------------------------------------------------- */

static cpb_have act(cpb_split_write *w, cpb_input *input) {
  switch (w->state) {
    case CPB_SPLIT_WRITE_CODEC: return choose_codec(w, input);
    case CPB_SPLIT_WRITE_BEGIN: return begin_chunk(w);
    case CPB_SPLIT_WRITE_COPY: return copy(w, input);
    case CPB_SPLIT_WRITE_END: return end_chunk(w);
    case CPB_SPLIT_WRITE_INDEX_CODEC: return choose_index_codec(w);
    case CPB_SPLIT_WRITE_BEGIN_INDEX: return begin_index(w);
    case CPB_SPLIT_WRITE_INDEX: return write_index(w);
    case CPB_SPLIT_WRITE_FINISH: break;
  }
  return called(w, cpb_record_writer_finish(w->writer)) ? CPB_HAVE : CPB_FAILED;
}

cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input) {
  if (!w->writer && !open_writer(w)) return CPB_STEP_ERROR;
  for (;;) {
    if (w->drain) {
      cpb_step step = cpb_record_writer_step(w->writer);
      if (step == CPB_STEP_ERROR) *w->error = *cpb_record_writer_error(w->writer);
      if (step != CPB_STEP_NEED) return step;
      w->drain = false;
    }
    switch (act(w, input)) {
      case CPB_HAVE: break;
      case CPB_WAIT: return CPB_STEP_NEED;
      default: return CPB_STEP_ERROR;
    }
  }
}
