/* Puts records, from the bytes that the caller lends, into chunks. The first record of a chunk decides how the chunk is
 * held (cpb_chunk_mode). Small records are collected until the chunk is full. A record that fills a chunk alone is
 * encoded as it comes; if it does not fit into the buffer, or is large and not compressed, it is also output as it
 * comes. Records that are contiguous in the caller's memory are not copied into `collected`: `whole` refers to them. A
 * transposed chunk also consists of collected records; those that do not fit into the buffer go into a simple one. */
#include "riegeli/records/writer_state.h"

#include "base/checked.h"
#include "riegeli/codec/codec.h"
#include "riegeli/encoding.h"

/* The number of bytes that the codec gets at once: a quarter of the buffer, but within these bounds, because its output
 * adds to the buffer. Codecs are fastest with a whole record. */
#define MIN_AT_ONCE ((size_t)64 << 10)
#define MAX_AT_ONCE ((size_t)4 << 20)

/* --- Chunks --------------------------------------------------------------- */

/* Whether no further record fits into the chunk. */
static bool chunk_full(const cpb_record_writer *w) {
  return w->options.record_per_chunk || w->filled + CPB_RECORD_OVERHEAD > w->chunk_limit;
}

/* Whether a record that fills a chunk alone is collected anyway. */
static bool collects_alone(const cpb_record_writer *w) {
  if (w->transpose != CPB_TRANSPOSE_NEVER) return true;
  return w->uncompressed && !(w->options.seekable && w->record_size > CPB_STORED_MOST);
}

static bool open_stream(cpb_record_writer *w, uint64_t data_size) {
  const cpb_span head = cpb_buffer_span(&w->encoder.head);
  if (!cpb_writer_offset_fits(w, cpb_chunk_writer_open(&w->out, data_size))) return false;
  w->mode = CPB_CHUNK_STREAMED;
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
  return CPB_FAILS(&w->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                   "a record of %llu bytes does not fit into the writer's buffer of %zu bytes, and the "
                   "output is not seekable",
                   (unsigned long long)w->record_size, w->options.buffer);
}

/* Call it after the first record was added, whose size decides how the chunk is held. */
static bool begin_chunk(cpb_record_writer *w) {
  const bool large = w->record_size > w->options.buffer;
  if (!chunk_full(w) || (collects_alone(w) && !large)) return true;
  if (w->uncompressed && !may_stream(w)) return false;
  cpb_codec_error error = {CPB_OK, NULL};
  w->mode = CPB_CHUNK_DIRECT;
  if (!cpb_writer_codec_done(w, cpb_simple_encoder_begin(&w->encoder, &error), &error)) return false;
  return !w->uncompressed || open_stream(w, w->encoder.head.size + w->record_size);
}

static cpb_chunk_header records_header(const cpb_record_writer *w, uint8_t type, uint64_t data_size,
                                       uint64_t data_hash) {
  return (cpb_chunk_header){.data_size = data_size,
                            .data_hash = data_hash,
                            .num_records = w->encoder.num_records,
                            .decoded_data_size = w->encoder.decoded_size,
                            .type = type};
}

/* The data of a chunk. */
typedef struct encoded {
  uint8_t type;
  cpb_span head, body;
} encoded;

static uint64_t encoded_size(const encoded *data) { return (uint64_t)data->head.size + data->body.size; }

static void write_chunk(cpb_record_writer *w, const encoded *data) {
  cpb_hash hash;
  cpb_hash_init(&hash);
  cpb_hash_update(&hash, data->head.data, data->head.size);
  cpb_hash_update(&hash, data->body.data, data->body.size);
  const cpb_chunk_header header = records_header(w, data->type, encoded_size(data), cpb_hash_finish(&hash));
  cpb_writer_offset_fits(w, cpb_chunk_writer_chunk(&w->out, &header, data->head, data->body));
}

static void close_stream(cpb_record_writer *w) {
  stream(w, cpb_buffer_span(&w->encoder.body));
  const cpb_chunk_header header = records_header(w, CPB_CHUNK_SIMPLE, w->data_size, cpb_hash_finish(&w->hash));
  cpb_writer_offset_fits(w, cpb_chunk_writer_close(&w->out, &header));
}

static bool take_apart(cpb_record_writer *w, cpb_span records, cpb_codec_error *error) {
  const cpb_buffer *sizes = &w->encoder.sizes;
  const uint8_t *at = sizes->data, *end = at + sizes->size;
  for (uint64_t left = w->encoder.num_records, size = 0; left > 0; left--) {
    at = cpb_varint_read(at, end, &size);
    if (!cpb_transpose_encoder_add(w->transposer, (cpb_span){records.data, (size_t)size}, error)) return false;
    if (size > 0) records.data += size;
  }
  return true;
}

static bool transpose(cpb_record_writer *w, cpb_span records, encoded *data, cpb_codec_error *error) {
  if (!w->transposer) w->transposer = cpb_transpose_encoder_new(&w->allocator);
  if (!w->transposer) return cpb_codec_fail(error, CPB_E_MEMORY, "out of memory"), false;
  cpb_transpose_encoder_reset(w->transposer, w->options.buffer);
  data->type = CPB_CHUNK_TRANSPOSED;
  return take_apart(w, records, error) &&
         cpb_transpose_encoder_encode(w->transposer, w->compressor, w->bucket_size, &data->head, &data->body, error);
}

static bool encode_simple(cpb_record_writer *w, cpb_span records, encoded *data, cpb_codec_error *error) {
  data->type = CPB_CHUNK_SIMPLE;
  if (!cpb_simple_encoder_encode(&w->encoder, records, &data->body, error)) return false;
  data->head = cpb_buffer_span(&w->encoder.head);
  return true;
}

static bool encode_collected(cpb_record_writer *w, cpb_span records, encoded *data, cpb_codec_error *error) {
  if (w->transpose == CPB_TRANSPOSE_ALWAYS) return transpose(w, records, data, error);
  if (!encode_simple(w, records, data, error)) return false;
  if (w->transpose == CPB_TRANSPOSE_NEVER) return true;
  encoded other;
  if (!transpose(w, records, &other, error)) return false;
  if (encoded_size(&other) < encoded_size(data)) *data = other;
  return true;
}

static void close_collected(cpb_record_writer *w) {
  const cpb_span records = w->whole.size > 0 ? w->whole : cpb_buffer_span(&w->encoder.collected);
  cpb_codec_error error = {CPB_OK, NULL};
  encoded data;
  w->whole.size = 0;
  if (cpb_writer_codec_done(w, encode_collected(w, records, &data, &error), &error)) write_chunk(w, &data);
}

/* Closes a chunk with one record, which was encoded as it came. */
static void close_encoded(cpb_record_writer *w) {
  cpb_codec_error error = {CPB_OK, NULL};
  if (!cpb_writer_codec_done(w, cpb_simple_encoder_finish(&w->encoder, &error), &error)) return;
  const encoded data = {CPB_CHUNK_SIMPLE, cpb_buffer_span(&w->encoder.head), cpb_buffer_span(&w->encoder.body)};
  if (w->mode == CPB_CHUNK_DIRECT) write_chunk(w, &data);
  else close_stream(w);
}

void cpb_writer_close_chunk(cpb_record_writer *w) {
  w->filled = 0;
  if (w->mode == CPB_CHUNK_COLLECTED) close_collected(w);
  else close_encoded(w);
}

/* --- Records -------------------------------------------------------------- */

static void end_record(cpb_record_writer *w) {
  w->in_record = false;
  w->position = w->chunk_begin + w->encoder.num_records - 1;
  if (chunk_full(w)) cpb_writer_close_chunk(w);
}

static void open_chunk(cpb_record_writer *w) {
  cpb_simple_encoder_reset(&w->encoder, w->compressor, w->options.buffer);
  w->chunk_begin = w->out.pos;
  w->mode = CPB_CHUNK_COLLECTED;
}

bool cpb_writer_begin_record(cpb_record_writer *w) {
  const uint64_t added = w->record_size + CPB_RECORD_OVERHEAD;
  const bool first = w->filled == 0;
  if (!first && w->filled + added > w->chunk_limit) {
    cpb_writer_close_chunk(w);
    return false;
  }
  if (first) open_chunk(w);
  w->filled += added;
  cpb_codec_error error = {CPB_OK, NULL};
  if (!cpb_writer_codec_done(w, cpb_simple_encoder_add(&w->encoder, w->record_size, &error), &error) ||
      (first && !begin_chunk(w)))
    return false;
  w->in_record = true;
  w->record_left = w->record_size;
  if (w->record_left == 0) end_record(w);
  return true;
}

static void collect(cpb_record_writer *w, cpb_span bytes) {
  const bool whole = bytes.size == w->encoder.decoded_size && collects_alone(w) && chunk_full(w);
  cpb_codec_error error = {CPB_OK, NULL};
  if (whole) w->whole = bytes;
  else cpb_writer_codec_done(w, cpb_simple_encoder_collect(&w->encoder, bytes, &error), &error);
}

static void compress(cpb_record_writer *w, cpb_span bytes) {
  cpb_buffer *body = &w->encoder.body;
  cpb_codec_error error = {CPB_OK, NULL};
  if (!cpb_writer_codec_done(w, cpb_simple_encoder_compress(&w->encoder, bytes, &error), &error)) return;
  if (w->mode == CPB_CHUNK_DIRECT && (w->record_size <= w->options.buffer || body->size <= w->options.buffer)) return;
  if (w->mode == CPB_CHUNK_DIRECT && (!may_stream(w) || !open_stream(w, UINT64_MAX))) return;
  stream(w, cpb_buffer_span(body));
}

static size_t at_once(const cpb_record_writer *w) {
  return cpb_min_size(cpb_max_size(w->options.buffer / 4, MIN_AT_ONCE), MAX_AT_ONCE);
}

/* Puts some of the lent bytes into the chunk. */
static void take_input(cpb_record_writer *w) {
  const bool compressing = w->mode != CPB_CHUNK_COLLECTED && !w->uncompressed;
  cpb_span bytes = w->input;
  if (compressing) bytes.size = cpb_min_size(bytes.size, at_once(w));
  w->input.data += bytes.size;
  w->input.size -= bytes.size;
  w->record_left -= bytes.size;
  if (w->mode == CPB_CHUNK_COLLECTED) collect(w, bytes);
  else if (compressing) compress(w, bytes);
  else stream(w, bytes);
}

bool cpb_writer_write_input(cpb_record_writer *w) {
  if (w->mode == CPB_CHUNK_STREAMED) w->encoder.body.size = 0; /* as it was output */
  if (w->input.size > 0) take_input(w);
  if (w->input.size > 0 || !cpb_chunk_writer_idle(&w->out) || w->error.code != CPB_OK) return false;
  if (w->record_left == 0) end_record(w);
  return true;
}

bool cpb_writer_append(cpb_record_writer *w, cpb_span record) {
  const uint64_t room = w->chunk_limit - w->filled, overhead = (uint64_t)2 * CPB_RECORD_OVERHEAD;
  if (w->filled == 0 || room < overhead || record.size > room - overhead) return false;
  cpb_codec_error error = {CPB_OK, NULL};
  bool done = cpb_simple_encoder_add(&w->encoder, record.size, &error) &&
              cpb_simple_encoder_collect(&w->encoder, record, &error);
  w->filled += record.size + CPB_RECORD_OVERHEAD;
  w->position = w->chunk_begin + w->encoder.num_records - 1;
  return cpb_writer_codec_done(w, done, &error);
}

/* --- Batches of records --------------------------------------------------- */

static void leave_batch(cpb_record_writer *w, size_t count, size_t bytes) {
  w->batch.sizes += count;
  w->batch.count -= count;
  if (bytes > 0) w->batch.data += bytes;
}

static bool needs_own_chunk(const cpb_record_writer *w, size_t size) {
  return w->options.record_per_chunk || (uint64_t)size > w->chunk_limit ||
         size + (uint64_t)CPB_RECORD_OVERHEAD > w->chunk_limit;
}

/* The number of the batch's records that fit into the chunk, and their size in it. */
static size_t count_fitting(const cpb_record_writer *w, uint64_t *fill) {
  const size_t *sizes = w->batch.sizes, most = w->batch.count;
  uint64_t room = w->chunk_limit - w->filled, left = room;
  size_t count = 0;
  while (count < most && left >= CPB_RECORD_OVERHEAD && sizes[count] <= left - CPB_RECORD_OVERHEAD)
    left -= CPB_RECORD_OVERHEAD + sizes[count++];
  *fill = room - left;
  return count;
}

/* Puts as many records into the chunk as fit. If the chunk gets no others, they are not copied. */
static void write_several(cpb_record_writer *w) {
  uint64_t fill;
  const size_t count = count_fitting(w, &fill);
  const size_t bytes = (size_t)(fill - (uint64_t)count * CPB_RECORD_OVERHEAD);
  const cpb_span records = {w->batch.data, bytes};
  cpb_codec_error error = {CPB_OK, NULL};
  if (w->filled == 0) open_chunk(w);
  w->filled += fill;
  bool done = cpb_simple_encoder_add_several(&w->encoder, w->batch.sizes, count, bytes, &error);
  leave_batch(w, count, bytes);
  const bool full = w->batch.count > 0 || chunk_full(w);
  if (full && bytes == w->encoder.decoded_size) w->whole = records;
  else done = done && cpb_simple_encoder_collect(&w->encoder, records, &error);
  if (!cpb_writer_codec_done(w, done, &error)) return;
  w->position = w->chunk_begin + w->encoder.num_records - 1;
  if (full) cpb_writer_close_chunk(w);
}

/* Writes a record that gets a chunk of its own, over several calls. */
static void write_alone(cpb_record_writer *w) {
  const size_t size = w->batch.sizes[0];
  const uint64_t length = size; /* 32 bits cannot exceed the limit */
  bool done = false;
  if (w->in_record) {
    done = cpb_writer_write_input(w);
  } else if (length > CPB_RECORD_MAX_SIZE) {
    cpb_writer_fail_size(w);
  } else {
    w->record_size = size;
    w->input = (cpb_span){w->batch.data, size};
    done = cpb_writer_begin_record(w) && size == 0;
  }
  if (done) leave_batch(w, 1, size);
}

bool cpb_writer_write_batch(cpb_record_writer *w) {
  if (!w->in_record && (w->filled > 0 || !needs_own_chunk(w, w->batch.sizes[0]))) write_several(w);
  else write_alone(w);
  return w->batch.count == 0;
}
