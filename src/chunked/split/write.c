#include "chunked/split/write.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_sharing *share,
                          const cpb_split_options *options, cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->error = error;
  w->plan = plan;
  w->share = share;
  w->options = options;
  w->read_size = options->read_size;
  cpb_chunked_writer_init(&w->out, a, error);
  cpb_buffer_init(&w->out.index, &plan->allocator);
  cpb_split_files_init(&w->files, a, options);
  cpb_split_others_init(&w->others, a);
  cpb_split_sample_init(&w->sample, a);
  cpb_metadata_init(&w->metadata, &plan->allocator);
}

void cpb_split_write_free(cpb_split_write *w) {
  cpb_chunked_writer_free(&w->out);
  cpb_split_files_free(&w->files);
  cpb_split_others_free(&w->others);
  cpb_split_sample_free(&w->sample);
  cpb_metadata_free(&w->metadata);
}

static bool open_writer(cpb_split_write *w) {
  const cpb_split_options *o = w->options;
  const cpb_chunked_writer_options options = {.layout = o->layout,
                                              .codec = o->codec,
                                              .transpose = o->transpose,
                                              .for_memory = o->for_memory,
                                              .index_pages = o->index_pages,
                                              .seekable = o->seekable,
                                              .apart = w->apart,
                                              .buffer = o->buffer,
                                              .limits = o->limits};
  w->out.drain = true;
  return cpb_chunked_writer_open(&w->out, &options);
}

static cpb_have had(bool done) { return done ? CPB_HAVE : CPB_FAILED; }

/* --- Input ---------------------------------------------------------------- */

/* The next bytes of the chunk; empty at its end. */
static cpb_have next_bytes(cpb_split_write *w, cpb_input *input, cpb_span *span) {
  cpb_have have = cpb_split_bytes_next(&w->bytes, w->plan, input, w->read_size, span, w->error);
  w->copied += span->size;
  return have;
}

/* --- Chunks --------------------------------------------------------------- */

/* The layout for remote reading compresses where it pays. */
static cpb_have choose_codec(cpb_split_write *w, cpb_input *input) {
  cpb_codec codec = w->out.codec;
  if (cpb_chunked_writer_chooses_codec(&w->out)) {
    cpb_have have = cpb_split_sample_codec(&w->sample, w->plan, w->chunk, input, &codec, w->error);
    if (have != CPB_HAVE) return have;
  }
  w->state = CPB_SPLIT_WRITE_TRANSPOSE;
  return had(cpb_chunked_writer_use_codec(&w->out, codec));
}

static cpb_have choose_transpose(cpb_split_write *w) {
  const cpb_plan_chunk *chunk = &w->plan->chunks[w->chunk];
  w->state = CPB_SPLIT_WRITE_BEGIN;
  return had(cpb_chunked_writer_choose_transpose(&w->out, !chunk->is_bytes, chunk->size));
}

static cpb_have begin_chunk(cpb_split_write *w) {
  const uint64_t size = w->plan->chunks[w->chunk].size;
  if (w->apart && w->chunk == w->first && cpb_parts_leave(size, w->out.codec != CPB_CODEC_NONE)) {
    w->state = CPB_SPLIT_WRITE_DONE;
    return CPB_HAVE;
  }
  cpb_split_bytes_begin(&w->bytes, w->plan, w->chunk);
  w->state = CPB_SPLIT_WRITE_COPY;
  return had(cpb_chunked_writer_begin_chunk(&w->out, size));
}

static cpb_have copy(cpb_split_write *w, cpb_input *input) {
  if (!cpb_evenly_wait(&w->out.pieces)) {
    cpb_span span;
    cpb_have have = next_bytes(w, input, &span);
    if (have != CPB_HAVE) return have;
    if (span.size == 0) {
      w->state = CPB_SPLIT_WRITE_END;
      return CPB_HAVE;
    }
    cpb_evenly_add(&w->out.pieces, span);
  }
  return had(cpb_chunked_writer_write_piece(&w->out));
}

/* Skips chunks that are not written. */
static void skip_shared(cpb_split_write *w) {
  const cpb_plan *plan = w->plan;
  for (; w->chunk < plan->num_chunks && plan->chunks[w->chunk].elsewhere; w->chunk++)
    w->copied += plan->chunks[w->chunk].size;
}

static void come_to_next_of_files(cpb_split_write *w) {
  if (w->files.at == 0) w->state = CPB_SPLIT_WRITE_MAKE_INDEX; /* that has the first chunk alone */
  else w->state = w->chunk == cpb_split_files_end(&w->files) ? CPB_SPLIT_WRITE_END_FILE : CPB_SPLIT_WRITE_CODEC;
}

static void come_to_next(cpb_split_write *w) {
  skip_shared(w);
  if (w->files.count > 0) come_to_next_of_files(w);
  else if (w->apart) w->state = w->chunk < w->end ? CPB_SPLIT_WRITE_CODEC : CPB_SPLIT_WRITE_FLUSH;
  else w->state = w->chunk < w->plan->num_chunks ? CPB_SPLIT_WRITE_CODEC : CPB_SPLIT_WRITE_MAKE_INDEX;
}

static cpb_have end_chunk(cpb_split_write *w) {
  if (!w->apart) w->plan->chunks[w->chunk].position = cpb_record_writer_position(w->out.writer);
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
  return had(cpb_chunked_writer_called(&w->out, cpb_record_writer_finish(w->out.writer)));
}

static cpb_have next_file(cpb_split_write *w) {
  if (!cpb_split_files_next(&w->files, w->error)) return CPB_FAILED;
  if (w->files.at == 0) w->chunk = 0;
  w->state = CPB_SPLIT_WRITE_CODEC;
  return had(open_writer(w));
}

/* --- Parts ------------------------------------------------------------------ */

bool cpb_split_write_cut(cpb_split_write *w, uint64_t least) {
  if (w->options->transpose != CPB_TRANSPOSE_NEVER || cpb_split_files_wanted(w->options)) return false;
  if (!w->out.writer && !open_writer(w)) return false;
  cpb_parts *p = &w->out.parts;
  cpb_parts_restart(p, w->out.writer, least);
  bool done = true;
  for (size_t i = 0; done && i < w->plan->num_chunks; i++)
    if (w->plan->chunks[i].elsewhere) cpb_parts_pass(p);
    else done = cpb_parts_add(p, w->out.writer, w->plan->chunks[i].size, false);
  if (!done || !cpb_parts_finish(p, cpb_chunked_writer_is_compat(&w->out))) {
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
  uint64_t position = cpb_record_writer_position(w->out.writer), n = w->out.placed.num_records;
  for (uint64_t i = 0; i < n && w->chunk < w->plan->num_chunks; i++) {
    w->plan->chunks[w->chunk].position = position - (n - 1 - i);
    w->copied += w->plan->chunks[w->chunk++].size;
    skip_shared(w);
  }
  w->out.placed.num_records = 0;
}

static cpb_have place_given(cpb_split_write *w) {
  note_positions(w);
  if (w->out.given.size == 0) come_to_next(w);
  return had(cpb_chunked_writer_place(&w->out));
}

/* --- The index ------------------------------------------------------------ */

static bool set_version(const cpb_split_write *w, cpb_metadata *m) {
  const cpb_split_options *o = w->options;
  m->splitter_version = o->splitter_version;
  m->join_version = o->join_version;
  if (o->num_bad_consumers == 0) return true;
  if (!CPB_RESERVE(&m->allocator, &m->bad_consumers, &m->bad_consumers_capacity, o->num_bad_consumers))
    return cpb_fail_memory(w->error), false;
  memcpy(m->bad_consumers, o->bad_consumers, o->num_bad_consumers * sizeof *m->bad_consumers);
  m->num_bad_consumers = o->num_bad_consumers;
  return true;
}

static cpb_have make_index(cpb_split_write *w) {
  w->state = CPB_SPLIT_WRITE_INDEX;
  return had(set_version(w, &w->metadata) && cpb_plan_index(w->plan, &w->metadata, w->error) &&
             cpb_split_others_describe(&w->others, w->plan, &w->files, w->share, &w->metadata, w->error));
}

static cpb_have write_index(cpb_split_write *w) {
  const bool done = cpb_chunked_writer_write_index(&w->out, &w->metadata, true);
  if (w->out.last) cpb_metadata_free(&w->metadata);
  return had(done);
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
    case CPB_SPLIT_WRITE_MAKE_INDEX: return make_index(w);
    case CPB_SPLIT_WRITE_INDEX: return write_index(w);
    case CPB_SPLIT_WRITE_FLUSH: w->state = CPB_SPLIT_WRITE_DONE; break;
    case CPB_SPLIT_WRITE_DONE: return CPB_HAVE;
  }
  return had(cpb_chunked_writer_called(&w->out, cpb_record_writer_flush(w->out.writer, NULL)));
}

/* CPB_STEP_NEED: the writer has no more output for now. */
static cpb_step drain(cpb_split_write *w) {
  cpb_step step = cpb_record_writer_step(w->out.writer);
  if (step == CPB_STEP_ERROR) *w->error = *cpb_record_writer_error(w->out.writer);
  else if (!cpb_split_files_note(&w->files, w->out.writer, step == CPB_STEP_OUTPUT, w->error)) return CPB_STEP_ERROR;
  return step == CPB_STEP_DONE && w->state == CPB_SPLIT_WRITE_NEXT_FILE ? CPB_STEP_NEED : step;
}

cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input) {
  if (!begin_files(w) || (!w->out.writer && !open_writer(w))) return CPB_STEP_ERROR;
  for (;;) {
    if (w->out.drain) {
      cpb_step step = drain(w);
      if (step != CPB_STEP_NEED) return step;
      w->out.drain = false;
    }
    if (w->state == CPB_SPLIT_WRITE_DONE) return CPB_STEP_DONE;
    if (w->state == CPB_SPLIT_WRITE_CODEC && cpb_parts_arrive(&w->out.parts, w->chunk)) return CPB_STEP_PART;
    switch (act(w, input)) {
      case CPB_HAVE: break;
      case CPB_WAIT: return CPB_STEP_NEED;
      default: return CPB_STEP_ERROR;
    }
  }
}
