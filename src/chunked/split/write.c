#include "chunked/split/write.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_sharing *share,
                          const cpb_split_options *options, cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->allocator = *a;
  w->error = error;
  w->plan = plan;
  w->share = share;
  w->options = options;
  w->read_size = options->read_size;
  cpb_split_files_init(&w->files, a, options);
  cpb_split_others_init(&w->others, a);
  cpb_split_sample_init(&w->sample, a);
  cpb_parts_init(&w->parts, a);
  cpb_evenly_init(&w->pieces, a, options->buffer);
  cpb_buffer_init(&w->index, &plan->allocator);
  cpb_metadata_init(&w->metadata, &plan->allocator);
}

void cpb_split_write_free(cpb_split_write *w) {
  cpb_record_writer_free(w->writer);
  cpb_split_files_free(&w->files);
  cpb_split_others_free(&w->others);
  cpb_split_sample_free(&w->sample);
  cpb_parts_free(&w->parts);
  cpb_evenly_free(&w->pieces);
  cpb_page_writer_free(&w->pages);
  cpb_metadata_free(&w->metadata);
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
  w->transpose = is_compat(w) ? w->options->transpose : CPB_TRANSPOSE_NEVER;
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = with_codec(w, w->codec),
                                             .chunk_size = is_compat(w) ? 1u << 20 : 0,
                                             .record_per_chunk = !is_compat(w),
                                             .seekable = w->options->seekable && !w->apart,
                                             .buffer = w->options->buffer,
                                             .limits = w->options->limits,
                                             .transpose = w->transpose,
                                             .apart = w->apart};
  w->writer = cpb_record_writer_new(&w->allocator, &options);
  if (!w->writer) cpb_fail_memory(w->error);
  w->drain = true;
  return w->writer != NULL;
}

/* --- Input ---------------------------------------------------------------- */

/* The next bytes of the chunk; empty at its end. */
static cpb_have next_bytes(cpb_split_write *w, cpb_input *input, cpb_span *span) {
  cpb_have have = cpb_split_bytes_next(&w->bytes, w->plan, input, w->read_size, span, w->error);
  w->copied += span->size;
  return have;
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
  w->state = CPB_SPLIT_WRITE_TRANSPOSE;
  if (codec == w->codec) return CPB_HAVE;
  w->codec = codec;
  cpb_codec_options options = with_codec(w, codec);
  return called(w, cpb_record_writer_flush(w->writer, &options)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have set_transpose(cpb_split_write *w, cpb_transpose how) {
  if (how == w->transpose) return CPB_HAVE;
  w->transpose = how;
  return called(w, cpb_record_writer_transpose(w->writer, how)) ? CPB_HAVE : CPB_FAILED;
}

/* Chooses for a compressed message that is not too large. If chunks share Riegeli chunks, either all or none are
 * transposed. */
static cpb_have choose_transpose(cpb_split_write *w) {
  const cpb_plan_chunk *chunk = &w->plan->chunks[w->chunk];
  bool may = !chunk->is_bytes && chunk->size <= CPB_TRANSPOSE_MOST && w->codec != CPB_CODEC_NONE;
  w->state = CPB_SPLIT_WRITE_BEGIN;
  if (is_compat(w)) return CPB_HAVE;
  return set_transpose(w, may ? w->options->transpose : CPB_TRANSPOSE_NEVER);
}

static cpb_have begin_chunk(cpb_split_write *w) {
  const uint64_t size = w->plan->chunks[w->chunk].size;
  const bool compressed = w->codec != CPB_CODEC_NONE;
  if (w->apart && w->chunk == w->first && cpb_parts_leave(size, compressed)) {
    w->state = CPB_SPLIT_WRITE_DONE;
    return CPB_HAVE;
  }
  cpb_split_bytes_begin(&w->bytes, w->plan, w->chunk);
  w->state = CPB_SPLIT_WRITE_COPY;
  cpb_evenly_begin(&w->pieces, size, compressed);
  return called(w, cpb_record_writer_begin_record(w->writer, size)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have copy(cpb_split_write *w, cpb_input *input) {
  cpb_span span;
  if (!cpb_evenly_wait(&w->pieces)) {
    cpb_have have = next_bytes(w, input, &span);
    if (have != CPB_HAVE) return have;
    if (span.size == 0) {
      w->state = CPB_SPLIT_WRITE_END;
      return CPB_HAVE;
    }
    cpb_evenly_add(&w->pieces, span);
  }
  if (!cpb_evenly_next(&w->pieces, &span)) {
    cpb_fail_memory(w->error);
    return CPB_FAILED;
  }
  return called(w, cpb_record_writer_write(w->writer, span.data, span.size)) ? CPB_HAVE : CPB_FAILED;
}

/* Skips chunks that are not written. */
static void skip_shared(cpb_split_write *w) {
  const cpb_plan *plan = w->plan;
  for (; w->chunk < plan->num_chunks && plan->chunks[w->chunk].elsewhere; w->chunk++)
    w->copied += plan->chunks[w->chunk].size;
}

static void come_to_next_of_files(cpb_split_write *w) {
  if (w->files.at == 0) w->state = CPB_SPLIT_WRITE_INDEX_CODEC; /* that has the first chunk alone */
  else w->state = w->chunk == cpb_split_files_end(&w->files) ? CPB_SPLIT_WRITE_END_FILE : CPB_SPLIT_WRITE_CODEC;
}

static void come_to_next(cpb_split_write *w) {
  skip_shared(w);
  if (w->files.count > 0) come_to_next_of_files(w);
  else if (w->apart) w->state = w->chunk < w->end ? CPB_SPLIT_WRITE_CODEC : CPB_SPLIT_WRITE_FLUSH;
  else w->state = w->chunk < w->plan->num_chunks ? CPB_SPLIT_WRITE_CODEC : CPB_SPLIT_WRITE_INDEX_CODEC;
}

static cpb_have end_chunk(cpb_split_write *w) {
  if (!w->apart) w->plan->chunks[w->chunk].position = cpb_record_writer_position(w->writer);
  w->chunk++;
  come_to_next(w);
  return CPB_HAVE;
}

/* --- Files ------------------------------------------------------------------ */

/* Once. */
static bool begin_files(cpb_split_write *w) {
  if (w->apart || w->files.planned) return true;
  if (!cpb_split_files_plan(&w->files, w->plan, w->options, w->error)) return false;
  if (w->files.count > 0) w->chunk = 1;
  skip_shared(w);
  return cpb_split_others_plan(&w->others, &w->files, w->share, w->error);
}

static cpb_have end_file(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_NEXT_FILE;
  return called(w, cpb_record_writer_finish(w->writer)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have next_file(cpb_split_write *w) {
  if (!cpb_split_files_next(&w->files, w->error)) return CPB_FAILED;
  cpb_record_writer_free(w->writer);
  w->writer = NULL;
  if (w->files.at == 0) w->chunk = 0;
  w->state = CPB_SPLIT_WRITE_CODEC;
  return open_writer(w) ? CPB_HAVE : CPB_FAILED;
}

/* --- Parts ------------------------------------------------------------------ */

bool cpb_split_write_cut(cpb_split_write *w, uint64_t least) {
  if (w->options->transpose != CPB_TRANSPOSE_NEVER || cpb_split_files_wanted(w->options)) return false;
  if (!w->writer && !open_writer(w)) return false;
  cpb_parts *p = &w->parts;
  cpb_parts_free(p);
  p->least = least;
  p->most = cpb_record_writer_buffer(w->writer);
  bool done = true;
  for (size_t i = 0; done && i < w->plan->num_chunks; i++) {
    if (w->plan->chunks[i].elsewhere) cpb_parts_pass(p);
    else done = cpb_parts_add(p, w->writer, w->plan->chunks[i].size, false);
  }
  if (!done || !cpb_parts_finish(p, is_compat(w))) {
    cpb_parts_free(p);
    cpb_fail_memory(w->error);
  }
  return p->count > 0;
}

void cpb_split_write_part(cpb_split_write *w, size_t first, size_t end) {
  w->chunk = w->first = first;
  w->end = end;
  come_to_next(w);
}

/* The records of the Riegeli chunk that was written last. */
static void note_positions(cpb_split_write *w) {
  uint64_t position = cpb_record_writer_position(w->writer), n = w->placed.num_records;
  for (uint64_t i = 0; i < n && w->chunk < w->plan->num_chunks; i++) {
    w->plan->chunks[w->chunk].position = position - (n - 1 - i);
    w->copied += w->plan->chunks[w->chunk++].size;
    skip_shared(w);
  }
  w->placed.num_records = 0;
}

/* The writer continues with the codec of the last chunk, as if it had encoded that itself. */
static cpb_have end_given(cpb_split_write *w) {
  cpb_codec codec = w->placed.codec == 0 ? CPB_CODEC_NONE : CPB_CODEC_ZSTD;
  come_to_next(w);
  if (is_compat(w) || w->options->codec.codec != CPB_CODEC_DEFAULT || codec == w->codec) return CPB_HAVE;
  w->codec = codec;
  cpb_codec_options options = with_codec(w, codec);
  return called(w, cpb_record_writer_flush(w->writer, &options)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have place_given(cpb_split_write *w) {
  note_positions(w);
  if (w->given.size == 0) return end_given(w);
  cpb_code code = cpb_record_writer_chunk(w->writer, w->given.data, w->given.size, &w->placed);
  w->given = (cpb_span){w->given.data + w->placed.length, w->given.size - w->placed.length};
  return called(w, code) ? CPB_HAVE : CPB_FAILED;
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

static bool begin_pages(cpb_split_write *w) {
  if (!set_version(w, &w->metadata) || !cpb_plan_index(w->plan, &w->metadata, w->error) ||
      !cpb_split_others_describe(&w->others, w->plan, &w->files, w->share, &w->metadata, w->error))
    return false;
  if (cpb_page_writer_begin(&w->pages, &w->metadata, w->options->index_pages, true)) return true;
  cpb_fail_memory(w->error);
  return false;
}

/* The next record; after the last one the index is not needed any more. */
static bool encode_index(cpb_split_write *w) {
  if (!cpb_page_writer_next(&w->pages, &w->index, &w->last, w->error)) return false;
  if (!w->last) return true;
  cpb_page_writer_free(&w->pages);
  cpb_metadata_free(&w->metadata);
  return true;
}

/* A device goes through the index again and again, from any place in it. */
static cpb_have choose_index_codec(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_MAKE_INDEX;
  if (w->options->for_memory == 0) return is_compat(w) ? CPB_HAVE : set_transpose(w, CPB_TRANSPOSE_NEVER);
  const cpb_codec_options none = {.codec = CPB_CODEC_NONE};
  return called(w, cpb_record_writer_flush(w->writer, &none)) ? CPB_HAVE : CPB_FAILED;
}

/* A page is alone in its Riegeli chunk, so that it is one range of the file. */
static cpb_have make_index(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_BEGIN_INDEX;
  if (!begin_pages(w) || !encode_index(w)) return CPB_FAILED;
  return w->last || called(w, cpb_record_writer_flush(w->writer, NULL)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have begin_index(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_INDEX;
  return called(w, cpb_record_writer_begin_record(w->writer, w->index.size)) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have write_index(cpb_split_write *w) {
  w->state = w->last ? CPB_SPLIT_WRITE_FINISH : CPB_SPLIT_WRITE_PLACE_PAGE;
  cpb_code code = cpb_record_writer_write(w->writer, w->index.data, w->index.size);
  return called(w, code) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have place_page(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_BEGIN_INDEX;
  cpb_page_writer_placed(&w->pages, cpb_record_writer_position(w->writer));
  if (!encode_index(w)) return CPB_FAILED;
  return called(w, cpb_record_writer_flush(w->writer, NULL)) ? CPB_HAVE : CPB_FAILED;
}

/* --- Stepping ------------------------------------------------------------- */

static cpb_have act(cpb_split_write *w, cpb_input *input) {
  switch (w->state) {
    case CPB_SPLIT_WRITE_CODEC: return choose_codec(w, input);
    case CPB_SPLIT_WRITE_TRANSPOSE: return choose_transpose(w);
    case CPB_SPLIT_WRITE_GIVEN: return place_given(w);
    case CPB_SPLIT_WRITE_BEGIN: return begin_chunk(w);
    case CPB_SPLIT_WRITE_COPY: return copy(w, input);
    case CPB_SPLIT_WRITE_END: return end_chunk(w);
    case CPB_SPLIT_WRITE_END_FILE: return end_file(w);
    case CPB_SPLIT_WRITE_NEXT_FILE: return next_file(w);
    case CPB_SPLIT_WRITE_INDEX_CODEC: return choose_index_codec(w);
    case CPB_SPLIT_WRITE_MAKE_INDEX: return make_index(w);
    case CPB_SPLIT_WRITE_BEGIN_INDEX: return begin_index(w);
    case CPB_SPLIT_WRITE_INDEX: return write_index(w);
    case CPB_SPLIT_WRITE_PLACE_PAGE: return place_page(w);
    case CPB_SPLIT_WRITE_FLUSH:
      w->state = CPB_SPLIT_WRITE_DONE;
      return called(w, cpb_record_writer_flush(w->writer, NULL)) ? CPB_HAVE : CPB_FAILED;
    case CPB_SPLIT_WRITE_FINISH:
    case CPB_SPLIT_WRITE_DONE: break;
  }
  return called(w, cpb_record_writer_finish(w->writer)) ? CPB_HAVE : CPB_FAILED;
}

/* CPB_STEP_NEED: the writer has no more output for now. */
static cpb_step drain(cpb_split_write *w) {
  cpb_step step = cpb_record_writer_step(w->writer);
  if (step == CPB_STEP_ERROR) *w->error = *cpb_record_writer_error(w->writer);
  else if (!cpb_split_files_note(&w->files, w->writer, step == CPB_STEP_OUTPUT, w->error)) return CPB_STEP_ERROR;
  return step == CPB_STEP_DONE && w->state == CPB_SPLIT_WRITE_NEXT_FILE ? CPB_STEP_NEED : step;
}

cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input) {
  if (!begin_files(w) || (!w->writer && !open_writer(w))) return CPB_STEP_ERROR;
  for (;;) {
    if (w->drain) {
      cpb_step step = drain(w);
      if (step != CPB_STEP_NEED) return step;
      w->drain = false;
    }
    if (w->state == CPB_SPLIT_WRITE_DONE) return CPB_STEP_DONE;
    if (w->state == CPB_SPLIT_WRITE_CODEC && cpb_parts_arrive(&w->parts, w->chunk)) return CPB_STEP_PART;
    switch (act(w, input)) {
      case CPB_HAVE: break;
      case CPB_WAIT: return CPB_STEP_NEED;
      default: return CPB_STEP_ERROR;
    }
  }
}
