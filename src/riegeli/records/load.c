#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/records/reader.h"

/* --- places ----------------------------------------------------------------------------------- */

/* A simple chunk has only the sizes of its records, one varint after the other. Who takes the records in
 * another order than theirs would add up all sizes before each: so with the first jump the places of some
 * records are noted, and the nearest of them is where the next search begins. */

/* Notes the place of every so many records: a quarter of a byte per record, or half a byte. */
enum { STRIDE = 64 };

uint64_t cpb_reader_consumed(const cpb_record_reader *r) {
  if (!r->is_transposed) return r->chunk.decoded_data_size - r->simple.out_left - r->ready.size;
  uint64_t next = r->next > 0 ? r->transposed.ends[r->next - 1] : 0;
  return next - r->left - r->skip;
}

static cpb_record_place walk(const cpb_record_reader *r, cpb_record_place place, uint64_t index) {
  const cpb_span *all = &r->simple.size_varints;
  for (uint64_t size = 0; place.index < index; place.index++) {
    place.size_at = cpb_varint_read(place.size_at, all->data + all->size, &size);
    place.begin += size;
  }
  return place;
}

/* Without the memory, or where that is bounded, each search takes longer. */
static void note_places(cpb_record_reader *r) {
  size_t count = (size_t)(r->chunk.num_records / STRIDE);
  if (r->num_places > 0 || r->options.memory > 0) return;
  if (!CPB_RESERVE(&r->allocator, &r->places, &r->places_capacity, count)) return;
  cpb_record_place place = {0, 0, r->simple.size_varints.data};
  while (r->num_places < count) r->places[r->num_places++] = place = walk(r, place, place.index + STRIDE);
}

cpb_record_place cpb_reader_find(cpb_record_reader *r, uint64_t index) {
  if (r->is_transposed) return (cpb_record_place){index, index > 0 ? r->transposed.ends[index - 1] : 0, NULL};
  cpb_record_place place = {r->next, cpb_reader_consumed(r) + r->skip + r->left, r->size_at};
  if (index - place.index < STRIDE) return walk(r, place, index);
  note_places(r);
  if (index >= STRIDE && r->num_places > 0) place = r->places[index / STRIDE - 1];
  else place = (cpb_record_place){0, 0, r->simple.size_varints.data};
  return walk(r, place, index);
}

/* --- load ------------------------------------------------------------------------------------- */

/* Loads a chunk, from its header to its first record, in two passes if necessary. The first checks the hash of the
 * data, the second decodes it; choose_load() decides where the data is kept in between. With CPB_VERIFY_LATE, and
 * without verification, there is only the second. */

/* A file metadata chunk counts only directly after the file's signature. */
static bool is_file_metadata(const cpb_chunk_source *s) {
  return s->header.type == CPB_CHUNK_METADATA && s->begin == CPB_SIGNATURE_SIZE;
}

/* --- The first pass ------------------------------------------------------- */

static bool needed_as_a_whole(const cpb_chunk_source *s) {
  return s->header.type == CPB_CHUNK_TRANSPOSED || is_file_metadata(s);
}

static bool lies_in_one_piece(const cpb_chunk_source *s) {
  return cpb_chunk_source_left(s) <= cpb_block_remaining(s->pos);
}

static cpb_load choose_load(const cpb_record_reader *r) {
  const cpb_chunk_source *s = &r->source;
  bool in_pieces = !CPB_TRANSPOSE_IN_PLACE && needed_as_a_whole(s) && !lies_in_one_piece(s);
  if (cpb_chunk_source_lent(s) && !in_pieces) return CPB_LOAD_IN_PLACE;
  if (needed_as_a_whole(s)) return CPB_LOAD_COLLECT;
  if (r->options.verify != CPB_VERIFY_FIRST) return CPB_LOAD_STREAM;
  if (s->header.type != CPB_CHUNK_SIMPLE) return CPB_LOAD_STREAM;
  return s->header.data_size <= r->options.buffer ? CPB_LOAD_COLLECT : CPB_LOAD_TWICE;
}

/* With bounded memory, whether the chunk can fit: a transposed one is held completely, both stored and decoded, unless
 * only some of its fields are read. */
static bool may_fit(cpb_record_reader *r) {
  const cpb_chunk_header *h = &r->source.header;
  uint64_t whole;
  if (h->type != CPB_CHUNK_TRANSPOSED || r->options.memory == 0 || r->projects) return true;
  if (!cpb_add_u64(h->data_size, h->decoded_data_size, &whole)) whole = UINT64_MAX;
  return cpb_budget_fits(&r->budget, whole);
}

static cpb_have exceeds(cpb_record_reader *r, uint64_t needed, const char *what, const char *limit, uint64_t allowed) {
  char text[96];
  cpb_format(text, sizeof text, "it has %llu %s; the limit %s is %llu", (unsigned long long)needed, what, limit,
             (unsigned long long)allowed);
  return cpb_chunk_source_bad_data(&r->source, CPB_E_LIMIT, text);
}

/* Requests all data before the choice, if all is needed; and whatever its codec, named by the first byte, requires. */
static cpb_have ask_first(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  const bool needs_all = r->options.verify != CPB_VERIFY_NEVER;
  cpb_span span = {NULL, 0};
  if (!needs_all && !cpb_decompressor_waits(CPB_RIEGELI_BROTLI)) return CPB_HAVE;
  cpb_have have = cpb_chunk_source_data(s, needs_all ? UINT64_MAX : 1, &span);
  if (have != CPB_HAVE || span.size == 0 || !cpb_decompressor_waits(*span.data)) return have;
  return cpb_input_dictionary(&s->input);
}

static cpb_have begin_load(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  s->collected = false;
  if (!may_fit(r)) return cpb_chunk_source_bad_data(s, CPB_E_MEMORY, "out of memory");
  cpb_have have = ask_first(r);
  if (have != CPB_HAVE) return have;
  r->load = choose_load(r);
  if (r->load == CPB_LOAD_COLLECT) {
    uint64_t most = cpb_max_u64(r->meter->limits.riegeli_chunk, r->options.buffer);
    if (s->header.data_size > most) return exceeds(r, s->header.data_size, "bytes of data", "riegeli_chunk", most);
    cpb_buffer_reset(&s->data, r->options.buffer);
    if (!cpb_buffer_reserve(&s->data, (size_t)cpb_min_u64(s->header.data_size, r->options.buffer)))
      return cpb_chunk_source_bad_data(s, CPB_E_MEMORY, "out of memory");
  }
  if (r->options.verify != CPB_VERIFY_NEVER) cpb_chunk_source_hash(s);
  return CPB_HAVE;
}

/* Even without verification, the block headers are checked before a chunk is read as a whole. */
static bool has_first_pass(const cpb_record_reader *r) {
  return r->options.verify != CPB_VERIFY_NEVER || needed_as_a_whole(&r->source);
}

static cpb_have first_pass(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  bool collect = r->load == CPB_LOAD_COLLECT;
  if (!has_first_pass(r)) return CPB_HAVE;
  while (cpb_chunk_source_left(s) > 0) {
    cpb_span span;
    cpb_have have = cpb_chunk_source_data(s, UINT64_MAX, &span);
    if (have != CPB_HAVE) return have;
    if (collect && !cpb_buffer_append(&s->data, span.data, span.size))
      return cpb_chunk_source_bad_data(s, CPB_E_MEMORY, "out of memory");
    cpb_chunk_source_take(s, span.data, span.size);
  }
  return cpb_chunk_source_finish(s);
}

static cpb_have verify(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  if (r->load == CPB_LOAD_UNDECIDED) {
    cpb_have have = begin_load(r);
    if (have != CPB_HAVE) return have;
  }
  if (r->load != CPB_LOAD_STREAM) {
    cpb_have have = first_pass(r);
    if (have != CPB_HAVE) return have;
    cpb_chunk_source_rewind(s);
    s->collected = r->load == CPB_LOAD_COLLECT;
    s->checked = r->load == CPB_LOAD_IN_PLACE && has_first_pass(r);
    if (r->load == CPB_LOAD_TWICE) cpb_chunk_source_hash(s);
  }
  /* Limits grow with the bytes that exist, and not with a header's claims. */
  if (r->options.verify == CPB_VERIFY_FIRST && r->load != CPB_LOAD_STREAM) cpb_meter_grow(r->meter, s->data_end);
  r->verified = true;
  return CPB_HAVE;
}

/* --- The second pass ------------------------------------------------------ */

static cpb_have refuse(cpb_record_reader *r, const char *what) {
  return cpb_chunk_source_bad_data(&r->source, CPB_E_DAMAGED, what);
}

/* Begins the records of a chunk that was just opened. */
static void begin_records(cpb_record_reader *r) {
  r->size_at = r->simple.size_varints.data;
  r->next = r->left = r->skip = 0;
  r->ready = r->is_transposed ? (cpb_span){NULL, 0} : cpb_simple_decoder_whole(&r->simple);
  cpb_transposed_rewind(&r->transposed);
}

/* Goes back to the first decoded byte. False if it is gone. */
static bool rewind_records(cpb_record_reader *r) {
  if (!r->is_transposed && !cpb_simple_decoder_rewind(&r->simple)) return false;
  begin_records(r);
  return true;
}

static bool charge(cpb_record_reader *r, cpb_work_kind kind, uint64_t amount) {
  cpb_chunk_source *s = &r->source;
  if (cpb_meter_charge(r->meter, kind, amount, s->begin, &s->error)) return true;
  cpb_chunk_source_bad_data(s, CPB_E_LIMIT, "");
  return false;
}

/* Rejects a header that claims more than the limit for a chunk. */
static bool charge_records(cpb_record_reader *r) {
  uint64_t most = r->meter->limits.records_per_chunk;
  return charge(r, CPB_WORK_ENTRIES, cpb_min_u64(r->source.header.num_records, most));
}

/* --- Simple chunks ---------------------------------------------------------- */

static cpb_have out_of_memory(cpb_record_reader *r) {
  return cpb_chunk_source_bad_data(&r->source, CPB_E_MEMORY, "out of memory");
}

/* Appends all of the decoder's output to r->transposed. */
static cpb_have gather_records(cpb_record_reader *r) {
  const uint64_t all = r->source.header.decoded_data_size, most = r->meter->limits.riegeli_chunk;
  cpb_buffer *values = &r->transposed.values;
  if (all > most) return exceeds(r, all, "decoded bytes", "riegeli_chunk", most);
  if (!cpb_buffer_reserve(values, 1)) return out_of_memory(r); /* so that there is an address, even if all are empty */
  while (values->size < all) {
    cpb_span ready = cpb_simple_decoder_whole(&r->simple);
    cpb_have have = ready.size > 0 ? CPB_HAVE : cpb_simple_decoder_fill(&r->simple, all - values->size, &ready);
    if (have != CPB_HAVE) return have;
    if (!cpb_buffer_append(values, ready.data, ready.size)) return out_of_memory(r);
  }
  return CPB_HAVE;
}

/* Turns a simple chunk that was just opened into the form of a transposed one. */
static cpb_have filter_simple(cpb_record_reader *r) {
  cpb_transposed *t = &r->transposed;
  r->is_transposed = true;
  cpb_have have = gather_records(r);
  if (have != CPB_HAVE) return have;
  const size_t count = (size_t)r->source.header.num_records;
  const cpb_span *sizes = &r->simple.size_varints;
  const uint8_t *at = sizes->data;
  if (!CPB_RESERVE(&r->allocator, &t->ends, &t->ends_capacity, count)) return out_of_memory(r);
  for (uint64_t size = 0, end = 0; t->num_records < count; t->ends[t->num_records++] = end += size)
    at = cpb_record_size_read(at, sizes->data + sizes->size, &size);
  if (t->values.size > 0) /* to their place in cpb_transposed */
    memmove(t->values.data + t->values.capacity - t->values.size, t->values.data, t->values.size);
  cpb_transposed_filter(t, &r->projection);
  begin_records(r);
  return CPB_HAVE;
}

static cpb_have open_simple(cpb_record_reader *r) {
  uint64_t records = r->source.header.num_records, most = r->meter->limits.records_per_chunk;
  if (records > most) return exceeds(r, records, "records", "records_per_chunk", most);
  if (!r->open && !charge_records(r)) return CPB_FAILED;
  bool stays = r->load != CPB_LOAD_STREAM && r->load != CPB_LOAD_TWICE && !r->fleeting;
  if (!r->open) {
    cpb_simple_decoder_begin(&r->simple, stays);
    cpb_transposed_reset(&r->transposed, SIZE_MAX);
  }
  r->open = true;
  cpb_have have = cpb_simple_decoder_open(&r->simple);
  if (have != CPB_HAVE) return have;
  r->chunk.codec = (char)r->simple.codec;
  if (CPB_WITH_PROJECTION && r->projects) return filter_simple(r);
  r->is_transposed = false;
  begin_records(r);
  return CPB_HAVE;
}

/* All data of the chunk, which is collected, or lent together with the block headers. */
static cpb_have whole_data(cpb_chunk_source *s, cpb_transpose_cursor *data) {
  cpb_span first = {NULL, 0};
  uint64_t left = cpb_chunk_source_left(s);
  cpb_have have = cpb_chunk_source_data(s, UINT64_MAX, &first);
  *data = cpb_transpose_cursor_of(first);
  data->rest = (size_t)left - first.size;
  return have;
}

/* Keeps memory for the next chunk, unless it is large or bounded. */
static void forget_transposed(cpb_record_reader *r) {
  size_t keep = r->program.frugal ? 0 : r->options.buffer;
  cpb_transpose_program_trim(&r->program, keep);
  cpb_transposed_reset(&r->transposed, keep);
}

/* With a projection, the amount of decoded data is known only afterwards. */
static cpb_have decode_transposed(cpb_record_reader *r, uint64_t num_records, const cpb_projection *projection) {
  cpb_chunk_source *s = &r->source;
  uint64_t decoded_size = s->header.decoded_data_size, sure = projection ? 0 : decoded_size;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_transpose_chunk chunk = {.num_records = num_records, .decoded_size = decoded_size, .projection = projection};
  chunk.stays = r->load != CPB_LOAD_IN_PLACE || !r->fleeting;
  cpb_have have = whole_data(s, &chunk.data);
  if (have != CPB_HAVE) return have;
  cpb_meter_grow(r->meter, s->data_end);
  if (!charge_records(r) || !charge(r, CPB_WORK_DECODED, sure)) return CPB_FAILED;
  r->is_transposed = true; /* even if it cannot be decoded: its memory is then freed or kept as usual */
  if (!cpb_transpose_read(&r->program, &r->meter->limits, &chunk, &r->transposed, &error))
    return cpb_chunk_source_bad_data(s, error.code, error.message);
  cpb_chunk_source_jump(s, cpb_chunk_source_left(s));
  return charge(r, CPB_WORK_DECODED, r->transposed.unpacked) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have open_transposed(cpb_record_reader *r) {
  const cpb_projection *projection = r->projects ? &r->projection : NULL;
  cpb_have have = decode_transposed(r, r->source.header.num_records, projection);
  if (have != CPB_HAVE) return have;
  r->chunk.codec = (char)r->transposed.codec;
  begin_records(r);
  return CPB_HAVE;
}

/* Keeps the decoded bytes, in one piece. */
static cpb_have keep_metadata(cpb_record_reader *r) {
  cpb_span span;
  r->metadata.size = 0;
  cpb_transposed_rewind(&r->transposed);
  while (cpb_transposed_next(&r->transposed, &span))
    if (!cpb_buffer_append(&r->metadata, span.data, span.size))
      return cpb_chunk_source_bad_data(&r->source, CPB_E_MEMORY, "out of memory");
  r->has_metadata = true;
  forget_transposed(r);
  return CPB_HAVE;
}

/* The records of a file with unreadable metadata are still readable. */
static cpb_have ignore_metadata(cpb_record_reader *r) {
  memset(&r->source.error, 0, sizeof r->source.error);
  return CPB_HAVE;
}

static cpb_have open_metadata(cpb_record_reader *r) {
  if (r->source.header.num_records != 0) return refuse(r, "it is file metadata, but has records");
  if (!is_file_metadata(&r->source)) return CPB_HAVE;
  cpb_have have = decode_transposed(r, 1, NULL);
  if (have == CPB_HAVE) have = keep_metadata(r);
  return have == CPB_FAILED && r->source.error.code != CPB_E_MEMORY ? ignore_metadata(r) : have;
}

static cpb_have open_without_records(cpb_record_reader *r) {
  const cpb_chunk_header *h = &r->source.header;
  if (h->type == CPB_CHUNK_SIGNATURE && (h->data_size | h->num_records | h->decoded_data_size) != 0)
    return refuse(r, "it is a file signature, but not empty");
  if (h->type == CPB_CHUNK_PADDING && (h->num_records | h->decoded_data_size) != 0)
    return refuse(r, "it is padding, but has records");
  if (h->num_records == 0) return CPB_HAVE;
  return cpb_chunk_source_bad_data(&r->source, CPB_E_UNSUPPORTED, "its type is unknown");
}

static cpb_have open_chunk(cpb_record_reader *r) {
  switch (r->source.header.type) {
    case CPB_CHUNK_SIMPLE: return open_simple(r);
    case CPB_CHUNK_TRANSPOSED: return open_transposed(r);
    case CPB_CHUNK_METADATA: return open_metadata(r);
    default: return open_without_records(r);
  }
}

/* --- Both passes at once -------------------------------------------------- */

static bool may_open_in_place(const cpb_record_reader *r) {
  const cpb_chunk_source *s = &r->source;
  return s->header.type == CPB_CHUNK_SIMPLE && !r->projects && r->load == CPB_LOAD_UNDECIDED && !r->fleeting &&
         r->options.verify != CPB_VERIFY_NEVER && s->header.num_records <= r->meter->limits.records_per_chunk &&
         cpb_chunk_source_lent(s) && lies_in_one_piece(s) && s->end == s->data_end;
}

/* Without compression chunks are small (4 KiB by default), and almost every one is contiguous in the lent bytes: it is
 * hashed and opened in place. False: it takes the two passes, possibly to find the error. */
static bool open_in_place(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  cpb_span data = {NULL, 0}, records;
  if (!may_open_in_place(r) || cpb_chunk_source_data(s, UINT64_MAX, &data) != CPB_HAVE ||
      cpb_hash_bytes(data.data, data.size) != s->header.data_hash ||
      !cpb_simple_decoder_open_in_place(&r->simple, data, &records))
    return false;
  cpb_meter_grow(r->meter, s->data_end);
  if (!charge_records(r)) return false;
  cpb_chunk_source_take(s, data.data, data.size);
  r->load = CPB_LOAD_IN_PLACE;
  r->verified = r->open = true;
  r->is_transposed = false;
  r->chunk.codec = CPB_RIEGELI_NONE;
  begin_records(r);
  r->ready = records;
  return true;
}

cpb_have cpb_reader_load(cpb_record_reader *r) {
  if (open_in_place(r)) return CPB_HAVE;
  if (!r->verified) {
    cpb_have have = verify(r);
    if (have != CPB_HAVE) return have;
  }
  return open_chunk(r);
}

void cpb_reader_unload(cpb_record_reader *r) {
  if (r->is_transposed) forget_transposed(r);
  r->is_transposed = r->verified = r->open = false;
  r->load = CPB_LOAD_UNDECIDED;
  r->ready = r->data = (cpb_span){NULL, 0};
  r->next = r->left = r->skip = r->num_places = 0;
}

/* --- Within the records --------------------------------------------------- */

cpb_have cpb_reader_fill(cpb_record_reader *r, uint64_t max) {
  if (r->ready.size > 0) return CPB_HAVE;
  if (!r->is_transposed) return cpb_simple_decoder_fill(&r->simple, max, &r->ready);
  cpb_transposed_next(&r->transposed, &r->ready);
  return CPB_HAVE;
}

static void skip_ready(cpb_record_reader *r) {
  size_t size = (size_t)cpb_min_u64(r->skip, r->ready.size);
  r->ready.data += size;
  r->ready.size -= size;
  r->skip -= size;
}

cpb_have cpb_reader_skip(cpb_record_reader *r) {
  while (r->skip > 0) {
    if (r->ready.size == 0 && !r->is_transposed && cpb_simple_decoder_jump(&r->simple, r->skip)) {
      r->skip = 0;
      break;
    }
    cpb_have have = cpb_reader_fill(r, r->skip);
    if (have != CPB_HAVE) return have;
    skip_ready(r);
  }
  return CPB_HAVE;
}

bool cpb_reader_move(cpb_record_reader *r, uint64_t index) {
  const cpb_record_place place = cpb_reader_find(r, index);
  if (place.begin < cpb_reader_consumed(r) && !rewind_records(r)) return false;
  r->skip = place.begin - cpb_reader_consumed(r);
  r->left = 0;
  r->next = index;
  r->size_at = place.size_at;
  return true;
}

bool cpb_reader_holds_records(const cpb_record_reader *r) {
  return r->phase == CPB_PHASE_RECORDS && (r->is_transposed || cpb_simple_decoder_holds(&r->simple));
}
