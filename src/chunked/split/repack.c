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
#include "chunked/split/write.h"
#include "cpb/chunked.h"
#include "riegeli/codec/compressor.h"

#define SAMPLE_SIZE ((size_t)64 << 10) /* bytes to test whether a chunk compresses */
#define SAMPLE_MIN 64
#define SAMPLE_LEVEL 1

typedef enum repack_state {
  REPACK_INDEX,  /* reading the index */
  REPACK_OPEN,   /* opening the next chunk, or ending */
  REPACK_GIVEN,  /* Riegeli chunks that were encoded elsewhere */
  REPACK_SAMPLE, /* gathering the chunk's beginning */
  REPACK_TRANSPOSE,
  REPACK_BEGIN, /* waiting for the chunk's size */
  REPACK_COPY,
  REPACK_MAKE_INDEX,
  REPACK_BEGIN_INDEX,
  REPACK_WRITE_INDEX,
  REPACK_PLACE_PAGE,
  REPACK_FINISH,
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
  cpb_record_writer *writer;
  cpb_metadata metadata; /* the index to write: that of `index`, with new chunks */
  cpb_page_writer pages;
  bool last; /* record of the index */
  cpb_buffer sample, packed;
  cpb_codec codec; /* the writer's present codec */
  cpb_transpose transpose;
  uint64_t chunk, copied, total;
  cpb_evenly pieces;
  bool drain;    /* the writer may have output */
  cpb_step held; /* of the reader, while the writer begins the record */

  cpb_parts parts;          /* that other engines may encode */
  cpb_span given;           /* the rest of the current encoded part */
  cpb_encoded_chunk placed; /* the last Riegeli chunk written of it */
  const cpb_repack *origin; /* a fork shares its index and parts, and encodes these */
  size_t end;               /* up to this chunk */
  bool single;              /* the part is one chunk */
  cpb_chunk_reader *look;   /* gives the size of the chunk at `end`; its data are checked with the next part */
};

/* --- Creation --------------------------------------------------------------- */

static bool is_compat(const cpb_repack *r) { return r->options.layout == CPB_LAYOUT_COMPAT; }

/* Whether each chunk is alone in its Riegeli chunk, with an encoding chosen for it. */
static bool chooses(const cpb_repack *r) { return !is_compat(r) && !r->options.riegeli; }

static bool chooses_codec(const cpb_repack *r) { return chooses(r) && r->options.codec.codec == CPB_CODEC_DEFAULT; }

static cpb_codec_options with_codec(const cpb_repack *r, cpb_codec codec) {
  cpb_codec_options options = r->options.codec;
  options.codec = codec;
  return options;
}

static cpb_record_writer *new_riegeli_writer(cpb_repack *r) {
  cpb_record_writer_options options;
  cpb_options_copy(&options, sizeof options, r->options.riegeli);
  options.seekable = r->options.seekable;
  options.buffer = r->options.buffer;
  options.limits = &r->limits;
  return cpb_record_writer_new(&r->allocator, &options);
}

static cpb_record_writer *new_writer(cpb_repack *r) {
  if (r->options.riegeli) return new_riegeli_writer(r);
  r->codec = r->options.codec.codec;
  r->transpose = is_compat(r) ? r->options.transpose : CPB_TRANSPOSE_NEVER;
  if (r->codec == CPB_CODEC_DEFAULT) r->codec = is_compat(r) ? CPB_CODEC_BROTLI : CPB_CODEC_ZSTD;
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = with_codec(r, r->codec),
                                             .chunk_size = is_compat(r) ? 1u << 20 : 0,
                                             .record_per_chunk = !is_compat(r),
                                             .seekable = r->options.seekable && !r->origin,
                                             .buffer = r->options.buffer,
                                             .limits = &r->limits,
                                             .transpose = r->transpose,
                                             .apart = r->origin != NULL};
  return cpb_record_writer_new(&r->allocator, &options);
}

static cpb_repack *new_repack(const cpb_allocator *given) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_repack *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  cpb_buffer_init(&r->sample, &a);
  cpb_buffer_init(&r->packed, &a);
  cpb_parts_init(&r->parts, &a);
  return r;
}

cpb_repack *cpb_repack_new(const cpb_allocator *given, const cpb_repack_options *options) {
  cpb_repack *r = new_repack(given);
  if (!r) return NULL;
  const cpb_allocator a = r->allocator;
  cpb_options_copy(&r->options, sizeof r->options, options);
  r->limits = cpb_limits_or_default(r->options.limits);
  cpb_evenly_init(&r->pieces, &a, r->options.buffer);
  cpb_repack_options *o = &r->options;
  bool fits = o->for_memory == 0 ||
              cpb_device_choose(o->for_memory, o->layout, o->transpose, o->index_pages, &o->codec, &r->error);
  r->index = cpb_index_new(&a, &r->limits);
  r->writer = new_writer(r);
  if (!r->index || !r->writer) {
    cpb_repack_free(r);
    return NULL;
  }
  if (fits) r->error = *cpb_record_writer_error(r->writer); /* an invalid option */
  return r;
}

void cpb_repack_free(cpb_repack *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_record_writer_free(r->writer);
  cpb_chunk_reader_free(r->reader);
  cpb_chunk_reader_free(r->look);
  if (!r->origin) cpb_index_free(r->index);
  cpb_parts_free(&r->parts);
  cpb_evenly_free(&r->pieces);
  cpb_page_writer_free(&r->pages);
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
  return cpb_record_writer_output(r->writer, offset, length);
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

static cpb_step fail_memory(cpb_repack *r) {
  cpb_fail_memory(&r->error);
  return CPB_STEP_ERROR;
}

/* act() returns this to be called again. */
#define GO_ON CPB_STEP_DATA

static cpb_step wrote(cpb_repack *r, cpb_code code) {
  r->drain = true;
  return code == CPB_OK ? GO_ON : fail(r, cpb_record_writer_error(r->writer));
}

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

/* As in write.c. */
static cpb_step make_index(cpb_repack *r) {
  r->state = REPACK_BEGIN_INDEX;
  if (!cpb_page_writer_begin(&r->pages, &r->metadata, r->options.index_pages, r->index->apart)) return fail_memory(r);
  if (!cpb_page_writer_next(&r->pages, &r->packed, &r->last, &r->error)) return CPB_STEP_ERROR;
  return r->last ? GO_ON : wrote(r, cpb_record_writer_flush(r->writer, NULL));
}

static cpb_step begin_index(cpb_repack *r) {
  r->state = REPACK_WRITE_INDEX;
  return wrote(r, cpb_record_writer_begin_record(r->writer, r->packed.size));
}

static cpb_step write_index(cpb_repack *r) {
  r->state = r->last ? REPACK_FINISH : REPACK_PLACE_PAGE;
  return wrote(r, cpb_record_writer_write(r->writer, r->packed.data, r->packed.size));
}

static cpb_step place_page(cpb_repack *r) {
  r->state = REPACK_BEGIN_INDEX;
  cpb_page_writer_placed(&r->pages, cpb_record_writer_position(r->writer));
  if (!cpb_page_writer_next(&r->pages, &r->packed, &r->last, &r->error)) return CPB_STEP_ERROR;
  return wrote(r, cpb_record_writer_flush(r->writer, NULL));
}

static cpb_step set_transpose(cpb_repack *r, cpb_transpose how) {
  if (how == r->transpose) return GO_ON;
  r->transpose = how;
  return wrote(r, cpb_record_writer_transpose(r->writer, how));
}

/* As in write.c. */
static cpb_step choose_index_codec(cpb_repack *r) {
  r->state = REPACK_MAKE_INDEX;
  if (r->options.for_memory == 0) return chooses(r) ? set_transpose(r, CPB_TRANSPOSE_NEVER) : GO_ON;
  const cpb_codec_options none = {.codec = CPB_CODEC_NONE};
  return wrote(r, cpb_record_writer_flush(r->writer, &none));
}

/* The part is encoded. Whether its last Riegeli chunk ends with it depends on the next chunk's size, which the index
 * gives. */
static cpb_step end_part(cpb_repack *r) {
  const bool looks = is_compat(r) && r->end < r->metadata.num_chunks;
  if (looks && !r->look) r->look = new_reader(r, CPB_VERIFY_NEVER);
  if (looks && !r->look) return fail_memory(r);
  if (looks) cpb_chunk_reader_read(r->look, r->end, 0, 0);
  r->state = looks ? REPACK_LOOK : REPACK_DONE;
  return wrote(r, cpb_record_writer_flush(r->writer, NULL));
}

static cpb_step open_chunk(cpb_repack *r) {
  if (r->origin && r->chunk == r->end) return end_part(r);
  if (r->chunk == r->metadata.num_chunks) return choose_index_codec(r);
  if (cpb_parts_arrive(&r->parts, (size_t)r->chunk)) return CPB_STEP_PART;
  r->sample.size = 0;
  if (chooses_codec(r)) return read_chunk(r, SAMPLE_SIZE, REPACK_SAMPLE);
  r->state = REPACK_TRANSPOSE;
  return GO_ON;
}

/* A message that is not too large, and compressed. */
static cpb_step choose_transpose(cpb_repack *r) {
  if (r->options.transpose == CPB_TRANSPOSE_NEVER) return read_chunk(r, UINT64_MAX, REPACK_BEGIN);
  const cpb_chunk_entry chunk = cpb_metadata_chunk(&r->metadata, (size_t)r->chunk);
  bool may = chunk.type == CPB_CHUNK_MESSAGE && chunk.size <= CPB_TRANSPOSE_MOST && r->codec != CPB_CODEC_NONE;
  cpb_step step = chooses(r) ? set_transpose(r, may ? r->options.transpose : CPB_TRANSPOSE_NEVER) : GO_ON;
  return step == GO_ON ? read_chunk(r, UINT64_MAX, REPACK_BEGIN) : step;
}

/* --- The codec ---------------------------------------------------------------- */

static bool pack_sample(cpb_repack *r, cpb_codec_error *error) {
  const cpb_codec_options options = {.codec = CPB_CODEC_ZSTD, .level = SAMPLE_LEVEL};
  cpb_compressor *c = cpb_compressor_new(&r->allocator, &options, error);
  cpb_span sample = {r->sample.data, r->sample.size};
  r->packed.size = 0;
  bool done = c && cpb_compressor_begin(c, sample.size, error) && cpb_compressor_write(c, sample, &r->packed, error) &&
              cpb_compressor_finish(c, &r->packed, error);
  cpb_compressor_free(c);
  return done;
}

/* Chooses Zstd for the chunk if that saves a tenth of its beginning. */
static cpb_step choose_codec(cpb_repack *r) {
  cpb_codec codec = CPB_CODEC_NONE;
  if (r->sample.size >= SAMPLE_MIN) {
    cpb_codec_error error = {CPB_OK, NULL};
    if (!pack_sample(r, &error)) {
      cpb_fail(&r->error, error.code, CPB_NO_OFFSET, "%s", error.what);
      return CPB_STEP_ERROR;
    }
    if (r->packed.size <= r->sample.size - r->sample.size / 10) codec = CPB_CODEC_ZSTD;
  }
  cpb_step step = GO_ON;
  if (codec != r->codec) {
    cpb_codec_options options = with_codec(r, codec);
    step = wrote(r, cpb_record_writer_flush(r->writer, &options));
    r->codec = codec;
  }
  r->state = REPACK_TRANSPOSE;
  return step;
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
  const bool compressed = r->codec != CPB_CODEC_NONE;
  if (r->origin && r->single && cpb_parts_leave(size, compressed)) {
    r->chunk = r->end;
    return end_part(r);
  }
  cpb_evenly_begin(&r->pieces, size, compressed);
  r->held = reached;
  r->state = REPACK_COPY;
  return wrote(r, cpb_record_writer_begin_record(r->writer, size));
}

static cpb_step end_chunk(cpb_repack *r) {
  const uint64_t position = cpb_record_writer_position(r->writer);
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
  cpb_fail(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "chunk %llu has %llu bytes; expected %llu, its size in the index",
           (unsigned long long)r->chunk, (unsigned long long)size, (unsigned long long)told);
  return false;
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
  uint64_t position = cpb_record_writer_position(r->writer), n = r->placed.num_records;
  for (uint64_t i = 0; i < n && r->chunk < r->metadata.num_chunks; i++) {
    if (!cpb_column_set(&chunks->offset, &r->allocator, (size_t)r->chunk, position - (n - 1 - i))) return false;
    r->copied += cpb_column_get(&chunks->size, (size_t)r->chunk++);
  }
  r->placed.num_records = 0;
  return true;
}

/* The writer continues with the codec of the last chunk, as if it had encoded that itself. */
static cpb_step end_given(cpb_repack *r) {
  cpb_codec codec = r->placed.codec == 0 ? CPB_CODEC_NONE : CPB_CODEC_ZSTD;
  r->state = REPACK_OPEN;
  if (!chooses_codec(r) || codec == r->codec) return GO_ON;
  r->codec = codec;
  cpb_codec_options options = with_codec(r, codec);
  return wrote(r, cpb_record_writer_flush(r->writer, &options));
}

static cpb_step place_given(cpb_repack *r) {
  if (!note_positions(r)) return fail_memory(r);
  if (r->given.size == 0) return end_given(r);
  cpb_code code = cpb_record_writer_chunk(r->writer, r->given.data, r->given.size, &r->placed);
  r->given = (cpb_span){r->given.data + r->placed.length, r->given.size - r->placed.length};
  return wrote(r, code);
}

static cpb_step write_piece(cpb_repack *r) {
  cpb_span piece;
  if (!cpb_evenly_next(&r->pieces, &piece)) return fail_memory(r);
  return wrote(r, cpb_record_writer_write(r->writer, piece.data, piece.size));
}

static cpb_step copy_data(cpb_repack *r) {
  size_t length;
  const uint8_t *data = cpb_chunk_reader_data(r->reader, &length);
  r->copied += length;
  cpb_evenly_add(&r->pieces, (cpb_span){data, length});
  return write_piece(r);
}

static cpb_step copy_chunk(cpb_repack *r) {
  if (r->state == REPACK_COPY && cpb_evenly_wait(&r->pieces)) return write_piece(r);
  cpb_step step = r->held ? r->held : cpb_chunk_reader_step(r->reader);
  r->held = CPB_STEP_DONE;
  if (step == CPB_STEP_ERROR) return fail(r, cpb_chunk_reader_error(r->reader));
  if (step == CPB_STEP_NEED) return step;
  if (r->state == REPACK_BEGIN) return check_size(r, r->reader) ? begin_chunk(r, step) : CPB_STEP_ERROR;
  return step == CPB_STEP_DONE ? end_chunk(r) : copy_data(r);
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
    case REPACK_MAKE_INDEX: return make_index(r);
    case REPACK_BEGIN_INDEX: return begin_index(r);
    case REPACK_WRITE_INDEX: return write_index(r);
    case REPACK_PLACE_PAGE: return place_page(r);
    case REPACK_LOOK: return look_at_next(r);
    case REPACK_FINISH: r->state = REPACK_DONE; return wrote(r, cpb_record_writer_finish(r->writer));
    case REPACK_DONE: break;
  }
  return CPB_STEP_DONE;
}

cpb_step cpb_repack_step(cpb_repack *r) {
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  for (;;) {
    if (r->drain) {
      cpb_step step = cpb_record_writer_step(r->writer);
      if (step == CPB_STEP_OUTPUT) return step;
      if (step == CPB_STEP_ERROR) return fail(r, cpb_record_writer_error(r->writer));
      r->drain = false;
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
  return cpb_parts_add(&r->parts, r->writer, cpb_column_get(&r->metadata.chunks.size, i), joined);
}

cpb_code cpb_repack_cut(cpb_repack *r, uint64_t least, size_t *count) {
  *count = 0;
  if (r->error.code != CPB_OK) return r->error.code;
  if (r->state != REPACK_OPEN || r->chunk > 0 || r->origin) return CPB_E_USAGE;
  if (r->options.transpose != CPB_TRANSPOSE_NEVER || r->options.riegeli) return CPB_OK;
  cpb_parts_free(&r->parts);
  r->parts.least = least;
  r->parts.most = cpb_record_writer_buffer(r->writer);
  bool done = true;
  for (size_t i = 0; done && i < r->metadata.num_chunks; i++) done = add_chunk(r, i);
  if (!done || !cpb_parts_finish(&r->parts, is_compat(r))) {
    cpb_parts_free(&r->parts);
    return CPB_E_MEMORY;
  }
  *count = r->parts.count;
  return CPB_OK;
}

cpb_repack *cpb_repack_fork(const cpb_repack *origin, const cpb_allocator *given) {
  cpb_repack *r = origin->parts.count > 0 ? new_repack(given) : NULL;
  if (!r) return NULL;
  r->origin = origin;
  r->options = origin->options;
  cpb_evenly_init(&r->pieces, &r->allocator, r->options.buffer);
  r->limits = origin->limits;
  r->index = origin->index;
  r->state = REPACK_DONE;
  r->writer = new_writer(r);
  if (r->writer && open_chunks(r)) return r;
  cpb_repack_free(r);
  return NULL;
}

cpb_code cpb_repack_part(cpb_repack *r, size_t part) {
  const cpb_parts *parts = r->origin ? &r->origin->parts : NULL;
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
  const cpb_parts *p = &r->parts;
  if (r->error.code != CPB_OK) return r->error.code;
  if (r->state != REPACK_OPEN || r->origin || p->next == 0 || p->items[p->next - 1].first != r->chunk)
    return CPB_E_USAGE;
  r->given = (cpb_span){data, size};
  if (size > 0) r->state = REPACK_GIVEN;
  return CPB_OK;
}

cpb_code cpb_repack_restart(cpb_repack *r) {
  if (r->origin || !r->reader) return r->error.code != CPB_OK ? r->error.code : CPB_E_USAGE;
  cpb_record_writer_free(r->writer);
  cpb_chunk_reader_free(r->reader);
  cpb_page_writer_free(&r->pages);
  cpb_chunk_columns_free(&r->metadata.chunks, &r->allocator);
  cpb_parts_free(&r->parts);
  cpb_evenly_begin(&r->pieces, 0, false);
  r->reader = NULL;
  r->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  r->chunk = r->copied = 0;
  r->drain = false;
  r->held = CPB_STEP_DONE;
  r->given.size = 0;
  r->placed.num_records = 0;
  r->state = REPACK_OPEN;
  r->writer = new_writer(r);
  if (!r->writer || !open_chunks(r)) cpb_fail_memory(&r->error);
  return r->error.code;
}
