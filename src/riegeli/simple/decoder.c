#include "riegeli/simple/decoder.h"

#include <string.h>

#include "base/checked.h"

/* --- sizes ------------------------------------------------------------------------------------ */

const char *cpb_simple_sizes_fault(cpb_span varints, const cpb_chunk_header *header) {
  static const uint8_t none; /* an empty span may have no address */
  const uint8_t *p = varints.size > 0 ? varints.data : &none;
  const uint8_t *end = p + varints.size;
  uint64_t left = header->decoded_data_size, size;
  for (uint64_t i = 0; i < header->num_records; i++) {
    p = cpb_record_size_read(p, end, &size);
    if (!p) return "there are fewer record sizes than records";
    if (size > left) return "the record sizes exceed the decoded size";
    left -= size;
  }
  if (p != end) return "there are more record sizes than records";
  return left == 0 ? NULL : "the record sizes fall short of the decoded size";
}

/* --- decoder ---------------------------------------------------------------------------------- */

enum { WINDOW = 256 * 1024, FIRST_SIZES = 64 * 1024, ASK_SIZES = 4096 };

void cpb_simple_decoder_init(cpb_simple_decoder *d, const cpb_allocator *a, cpb_meter *meter, size_t whole,
                             cpb_chunk_source *source) {
  memset(d, 0, sizeof *d);
  d->allocator = *a;
  d->meter = meter;
  d->whole = whole;
  d->window = WINDOW;
  d->source = source;
  cpb_buffer_init(&d->sizes, a);
  cpb_buffer_init(&d->values, a);
}

void cpb_simple_decoder_free(cpb_simple_decoder *d) {
  cpb_decompressor_free(d->decompressor);
  cpb_buffer_free(&d->sizes);
  cpb_buffer_free(&d->values);
}

void cpb_simple_decoder_begin(cpb_simple_decoder *d, bool stays) {
  d->state = CPB_SIMPLE_PREFIX;
  d->stays = stays;
  d->prefix_size = 0;
  d->out_left = 0;
  d->is_whole = false;
  d->sizes.size = d->values.size = 0;
  d->size_varints = (cpb_span){NULL, 0};
}

/* --- Through the codec ---------------------------------------------------- */

static cpb_have bad_data(cpb_simple_decoder *d, const char *what) {
  return cpb_chunk_source_bad_data(d->source, CPB_E_DAMAGED, what);
}

static cpb_have out_of_memory(cpb_simple_decoder *d) {
  return cpb_chunk_source_bad_data(d->source, CPB_E_MEMORY, "out of memory");
}

/* The next `in_left` stored bytes are a compressed buffer. */
static cpb_have begin_buffer(cpb_simple_decoder *d, uint64_t in_left) {
  cpb_codec_error error = {CPB_OK, NULL};
  d->in_left = in_left;
  if (!d->decompressor)
    d->decompressor = cpb_decompressor_new(&d->allocator, &d->meter->limits, d->codec, in_left, &error);
  else cpb_decompressor_reset(d->decompressor, d->codec, in_left, &error);
  if (d->frugal && d->decompressor) cpb_decompressor_be_frugal(d->decompressor);
  return error.code == CPB_OK ? CPB_HAVE : cpb_chunk_source_bad_data(d->source, error.code, error.what);
}

/* After decoding, which was into a buffer that was held anyway. */
static bool charge(cpb_simple_decoder *d, size_t given) {
  cpb_chunk_source *s = d->source;
  return d->codec == CPB_RIEGELI_NONE || cpb_meter_charge(d->meter, CPB_WORK_DECODED, given, s->begin, &s->error);
}

/* Decodes to `out`, which has `*size` bytes, until it has `room` or the compressed buffer
 * ends. */
static cpb_have decompress(cpb_simple_decoder *d, uint8_t *out, size_t room, size_t *size) {
  for (;;) {
    cpb_span in = {NULL, 0};
    cpb_have have = cpb_chunk_source_data(d->source, d->in_left, &in);
    if (have != CPB_HAVE) return have;
    cpb_span rest = in;
    size_t given = cpb_decompressor_read(d->decompressor, &rest, out + *size, room - *size);
    size_t taken = in.size - rest.size;
    cpb_chunk_source_take(d->source, in.data, taken);
    cpb_meter_grow(d->meter, d->source->pos);
    d->in_left -= taken;
    *size += given;
    const cpb_codec_error *error = cpb_decompressor_error(d->decompressor);
    if (error->code != CPB_OK) return cpb_chunk_source_bad_data(d->source, error->code, error->what);
    if (!charge(d, given)) return cpb_chunk_source_bad_data(d->source, CPB_E_LIMIT, "");
    if (*size == room || given + taken == 0 || cpb_decompressor_done(d->decompressor)) return CPB_HAVE;
  }
}

/* All expected output is there: the compressed buffer must end here. */
static cpb_have expect_end(cpb_simple_decoder *d, const char *more, const char *less) {
  uint8_t extra;
  size_t size = 0;
  if (cpb_decompressor_done(d->decompressor)) return CPB_HAVE;
  cpb_have have = decompress(d, &extra, 1, &size);
  if (have != CPB_HAVE) return have;
  if (size > 0) return bad_data(d, more);
  return cpb_decompressor_done(d->decompressor) ? CPB_HAVE : bad_data(d, less);
}

/* Makes room for `size` bytes; the content is lost. */
static bool make_room(cpb_buffer *buffer, size_t size) {
  if (buffer->capacity < size) cpb_buffer_reset(buffer, 0);
  return cpb_buffer_reserve(buffer, size);
}

/* --- The sizes ------------------------------------------------------------ */

static bool prefix_ends(const cpb_simple_decoder *d) {
  size_t size = d->prefix_size;
  return size > 1 && (d->prefix[size - 1] < 0x80 || size == sizeof d->prefix);
}

static cpb_have read_prefix(cpb_simple_decoder *d) {
  const uint8_t *prefix = d->prefix;
  uint64_t ask = sizeof d->prefix + cpb_min_u64(d->source->header.num_records * CPB_VARINT_MAX, ASK_SIZES);
  while (!prefix_ends(d)) {
    cpb_span in;
    cpb_have have = cpb_chunk_source_data(d->source, ask, &in);
    if (have != CPB_HAVE) return have;
    if (in.size == 0) return bad_data(d, "the codec or the size of the record sizes is missing");
    size_t taken = 0;
    while (taken < in.size && !prefix_ends(d)) d->prefix[d->prefix_size++] = in.data[taken++];
    cpb_chunk_source_take(d->source, in.data, taken);
  }
  d->codec = prefix[0];
  if (cpb_varint_read(prefix + 1, prefix + d->prefix_size, &d->in_left) == NULL)
    return bad_data(d, "the size of the record sizes is not a varint");
  if (d->in_left > cpb_chunk_source_left(d->source)) return bad_data(d, "the record sizes are cut short");
  return begin_buffer(d, d->in_left);
}

/* Uncompressed sizes that are in one piece need no copy. True when it has an outcome, `*have`. */
static bool sizes_in_place(cpb_simple_decoder *d, cpb_have *have) {
  cpb_span span;
  *have = CPB_HAVE;
  if (d->codec != CPB_RIEGELI_NONE || !d->stays || d->sizes.size > 0) return false;
  *have = cpb_chunk_source_data(d->source, d->in_left, &span);
  if (*have != CPB_HAVE) return true;
  if (span.size < d->in_left) return false;
  cpb_chunk_source_take(d->source, span.data, span.size);
  d->size_varints = span;
  return true;
}

static cpb_have copy_sizes(cpb_simple_decoder *d) {
  uint64_t most = d->source->header.num_records * CPB_VARINT_MAX;
  size_t first = (size_t)cpb_min_u64(d->source->header.num_records * 2 + 32, FIRST_SIZES);
  while (!cpb_decompressor_done(d->decompressor)) {
    size_t room = cpb_max_size(first, d->sizes.size + 1);
    if (!cpb_buffer_reserve(&d->sizes, room)) return out_of_memory(d);
    cpb_have have = decompress(d, d->sizes.data, d->sizes.capacity, &d->sizes.size);
    if (have != CPB_HAVE) return have;
    if (d->sizes.size > most) return bad_data(d, "there are more record sizes than records");
    if (d->sizes.size < d->sizes.capacity) break;
  }
  d->size_varints = (cpb_span){d->sizes.data, d->sizes.size};
  return expect_end(d, "there are more record sizes than records", "the record sizes are cut short");
}

static cpb_have check_sizes(cpb_simple_decoder *d) {
  const char *what = cpb_simple_sizes_fault(d->size_varints, &d->source->header);
  return !what ? CPB_HAVE : bad_data(d, what);
}

/* --- The records ---------------------------------------------------------- */

static const char longer[] = "there are more bytes than the records have";
static const char shorter[] = "there are fewer bytes than the records have";

/* With room for one byte too many, a stream that is too long shows. */
static size_t room_for_whole(const cpb_simple_decoder *d) { return (size_t)d->source->header.decoded_data_size + 1; }

static cpb_have begin_values(cpb_simple_decoder *d) {
  uint64_t in_left = cpb_chunk_source_left(d->source);
  d->out_left = d->source->header.decoded_data_size;
  if (d->codec == CPB_RIEGELI_NONE) {
    if (in_left == d->out_left) return CPB_HAVE;
    return bad_data(d, in_left > d->out_left ? longer : shorter);
  }
  bool shared = d->out_left <= d->shared && d->source->header.num_records > 1;
  d->is_whole = (shared || d->out_left <= d->whole) && d->out_left < SIZE_MAX;
  size_t room = d->is_whole ? room_for_whole(d) : d->window;
  if (!make_room(&d->values, room)) return out_of_memory(d);
  return begin_buffer(d, in_left);
}

static cpb_have read_whole(cpb_simple_decoder *d) {
  cpb_decompressor_in_place(d->decompressor);
  cpb_have have = decompress(d, d->values.data, room_for_whole(d), &d->values.size);
  if (have != CPB_HAVE) return have;
  if (d->values.size > d->out_left) return bad_data(d, longer);
  if (d->values.size < d->out_left) return bad_data(d, shorter);
  d->out_left = 0;
  return CPB_HAVE;
}

static cpb_have read_window(cpb_simple_decoder *d, cpb_span *ready) {
  size_t room = (size_t)cpb_min_u64(d->out_left, d->window), size = 0;
  cpb_have have = decompress(d, d->values.data, room, &size);
  if (size == 0) return have == CPB_HAVE ? bad_data(d, shorter) : have;
  if (have == CPB_FAILED) return have;
  *ready = (cpb_span){d->values.data, size};
  d->out_left -= size;
  return CPB_HAVE;
}

static cpb_have read_in_place(cpb_simple_decoder *d, uint64_t max, cpb_span *ready) {
  if (!d->stays) cpb_chunk_source_expect_data(d->source, max);
  cpb_have have = cpb_chunk_source_data(d->source, d->stays ? d->out_left : max, ready);
  if (have != CPB_HAVE) return have;
  cpb_chunk_source_take(d->source, ready->data, ready->size);
  d->out_left -= ready->size;
  return CPB_HAVE;
}

static cpb_have read_whole_now(cpb_simple_decoder *d, cpb_span *ready) {
  cpb_chunk_source_expect_data(d->source, d->in_left);
  cpb_have have = read_whole(d);
  if (have == CPB_HAVE) *ready = cpb_simple_decoder_whole(d);
  return have;
}

cpb_have cpb_simple_decoder_fill(cpb_simple_decoder *d, uint64_t max, cpb_span *ready) {
  if (d->codec == CPB_RIEGELI_NONE) return read_in_place(d, max, ready);
  return d->is_whole ? read_whole_now(d, ready) : read_window(d, ready);
}

cpb_span cpb_simple_decoder_whole(const cpb_simple_decoder *d) {
  return (cpb_span){d->values.data, d->is_whole && d->out_left == 0 ? d->values.size : 0};
}

bool cpb_simple_decoder_holds(const cpb_simple_decoder *d) {
  return d->codec == CPB_RIEGELI_NONE ? d->stays : d->is_whole;
}

bool cpb_simple_decoder_rewind(cpb_simple_decoder *d) {
  cpb_chunk_source *s = d->source;
  if (d->codec != CPB_RIEGELI_NONE || s->hashing) return d->is_whole;
  d->out_left = s->header.decoded_data_size;
  cpb_chunk_source_rewind(s);
  cpb_chunk_source_jump(s, s->header.data_size - d->out_left);
  return true;
}

bool cpb_simple_decoder_jump(cpb_simple_decoder *d, uint64_t size) {
  if (d->codec != CPB_RIEGELI_NONE || d->source->hashing) return false;
  cpb_chunk_source_jump(d->source, size);
  d->out_left -= size;
  return true;
}

cpb_have cpb_simple_decoder_finish(cpb_simple_decoder *d) {
  if (d->codec == CPB_RIEGELI_NONE) return CPB_HAVE;
  return expect_end(d, longer, shorter);
}

/* --- The steps in their order ----------------------------------------------- */

static cpb_have read_sizes(cpb_simple_decoder *d) {
  cpb_have have;
  if (!sizes_in_place(d, &have)) have = copy_sizes(d);
  if (have == CPB_HAVE) have = check_sizes(d);
  return have == CPB_HAVE ? begin_values(d) : have;
}

cpb_have cpb_simple_decoder_open(cpb_simple_decoder *d) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && d->state != CPB_SIMPLE_OPEN) {
    switch (d->state) {
      case CPB_SIMPLE_PREFIX: have = read_prefix(d); break;
      case CPB_SIMPLE_SIZES: have = read_sizes(d); break;
      case CPB_SIMPLE_VALUES:
        if (d->is_whole && d->out_left <= d->whole) have = read_whole(d);
        break;
      case CPB_SIMPLE_OPEN: break;
    }
    if (have == CPB_HAVE) d->state++;
  }
  return have;
}

bool cpb_simple_decoder_open_in_place(cpb_simple_decoder *d, cpb_span data, cpb_span *records) {
  if (data.size < 2 || data.data[0] != CPB_RIEGELI_NONE) return false;
  uint64_t sizes = 0;
  const uint8_t *end = data.data + data.size;
  const uint8_t *at = cpb_varint_read(data.data + 1, end, &sizes);
  if (!at || sizes > (size_t)(end - at)) return false;
  cpb_simple_decoder_begin(d, true);
  d->codec = CPB_RIEGELI_NONE;
  d->size_varints = (cpb_span){at, (size_t)sizes};
  *records = (cpb_span){at + sizes, (size_t)(end - at - (ptrdiff_t)sizes)};
  return records->size == d->source->header.decoded_data_size &&
         cpb_simple_sizes_fault(d->size_varints, &d->source->header) == NULL;
}
