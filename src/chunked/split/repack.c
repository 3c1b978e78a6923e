#include "cpb/repack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "chunked/index/index_state.h"
#include "chunked/index/tree_order.h"
#include "chunked/read/pager.h"
#include "chunked/split/chunked_writer.h"
#include "chunked/split/plan.h"
#include "cpb/chunked.h"
#include "riegeli/codec/compressor.h"

typedef enum repack_state {
  REPACK_INDEX,  /* reading the index */
  REPACK_OPEN,   /* opening the next chunk, or ending */
  REPACK_GIVEN,  /* Riegeli chunks that were encoded elsewhere */
  REPACK_SAMPLE, /* gathering the chunk's beginning */
  REPACK_TRANSPOSE,
  REPACK_BEGIN, /* waiting for the chunk's size */
  REPACK_COPY,
  REPACK_WRITE_INDEX,
  REPACK_LOOK, /* in a fork: at the chunk after the part */
  REPACK_DONE
} repack_state;

struct cpb_repack {
  cpb_allocator allocator;
  cpb_repack_options options;
  cpb_limits limits;
  cpb_error error;
  repack_state state;
  cpb_index *index;
  cpb_chunk_reader *reader;
  cpb_chunked_writer out;
  cpb_metadata metadata; /* the index to write: that of `index`, with new chunks */
  cpb_buffer sample, packed;
  uint64_t chunk, copied, total;
  cpb_step held; /* of the reader, while the writer begins the record */

  const cpb_repack *origin; /* a fork shares its index and parts, and encodes these */
  size_t end;               /* up to this chunk */
  bool single;              /* the part is one chunk */
  cpb_chunk_reader *look;   /* gives the size of the chunk at `end`; its data are checked with the next part */
};

/* --- Creation --------------------------------------------------------------- */

static bool open_writer(cpb_repack *r) {
  const cpb_repack_options *o = &r->options;
  const cpb_chunked_writer_options options = {.layout = o->layout,
                                              .codec = o->codec,
                                              .transpose = o->transpose,
                                              .riegeli = o->riegeli,
                                              .for_memory = o->for_memory,
                                              .index_pages = o->index_pages,
                                              .seekable = o->seekable,
                                              .apart = r->origin != NULL,
                                              .buffer = o->buffer,
                                              .limits = &r->limits};
  return cpb_chunked_writer_open(&r->out, &options);
}

static cpb_repack *new_repack(const cpb_allocator *given) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_repack *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  cpb_buffer_init(&r->sample, &a);
  cpb_buffer_init(&r->packed, &a);
  cpb_chunked_writer_init(&r->out, &a, &r->error);
  return r;
}

cpb_repack *cpb_repack_new(const cpb_allocator *given, const cpb_repack_options *options) {
  cpb_repack *r = new_repack(given);
  if (!r) return NULL;
  const cpb_allocator a = r->allocator;
  cpb_options_copy(&r->options, sizeof r->options, options);
  r->limits = cpb_limits_or_default(r->options.limits);
  cpb_repack_options *o = &r->options;
  bool fits = o->for_memory == 0 ||
              cpb_device_choose(o->for_memory, o->layout, o->transpose, o->index_pages, &o->codec, &r->error);
  r->index = cpb_index_new(&a, &r->limits);
  if (!open_writer(r) || !r->index) {
    cpb_repack_free(r);
    return NULL;
  }
  if (fits) r->error = *cpb_record_writer_error(r->out.writer); /* an invalid option */
  return r;
}

void cpb_repack_free(cpb_repack *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_chunked_writer_free(&r->out);
  cpb_chunk_reader_free(r->reader);
  cpb_chunk_reader_free(r->look);
  if (!r->origin) cpb_index_free(r->index);
  cpb_chunk_columns_free(&r->metadata.chunks, &a);
  cpb_buffer_free(&r->sample);
  cpb_buffer_free(&r->packed);
  cpb_release(&a, r);
}

const cpb_error *cpb_repack_error(const cpb_repack *r) { return &r->error; }

cpb_input *cpb_repack_input(cpb_repack *r) {
  if (r->state == REPACK_LOOK) return cpb_chunk_reader_input(r->look);
  return r->reader ? cpb_chunk_reader_input(r->reader) : cpb_index_input(r->index);
}

const uint8_t *cpb_repack_output(const cpb_repack *r, uint64_t *offset, size_t *length) {
  return cpb_record_writer_output(r->out.writer, offset, length);
}

void cpb_repack_progress(const cpb_repack *r, uint64_t *done, uint64_t *total) {
  *done = r->copied;
  *total = r->total;
}

/* --- Steps ------------------------------------------------------------------- */

static cpb_step fail(cpb_repack *r, const cpb_error *error) {
  r->error = *error;
  return CPB_STEP_ERROR;
}

static cpb_step fail_memory(cpb_repack *r) { return cpb_fail_memory(&r->error), CPB_STEP_ERROR; }

/* act() returns this to be called again. */
#define GO_ON CPB_STEP_DATA

static cpb_step went(bool done) { return done ? GO_ON : CPB_STEP_ERROR; }

static cpb_step read_chunk(cpb_repack *r, uint64_t length, repack_state next) {
  r->state = next;
  cpb_chunk_reader_read(r->reader, r->chunk, 0, length); /* the step returns its errors */
  return GO_ON;
}

static bool copy_index(cpb_repack *r) {
  const cpb_metadata *m = &r->index->metadata;
  r->metadata = *m;
  r->metadata.allocator = r->allocator;
  bool is_own = m->num_files > 0 || r->index->num_pages > 0; /* only these required the version */
  if (is_own && m->join_version == CPB_JOIN_FILES) r->metadata.join_version = 0;
  r->metadata.num_files = 0; /* all chunks go into the file that is written */
  bool done = cpb_chunk_columns_copy(&r->metadata.chunks, &r->allocator, &m->chunks);
  cpb_column_free(&r->metadata.chunks.file, &r->allocator);
  cpb_column_free(&r->metadata.chunks.data_hash, &r->allocator);
  return done;
}

static cpb_chunk_reader *new_reader(cpb_repack *r, cpb_verify verify) {
  const cpb_chunk_reader_options options = {
      .struct_size = sizeof options, .verify = verify, .read_size = r->options.read_size, .limits = &r->limits};
  return cpb_chunk_reader_new(&r->allocator, r->index, &options);
}

static bool open_chunks(cpb_repack *r) {
  if (copy_index(r)) r->reader = new_reader(r, CPB_VERIFY_FIRST);
  return r->reader != NULL;
}

static cpb_step read_index(cpb_repack *r) {
  cpb_step step = cpb_index_step(r->index);
  if (step == CPB_STEP_ERROR) return fail(r, cpb_index_error(r->index));
  if (step != CPB_STEP_DONE) return step;
  if (!open_chunks(r)) return fail_memory(r);
  for (size_t i = 0; i < r->metadata.num_chunks; i++)
    if (!cpb_add_u64(r->total, cpb_column_get(&r->metadata.chunks.size, i), &r->total)) r->total = UINT64_MAX;
  r->state = REPACK_OPEN;
  return GO_ON;
}

/* The part is encoded. Whether its last Riegeli chunk ends with it depends on the next chunk's size, which the index
 * gives. */
static cpb_step end_part(cpb_repack *r) {
  const bool looks = cpb_chunked_writer_is_compat(&r->out) && r->end < r->metadata.num_chunks;
  if (looks && !r->look) r->look = new_reader(r, CPB_VERIFY_NEVER);
  if (looks && !r->look) return fail_memory(r);
  if (looks) cpb_chunk_reader_read(r->look, r->end, 0, 0);
  r->state = looks ? REPACK_LOOK : REPACK_DONE;
  return went(cpb_chunked_writer_called(&r->out, cpb_record_writer_flush(r->out.writer, NULL)));
}

static cpb_step open_chunk(cpb_repack *r) {
  if (r->origin && r->chunk == r->end) return end_part(r);
  if (r->chunk == r->metadata.num_chunks) {
    r->state = REPACK_WRITE_INDEX;
    return GO_ON;
  }
  if (cpb_parts_arrive(&r->out.parts, (size_t)r->chunk)) return CPB_STEP_PART;
  r->sample.size = 0;
  if (cpb_chunked_writer_chooses_codec(&r->out)) return read_chunk(r, CPB_SAMPLE_SIZE, REPACK_SAMPLE);
  r->state = REPACK_TRANSPOSE;
  return GO_ON;
}

static cpb_step choose_transpose(cpb_repack *r) {
  const cpb_chunk_entry chunk = cpb_metadata_chunk(&r->metadata, (size_t)r->chunk);
  if (!cpb_chunked_writer_choose_transpose(&r->out, chunk.type == CPB_CHUNK_MESSAGE, chunk.size)) return CPB_STEP_ERROR;
  return read_chunk(r, UINT64_MAX, REPACK_BEGIN);
}

/* --- The codec ---------------------------------------------------------------- */

static cpb_step choose_codec(cpb_repack *r) {
  cpb_codec codec;
  cpb_compressor *compressor = NULL;
  bool done = cpb_sample_codec(&r->allocator, &compressor, &r->sample, &r->packed, &codec, &r->error);
  cpb_compressor_free(compressor);
  r->state = REPACK_TRANSPOSE;
  return went(done && cpb_chunked_writer_use_codec(&r->out, codec));
}

static cpb_step sample_chunk(cpb_repack *r) {
  cpb_step step = cpb_chunk_reader_step(r->reader);
  if (step == CPB_STEP_DONE) return choose_codec(r);
  if (step == CPB_STEP_ERROR) return fail(r, cpb_chunk_reader_error(r->reader));
  if (step != CPB_STEP_DATA) return step;
  size_t length;
  const uint8_t *data = cpb_chunk_reader_data(r->reader, &length);
  return cpb_buffer_append(&r->sample, data, length) ? GO_ON : fail_memory(r);
}

/* --- The bytes ----------------------------------------------------------------- */

/* The total was computed from the index, which may have had another size. */
static bool note_size(cpb_repack *r, uint64_t size) {
  cpb_column *sizes = &r->metadata.chunks.size;
  uint64_t told = cpb_column_get(sizes, (size_t)r->chunk);
  if (r->total != UINT64_MAX && !cpb_add_u64(r->total - told, size, &r->total)) r->total = UINT64_MAX;
  return cpb_column_set(sizes, &r->allocator, (size_t)r->chunk, size);
}

/* The chunk's size is known once any byte of it, or its end, was reached. */
static cpb_step begin_chunk(cpb_repack *r, cpb_step reached) {
  uint64_t size = cpb_chunk_reader_stored(r->reader)->size;
  if (!note_size(r, size)) return fail_memory(r);
  if (r->origin && r->single && cpb_parts_leave(size, r->out.codec != CPB_CODEC_NONE)) {
    r->chunk = r->end;
    return end_part(r);
  }
  r->held = reached;
  r->state = REPACK_COPY;
  return went(cpb_chunked_writer_begin_chunk(&r->out, size));
}

static cpb_step end_chunk(cpb_repack *r) {
  const uint64_t position = cpb_record_writer_position(r->out.writer);
  if (!cpb_column_set(&r->metadata.chunks.offset, &r->allocator, (size_t)r->chunk, position)) return fail_memory(r);
  r->chunk++;
  r->state = REPACK_OPEN;
  return GO_ON;
}

/* The ends of Riegeli chunks were computed from the index: if that is wrong, so are the parts. */
static bool check_size(cpb_repack *r, const cpb_chunk_reader *reader) {
  uint64_t size = cpb_chunk_reader_stored(reader)->size;
  uint64_t told = cpb_column_get(&r->metadata.chunks.size, (size_t)r->chunk);
  if (!r->origin || size == told) return true;
  return CPB_FAILS(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET,
                   "chunk %llu has %llu bytes; expected %llu, its size in the index", (unsigned long long)r->chunk,
                   (unsigned long long)size, (unsigned long long)told);
}

static cpb_step look_at_next(cpb_repack *r) {
  cpb_step step = cpb_chunk_reader_step(r->look);
  if (step == CPB_STEP_ERROR) return fail(r, cpb_chunk_reader_error(r->look));
  if (step == CPB_STEP_NEED) return step;
  r->state = REPACK_DONE;
  return check_size(r, r->look) ? GO_ON : CPB_STEP_ERROR;
}

/* The records of the last Riegeli chunk written. */
static bool note_positions(cpb_repack *r) {
  cpb_chunk_columns *chunks = &r->metadata.chunks;
  uint64_t position = cpb_record_writer_position(r->out.writer), n = r->out.placed.num_records;
  for (uint64_t i = 0; i < n && r->chunk < r->metadata.num_chunks; i++) {
    if (!cpb_column_set(&chunks->offset, &r->allocator, (size_t)r->chunk, position - (n - 1 - i))) return false;
    r->copied += cpb_column_get(&chunks->size, (size_t)r->chunk++);
  }
  r->out.placed.num_records = 0;
  return true;
}

static cpb_step place_given(cpb_repack *r) {
  if (!note_positions(r)) return fail_memory(r);
  if (r->out.given.size == 0) r->state = REPACK_OPEN;
  return went(cpb_chunked_writer_place(&r->out));
}

static cpb_step copy_data(cpb_repack *r) {
  size_t length;
  const uint8_t *data = cpb_chunk_reader_data(r->reader, &length);
  r->copied += length;
  cpb_evenly_add(&r->out.pieces, (cpb_span){data, length});
  return went(cpb_chunked_writer_write_piece(&r->out));
}

static cpb_step copy_chunk(cpb_repack *r) {
  if (r->state == REPACK_COPY && cpb_evenly_wait(&r->out.pieces)) return went(cpb_chunked_writer_write_piece(&r->out));
  cpb_step step = r->held ? r->held : cpb_chunk_reader_step(r->reader);
  r->held = CPB_STEP_DONE;
  if (step == CPB_STEP_ERROR) return fail(r, cpb_chunk_reader_error(r->reader));
  if (step == CPB_STEP_NEED) return step;
  if (r->state == REPACK_BEGIN) return check_size(r, r->reader) ? begin_chunk(r, step) : CPB_STEP_ERROR;
  return step == CPB_STEP_DONE ? end_chunk(r) : copy_data(r);
}

static cpb_step write_index(cpb_repack *r) {
  if (r->out.state == CPB_CHUNKED_DONE) r->state = REPACK_DONE;
  return went(cpb_chunked_writer_write_index(&r->out, &r->metadata, r->index->apart));
}

static cpb_step act(cpb_repack *r) {
  switch (r->state) {
    case REPACK_INDEX: return read_index(r);
    case REPACK_OPEN: return open_chunk(r);
    case REPACK_GIVEN: return place_given(r);
    case REPACK_SAMPLE: return sample_chunk(r);
    case REPACK_TRANSPOSE: return choose_transpose(r);
    case REPACK_BEGIN:
    case REPACK_COPY: return copy_chunk(r);
    case REPACK_WRITE_INDEX: return write_index(r);
    case REPACK_LOOK: return look_at_next(r);
    case REPACK_DONE: break;
  }
  return CPB_STEP_DONE;
}

cpb_step cpb_repack_step(cpb_repack *r) {
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  for (;;) {
    if (r->out.drain) {
      cpb_step step = cpb_record_writer_step(r->out.writer);
      if (step == CPB_STEP_OUTPUT) return step;
      if (step == CPB_STEP_ERROR) return fail(r, cpb_record_writer_error(r->out.writer));
      r->out.drain = false;
    }
    cpb_step step = act(r);
    if (step != GO_ON) return step;
  }
}

/* --- Parts ---------------------------------------------------------------------- */

cpb_step cpb_repack_open(cpb_repack *r) {
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  cpb_step step = r->state == REPACK_INDEX ? read_index(r) : CPB_STEP_DONE;
  return step == GO_ON ? CPB_STEP_DONE : step;
}

static bool add_chunk(cpb_repack *r, size_t i) {
  const cpb_column *offsets = &r->metadata.chunks.offset;
  bool joined = i > 0 && cpb_column_get(offsets, i) == cpb_column_get(offsets, i - 1) + 1; /* in one Riegeli chunk,
                                                                                              decoded once */
  return cpb_parts_add(&r->out.parts, r->out.writer, cpb_column_get(&r->metadata.chunks.size, i), joined);
}

cpb_code cpb_repack_cut(cpb_repack *r, uint64_t least, size_t *count) {
  *count = 0;
  if (r->error.code != CPB_OK) return r->error.code;
  if (r->state != REPACK_OPEN || r->chunk > 0 || r->origin) return CPB_E_USAGE;
  if (r->options.transpose != CPB_TRANSPOSE_NEVER || r->options.riegeli) return CPB_OK;
  cpb_parts *p = &r->out.parts;
  cpb_parts_restart(p, r->out.writer, least);
  bool done = true;
  for (size_t i = 0; done && i < r->metadata.num_chunks; i++) done = add_chunk(r, i);
  if (!done || !cpb_parts_finish(p, cpb_chunked_writer_is_compat(&r->out))) {
    cpb_parts_free(p);
    return CPB_E_MEMORY;
  }
  *count = p->count;
  return CPB_OK;
}

cpb_repack *cpb_repack_fork(const cpb_repack *origin, const cpb_allocator *given) {
  cpb_repack *r = origin->out.parts.count > 0 ? new_repack(given) : NULL;
  if (!r) return NULL;
  r->origin = origin;
  r->options = origin->options;
  r->limits = origin->limits;
  r->index = origin->index;
  r->state = REPACK_DONE;
  if (open_writer(r) && open_chunks(r)) return r;
  cpb_repack_free(r);
  return NULL;
}

cpb_code cpb_repack_part(cpb_repack *r, size_t part) {
  const cpb_parts *parts = r->origin ? &r->origin->out.parts : NULL;
  if (r->error.code != CPB_OK) return r->error.code;
  if (!parts || part >= parts->count) return CPB_E_USAGE;
  r->chunk = parts->items[part].first;
  r->end = cpb_parts_end(parts, part);
  r->single = r->end == r->chunk + 1;
  r->held = CPB_STEP_DONE;
  r->state = parts->items[part].alone ? REPACK_DONE : REPACK_OPEN;
  return CPB_OK;
}

cpb_code cpb_repack_give(cpb_repack *r, const void *data, size_t size) {
  const cpb_parts *p = &r->out.parts;
  if (r->error.code != CPB_OK) return r->error.code;
  if (r->state != REPACK_OPEN || r->origin || p->next == 0 || p->items[p->next - 1].first != r->chunk)
    return CPB_E_USAGE;
  r->out.given = (cpb_span){data, size};
  if (size > 0) r->state = REPACK_GIVEN;
  return CPB_OK;
}

cpb_code cpb_repack_restart(cpb_repack *r) {
  if (r->origin || !r->reader) return r->error.code != CPB_OK ? r->error.code : CPB_E_USAGE;
  cpb_chunked_writer_free(&r->out);
  cpb_chunked_writer_init(&r->out, &r->allocator, &r->error);
  cpb_chunk_reader_free(r->reader);
  cpb_chunk_columns_free(&r->metadata.chunks, &r->allocator);
  r->reader = NULL;
  r->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  r->chunk = r->copied = 0;
  r->held = CPB_STEP_DONE;
  r->state = REPACK_OPEN;
  if (!open_writer(r) || !open_chunks(r)) cpb_fail_memory(&r->error);
  return r->error.code;
}
