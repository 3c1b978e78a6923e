#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "cpb/records.h"
#include "riegeli/chunk_writer.h"
#include "riegeli/encoding.h"
#include "riegeli/highwayhash.h"
#include "riegeli/metadata_encoder.h"
#include "riegeli/simple_encoder.h"

#define DEFAULT_BUFFER ((size_t)16 << 20)
#define MAX_OFFSET ((uint64_t)1 << 62)  /* of what is appended to, and of a record's size */
#define RECORD_OVERHEAD 8               /* counts towards the chunk size, as in Riegeli */
/* Bytes given to the codec at once, which bounds what it adds to the buffer: the
 * fourth part of the buffer, but within these. Codecs are fastest when they get
 * a record whole. */
#define MIN_AT_ONCE ((size_t)64 << 10)
#define MAX_AT_ONCE ((size_t)4 << 20)

/* What comes before the first record, in this order. */
typedef enum writer_stage {
  STAGE_BEGIN,  /* signature of a new file, or zeros to where a chunk can begin */
  STAGE_SECOND, /* metadata of a new file, or padding */
  STAGE_DRAIN,
  STAGE_RECORDS,
  STAGE_DONE
} writer_stage;

/* The call that is being carried out: as far as the output is taken. */
typedef enum writer_request {
  REQUEST_NONE,
  REQUEST_BEGIN,
  REQUEST_WRITE,
  REQUEST_FLUSH,
  REQUEST_FINISH
} writer_request;

typedef enum chunk_mode {
  CHUNK_COLLECTED, /* encoded when it is complete */
  CHUNK_DIRECT,    /* one record, encoded as it comes, held until complete */
  CHUNK_STREAMED   /* one record, encoded as it comes, some of it already output */
} chunk_mode;

typedef struct writer_codec {
  cpb_codec_options options;
  cpb_compressor *compressor;
} writer_codec;

struct cpb_record_writer {
  cpb_allocator allocator;
  cpb_error error;
  cpb_record_writer_options options;
  uint64_t max_records; /* in a chunk */
  writer_codec codecs[CPB_CODEC_SNAPPY]; /* kept, so that options can alternate */
  cpb_compressor *compressor;            /* of the next chunk */
  bool uncompressed;
  cpb_simple_encoder encoder;
  cpb_chunk_writer out;
  cpb_piece piece;
  cpb_buffer metadata; /* the metadata chunk's data */

  writer_stage stage;
  writer_request request;
  cpb_span input;  /* REQUEST_WRITE: what is left of the bytes that are lent */
  cpb_span whole;  /* the chunk's only record, when it was lent whole */
  bool in_record, padded;
  uint64_t record_size, record_left;
  uint64_t position; /* of the last complete record */
  cpb_codec_options next_codec;

  chunk_mode mode;
  uint64_t chunk_begin;
  uint64_t chunk_limit; /* `filled` at which a chunk is closed */
  uint64_t filled;      /* decoded bytes and overhead of the current chunk */
  uint64_t data_size;   /* CHUNK_STREAMED: of the data that was output */
  cpb_hash hash;        /* and its hash */
};

static bool fail(cpb_record_writer *w, cpb_code code, const char *text) {
  cpb_fail(&w->error, code, CPB_NO_OFFSET, "%s", text);
  return false;
}

static bool codec_done(cpb_record_writer *w, bool done, const cpb_codec_error *error) {
  return done || fail(w, error->code, error->what);
}

static bool offset_fits(cpb_record_writer *w, bool fits) {
  return fits || fail(w, CPB_E_LIMIT, "the file would be longer than 2^64 bytes");
}

/* --- Options -------------------------------------------------------------- */

/* A chunk must also fit into the buffer and hold an allowed number of records. */
static void set_chunk_limit(cpb_record_writer *w) {
  uint64_t size = w->options.chunk_size, records_size;
  if (size == 0) size = w->uncompressed ? 4 << 10 : 1 << 20;
  if (cpb_mul_u64(w->max_records, RECORD_OVERHEAD, &records_size))
    size = cpb_min_u64(size, records_size);
  w->chunk_limit = cpb_min_u64(size, w->options.buffer);
}

static bool same_codec(const cpb_codec_options *a, const cpb_codec_options *b) {
  return a->codec == b->codec && a->level == b->level && a->window_log == b->window_log;
}

static bool select_codec(cpb_record_writer *w, cpb_codec_options options) {
  if (options.codec == CPB_CODEC_DEFAULT) options.codec = CPB_CODEC_ZSTD;
  if ((unsigned)options.codec > CPB_CODEC_SNAPPY)
    return fail(w, CPB_E_USAGE, "there is no such codec");
  if (options.codec == CPB_CODEC_SNAPPY)
    return fail(w, CPB_E_UNSUPPORTED, "Snappy can be read but not written");
  writer_codec *codec = &w->codecs[options.codec];
  if (codec->compressor == NULL || !same_codec(&codec->options, &options)) {
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_compressor_free(codec->compressor);
    codec->compressor = cpb_compressor_new(&w->allocator, &options, &error);
    codec->options = options;
    if (codec->compressor == NULL) return codec_done(w, false, &error);
  }
  w->compressor = codec->compressor;
  w->uncompressed = options.codec == CPB_CODEC_NONE;
  set_chunk_limit(w);
  return true;
}

static bool check_options(cpb_record_writer *w) {
  const cpb_record_writer_options *o = &w->options;
  if (o->append_at > MAX_OFFSET || (o->append_at > 0 && o->append_at < CPB_SIGNATURE_SIZE))
    return fail(w, CPB_E_USAGE, "append_at is not the size of a Riegeli file");
  if (o->append_at > 0 && o->metadata != NULL)
    return fail(w, CPB_E_USAGE, "only a new file can be given metadata");
  if (o->initial_padding > CPB_CHUNK_MAX_PADDING || o->final_padding > CPB_CHUNK_MAX_PADDING)
    return fail(w, CPB_E_USAGE, "padding must be to a multiple of at most 2^30");
  return true;
}

/* --- What precedes the records -------------------------------------------- */

static bool encode_metadata(cpb_record_writer *w) {
  if (w->options.metadata == NULL) return true;
  const cpb_span metadata = {w->options.metadata, w->options.metadata_size};
  cpb_codec_error error = {CPB_OK, NULL};
  bool done = cpb_records_metadata_encode(&w->allocator, w->compressor, metadata, &w->metadata, &error);
  return codec_done(w, done, &error);
}

static void write_signature(cpb_record_writer *w) {
  const cpb_span none = {NULL, 0};
  const cpb_chunk_header header = {.data_hash = cpb_hash_bytes(NULL, 0),
                                   .type = CPB_CHUNK_SIGNATURE};
  offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, none, none));
}

static void write_metadata(cpb_record_writer *w) {
  const cpb_span none = {NULL, 0}, data = cpb_buffer_span(&w->metadata);
  const cpb_chunk_header header = {.data_size = data.size,
                                   .data_hash = cpb_hash_bytes(data.data, data.size),
                                   .decoded_data_size = w->options.metadata_size,
                                   .type = CPB_CHUNK_METADATA};
  if (data.size > 0) offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, data, none));
}

static void write_padding(cpb_record_writer *w, uint64_t padding) {
  offset_fits(w, cpb_chunk_writer_pad(&w->out, padding));
}

static void begin_file(cpb_record_writer *w) {
  const bool appending = w->options.append_at > 0;
  switch (w->stage++) {
    case STAGE_BEGIN:
      appending ? cpb_chunk_writer_align(&w->out) : write_signature(w);
      break;
    case STAGE_SECOND:
      appending ? write_padding(w, w->options.initial_padding) : write_metadata(w);
      break;
    default:
      cpb_buffer_free(&w->metadata);
  }
}

/* --- Chunks --------------------------------------------------------------- */

/* No other record will fit behind those that the chunk has. */
static bool chunk_full(const cpb_record_writer *w) {
  return w->options.record_per_chunk || w->filled + RECORD_OVERHEAD > w->chunk_limit;
}

static bool open_stream(cpb_record_writer *w, uint64_t data_size) {
  const cpb_span head = cpb_buffer_span(&w->encoder.head);
  if (!offset_fits(w, cpb_chunk_writer_open(&w->out, data_size))) return false;
  w->mode = CHUNK_STREAMED;
  cpb_hash_init(&w->hash);
  cpb_hash_update(&w->hash, head.data, head.size);
  cpb_chunk_writer_data(&w->out, head);
  w->data_size = head.size;
  return true;
}

static void stream(cpb_record_writer *w, cpb_span data) {
  cpb_hash_update(&w->hash, data.data, data.size);
  cpb_chunk_writer_data(&w->out, data);
  w->data_size += data.size;
}

static bool may_stream(cpb_record_writer *w) {
  if (w->options.seekable) return true;
  cpb_fail(&w->error, CPB_E_LIMIT, CPB_NO_OFFSET,
           "a record of %llu bytes does not fit into the writer's buffer of %zu bytes, and the "
           "output cannot be written out of order",
           (unsigned long long)w->record_size, w->options.buffer);
  return false;
}

/* Its first record was added and tells how the chunk is held. */
static bool begin_chunk(cpb_record_writer *w) {
  const bool large = w->record_size > w->options.buffer;
  w->mode = CHUNK_COLLECTED;
  if (!chunk_full(w) || (w->uncompressed && !large)) return true;
  if (w->uncompressed && !may_stream(w)) return false;
  cpb_codec_error error = {CPB_OK, NULL};
  w->mode = CHUNK_DIRECT;
  if (!codec_done(w, cpb_simple_encoder_begin(&w->encoder, &error), &error)) return false;
  return !w->uncompressed || open_stream(w, w->encoder.head.size + w->record_size);
}

static cpb_chunk_header records_header(const cpb_record_writer *w, uint64_t data_size,
                                       uint64_t data_hash) {
  return (cpb_chunk_header){.data_size = data_size,
                            .data_hash = data_hash,
                            .num_records = w->encoder.num_records,
                            .decoded_data_size = w->encoder.decoded_size,
                            .type = CPB_CHUNK_SIMPLE};
}

static void write_chunk(cpb_record_writer *w, cpb_span body) {
  const cpb_span head = cpb_buffer_span(&w->encoder.head);
  cpb_hash hash;
  cpb_hash_init(&hash);
  cpb_hash_update(&hash, head.data, head.size);
  cpb_hash_update(&hash, body.data, body.size);
  const cpb_chunk_header header =
      records_header(w, (uint64_t)head.size + body.size, cpb_hash_finish(&hash));
  offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, head, body));
}

static void close_stream(cpb_record_writer *w) {
  stream(w, cpb_buffer_span(&w->encoder.body));
  const cpb_chunk_header header = records_header(w, w->data_size, cpb_hash_finish(&w->hash));
  offset_fits(w, cpb_chunk_writer_close(&w->out, &header));
}

static void close_chunk(cpb_record_writer *w) {
  cpb_simple_encoder *e = &w->encoder;
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_span body = w->whole.size > 0 ? w->whole : cpb_buffer_span(&e->collected);
  bool done = w->mode == CHUNK_COLLECTED ? cpb_simple_encoder_encode(e, body, &body, &error)
                                         : cpb_simple_encoder_finish(e, &error);
  w->whole.size = 0;
  w->filled = 0;
  if (!codec_done(w, done, &error)) return;
  switch (w->mode) {
    case CHUNK_COLLECTED: write_chunk(w, body); break;
    case CHUNK_DIRECT: write_chunk(w, cpb_buffer_span(&e->body)); break;
    case CHUNK_STREAMED: close_stream(w); break;
  }
}

/* --- Records -------------------------------------------------------------- */

static void end_record(cpb_record_writer *w) {
  w->in_record = false;
  w->position = w->chunk_begin + w->encoder.num_records - 1;
  if (chunk_full(w)) close_chunk(w);
}

static void perform_begin(cpb_record_writer *w) {
  const uint64_t added = w->record_size + RECORD_OVERHEAD;
  const bool first = w->filled == 0;
  if (!first && w->filled + added > w->chunk_limit) {
    close_chunk(w);
    return;
  }
  if (first) {
    cpb_simple_encoder_reset(&w->encoder, w->compressor, w->options.buffer);
    w->chunk_begin = w->out.pos;
  }
  w->filled += added;
  w->request = REQUEST_NONE;
  cpb_codec_error error = {CPB_OK, NULL};
  if (!codec_done(w, cpb_simple_encoder_add(&w->encoder, w->record_size, &error), &error) ||
      (first && !begin_chunk(w)))
    return;
  w->in_record = true;
  w->record_left = w->record_size;
  if (w->record_left == 0) end_record(w);
}

static void collect(cpb_record_writer *w, cpb_span bytes) {
  const bool whole = bytes.size == w->encoder.decoded_size && w->uncompressed && chunk_full(w);
  cpb_codec_error error = {CPB_OK, NULL};
  if (whole) {
    w->whole = bytes;
  } else {
    codec_done(w, cpb_simple_encoder_collect(&w->encoder, bytes, &error), &error);
  }
}

static void compress(cpb_record_writer *w, cpb_span bytes) {
  cpb_buffer *body = &w->encoder.body;
  cpb_codec_error error = {CPB_OK, NULL};
  if (!codec_done(w, cpb_simple_encoder_compress(&w->encoder, bytes, &error), &error)) return;
  if (w->mode == CHUNK_DIRECT &&
      (w->record_size <= w->options.buffer || body->size <= w->options.buffer))
    return;
  if (w->mode == CHUNK_DIRECT && (!may_stream(w) || !open_stream(w, UINT64_MAX))) return;
  stream(w, cpb_buffer_span(body));
}

static size_t at_once(const cpb_record_writer *w) {
  return cpb_min_size(cpb_max_size(w->options.buffer / 4, MIN_AT_ONCE), MAX_AT_ONCE);
}

/* A part of the lent bytes goes into the chunk. */
static void take_input(cpb_record_writer *w) {
  const bool compressing = w->mode != CHUNK_COLLECTED && !w->uncompressed;
  cpb_span bytes = w->input;
  if (compressing) bytes.size = cpb_min_size(bytes.size, at_once(w));
  w->input.data += bytes.size;
  w->input.size -= bytes.size;
  w->record_left -= bytes.size;
  if (w->mode == CHUNK_COLLECTED) {
    collect(w, bytes);
  } else if (compressing) {
    compress(w, bytes);
  } else {
    stream(w, bytes);
  }
}

static void perform_write(cpb_record_writer *w) {
  if (w->mode == CHUNK_STREAMED) w->encoder.body.size = 0; /* it was output */
  if (w->input.size > 0) take_input(w);
  if (w->input.size > 0 || !cpb_chunk_writer_idle(&w->out) || w->error.code != CPB_OK) return;
  w->request = REQUEST_NONE;
  if (w->record_left == 0) end_record(w);
}

static void perform_flush(cpb_record_writer *w) {
  if (w->filled > 0) {
    close_chunk(w);
  } else {
    w->request = REQUEST_NONE;
    select_codec(w, w->next_codec);
  }
}

static void perform_finish(cpb_record_writer *w) {
  if (w->filled > 0) {
    close_chunk(w);
  } else if (!w->padded) {
    w->padded = true;
    write_padding(w, w->options.final_padding);
  } else {
    w->request = REQUEST_NONE;
    w->stage = STAGE_DONE;
  }
}

static void work(cpb_record_writer *w) {
  if (w->stage < STAGE_RECORDS) {
    begin_file(w);
    return;
  }
  switch (w->request) {
    case REQUEST_NONE: break;
    case REQUEST_BEGIN: perform_begin(w); break;
    case REQUEST_WRITE: perform_write(w); break;
    case REQUEST_FLUSH: perform_flush(w); break;
    case REQUEST_FINISH: perform_finish(w); break;
  }
}

/* Work waits until the output is taken. */
static bool can_work(const cpb_record_writer *w) {
  return (w->request != REQUEST_NONE || w->stage < STAGE_RECORDS) &&
         cpb_chunk_writer_idle(&w->out) && w->error.code == CPB_OK;
}

/* --- The public calls ------------------------------------------------------ */

/* The first call of all need not wait until the beginning of the file is out. */
static bool may_call(cpb_record_writer *w, bool in_record) {
  const bool idle = w->stage < STAGE_RECORDS || cpb_chunk_writer_idle(&w->out);
  if (w->error.code != CPB_OK) return false;
  if (w->stage == STAGE_DONE) return fail(w, CPB_E_USAGE, "the file is finished");
  if (w->request != REQUEST_NONE || !idle)
    return fail(w, CPB_E_USAGE, "the output must be taken before the next call");
  if (w->in_record && !in_record)
    return fail(w, CPB_E_USAGE, "the record got fewer bytes than it was begun with");
  return true;
}

static cpb_code request(cpb_record_writer *w, writer_request what) {
  w->request = what;
  while (can_work(w)) work(w);
  return w->error.code;
}

cpb_code cpb_record_writer_begin_record(cpb_record_writer *w, uint64_t size) {
  if (!may_call(w, false)) return w->error.code;
  if (size > MAX_OFFSET) {
    fail(w, CPB_E_LIMIT, "a record can have at most 2^62 bytes");
    return w->error.code;
  }
  w->record_size = size;
  return request(w, REQUEST_BEGIN);
}

cpb_code cpb_record_writer_write(cpb_record_writer *w, const void *data, size_t length) {
  if (!may_call(w, true) || length == 0) return w->error.code;
  if (!w->in_record || length > w->record_left) {
    fail(w, CPB_E_USAGE, "the record got more bytes than it was begun with");
    return w->error.code;
  }
  w->input = (cpb_span){data, length};
  return request(w, REQUEST_WRITE);
}

cpb_code cpb_record_writer_flush(cpb_record_writer *w, const cpb_codec_options *next) {
  if (!may_call(w, false)) return w->error.code;
  if (next != NULL) w->next_codec = *next;
  return request(w, REQUEST_FLUSH);
}

cpb_code cpb_record_writer_finish(cpb_record_writer *w) {
  if (!may_call(w, false)) return w->error.code;
  return request(w, REQUEST_FINISH);
}

cpb_step cpb_record_writer_step(cpb_record_writer *w) {
  for (;; work(w)) {
    if (w->error.code != CPB_OK) return CPB_STEP_ERROR;
    if (cpb_chunk_writer_next(&w->out, &w->piece)) return CPB_STEP_OUTPUT;
    if (!can_work(w)) return w->stage == STAGE_DONE ? CPB_STEP_DONE : CPB_STEP_NEED;
  }
}

const uint8_t *cpb_record_writer_output(const cpb_record_writer *w, uint64_t *offset,
                                        size_t *length) {
  *offset = w->piece.offset;
  *length = w->piece.size;
  return w->piece.data;
}

uint64_t cpb_record_writer_position(const cpb_record_writer *w) { return w->position; }

const cpb_error *cpb_record_writer_error(const cpb_record_writer *w) { return &w->error; }

cpb_record_writer *cpb_record_writer_new(const cpb_allocator *allocator,
                                         const cpb_record_writer_options *options) {
  const cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_record_writer *w = cpb_alloc_zeroed(&a, sizeof *w);
  if (w == NULL) return NULL;
  w->allocator = a;
  cpb_options_copy(&w->options, sizeof w->options, options);
  if (w->options.buffer == 0) w->options.buffer = DEFAULT_BUFFER;
  w->max_records = cpb_limits_or_default(w->options.limits).records_per_chunk;
  w->next_codec = w->options.codec;
  cpb_buffer_init(&w->metadata, &a);
  cpb_simple_encoder_init(&w->encoder, &a);
  cpb_chunk_writer_init(&w->out, w->options.append_at);
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
  if (w == NULL) return;
  for (size_t i = 0; i < sizeof w->codecs / sizeof *w->codecs; i++)
    cpb_compressor_free(w->codecs[i].compressor);
  cpb_simple_encoder_free(&w->encoder);
  cpb_buffer_free(&w->metadata);
  cpb_release(&w->allocator, w);
}
