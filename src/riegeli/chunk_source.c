#include "riegeli/chunk_source.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

/* Bytes after a chunk header that are worth fetching with it. */
enum { PROBE = 4096 }; /* most metadata and small chunks fit */

void cpb_chunk_source_init(cpb_chunk_source *s, const cpb_allocator *a, size_t read_size) {
  memset(s, 0, sizeof *s);
  cpb_input_init(&s->input);
  cpb_buffer_init(&s->data, a);
  s->read_size = read_size;
  s->sequential = true;
}

void cpb_chunk_source_free(cpb_chunk_source *s) { cpb_buffer_free(&s->data); }

/* No file reaches 2^64: UINT64_MAX stands for any offset past it. */
static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return cpb_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static uint64_t data_offset(const cpb_chunk_source *s, uint64_t data_at) {
  uint64_t size = add(CPB_CHUNK_HEADER_SIZE, data_at), end;
  return cpb_add_with_overhead(s->begin, size, &end) ? end : UINT64_MAX;
}

/* --- Failures ------------------------------------------------------------- */

static cpb_have fail_resuming(cpb_chunk_source *s, cpb_resume how, uint64_t at) {
  s->resume = how;
  s->resume_at = at;
  return CPB_FAILED;
}

static cpb_have fail_truncated(cpb_chunk_source *s) {
  uint64_t size = s->input.size;
  if (s->have_header && s->end != UINT64_MAX)
    cpb_fail(&s->error, CPB_E_TRUNCATED, size,
             "the input ends inside the Riegeli chunk that begins at %llu and would end at %llu",
             (unsigned long long)s->begin, (unsigned long long)s->end);
  else
    cpb_fail(&s->error, CPB_E_TRUNCATED, size, "the input ends inside the Riegeli chunk that begins at %llu",
             (unsigned long long)s->begin);
  return fail_resuming(s, CPB_RESUME_AT_CHUNK, size);
}

static cpb_have fail_header(cpb_chunk_source *s, uint64_t offset, const char *what) {
  cpb_fail(&s->error, CPB_E_DAMAGED, offset, "Riegeli chunk at %llu: %s", (unsigned long long)s->begin, what);
  return fail_resuming(s, CPB_RESUME_FIND, s->pos);
}

static cpb_have fail_first_chunk(cpb_chunk_source *s) {
  cpb_fail(&s->error, CPB_E_FORMAT, 0, "not a Riegeli/records file: its first Riegeli chunk is no file signature");
  return fail_resuming(s, CPB_RESUME_FIND, s->pos);
}

/* The header itself is good, as its hash matches: recovery trusts it for the end of the
 * chunk around it, if that is near. */
static cpb_have fail_previous_chunk(cpb_chunk_source *s, uint64_t block) {
  fail_header(s, block, "the block header says that the chunk around it begins elsewhere");
  if (s->block.next_chunk > CPB_BLOCK_SIZE) return CPB_FAILED;
  return fail_resuming(s, CPB_RESUME_AT_CHUNK, add(block, s->block.next_chunk));
}

cpb_have cpb_chunk_source_bad_data(cpb_chunk_source *s, cpb_code code, const char *what) {
  cpb_fail(&s->error, code, s->begin, "Riegeli chunk: %s", what);
  s->bad_data = true;
  bool resumable = code == CPB_E_DAMAGED || code == CPB_E_UNSUPPORTED;
  return fail_resuming(s, resumable ? CPB_RESUME_AT_CHUNK : CPB_RESUME_NEVER, s->end);
}

/* --- Asking --------------------------------------------------------------- */

/* Returns lent bytes at once, however many there are; requests the rest in pieces of read_size. */
static cpb_have lend(cpb_chunk_source *s, uint64_t offset, uint64_t size, uint64_t ahead, cpb_span *span) {
  bool lent = offset >= s->input.offset && offset - s->input.offset < s->input.length;
  size_t length = (size_t)cpb_min_u64(size, lent ? SIZE_MAX : s->read_size);
  cpb_have have = cpb_input_span(&s->input, offset, length, ahead, span);
  if (have == CPB_FAILED) {
    s->error = s->input.failure;
    s->resume = CPB_RESUME_NEVER;
  }
  return have;
}

static cpb_have lend_next(cpb_chunk_source *s, cpb_span *span) {
  uint64_t ahead = s->ahead_end > s->pos ? s->ahead_end - s->pos : 0;
  return lend(s, s->pos, s->sure_end - s->pos, ahead, span);
}

cpb_have cpb_chunk_source_reaches(cpb_chunk_source *s, uint64_t size) {
  cpb_span span;
  if (size == 0) return CPB_HAVE;
  if (s->input.size != CPB_NO_OFFSET) return size <= s->input.size ? CPB_HAVE : CPB_AT_END;
  if (size == UINT64_MAX) return cpb_input_size(&s->input, CPB_SIGNATURE_SIZE, &size);
  return lend(s, size - 1, 1, 1 + CPB_SIGNATURE_SIZE, &span);
}

bool cpb_chunk_source_lent(const cpb_chunk_source *s) {
  const cpb_input *in = &s->input;
  uint64_t lent_end = in->offset + in->length;
  return s->pos >= in->offset && s->pos <= lent_end &&
         (s->end <= lent_end || (s->data_end <= lent_end && in->size != CPB_NO_OFFSET));
}

/* --- Block headers -------------------------------------------------------- */

/* Continues from a block boundary, or from inside the block header after a wait. */
static cpb_have read_block_header(cpb_chunk_source *s) {
  while (s->block_size < CPB_BLOCK_HEADER_SIZE) {
    cpb_span span;
    cpb_have have = lend_next(s, &span);
    if (have != CPB_HAVE) return have;
    size_t size = cpb_min_size(span.size, CPB_BLOCK_HEADER_SIZE - s->block_size);
    memcpy(s->block_bytes + s->block_size, span.data, size);
    s->block_size += size;
    s->pos += size;
  }
  s->block_size = 0;
  bool right = cpb_block_header_decode(s->block_bytes, &s->block);
  s->recognised |= right;
  if (right) return CPB_HAVE;
  return fail_header(s, s->pos - CPB_BLOCK_HEADER_SIZE, "the block header does not match its hash");
}

cpb_have cpb_chunk_source_block(cpb_chunk_source *s, uint64_t block) {
  if (s->begin != block || s->pos != block + s->block_size) cpb_chunk_source_go(s, block);
  return read_block_header(s);
}

static cpb_have check_next_chunk(cpb_chunk_source *s, uint64_t block) {
  if (s->block.next_chunk == s->end - block) return CPB_HAVE;
  return fail_header(s, block, "the block header says that the chunk around it ends elsewhere");
}

/* Passes the block header that interrupts the chunk, and checks that it refers to this chunk. Its end is checked later,
 * once the chunk header is known. */
static cpb_have cross_block_header(cpb_chunk_source *s) {
  if (s->checked && s->block_size == 0) {
    s->pos += CPB_BLOCK_HEADER_SIZE;
    return CPB_HAVE;
  }
  cpb_have have = read_block_header(s);
  if (have != CPB_HAVE) return have;
  uint64_t block = s->pos - CPB_BLOCK_HEADER_SIZE;
  if (s->block.previous_chunk != block - s->begin) return fail_previous_chunk(s, block);
  return s->have_header ? check_next_chunk(s, block) : CPB_HAVE;
}

static bool in_block_header(const cpb_chunk_source *s) { return cpb_block_header_remaining(s->pos) > 0; }

/* --- The chunk header ----------------------------------------------------- */

void cpb_chunk_source_go(cpb_chunk_source *s, uint64_t begin) {
  s->begin = s->pos = begin;
  s->have_header = s->checked = s->hashing = s->collected = s->bad_data = false;
  s->header_size = s->block_size = 0;
  s->data_at = 0;
  s->sure_end = data_offset(s, 0);
  s->ahead_end = !s->sequential ? add(s->sure_end, PROBE) : s->sparse ? add(begin, s->read_size) : UINT64_MAX;
}

void cpb_chunk_source_expect(cpb_chunk_source *s, uint64_t offset) { s->ahead_end = offset; }

void cpb_chunk_source_expect_data(cpb_chunk_source *s, uint64_t size) {
  uint64_t end = size < cpb_chunk_source_left(s) ? data_offset(s, s->data_at + size) : s->data_end;
  s->ahead_end = cpb_max_u64(s->ahead_end, end);
}

/* `*header` points into the lent bytes, if the header is contiguous there, or to a copy. */
static cpb_have gather_header(cpb_chunk_source *s, const uint8_t **header) {
  *header = s->header_bytes;
  while (s->header_size < CPB_CHUNK_HEADER_SIZE) {
    cpb_span span;
    cpb_have have = in_block_header(s) ? cross_block_header(s) : CPB_HAVE;
    if (have == CPB_HAVE) have = lend_next(s, &span);
    if (have != CPB_HAVE) return have;
    size_t size = (size_t)cpb_min_u64(cpb_block_remaining(s->pos), CPB_CHUNK_HEADER_SIZE - s->header_size);
    size = cpb_min_size(size, span.size);
    if (size == CPB_CHUNK_HEADER_SIZE) *header = span.data;
    else memcpy(s->header_bytes + s->header_size, span.data, size);
    s->header_size += size;
    s->pos += size;
  }
  return CPB_HAVE;
}

static bool is_signature(const cpb_chunk_header *h) {
  return h->type == CPB_CHUNK_SIGNATURE && h->data_size == 0 && h->num_records == 0 && h->decoded_data_size == 0;
}

/* A block header inside the chunk header came before the end was known, so it is checked now. */
static cpb_have accept_header(cpb_chunk_source *s, const uint8_t *header) {
  cpb_chunk_header *h = &s->header;
  if (!cpb_chunk_header_decode(header, h)) return fail_header(s, s->begin, "the chunk header does not match its hash");
  s->recognised = true;
  s->data_end = data_offset(s, h->data_size);
  if (!cpb_chunk_end(s->begin, h->data_size, h->num_records, &s->end)) s->end = UINT64_MAX;
  if (cpb_block_remaining(s->begin) < CPB_CHUNK_HEADER_SIZE) {
    cpb_have have = check_next_chunk(s, s->begin + cpb_block_remaining(s->begin));
    if (have != CPB_HAVE) return have;
  }
  if (s->begin == 0 && !is_signature(h)) return fail_first_chunk(s);
  s->have_header = true;
  if (s->sparse) s->ahead_end = s->sequential ? add(s->end, CPB_CHUNK_HEADER_SIZE) : cpb_min_u64(s->ahead_end, s->end);
  else if (!s->sequential) s->ahead_end = s->end;
  return CPB_HAVE;
}

cpb_have cpb_chunk_source_header(cpb_chunk_source *s) {
  if (s->have_header) return CPB_HAVE;
  if (!cpb_is_chunk_boundary(s->begin))
    return fail_header(s, s->begin, "no chunk can begin inside or right after a block header");
  const uint8_t *header;
  cpb_have have = gather_header(s, &header);
  if (have == CPB_AT_END && s->input.size > s->begin) return fail_truncated(s);
  return have == CPB_HAVE ? accept_header(s, header) : have;
}

/* --- The data ------------------------------------------------------------- */

static cpb_have collected_data(cpb_chunk_source *s, uint64_t max, cpb_span *span) {
  span->data = s->data.data + s->data_at;
  span->size = (size_t)cpb_min_u64(max, cpb_chunk_source_left(s));
  return CPB_HAVE;
}

cpb_have cpb_chunk_source_data(cpb_chunk_source *s, uint64_t max, cpb_span *span) {
  uint64_t left = cpb_chunk_source_left(s);
  span->size = 0;
  if (left == 0 || max == 0) return CPB_HAVE;
  if (s->collected) return collected_data(s, max, span);
  s->sure_end = max < left ? data_offset(s, s->data_at + max) : s->data_end;
  cpb_have have = in_block_header(s) ? cross_block_header(s) : CPB_HAVE;
  if (have == CPB_HAVE) have = lend_next(s, span);
  if (have == CPB_AT_END) return fail_truncated(s);
  if (have != CPB_HAVE) return have;
  uint64_t together = cpb_min_u64(cpb_block_remaining(s->pos), cpb_min_u64(max, left));
  span->size = (size_t)cpb_min_u64(span->size, together);
  return CPB_HAVE;
}

void cpb_chunk_source_take(cpb_chunk_source *s, const uint8_t *data, size_t size) {
  s->data_at += size;
  if (s->collected) return;
  s->pos += size;
  if (s->hashing) cpb_hash_update(&s->hash, data, size);
}

void cpb_chunk_source_jump(cpb_chunk_source *s, uint64_t size) {
  s->data_at += size;
  s->block_size = 0;
  if (!s->collected) s->pos = data_offset(s, s->data_at);
}

void cpb_chunk_source_hash(cpb_chunk_source *s) {
  s->hashing = true;
  cpb_hash_init(&s->hash);
}

void cpb_chunk_source_rewind(cpb_chunk_source *s) {
  s->data_at = 0;
  s->block_size = 0;
  s->checked = s->hashing = false;
  s->pos = data_offset(s, 0);
  if (s->sparse && !s->sequential) s->ahead_end = 0;
}

cpb_have cpb_chunk_source_drain(cpb_chunk_source *s) {
  while (cpb_chunk_source_left(s) > 0) {
    cpb_span span;
    cpb_have have = cpb_chunk_source_data(s, UINT64_MAX, &span);
    if (have != CPB_HAVE) return have;
    cpb_chunk_source_take(s, span.data, span.size);
  }
  return CPB_HAVE;
}

cpb_have cpb_chunk_source_whole(cpb_chunk_source *s) {
  cpb_have have = cpb_chunk_source_reaches(s, s->end);
  return have == CPB_AT_END ? fail_truncated(s) : have;
}

cpb_have cpb_chunk_source_finish(cpb_chunk_source *s) {
  cpb_have have = s->pos < s->end ? cpb_chunk_source_whole(s) : CPB_HAVE;
  if (have != CPB_HAVE) return have;
  if (s->hashing && cpb_hash_finish(&s->hash) != s->header.data_hash)
    return cpb_chunk_source_bad_data(s, CPB_E_DAMAGED, "the data does not match its hash");
  return CPB_HAVE;
}
