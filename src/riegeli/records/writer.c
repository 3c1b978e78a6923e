/* The record writer: its creation, the bytes before the records, and the state machine that does the work of one public
 * call at a time. Work stops while there is output to take: the call is then noted in `request`, and
 * cpb_record_writer_step() continues it. So no output is ever queued. */
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "riegeli/encoding.h"
#include "riegeli/records/writer_state.h"

#define DEFAULT_BUFFER ((size_t)16 << 20)

/* --- Options -------------------------------------------------------------- */

/* In doubles, because the nearest double to a size is good enough. */
static uint64_t bucket_size(uint64_t chunk_size, double fraction) {
  if (fraction == 0 || fraction == 1) return chunk_size;
  double size = (double)chunk_size * fraction + 0.5;
  return size < 1 ? 1 : size < (double)CPB_RECORD_MAX_SIZE ? (uint64_t)size : CPB_RECORD_MAX_SIZE;
}

/* A chunk must also fit into the buffer, and have no more records than the limit. */
static void set_chunk_limit(cpb_record_writer *w) {
  uint64_t size = w->options.chunk_size, records_size;
  if (size == 0) size = w->uncompressed ? 4 << 10 : 1 << 20;
  w->bucket_size = bucket_size(size, w->options.bucket_fraction);
  if (cpb_mul_u64(w->max_records, CPB_RECORD_OVERHEAD, &records_size)) size = cpb_min_u64(size, records_size);
  w->chunk_limit = cpb_min_u64(cpb_min_u64(size, w->options.buffer), CPB_RECORD_MAX_SIZE);
}

static bool same_codec(const cpb_codec_options *a, const cpb_codec_options *b) {
  return a->codec == b->codec && a->level == b->level && a->window_log == b->window_log;
}

static bool select_codec(cpb_record_writer *w, cpb_codec_options options) {
  if (options.codec == CPB_CODEC_DEFAULT) options.codec = CPB_CODEC_ZSTD;
  if ((unsigned)options.codec >= CPB_NUM_CODECS) return cpb_writer_fail(w, CPB_E_USAGE, "codec is none of cpb_codec");
  cpb_writer_codec *codec = &w->codecs[options.codec];
  if (!codec->compressor || !same_codec(&codec->options, &options)) {
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_compressor_free(codec->compressor);
    codec->compressor = cpb_compressor_new(&w->allocator, &options, &error);
    codec->options = options;
    if (!codec->compressor) return cpb_writer_codec_done(w, false, &error);
  }
  w->compressor = codec->compressor;
  w->uncompressed = options.codec == CPB_CODEC_NONE;
  set_chunk_limit(w);
  return true;
}

static bool check_options(cpb_record_writer *w) {
  const cpb_record_writer_options *o = &w->options;
  if (o->append_at > CPB_RECORD_MAX_SIZE || (o->append_at > 0 && o->append_at < CPB_SIGNATURE_SIZE))
    return cpb_writer_fail(w, CPB_E_USAGE, "append_at is no size of a Riegeli file; expected 64 to 2^62");
  if (o->append_at > 0 && o->metadata)
    return cpb_writer_fail(w, CPB_E_USAGE, "metadata is set, but append_at is not 0; expected a new file");
  if (o->apart && (o->append_at > 0 || o->metadata || o->initial_padding > 0 || o->final_padding > 0 || o->seekable))
    return cpb_writer_fail(w, CPB_E_USAGE, "apart is set, and so is what has to do with a file; expected 0");
  if (o->initial_padding > CPB_CHUNK_MAX_PADDING || o->final_padding > CPB_CHUNK_MAX_PADDING)
    return cpb_writer_fail(w, CPB_E_USAGE, "initial_padding or final_padding exceeds 2^30");
  if (o->transpose > CPB_TRANSPOSE_IF_SMALLER)
    return cpb_writer_fail(w, CPB_E_USAGE, "transpose is none of cpb_transpose");
  if (o->bucket_fraction != -1 && !(o->bucket_fraction >= 0 && o->bucket_fraction <= 1))
    return cpb_writer_fail(w, CPB_E_USAGE, "bucket_fraction is out of range; expected 0 to 1, or -1");
  return true;
}

/* --- What precedes the records -------------------------------------------- */

static bool encode_metadata(cpb_record_writer *w) {
  if (!w->options.metadata) return true;
  const cpb_span metadata = {w->options.metadata, w->options.metadata_size};
  cpb_codec_error error = {CPB_OK, NULL};
  bool done = cpb_records_metadata_encode(&w->allocator, w->compressor, metadata, &w->metadata, &error);
  return cpb_writer_codec_done(w, done, &error);
}

static void write_signature(cpb_record_writer *w) {
  const cpb_span none = {NULL, 0};
  const cpb_chunk_header header = {.data_hash = cpb_hash_bytes(NULL, 0), .type = CPB_CHUNK_SIGNATURE};
  cpb_writer_offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, none, none));
}

static void write_metadata(cpb_record_writer *w) {
  const cpb_span none = {NULL, 0}, data = cpb_buffer_span(&w->metadata);
  const cpb_chunk_header header = {.data_size = data.size,
                                   .data_hash = cpb_hash_bytes(data.data, data.size),
                                   .decoded_data_size = w->options.metadata_size,
                                   .type = CPB_CHUNK_METADATA};
  if (data.size > 0) cpb_writer_offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, data, none));
}

static void write_padding(cpb_record_writer *w, uint64_t padding) {
  cpb_writer_offset_fits(w, cpb_chunk_writer_pad(&w->out, padding));
}

static void begin_file(cpb_record_writer *w) {
  const bool appending = w->options.append_at > 0;
  switch (w->stage++) {
    case CPB_STAGE_BEGIN: appending ? cpb_chunk_writer_align(&w->out) : write_signature(w); break;
    case CPB_STAGE_SECOND: appending ? write_padding(w, w->options.initial_padding) : write_metadata(w); break;
    default: cpb_buffer_free(&w->metadata);
  }
}

/* --- The machine ----------------------------------------------------------- */

static bool flush(cpb_record_writer *w) {
  if (w->filled > 0) {
    cpb_writer_close_chunk(w);
    return false;
  }
  w->transpose = w->next_transpose;
  select_codec(w, w->next_codec);
  return true;
}

static bool finish(cpb_record_writer *w) {
  if (w->filled > 0) {
    cpb_writer_close_chunk(w);
  } else if (!w->padded) {
    w->padded = true;
    write_padding(w, w->options.final_padding);
  } else {
    w->stage = CPB_STAGE_DONE;
  }
  return w->stage == CPB_STAGE_DONE;
}

/* The next chunk, which the writer got encoded. */
static bool place_chunk(cpb_record_writer *w) {
  const cpb_span none = {NULL, 0},
                 data = {w->input.data + CPB_CHUNK_HEADER_SIZE, w->input.size - CPB_CHUNK_HEADER_SIZE};
  cpb_chunk_header header;
  if (w->filled > 0) {
    cpb_writer_close_chunk(w);
    return false;
  }
  cpb_chunk_header_decode(w->input.data, &header);
  w->position = w->out.pos + header.num_records - 1;
  cpb_writer_offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, data, none));
  return true;
}

static void work(cpb_record_writer *w) {
  if (w->stage < CPB_STAGE_RECORDS) {
    begin_file(w);
    return;
  }
  bool done = false;
  switch (w->request) {
    case CPB_REQUEST_NONE: break;
    case CPB_REQUEST_BEGIN: done = cpb_writer_begin_record(w); break;
    case CPB_REQUEST_WRITE: done = cpb_writer_write_input(w); break;
    case CPB_REQUEST_BATCH: done = cpb_writer_write_batch(w); break;
    case CPB_REQUEST_FLUSH: done = flush(w); break;
    case CPB_REQUEST_CHUNK: done = place_chunk(w); break;
    case CPB_REQUEST_FINISH: done = finish(w); break;
  }
  if (done) w->request = CPB_REQUEST_NONE;
}

/* There is work, and all output was taken. */
static bool can_work(const cpb_record_writer *w) {
  return (w->request != CPB_REQUEST_NONE || w->stage < CPB_STAGE_RECORDS) && cpb_chunk_writer_idle(&w->out) &&
         w->error.code == CPB_OK;
}

/* --- The public calls ------------------------------------------------------ */

/* The very first call need not wait until the beginning of the file was output. */
static bool may_call(cpb_record_writer *w, bool in_record) {
  const bool idle = w->stage < CPB_STAGE_RECORDS || cpb_chunk_writer_idle(&w->out);
  if (w->error.code != CPB_OK) return false;
  if (w->stage == CPB_STAGE_DONE)
    return cpb_writer_fail(w, CPB_E_USAGE, "no call is allowed after cpb_record_writer_finish");
  if (w->request != CPB_REQUEST_NONE || !idle)
    return cpb_writer_fail(w, CPB_E_USAGE, "there is output to take; step until CPB_STEP_NEED before the next call");
  if (w->in_record && !in_record)
    return cpb_writer_fail(w, CPB_E_USAGE, "the record got fewer bytes than it was begun for");
  return true;
}

static cpb_code request(cpb_record_writer *w, cpb_writer_request what) {
  w->request = what;
  while (can_work(w)) work(w);
  return w->error.code;
}

cpb_code cpb_record_writer_begin_record(cpb_record_writer *w, uint64_t size) {
  if (!may_call(w, false)) return w->error.code;
  if (size > CPB_RECORD_MAX_SIZE) {
    cpb_writer_fail_size(w);
    return w->error.code;
  }
  w->record_size = size;
  return request(w, CPB_REQUEST_BEGIN);
}

cpb_code cpb_record_writer_write(cpb_record_writer *w, const void *data, size_t length) {
  if (!may_call(w, true) || length == 0) return w->error.code;
  if (!w->in_record || length > w->record_left) {
    cpb_writer_fail(w, CPB_E_USAGE, "the record got more bytes than it was begun for");
    return w->error.code;
  }
  w->input = (cpb_span){data, length};
  return request(w, CPB_REQUEST_WRITE);
}

cpb_code cpb_record_writer_batch(cpb_record_writer *w, const void *data, const size_t *sizes, size_t count) {
  if (!may_call(w, false) || count == 0) return w->error.code;
  w->batch = (cpb_record_batch){data, sizes, count};
  return request(w, CPB_REQUEST_BATCH);
}

cpb_code cpb_record_writer_record(cpb_record_writer *w, const void *data, size_t size) {
  if (!may_call(w, false) || cpb_writer_append(w, (cpb_span){data, size})) return w->error.code;
  w->size_of_one = size;
  return cpb_record_writer_batch(w, data, &w->size_of_one, 1);
}

cpb_code cpb_record_writer_flush(cpb_record_writer *w, const cpb_codec_options *next) {
  if (!may_call(w, false)) return w->error.code;
  if (next) w->next_codec = *next;
  return request(w, CPB_REQUEST_FLUSH);
}

cpb_code cpb_record_writer_transpose(cpb_record_writer *w, cpb_transpose how) {
  if (!may_call(w, false)) return w->error.code;
  if (how > CPB_TRANSPOSE_IF_SMALLER) {
    cpb_writer_fail(w, CPB_E_USAGE, "transpose is none of cpb_transpose");
    return w->error.code;
  }
  w->next_transpose = how;
  return request(w, CPB_REQUEST_FLUSH);
}

cpb_code cpb_record_writer_chunk(cpb_record_writer *w, const void *data, size_t size, cpb_encoded_chunk *chunk) {
  const uint8_t *bytes = data;
  cpb_chunk_header header;
  *chunk = (cpb_encoded_chunk){0};
  if (!may_call(w, false)) return w->error.code;
  if (size <= CPB_CHUNK_HEADER_SIZE || !cpb_chunk_header_decode(bytes, &header) || header.num_records == 0 ||
      header.data_size == 0 || header.data_size > size - CPB_CHUNK_HEADER_SIZE) {
    cpb_writer_fail(w, CPB_E_USAGE, "no Riegeli chunk begins there that a writer with `apart` has put out");
    return w->error.code;
  }
  w->input = (cpb_span){bytes, CPB_CHUNK_HEADER_SIZE + (size_t)header.data_size};
  *chunk = (cpb_encoded_chunk){w->input.size, header.num_records, (char)bytes[CPB_CHUNK_HEADER_SIZE]};
  return request(w, CPB_REQUEST_CHUNK);
}

int cpb_record_writer_fits(const cpb_record_writer *w, uint64_t *filled, uint64_t size) {
  const uint64_t added = cpb_min_u64(size, CPB_RECORD_MAX_SIZE) + CPB_RECORD_OVERHEAD;
  const bool fits = *filled > 0 && !w->options.record_per_chunk && *filled + added <= w->chunk_limit;
  *filled = fits ? *filled + added : added;
  return fits;
}

size_t cpb_record_writer_buffer(const cpb_record_writer *w) { return w->options.buffer; }

cpb_code cpb_record_writer_finish(cpb_record_writer *w) {
  if (!may_call(w, false)) return w->error.code;
  return request(w, CPB_REQUEST_FINISH);
}

cpb_step cpb_record_writer_step(cpb_record_writer *w) {
  for (;; work(w)) {
    if (w->error.code != CPB_OK) return CPB_STEP_ERROR;
    if (cpb_chunk_writer_next(&w->out, &w->output)) return CPB_STEP_OUTPUT;
    if (!can_work(w)) return w->stage == CPB_STAGE_DONE ? CPB_STEP_DONE : CPB_STEP_NEED;
  }
}

const uint8_t *cpb_record_writer_output(const cpb_record_writer *w, uint64_t *offset, size_t *length) {
  *offset = w->output.offset;
  *length = w->output.size;
  return w->output.data;
}

uint64_t cpb_record_writer_position(const cpb_record_writer *w) { return w->position; }

void cpb_record_writer_last_chunk(const cpb_record_writer *w, uint64_t *begin, uint64_t *data_hash) {
  *begin = w->out.begin;
  *data_hash = cpb_load64(w->out.chunk_header + 16);
}

const cpb_error *cpb_record_writer_error(const cpb_record_writer *w) { return &w->error; }

cpb_record_writer *cpb_record_writer_new(const cpb_allocator *allocator, const cpb_record_writer_options *options) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_record_writer *w = cpb_alloc_zeroed(&a, sizeof *w);
  if (!w) return NULL;
  w->allocator = a;
  cpb_options_copy(&w->options, sizeof w->options, options);
  if (w->options.buffer == 0) w->options.buffer = DEFAULT_BUFFER;
  w->max_records = cpb_limits_or_default(w->options.limits).records_per_chunk;
  w->next_codec = w->options.codec;
  w->transpose = w->next_transpose = w->options.transpose;
  cpb_buffer_init(&w->metadata, &a);
  cpb_simple_encoder_init(&w->encoder, &a);
  cpb_chunk_writer_init(&w->out, w->options.append_at);
  w->out.bare = w->options.apart != 0;
  if (w->out.bare) w->stage = CPB_STAGE_RECORDS;
  if (check_options(w) && select_codec(w, w->options.codec)) encode_metadata(w);
  if (w->error.code == CPB_E_MEMORY) {
    cpb_record_writer_free(w);
    return NULL;
  }
  w->options.limits = NULL;
  w->options.metadata = NULL;
  return w;
}

void cpb_record_writer_free(cpb_record_writer *w) {
  if (!w) return;
  for (size_t i = 0; i < sizeof w->codecs / sizeof *w->codecs; i++) cpb_compressor_free(w->codecs[i].compressor);
  cpb_simple_encoder_free(&w->encoder);
  cpb_transpose_encoder_free(w->transposer);
  cpb_buffer_free(&w->metadata);
  cpb_release(&w->allocator, w);
}
