/* Invariants. Between calls each stream is in one Riegeli chunk: before the record of `chunk`, or, with
 * in_record, inside of it, and then the bytes [pos - span.size, pos) of the record are still valid. A
 * stream's reader points only into the stream's own window, never into what the host lent, so other streams
 * may ask the engine's input for more. After CPB_WAIT the caller repeats its call, which finds the stream
 * as it was and continues. A stream that has given out unverified bytes (CPB_VERIFY_LATE) moves to another
 * Riegeli chunk only after settle() has verified them.
 *
 * It terminates: every loop steps a reader, which only moves forward within the file, until it gives what
 * was asked for, waits, fails or ends.
 *
 * Memory: a window for each stream (what the host lent at once, about read_size); for a small stream one
 * Riegeli chunk, stored and decoded, of at most `small` bytes each; for a large one what its decoder needs;
 * for the one that peeks a Riegeli chunk of several records, decoded, of at most `small` bytes; `room` for
 * the chunks that are kept; and eight bytes a chunk when the index's sizes are not trusted. */
#include "chunked/read/chunk_store.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "riegeli/block.h"
#include "riegeli/records/reader.h"

/* The peeking stream keeps little decoded data. */
enum { PEEK_BUFFER = 4096, PEEK_READ = 64 * 1024, PEEK_WANT = 16 };

/* For a Riegeli chunk that is not read as a whole. */
enum {
  FEW = 4096,        /* reading this many stored bytes costs no more than reading fewer */
  HEAD = 128,        /* has the header, and the size of a single chunk */
  PACKED = 64 * 1024 /* has the beginning of a compressed one */
};

void cpb_chunk_store_init(cpb_chunk_store *s, const cpb_allocator *a, const cpb_index *index,
                          const cpb_store_options *options, cpb_input *input, cpb_error *error) {
  memset(s, 0, sizeof *s);
  s->allocator = *a;
  s->index = index;
  s->options = *options;
  s->input = input;
  s->error = error;
  s->files = (cpb_store_files){*a, index, input, options->meter, error, NULL};
  s->num_chunks = index->metadata.num_chunks;
  /* A small stream may hold a Riegeli chunk both stored and decoded. Kept chunks may take as much as one stream, and
   * the peeking stream holds one Riegeli chunk decoded. */
  s->small = options->memory / (2 * (CPB_SMALL_STREAMS + 1) + 1) + 1;
  s->room = 2 * s->small;
  for (size_t i = 0; i < CPB_STREAMS; i++) {
    cpb_store_stream *stream = &s->streams[i];
    stream->chunk = CPB_NO_CHUNK;
    stream->verify = options->verify;
    if (i < CPB_SMALL_STREAMS && options->verify == CPB_VERIFY_LATE) stream->verify = CPB_VERIFY_FIRST;
    if (i == CPB_PEEK_STREAM) stream->verify = CPB_VERIFY_NEVER;
    cpb_buffer_init(&stream->window, a);
  }
}

void cpb_chunk_store_use_memory(cpb_chunk_store *s, const cpb_chunk_bytes *chunks, uint64_t num_chunks) {
  static const cpb_chunk_bytes none;
  s->memory = num_chunks > 0 ? chunks : &none;
  s->num_chunks = num_chunks;
}

void cpb_chunk_store_share(cpb_chunk_store *s, const cpb_chunk_store *from) {
  s->memory = from->memory;
  s->num_chunks = from->num_chunks;
  s->kept = from->kept;
  s->shared = true;
}

void cpb_chunk_store_free(cpb_chunk_store *s) {
  for (size_t i = 0; i < CPB_STREAMS; i++) {
    cpb_record_reader_free(s->streams[i].reader);
    cpb_buffer_free(&s->streams[i].window);
  }
  if (!s->shared) cpb_kept_free(&s->kept, &s->allocator);
  cpb_release(&s->allocator, s->sizes);
  cpb_store_files_free(&s->files);
  s->sizes = NULL;
}

/* A chunk that the index lacks has an entry of zeros. */
static cpb_chunk_entry entry_of(const cpb_chunk_store *s, uint64_t chunk) {
  return cpb_metadata_chunk(&s->index->metadata, (size_t)chunk);
}

static bool is_in_index(const cpb_chunk_store *s, uint64_t chunk) { return chunk < s->index->metadata.num_chunks; }

uint32_t cpb_chunk_store_type(const cpb_chunk_store *s, uint64_t chunk) {
  if (s->memory && s->memory[chunk].type != CPB_CHUNK_UNSET) return s->memory[chunk].type;
  return is_in_index(s, chunk) ? entry_of(s, chunk).type : CPB_CHUNK_UNSET;
}

/* 0: the file itself. */
static uint32_t file_of(const cpb_chunk_store *s, uint64_t chunk) {
  return cpb_metadata_reference(&s->index->metadata, (size_t)chunk).file;
}

uint64_t cpb_chunk_store_position(const cpb_chunk_store *s, uint64_t chunk) {
  bool is_here = !s->memory && is_in_index(s, chunk) && file_of(s, chunk) == 0;
  return is_here ? entry_of(s, chunk).offset : CPB_NO_OFFSET;
}

static cpb_have no_memory(cpb_chunk_store *s) { return cpb_fail_memory(s->error), CPB_FAILED; }

static cpb_kept_chunk *find_kept(const cpb_chunk_store *s, uint64_t chunk) {
  cpb_kept_chunk *kept = cpb_kept_find(&s->kept, chunk);
  return kept && !kept->forgotten ? kept : NULL;
}

/* --- Lending input on to a stream's reader -------------------------------- */

/* A reader keeps pointers into its bytes while other streams request more, so it gets a copy. */
static cpb_have lend(cpb_chunk_store *s, cpb_store_stream *stream) {
  cpb_input *inner = cpb_record_reader_input(stream->reader);
  cpb_need need = inner->need;
  cpb_span span = {NULL, 0};
  cpb_have have;
  if (need.kind == CPB_NEED_DICTIONARY) return cpb_input_dictionary(s->input);
  cpb_store_turn_input(&s->files, stream->file);
  if (need.kind == CPB_NEED_SIZE) have = cpb_input_size(s->input, need.length, &inner->size);
  else have = cpb_input_span(s->input, need.offset, need.length, need.ahead, &span);
  if (have == CPB_FAILED) return cpb_store_fail_in(&s->files, stream->file, &s->input->failure);
  if (have == CPB_AT_END) inner->size = cpb_input_known_size(s->input);
  if (have != CPB_HAVE || need.kind == CPB_NEED_SIZE) return have == CPB_AT_END ? CPB_HAVE : have;
  stream->window.size = 0;
  if (!cpb_buffer_append(&stream->window, span.data, span.size)) return no_memory(s);
  cpb_input_supply(inner, need.offset, stream->window.data, stream->window.size);
  return CPB_HAVE;
}

static cpb_have reader_failed(cpb_chunk_store *s, cpb_store_stream *stream) {
  const cpb_error *error = cpb_record_reader_error(stream->reader);
  cpb_fail(s->error, error->code, error->offset, "chunk %llu: %s", (unsigned long long)stream->chunk, error->message);
  cpb_error_take_numbers(s->error, error);
  return cpb_store_fail_in(&s->files, stream->file, s->error);
}

/* One event of the reader other than NEED, after which `next` continues. */
static cpb_have step_to(cpb_chunk_store *s, cpb_store_stream *stream, cpb_step (*next)(cpb_record_reader *),
                        cpb_step *event) {
  stream->reader->want = cpb_max_u64(s->want, 1);
  for (;;) {
    cpb_record_reader_input(stream->reader)->size = cpb_store_known_size(&s->files, stream->file);
    *event = next(stream->reader);
    if (*event == CPB_STEP_ERROR) return reader_failed(s, stream);
    if (*event != CPB_STEP_NEED) return CPB_HAVE;
    cpb_have have = lend(s, stream);
    if (have != CPB_HAVE) return have;
  }
}

static cpb_have step(cpb_chunk_store *s, cpb_store_stream *stream, cpb_step *event) {
  return step_to(s, stream, cpb_record_reader_step, event);
}

/* --- Settling ------------------------------------------------------------- */

static bool unsettled(const cpb_store_stream *stream) { return stream->in_record && stream->verify == CPB_VERIFY_LATE; }

/* Reads to the end of the Riegeli chunk, where its hash is checked. */
static cpb_have settle(cpb_chunk_store *s, cpb_store_stream *stream) {
  uint64_t begin = cpb_record_reader_chunk(stream->reader)->begin;
  stream->settling = true;
  stream->reader->want = UINT64_MAX;
  while (unsettled(stream)) {
    cpb_record_reader_skip(stream->reader, UINT64_MAX);
    cpb_record_reader_input(stream->reader)->size = cpb_store_known_size(&s->files, stream->file);
    cpb_step event = cpb_record_reader_step(stream->reader);
    bool past = stream->reader->source.begin != begin;
    if (past || event == CPB_STEP_DONE) {
      stream->in_record = false;
      stream->chunk = CPB_NO_CHUNK;
    } else if (event == CPB_STEP_ERROR) {
      return reader_failed(s, stream);
    } else if (event == CPB_STEP_NEED) {
      cpb_have have = lend(s, stream);
      if (have != CPB_HAVE) return have;
    }
  }
  return CPB_HAVE;
}

cpb_have cpb_chunk_store_settle(cpb_chunk_store *s) {
  for (size_t i = 0; i < CPB_STREAMS; i++) {
    cpb_have have = unsettled(&s->streams[i]) ? settle(s, &s->streams[i]) : CPB_HAVE;
    if (have != CPB_HAVE) return have;
  }
  return CPB_HAVE;
}

/* --- Choosing and opening a stream ---------------------------------------- */

/* Whether the stream is in the Riegeli chunk of `position`. */
static bool has_place(const cpb_store_stream *stream, uint32_t file, uint64_t position) {
  if (!stream->in_record || stream->settling || stream->file != file) return false;
  const cpb_riegeli_chunk *riegeli = cpb_record_reader_chunk(stream->reader);
  return position >= riegeli->begin && position - riegeli->begin < riegeli->num_records;
}

/* Whether it can also go there without decoding anything again. */
static bool is_near(const cpb_store_stream *stream, uint32_t file, uint64_t position) {
  if (!has_place(stream, file, position)) return false;
  const cpb_record *record = cpb_record_reader_record(stream->reader);
  bool forward = position > record->position && stream->pos == record->size;
  return forward || cpb_reader_holds_records(stream->reader);
}

/* Whether the stream, which is in the chunk, need not start it again for the requested byte; or may as well do so,
 * because no other stream will continue from it to the next chunk. */
static bool goes_on(const cpb_chunk_store *s, const cpb_store_stream *stream) {
  if (!stream->in_record || s->at >= stream->pos - stream->span.size) return true;
  return cpb_record_reader_chunk(stream->reader)->num_records == 1;
}

/* Its Riegeli chunk was read to the end. */
static bool is_spent(const cpb_store_stream *stream) {
  if (!stream->in_record) return stream->reader != NULL;
  const cpb_riegeli_chunk *riegeli = cpb_record_reader_chunk(stream->reader);
  const cpb_record *record = cpb_record_reader_record(stream->reader);
  return record->index + 1 == riegeli->num_records && stream->pos == record->size;
}

/* The stream with the lowest claim is replaced. Data is rarely read twice, so a finished stream goes before a new one
 * is created. */
static uint64_t claim_of(const cpb_store_stream *stream) { return is_spent(stream) ? 0 : stream->used + 1; }

static cpb_store_stream *choose_stream(cpb_chunk_store *s, uint64_t chunk) {
  const cpb_chunk_entry entry = entry_of(s, chunk);
  bool large = entry.size > s->small;
  size_t begin = large ? CPB_SMALL_STREAMS : 0;
  size_t end = large ? CPB_SMALL_STREAMS + CPB_LARGE_STREAMS : CPB_SMALL_STREAMS;
  cpb_store_stream *oldest = &s->streams[begin];
  for (size_t i = 0; i < CPB_PEEK_STREAM; i++) {
    cpb_store_stream *stream = &s->streams[i];
    bool is_in = stream->chunk == chunk && !stream->settling;
    if ((is_in && goes_on(s, stream)) || is_near(stream, file_of(s, chunk), entry.offset)) return stream;
  }
  for (size_t i = begin; i < end; i++)
    if (claim_of(&s->streams[i]) < claim_of(oldest)) oldest = &s->streams[i];
  return oldest;
}

static cpb_have make_reader(cpb_chunk_store *s, cpb_store_stream *stream) {
  bool peeks = stream == &s->streams[CPB_PEEK_STREAM];
  const cpb_record_reader_options options = {
      .struct_size = sizeof options,
      .verify = stream->verify,
      .buffer = peeks ? PEEK_BUFFER : s->small,
      .read_size = peeks ? cpb_min_size(s->options.read_size, PEEK_READ) : s->options.read_size,
      .limits = &s->options.meter->limits,
  };
  stream->reader = cpb_record_reader_new_within(&s->options.meter->held.inner, &options, s->options.meter);
  if (!stream->reader) return no_memory(s);
  if (peeks) stream->reader->simple.shared = s->small;
  return CPB_HAVE;
}

/* Where the Riegeli chunk of the chunk's record probably is; end 0: unknown. The Riegeli chunk of the index itself was
 * read. */
static void place_of(const cpb_chunk_store *s, uint64_t chunk, uint64_t *begin, uint64_t *end) {
  const cpb_riegeli_chunk *last = &s->index->riegeli;
  const uint64_t position = entry_of(s, chunk).offset;
  const uint32_t file = file_of(s, chunk);
  if (file > 0) {
    cpb_positions_around(&s->index->positions, file, position, begin, end);
    *end = cpb_min_u64(*end, cpb_metadata_file(&s->index->metadata, file).size);
    return;
  }
  if (position >= last->begin && position - last->begin < last->num_records) {
    *begin = last->begin;
    *end = last->end;
    return;
  }
  cpb_positions_around(&s->index->positions, 0, position, begin, end);
  if (last->begin > *begin) *end = cpb_min_u64(*end, last->begin);
  if (*end == CPB_NO_OFFSET) *end = 0;
}

bool cpb_chunk_store_place(const cpb_chunk_store *s, uint64_t chunk, uint32_t file, uint64_t *begin, uint64_t *end) {
  if (s->memory || file_of(s, chunk) != file || find_kept(s, chunk) != NULL) return false;
  place_of(s, chunk, begin, end);
  return *end > *begin;
}

cpb_chunk_home cpb_chunk_store_home(const cpb_chunk_store *s, uint64_t chunk) {
  uint64_t begin, end;
  if (s->memory || find_kept(s, chunk) != NULL) return (cpb_chunk_home){.begin = CPB_NO_OFFSET};
  place_of(s, chunk, &begin, &end);
  bool large = entry_of(s, chunk).size > s->small || (end > begin && end - begin > s->small);
  return (cpb_chunk_home){begin, file_of(s, chunk), large};
}

/* The number of the chunk's stored bytes to fetch together with its header. A chunk stored in fewer bytes than its size
 * is compressed; one in many more shares its Riegeli chunk. */
static uint64_t worth(const cpb_chunk_store *s, const cpb_store_stream *stream, uint64_t size, uint64_t stored) {
  bool all = s->at == 0 && s->want >= size && stored / 2 <= size;
  if (stream->verify != CPB_VERIFY_NEVER || all || stored <= FEW) return stored;
  bool unpacks = stored < size && s->want > 0;
  return cpb_min_u64(stored, unpacks ? HEAD + PACKED + s->at : HEAD);
}

static void go_to(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t chunk) {
  stream->chunk = chunk;
  stream->in_record = stream->settling = false;
  stream->span = (cpb_span){NULL, 0};
  const cpb_chunk_entry entry = entry_of(s, chunk);
  uint64_t begin, end;
  place_of(s, chunk, &begin, &end);
  if (end > begin) end = begin + worth(s, stream, entry.size, end - begin);
  cpb_reader_seek_chunk(stream->reader, entry.offset, begin, end);
}

/* Gives the stream to the chunk. */
static cpb_have turn_to(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t chunk) {
  const uint32_t file = file_of(s, chunk);
  bool dead = !stream->reader || stream->reader->phase == CPB_PHASE_FAILED;
  cpb_have have = CPB_HAVE;
  if (!dead && unsettled(stream) && !is_near(stream, file, entry_of(s, chunk).offset)) have = settle(s, stream);
  if (have == CPB_HAVE) have = cpb_store_check_file(&s->files, file);
  if (have != CPB_HAVE) return have;
  if (dead || stream->file != file) {
    cpb_record_reader_free(stream->reader);
    stream->reader = NULL;
    stream->chunk = CPB_NO_CHUNK;
    stream->in_record = false;
    if (make_reader(s, stream) != CPB_HAVE) return CPB_FAILED;
    stream->file = file;
  }
  go_to(s, stream, chunk);
  return CPB_HAVE;
}

/* Whether a record of the size in the index, alone in its Riegeli chunk and not compressed, takes exactly the bytes up
 * to the next chunk. Then the index is either correct, or describes something else that happens to have the same
 * length. */
static bool fits_place(const cpb_chunk_store *s, uint64_t chunk, uint64_t size) {
  const uint64_t before = CPB_CHUNK_HEADER_SIZE + 2 + cpb_varint_size(size); /* codec, size of the sizes, size */
  uint64_t begin, end;
  place_of(s, chunk, &begin, &end);
  return begin == entry_of(s, chunk).offset && begin < end && size < end - begin &&
         cpb_distance_without_overhead(begin, end) == before + size;
}

/* Zero may also mean that the index has no size. */
static bool trusts_size(const cpb_chunk_store *s, uint64_t chunk) {
  const uint64_t size = entry_of(s, chunk).size;
  return size > 0 && (s->options.trust_sizes || (s->options.trust_fitting && fits_place(s, chunk, size)));
}

static bool note_size(cpb_chunk_store *s, uint64_t chunk, uint64_t size) {
  uint64_t promised = entry_of(s, chunk).size;
  if (s->sizes) s->sizes[chunk] = size;
  if (!trusts_size(s, chunk) || size == promised) return true;
  cpb_fail(s->error, CPB_E_DAMAGED, entry_of(s, chunk).offset,
           "chunk %llu has %llu bytes; expected %llu, its size in the index", (unsigned long long)chunk,
           (unsigned long long)size, (unsigned long long)promised);
  cpb_store_fail_in(&s->files, file_of(s, chunk), s->error);
  return false;
}

static cpb_have no_record(cpb_chunk_store *s, uint64_t chunk) {
  uint64_t position = entry_of(s, chunk).offset;
  cpb_fail(s->error, CPB_E_DAMAGED, position, "chunk %llu: no record begins at its position, %llu",
           (unsigned long long)chunk, (unsigned long long)position);
  return cpb_store_fail_in(&s->files, file_of(s, chunk), s->error);
}

static cpb_have check_hash(cpb_chunk_store *s, const cpb_store_stream *stream) {
  return cpb_store_check_hash(&s->files, stream->file, stream->chunk, stream->reader);
}

static cpb_have begin_record(cpb_chunk_store *s, cpb_store_stream *stream) {
  cpb_step event;
  cpb_have have = step(s, stream, &event);
  if (have != CPB_HAVE) return have;
  if (event != CPB_STEP_RECORD) return no_record(s, stream->chunk);
  if (check_hash(s, stream) != CPB_HAVE) return CPB_FAILED;
  stream->in_record = true;
  stream->pos = 0;
  uint64_t size = cpb_record_reader_record(stream->reader)->size;
  return note_size(s, stream->chunk, size) ? CPB_HAVE : CPB_FAILED;
}

/* Moves `stream` into the record of `chunk`. */
static cpb_have open_in(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t chunk) {
  if (stream->chunk != chunk || stream->settling) {
    cpb_have have = turn_to(s, stream, chunk);
    if (have != CPB_HAVE) return have;
  }
  cpb_have have = stream->in_record ? CPB_HAVE : begin_record(s, stream);
  if (have == CPB_HAVE) stream->used = ++s->clock;
  return have;
}

/* --- Reading -------------------------------------------------------------- */

static void serve(cpb_chunk_store *s, uint64_t offset, uint64_t want) {
  s->at = offset;
  s->want = want;
}

static cpb_have read_from(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t offset, cpb_span *span) {
  uint64_t begin = stream->pos - stream->span.size;
  if (offset >= begin && offset < stream->pos) {
    size_t skip = (size_t)(offset - begin);
    *span = (cpb_span){stream->span.data + skip, stream->span.size - skip};
    return CPB_HAVE;
  }
  cpb_record_reader_skip(stream->reader, offset - stream->pos);
  stream->pos = offset;
  stream->span = (cpb_span){NULL, 0};
  cpb_step event;
  cpb_have have = step(s, stream, &event);
  if (have != CPB_HAVE) return have;
  stream->span.data = cpb_record_reader_data(stream->reader, &stream->span.size);
  stream->pos += stream->span.size;
  *span = stream->span;
  return CPB_HAVE;
}

static cpb_have from_memory(const cpb_chunk_bytes *chunk, uint64_t offset, cpb_span *span) {
  if (offset >= chunk->size) return CPB_AT_END;
  *span = (cpb_span){(const uint8_t *)chunk->data + offset, chunk->size - (size_t)offset};
  return CPB_HAVE;
}

static cpb_have read_in(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t chunk, uint64_t offset, cpb_span *span) {
  cpb_have have = open_in(s, stream, chunk);
  if (have != CPB_HAVE) return have;
  if (offset >= cpb_record_reader_record(stream->reader)->size) return CPB_AT_END;
  if (offset < stream->pos - stream->span.size) {
    have = turn_to(s, stream, chunk);
    if (have == CPB_HAVE) have = begin_record(s, stream);
    if (have != CPB_HAVE) return have;
  }
  return read_from(s, stream, offset, span);
}

/* --- Keeping --------------------------------------------------------------- */

static uint64_t kept_cost(uint64_t size) { return size + sizeof(cpb_kept_chunk); }

static cpb_have begin_keeping(cpb_chunk_store *s, uint64_t chunk, cpb_kept_chunk **kept) {
  uint64_t size = entry_of(s, chunk).size;
  if (!s->keeping || size > s->small || kept_cost(size) > s->room || cpb_kept_find(&s->kept, chunk)) return CPB_HAVE;
  *kept = cpb_kept_add(&s->kept, &s->allocator, chunk);
  if (!*kept) return no_memory(s);
  s->room -= (size_t)kept_cost(size);
  return CPB_HAVE;
}

void cpb_chunk_store_forget(cpb_chunk_store *s, uint64_t chunk) {
  cpb_kept_chunk *kept = find_kept(s, chunk);
  if (!kept) return;
  cpb_buffer_free(&kept->bytes);
  kept->forgotten = true;
  s->room += (size_t)entry_of(s, chunk).size;
}

/* Room was made for the size in the index. */
static cpb_have read_on(cpb_chunk_store *s, cpb_kept_chunk *kept) {
  uint64_t size = entry_of(s, kept->chunk).size;
  cpb_have have = CPB_HAVE;
  while (kept->bytes.size < size) {
    cpb_span span;
    serve(s, kept->bytes.size, size - kept->bytes.size);
    have = read_in(s, choose_stream(s, kept->chunk), kept->chunk, kept->bytes.size, &span);
    if (have != CPB_HAVE) break;
    size_t count = (size_t)cpb_min_u64(span.size, size - kept->bytes.size);
    if (!cpb_buffer_append(&kept->bytes, span.data, count)) return no_memory(s);
  }
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  kept->complete = true;
  return CPB_HAVE;
}

cpb_have cpb_chunk_store_span(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want, cpb_span *span) {
  if (s->memory) return from_memory(&s->memory[chunk], offset, span);
  cpb_kept_chunk *kept = find_kept(s, chunk);
  cpb_have have = !kept ? begin_keeping(s, chunk, &kept) : CPB_HAVE;
  if (have == CPB_HAVE && kept && !kept->complete) have = read_on(s, kept);
  if (have != CPB_HAVE) return have;
  if (kept && offset < kept->bytes.size) {
    size_t at = (size_t)offset;
    *span = (cpb_span){kept->bytes.data + at, kept->bytes.size - at};
    return CPB_HAVE;
  }
  serve(s, offset, want);
  return read_in(s, choose_stream(s, chunk), chunk, offset, span);
}

/* A stream that holds the chunk's Riegeli chunk has its size and its first bytes. */
static cpb_store_stream *peeking_stream(cpb_chunk_store *s, uint64_t chunk) {
  for (size_t i = 0; i < CPB_PEEK_STREAM; i++) {
    cpb_store_stream *stream = &s->streams[i];
    if (has_place(stream, file_of(s, chunk), entry_of(s, chunk).offset) && cpb_reader_holds_records(stream->reader))
      return stream;
  }
  return &s->streams[CPB_PEEK_STREAM];
}

cpb_have cpb_chunk_store_peek(cpb_chunk_store *s, uint64_t chunk, cpb_span *span) {
  if (s->memory) return from_memory(&s->memory[chunk], 0, span);
  serve(s, 0, PEEK_WANT);
  return read_in(s, peeking_stream(s, chunk), chunk, 0, span);
}

/* Reads the header of the chunk's Riegeli chunk, and no more. */
static cpb_have open_head(cpb_chunk_store *s, cpb_store_stream *stream, uint64_t chunk) {
  cpb_step event;
  cpb_have have = stream->chunk != chunk || stream->in_record ? turn_to(s, stream, chunk) : CPB_HAVE;
  if (have == CPB_HAVE) have = step_to(s, stream, cpb_reader_step_to_head, &event);
  if (have != CPB_HAVE) return have;
  return event == CPB_STEP_RECORD ? check_hash(s, stream) : no_record(s, chunk);
}

/* The sizes of records in a transposed chunk are known only after all of it is decoded. */
static void describe_transposed(const cpb_chunk_store *s, const cpb_riegeli_chunk *riegeli, uint64_t chunk,
                                cpb_chunk_stored *stored) {
  const cpb_chunk_entry entry = entry_of(s, chunk);
  uint64_t index = entry.offset - riegeli->begin; /* beyond the last record if this is not a record's position */
  *stored = (cpb_chunk_stored){.size = riegeli->num_records == 1 ? riegeli->decoded_data_size : entry.size,
                               .index = index < riegeli->num_records ? index : 0,
                               .riegeli = *riegeli};
}

/* For callers that want neither bytes nor verification, so they need not wait for decoding. */
static cpb_have peek_stored(cpb_chunk_store *s, uint64_t chunk, cpb_chunk_stored *stored, bool *known) {
  cpb_store_stream *stream = &s->streams[CPB_PEEK_STREAM];
  cpb_have have = stream->in_record && stream->chunk == chunk ? CPB_HAVE : open_head(s, stream, chunk);
  if (have != CPB_HAVE) return have;
  const cpb_riegeli_chunk *riegeli = cpb_record_reader_chunk(stream->reader);
  *known = riegeli->type == CPB_CHUNK_TRANSPOSED;
  if (*known) describe_transposed(s, riegeli, chunk, stored);
  return CPB_HAVE;
}

cpb_have cpb_chunk_store_stored(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want,
                                cpb_chunk_stored *stored) {
  bool peeks = want == 0 && s->options.verify == CPB_VERIFY_NEVER, known = false;
  serve(s, offset, want);
  cpb_store_stream *stream = peeks ? &s->streams[CPB_PEEK_STREAM] : choose_stream(s, chunk);
  cpb_have have = peeks ? peek_stored(s, chunk, stored, &known) : CPB_HAVE;
  if (have == CPB_HAVE && !known) have = open_in(s, stream, chunk);
  if (have != CPB_HAVE) return have;
  s->data_hash = stream->reader->source.header.data_hash;
  if (known) return CPB_HAVE;
  const cpb_record *record = cpb_record_reader_record(stream->reader);
  *stored = (cpb_chunk_stored){record->size, record->index, *cpb_record_reader_chunk(stream->reader)};
  return CPB_HAVE;
}

/* --- Sizes ---------------------------------------------------------------- */

static bool make_sizes(cpb_chunk_store *s) {
  if (s->sizes) return true;
  size_t bytes;
  if (!cpb_mul_size((size_t)s->num_chunks, sizeof *s->sizes, &bytes)) return false;
  s->sizes = cpb_alloc(&s->allocator, bytes);
  if (s->sizes) memset(s->sizes, 0xff, bytes);
  return s->sizes != NULL;
}

cpb_have cpb_chunk_store_size(cpb_chunk_store *s, uint64_t chunk, uint64_t *size) {
  if (s->memory || trusts_size(s, chunk)) {
    *size = s->memory ? s->memory[chunk].size : entry_of(s, chunk).size;
    return CPB_HAVE;
  }
  if (!make_sizes(s)) return no_memory(s);
  if (s->sizes[chunk] == CPB_NO_OFFSET) {
    serve(s, 0, 0);
    cpb_have have = open_in(s, peeking_stream(s, chunk), chunk);
    if (have != CPB_HAVE) return have;
  }
  *size = s->sizes[chunk];
  return CPB_HAVE;
}
