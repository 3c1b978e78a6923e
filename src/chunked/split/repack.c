#include "cpb/repack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "chunked/index/index_state.h"
#include "chunked/read/device.h"
#include "cpb/chunked.h"
#include "riegeli/codec/compressor.h"

#define SAMPLE_SIZE ((size_t)64 << 10) /* tried to see whether a chunk compresses */
#define SAMPLE_MIN 64
#define SAMPLE_LEVEL 1

typedef enum repack_state {
  REPACK_INDEX,  /* reading it */
  REPACK_OPEN,   /* the next chunk, or the end */
  REPACK_SAMPLE, /* gathering the chunk's beginning */
  REPACK_BEGIN,  /* waiting for the chunk's size */
  REPACK_COPY,
  REPACK_BEGIN_INDEX,
  REPACK_WRITE_INDEX,
  REPACK_FINISH,
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
  cpb_metadata metadata; /* the index that is written: that of `index`, with its own chunks */
  cpb_buffer sample, packed;
  cpb_codec codec; /* that the writer uses */
  uint64_t chunk, copied, total;
  bool drain;    /* the writer may have output */
  cpb_step held; /* of the reader, while the writer begins the record */
};

/* --- Creation --------------------------------------------------------------- */

static bool is_compat(const cpb_repack *r) { return r->options.layout == CPB_LAYOUT_COMPAT; }

static bool chooses_codec(const cpb_repack *r) { return !is_compat(r) && r->options.codec.codec == CPB_CODEC_DEFAULT; }

static cpb_codec_options with_codec(const cpb_repack *r, cpb_codec codec) {
  cpb_codec_options options = r->options.codec;
  options.codec = codec;
  return options;
}

static cpb_record_writer *new_writer(cpb_repack *r) {
  r->codec = r->options.codec.codec;
  if (r->codec == CPB_CODEC_DEFAULT) r->codec = is_compat(r) ? CPB_CODEC_BROTLI : CPB_CODEC_ZSTD;
  const cpb_record_writer_options options = {.struct_size = sizeof options,
                                             .codec = with_codec(r, r->codec),
                                             .chunk_size = is_compat(r) ? 1u << 20 : 0,
                                             .record_per_chunk = !is_compat(r),
                                             .seekable = r->options.seekable,
                                             .buffer = r->options.buffer,
                                             .limits = &r->limits};
  return cpb_record_writer_new(&r->allocator, &options);
}

cpb_repack *cpb_repack_new(const cpb_allocator *given, const cpb_repack_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_repack *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  cpb_options_copy(&r->options, sizeof r->options, options);
  r->limits = cpb_limits_or_default(r->options.limits);
  cpb_buffer_init(&r->sample, &a);
  cpb_buffer_init(&r->packed, &a);
  cpb_repack_options *o = &r->options;
  bool fits = o->for_memory == 0 || cpb_device_choose(o->for_memory, o->layout, &o->codec, &r->error);
  r->index = cpb_index_new(&a, &r->limits);
  r->writer = new_writer(r);
  if (!r->index || !r->writer) {
    cpb_repack_free(r);
    return NULL;
  }
  if (fits) r->error = *cpb_record_writer_error(r->writer); /* a wrong option */
  return r;
}

void cpb_repack_free(cpb_repack *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_record_writer_free(r->writer);
  cpb_chunk_reader_free(r->reader);
  cpb_index_free(r->index);
  cpb_release(&a, r->metadata.chunks);
  cpb_buffer_free(&r->sample);
  cpb_buffer_free(&r->packed);
  cpb_release(&a, r);
}

const cpb_error *cpb_repack_error(const cpb_repack *r) { return &r->error; }

cpb_input *cpb_repack_input(cpb_repack *r) {
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

/* What act() returns to be called again. */
#define GO_ON CPB_STEP_DATA

static cpb_step wrote(cpb_repack *r, cpb_code code) {
  r->drain = true;
  return code == CPB_OK ? GO_ON : fail(r, cpb_record_writer_error(r->writer));
}

static cpb_step read_chunk(cpb_repack *r, uint64_t length, repack_state next) {
  r->state = next;
  cpb_chunk_reader_read(r->reader, r->chunk, 0, length); /* the step says its errors */
  return GO_ON;
}

static bool copy_index(cpb_repack *r) {
  const cpb_metadata *m = &r->index->metadata;
  size_t size = m->num_chunks * sizeof *m->chunks;
  r->metadata = *m;
  r->metadata.allocator = r->allocator;
  r->metadata.chunks = cpb_alloc(&r->allocator, size);
  if (r->metadata.chunks && size > 0) memcpy(r->metadata.chunks, m->chunks, size);
  return r->metadata.chunks != NULL;
}

static cpb_step read_index(cpb_repack *r) {
  cpb_step step = cpb_index_step(r->index);
  if (step == CPB_STEP_ERROR) return fail(r, cpb_index_error(r->index));
  if (step != CPB_STEP_DONE) return step;
  if (!copy_index(r)) return fail_memory(r);
  for (size_t i = 0; i < r->metadata.num_chunks; i++)
    if (!cpb_add_u64(r->total, r->metadata.chunks[i].size, &r->total)) r->total = UINT64_MAX;
  const cpb_chunk_reader_options options = {
      .struct_size = sizeof options, .read_size = r->options.read_size, .limits = &r->limits};
  r->reader = cpb_chunk_reader_new(&r->allocator, r->index, &options);
  if (!r->reader) return fail_memory(r);
  r->state = REPACK_OPEN;
  return GO_ON;
}

static cpb_step begin_index(cpb_repack *r) {
  r->state = REPACK_WRITE_INDEX;
  r->packed.size = 0;
  if (!cpb_metadata_encode(&r->metadata, &r->packed, &r->error)) return CPB_STEP_ERROR;
  return wrote(r, cpb_record_writer_begin_record(r->writer, r->packed.size));
}

static cpb_step write_index(cpb_repack *r) {
  r->state = REPACK_FINISH;
  return wrote(r, cpb_record_writer_write(r->writer, r->packed.data, r->packed.size));
}

/* As in split_write.c. */
static cpb_step choose_index_codec(cpb_repack *r) {
  r->state = REPACK_BEGIN_INDEX;
  if (r->options.for_memory == 0) return GO_ON;
  const cpb_codec_options none = {.codec = CPB_CODEC_NONE};
  return wrote(r, cpb_record_writer_flush(r->writer, &none));
}

static cpb_step open_chunk(cpb_repack *r) {
  if (r->chunk == r->metadata.num_chunks) return choose_index_codec(r);
  r->sample.size = 0;
  if (chooses_codec(r)) return read_chunk(r, SAMPLE_SIZE, REPACK_SAMPLE);
  return read_chunk(r, UINT64_MAX, REPACK_BEGIN);
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

/* Zstd for the chunk if that saves a tenth of its beginning. */
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
  return step == GO_ON ? read_chunk(r, UINT64_MAX, REPACK_BEGIN) : step;
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

/* The index may have said another size, of which the total was made. */
static void note_size(cpb_repack *r, uint64_t size) {
  uint64_t *told = &r->metadata.chunks[r->chunk].size;
  if (r->total != UINT64_MAX && !cpb_add_u64(r->total - *told, size, &r->total)) r->total = UINT64_MAX;
  *told = size;
}

/* The chunk's size is known once something of it, or its end, was reached. */
static cpb_step begin_chunk(cpb_repack *r, cpb_step reached) {
  uint64_t size = cpb_chunk_reader_stored(r->reader)->size;
  note_size(r, size);
  r->held = reached;
  r->state = REPACK_COPY;
  return wrote(r, cpb_record_writer_begin_record(r->writer, size));
}

static cpb_step end_chunk(cpb_repack *r) {
  r->metadata.chunks[r->chunk].offset = cpb_record_writer_position(r->writer);
  r->chunk++;
  r->state = REPACK_OPEN;
  return GO_ON;
}

static cpb_step copy_data(cpb_repack *r) {
  size_t length;
  const uint8_t *data = cpb_chunk_reader_data(r->reader, &length);
  r->copied += length;
  return wrote(r, cpb_record_writer_write(r->writer, data, length));
}

static cpb_step copy_chunk(cpb_repack *r) {
  cpb_step step = r->held ? r->held : cpb_chunk_reader_step(r->reader);
  r->held = CPB_STEP_DONE;
  if (step == CPB_STEP_ERROR) return fail(r, cpb_chunk_reader_error(r->reader));
  if (step == CPB_STEP_NEED) return step;
  if (r->state == REPACK_BEGIN) return begin_chunk(r, step);
  return step == CPB_STEP_DONE ? end_chunk(r) : copy_data(r);
}

static cpb_step act(cpb_repack *r) {
  switch (r->state) {
    case REPACK_INDEX: return read_index(r);
    case REPACK_OPEN: return open_chunk(r);
    case REPACK_SAMPLE: return sample_chunk(r);
    case REPACK_BEGIN:
    case REPACK_COPY: return copy_chunk(r);
    case REPACK_BEGIN_INDEX: return begin_index(r);
    case REPACK_WRITE_INDEX: return write_index(r);
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
