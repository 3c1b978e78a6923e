/* The values of one tensor, or slice, streamed from the shard (data file) that holds it.
 *
 * Numbers are stored as their bytes, little-endian, and are passed on unchanged. A tensor of strings is stored as all
 * lengths (varints), the masked CRC-32C of the lengths, and then the bytes of all strings. The reader returns strings
 * padded to the longest, or each as its length and bytes. It keeps the lengths in memory, up to options->max_memory
 * bytes, and at most PIECE bytes of the rest. Before it pads strings, it reads the last byte of each: padding would
 * lose a NUL there. [at, end) is the unread part of the tensor's range in the shard; `crc` covers the part that was
 * read. The checksum can be compared only at the end, after the values have been returned; a mismatch makes the last
 * step an error. (WriteStringTensor in TensorFlow's tensor_bundle.cc) */
#include "base/checked.h"
#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/common/cursor.h"
#include "model/common/tensor/tensor.h"
#include "model/common/tensor/values.h"
#include "model/foreign/foreign.h"
#include "model/formats/leveldb/crc32c.h"

#define PIECE ((size_t)64 << 10)
#define LENGTH_SIZE 8
#define CHECKSUM_SIZE 4

enum { BEGIN, NUMBERS, LENGTHS, CHECKSUM, ENDS, TEXTS, DONE };

typedef struct reader {
  cpb_allocator allocator;
  const cpb_values_options *options;
  const cpb_stored *stored;
  const cpb_tensor_format *format;
  cpb_input *input;
  cpb_error *error;
  cpb_crc32c tables;
  uint32_t crc;
  uint64_t at, end; /* unread range of the shard */
  uint64_t count;   /* elements */
  uint64_t size;    /* bytes to return */
  char dtype[CPB_DTYPE_NAME];
  cpb_foreign_instead instead; /* of the shard */
  int stage;
  uint8_t *out; /* PIECE bytes */

  /* Only for strings. */
  cpb_buffer lengths;              /* the varints, as stored */
  size_t next;                     /* offset in `lengths` of the next string's length */
  uint8_t checksum[CHECKSUM_SIZE]; /* of the lengths */
  size_t checksum_size;            /* bytes of it read so far */
  uint64_t number;                 /* the length that is being decoded */
  unsigned shift;                  /* number of its bits decoded so far */
  uint64_t seen;                   /* lengths read; in stage TEXTS, strings begun */
  uint64_t text_end;               /* in the shard, of the current string */
  uint64_t longest;
  uint64_t padding; /* bytes of padding that remain after the string */
  bool padded;
  char numpy[24];
} reader;

static cpb_have fails(reader *r, cpb_code code, uint64_t offset, const char *what) {
  return cpb_fail(r->error, code, offset, "%s", what), CPB_FAILED;
}

/* --- Creation ---------------------------------------------------------------------------- */

static void *create(const cpb_allocator *a, cpb_meter *meter, const cpb_values_options *options, cpb_stored_part part,
                    cpb_input *input, cpb_error *error) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)meter; /* values are stored as they are */
  if (!r) return NULL;
  r->allocator = *a;
  r->options = options;
  r->stored = part.stored;
  r->input = input;
  r->error = error;
  cpb_buffer_init(&r->lengths, a);
  cpb_crc32c_init(&r->tables);
  r->out = cpb_alloc(a, PIECE);
  if (r->out) return r;
  cpb_release(a, r);
  return NULL;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  cpb_buffer_free(&r->lengths);
  cpb_release(&a, r->out);
  cpb_release(&a, r);
}

/* --- Reading ------------------------------------------------------------------------------ */

static cpb_have fail_at_end(reader *r, const char *instead) {
  char name[80];
  const cpb_stored *s = r->stored;
  if (instead[0]) cpb_fail(r->error, CPB_E_FORMAT, CPB_NO_OFFSET, "the shard is %s", instead);
  const bool is_slice = s->key[0] == 0; /* its key is binary */
  cpb_quote(name, sizeof name, (const uint8_t *)s->key, s->key_size);
  cpb_fail(r->error, CPB_E_TRUNCATED, r->input->size,
           "the shard ends within the values of %s%s%s; expected %llu bytes from byte %llu on", is_slice ? "" : "\"",
           is_slice ? "a slice" : name, is_slice ? "" : "\"", (unsigned long long)s->size,
           (unsigned long long)s->offset);
  return CPB_FAILED;
}

/* Bytes of the shard from `at` on, at most `most`. */
static cpb_have look(reader *r, uint64_t at, size_t most, cpb_span *bytes) {
  char instead[sizeof r->error->message];
  cpb_have have =
      cpb_foreign_span(&r->instead, r->input, (cpb_range){at, r->end - at}, most, bytes, instead, sizeof instead);
  if (have == CPB_AT_END) have = fail_at_end(r, instead);
  if (have == CPB_FAILED && r->error->code == CPB_OK) *r->error = r->input->failure;
  return have;
}

/* The next bytes of the shard, at most `most` and none from `end` on; moves `at` past them. */
static cpb_have read(reader *r, uint64_t end, size_t most, cpb_span *bytes) {
  const cpb_have have = look(r, r->at, (size_t)cpb_min_u64(end - r->at, most), bytes);
  if (have == CPB_HAVE) r->at += bytes->size;
  return have;
}

static void add_to_crc(reader *r, cpb_span bytes) { r->crc = cpb_crc32c_extend(&r->tables, r->crc, bytes); }

static cpb_have check_crc(reader *r) {
  uint32_t crc = cpb_crc32c_mask(r->crc);
  r->stage = DONE;
  if (r->stored->size == 0 || crc == r->stored->crc32c) return CPB_HAVE;
  cpb_fail(r->error, CPB_E_DAMAGED, r->stored->offset,
           "masked CRC-32C of the values is %08x; expected %08x, the index's crc32c", (unsigned)crc,
           (unsigned)r->stored->crc32c);
  return CPB_FAILED;
}

/* --- Checks before reading ---------------------------------------------------------------------------- */

static cpb_have count_elements(reader *r) {
  const cpb_stored *s = r->stored;
  if (cpb_elements_of(s->shape, s->rank, &r->count)) return CPB_HAVE;
  return fails(r, CPB_E_DAMAGED, s->offset, "the tensor's shape has 2^64 elements or more");
}

static cpb_have begin_numbers(reader *r) {
  uint64_t given = r->stored->size;
  r->stage = NUMBERS;
  if (cpb_mul_u64(r->count, r->format->size, &r->size) && r->size == given) return CPB_HAVE;
  cpb_fail(r->error, CPB_E_DAMAGED, r->stored->offset,
           "%llu bytes are stored for %llu elements of type %s; expected %u bytes for each", (unsigned long long)given,
           (unsigned long long)r->count, r->dtype, (unsigned)r->format->size);
  return CPB_FAILED;
}

/* A length takes at least one byte, so the size bounds the count before anything is read. */
static cpb_have begin_texts(reader *r) {
  uint64_t given = r->stored->size;
  r->stage = given > 0 ? LENGTHS : DONE;
  if (r->count == 0 && given == 0) return CPB_HAVE;
  if (given < CHECKSUM_SIZE || r->count > given - CHECKSUM_SIZE) {
    cpb_fail(r->error, CPB_E_DAMAGED, r->stored->offset,
             "%llu bytes are stored for %llu strings, too few for their lengths", (unsigned long long)given,
             (unsigned long long)r->count);
    return CPB_FAILED;
  }
  if (r->count <= r->options->max_memory) return CPB_HAVE;
  cpb_fail(r->error, CPB_E_LIMIT, r->stored->offset,
           "the lengths of %llu strings take more than max_memory, %llu bytes", (unsigned long long)r->count,
           (unsigned long long)r->options->max_memory);
  return CPB_FAILED;
}

static cpb_have begin(reader *r) {
  const cpb_stored *s = r->stored;
  cpb_dtype_name(s->dtype, r->dtype, sizeof r->dtype);
  r->format = cpb_tensor_format_of(s->dtype);
  r->at = s->offset;
  r->end = s->offset + s->size;
  if (!r->format) cpb_fail(r->error, CPB_E_UNSUPPORTED, s->offset, "values of type %s are not supported", r->dtype);
  if (!r->format || count_elements(r) != CPB_HAVE) return CPB_FAILED;
  return r->format->size > 0 ? begin_numbers(r) : begin_texts(r);
}

/* --- Numbers --------------------------------------------------------------------------------- */

static cpb_have next_numbers(reader *r, cpb_span *data) {
  if (r->at == r->end) return check_crc(r);
  cpb_span in;
  cpb_have have = read(r, r->end, PIECE, &in);
  if (have != CPB_HAVE) return have;
  add_to_crc(r, in);
  *data = in;
  if (r->format->bits == 0) return CPB_HAVE;
  for (size_t i = 0; i < in.size; i++) r->out[i] = cpb_tensor_small(r->format, in.data[i]);
  data->data = r->out;
  return CPB_HAVE;
}

/* --- Strings ------------------------------------------------------------------------------------- */

/* The checksum does not cover the stored varints, but each length as 4 bytes, or as 8 if it does not fit into 4. */
static cpb_have take_length(reader *r) {
  uint8_t bytes[8];
  cpb_store64(bytes, r->number);
  add_to_crc(r, (cpb_span){bytes, r->number <= UINT32_MAX ? 4 : 8});
  if (!cpb_add_u64(r->size, r->number, &r->size) || r->size > r->stored->size)
    return fails(r, CPB_E_DAMAGED, r->at, "the strings' lengths add up to more than the tensor's stored size");
  r->longest = cpb_max_u64(r->longest, r->number);
  r->number = r->shift = 0;
  r->seen++;
  return CPB_HAVE;
}

/* Reads lengths from `in`, and sets `used` to the number of bytes consumed. */
static cpb_have take_lengths(reader *r, cpb_span in, size_t *used) {
  cpb_have have = CPB_HAVE;
  for (*used = 0; have == CPB_HAVE && *used < in.size && r->seen < r->count;) {
    uint8_t byte = in.data[(*used)++];
    if (r->shift == 63 && byte > 1)
      return fails(r, CPB_E_DAMAGED, r->at, "the varint of a string's length has more than 64 bits");
    r->number |= (uint64_t)(byte & 0x7f) << r->shift;
    r->shift += 7;
    if (byte < 0x80) have = take_length(r);
  }
  if (have == CPB_HAVE && !cpb_buffer_append(&r->lengths, in.data, *used)) return cpb_fail_memory(r->error), CPB_FAILED;
  return have;
}

static cpb_have read_lengths(reader *r) {
  while (r->seen < r->count) {
    cpb_span in;
    size_t used;
    if (r->at == r->end)
      return fails(r, CPB_E_DAMAGED, r->end, "the tensor's stored size ends within the strings' lengths");
    uint64_t begin = r->at;
    cpb_have have = read(r, r->end, PIECE, &in);
    if (have == CPB_HAVE) have = take_lengths(r, in, &used);
    if (have != CPB_HAVE) return have;
    r->at = begin + used;
  }
  r->stage = CHECKSUM;
  return CPB_HAVE;
}

static cpb_have read_checksum(reader *r) {
  if (r->end - r->at + r->checksum_size != CHECKSUM_SIZE + r->size)
    return fails(r, CPB_E_DAMAGED, r->at, "the strings' lengths do not add up to the tensor's stored size");
  while (r->checksum_size < CHECKSUM_SIZE) {
    cpb_span in;
    cpb_have have = read(r, r->end, CHECKSUM_SIZE - r->checksum_size, &in);
    if (have != CPB_HAVE) return have;
    memcpy(r->checksum + r->checksum_size, in.data, in.size);
    r->checksum_size += in.size;
  }
  if (cpb_crc32c_mask(r->crc) != cpb_load32(r->checksum))
    return fails(r, CPB_E_DAMAGED, r->at - CHECKSUM_SIZE,
                 "masked CRC-32C of the strings' lengths is not the one that follows them");
  add_to_crc(r, (cpb_span){r->checksum, CHECKSUM_SIZE});
  r->text_end = r->at;
  r->seen = 0;
  r->longest = cpb_max_u64(r->longest, 1); /* like NumPy, whose strings take at least one byte */
  r->padded = !r->options->exact_texts && cpb_tensor_pads_texts(r->count, r->longest, r->size);
  r->stage = ENDS;
  return CPB_HAVE;
}

/* The length of the next string. Its last byte is then just before `text_end`. */
static uint64_t next_length(reader *r) {
  uint64_t length = 0;
  const uint8_t *at = r->lengths.data + r->next;
  r->next += (size_t)(cpb_varint_read(at, r->lengths.data + r->lengths.size, &length) - at);
  r->text_end += length;
  r->seen++;
  return length;
}

/* Whether padding would lose the end of a string. */
static cpb_have look_at_ends(reader *r) {
  while (r->padded && (r->seen < r->count || r->number > 0)) {
    cpb_span byte;
    if (r->number == 0) r->number = next_length(r);
    if (r->number == 0) continue;
    const cpb_have have = look(r, r->text_end - 1, 1, &byte);
    if (have != CPB_HAVE) return have;
    r->padded = byte.data[0] != 0;
    r->number = 0;
  }
  return CPB_HAVE;
}

/* Chooses between padded strings and strings preceded by their lengths. */
static cpb_have begin_to_give(reader *r) {
  uint64_t lengths;
  cpb_have have = look_at_ends(r);
  if (have != CPB_HAVE) return have;
  if (!cpb_mul_u64(r->count, r->padded ? r->longest : LENGTH_SIZE, &lengths) ||
      !cpb_add_u64(r->padded ? 0 : r->size, lengths, &r->size))
    return fails(r, CPB_E_DAMAGED, r->stored->offset,
                 "the tensor's strings with their lengths take 2^64 bytes or more");
  if (r->padded) cpb_format(r->numpy, sizeof r->numpy, "|S%llu", (unsigned long long)r->longest);
  r->text_end = r->at;
  r->seen = r->next = 0;
  r->stage = TEXTS;
  return CPB_HAVE;
}

static cpb_span pad(reader *r) {
  size_t size = (size_t)cpb_min_u64(r->padding, PIECE);
  memset(r->out, 0, size);
  r->padding -= size;
  return (cpb_span){r->out, size};
}

/* The next bytes of a string, of its padding, or of the next string's length. */
static cpb_have next_text(reader *r, cpb_span *data) {
  while (data->size == 0) {
    if (r->at < r->text_end) {
      cpb_have have = read(r, r->text_end, PIECE, data);
      if (have == CPB_HAVE) add_to_crc(r, *data);
      return have;
    }
    if (r->padding > 0) {
      *data = pad(r);
    } else if (r->seen == r->count) {
      return check_crc(r);
    } else {
      uint64_t length = next_length(r);
      if (r->padded) r->padding = r->longest - length;
      cpb_store64(r->out, length);
      if (!r->padded) *data = (cpb_span){r->out, LENGTH_SIZE};
    }
  }
  return CPB_HAVE;
}

/* --- Steps ---------------------------------------------------------------------------------------- */

static cpb_have prepare(reader *r) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    switch (r->stage) {
      case BEGIN: have = begin(r); break;
      case LENGTHS: have = read_lengths(r); break;
      case CHECKSUM: have = read_checksum(r); break;
      case ENDS: have = begin_to_give(r); break;
      default: return CPB_HAVE;
    }
  }
  return have;
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = prepare(r);
  if (have != CPB_HAVE) return have;
  *info = (cpb_values_info){.dtype = r->dtype,
                            .numpy = r->padded ? r->numpy : r->format->numpy,
                            .item_size = r->padded ? (uint32_t)r->longest : r->format->size,
                            .rank = r->stored->rank,
                            .shape = r->stored->shape,
                            .count = r->count,
                            .size = r->size};
  if (r->stage == NUMBERS) return next_numbers(r, data);
  return r->stage == TEXTS ? next_text(r, data) : CPB_HAVE;
}

const cpb_part_reader cpb_bundle_values = {create, destroy, next};
