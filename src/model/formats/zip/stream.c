#include "model/formats/zip/stream.h"

#include "base/checked.h"
#include "base/status.h"

#define LOCAL_SIZE 30
#define LOCAL_SIGNATURE 0x04034b50u
#define STORED 0
#define DEFLATED 8
/* General purpose bit flags (APPNOTE.TXT 4.4.4). */
#define ENCRYPTED 0x2041u    /* any kind of encryption: bits 0, 6 and 13 */
#define PATCH 0x0020u        /* compressed patched data */
#define SIZES_FOLLOW 0x0008u /* sizes are in a data descriptor, and in the central directory */
#define OUT ((size_t)64 << 10)
#define NAME_SHOWN 80 /* bytes of a name in an error */
#define PROBLEM 96

void cpb_zip_stream_init(cpb_zip_stream *stream, const cpb_zip *zip) {
  *stream = (cpb_zip_stream){.zip = zip, .error = zip->error};
  cpb_buffer_init(&stream->header, &zip->allocator);
}

void cpb_zip_stream_free(cpb_zip_stream *stream) {
  if (!stream->zip) return;
  cpb_inflate_free(stream->inflate);
  cpb_release(&stream->zip->allocator, stream->out);
  cpb_buffer_free(&stream->header);
}

void cpb_zip_stream_begin(cpb_zip_stream *stream, const cpb_zip_entry *entry) {
  const cpb_zip *zip = stream->zip;
  cpb_zip_stream_free(stream);
  cpb_zip_stream_init(stream, zip);
  stream->entry = entry;
}

/* --- Failing ------------------------------------------------------------------ */

static cpb_have fails(cpb_zip_stream *s, cpb_code code, uint64_t offset, const char *what) {
  char shown[NAME_SHOWN];
  cpb_span name = s->entry->name;
  cpb_fail(s->error, code, offset, "zip entry %s: %s", cpb_quote(shown, sizeof shown, name.data, name.size), what);
  return CPB_FAILED;
}

static cpb_have damaged(cpb_zip_stream *s, uint64_t offset, const char *what) {
  return fails(s, CPB_E_DAMAGED, offset, what);
}

static cpb_have no_memory(cpb_zip_stream *s) {
  cpb_fail_memory(s->error);
  return CPB_FAILED;
}

/* --- The local header ----------------------------------------------------------- */

static cpb_have gather(cpb_zip_stream *s, size_t length) {
  cpb_input *input = s->zip->input;
  if (!cpb_buffer_reserve(&s->header, length)) return no_memory(s);
  while (s->header.size < length) {
    uint64_t at = s->entry->header + s->header.size;
    cpb_span span;
    cpb_have have = cpb_input_span(input, at, length - s->header.size, s->entry->ahead - at, &span);
    if (have != CPB_HAVE) return cpb_zip_settle(have, input, s->error);
    memcpy(s->header.data + s->header.size, span.data, span.size);
    s->header.size += span.size;
  }
  return CPB_HAVE;
}

static bool agrees(uint64_t local, uint64_t central, bool may_be_zero) {
  return local == central || (may_be_zero && local == 0);
}

/* The difference between the local header and the central directory, or NULL. Readers disagree on which of the two to
 * believe, so a file with a difference would be ambiguous. */
static const char *local_problem(const cpb_zip_stream *s, size_t name_size) {
  const uint8_t *h = s->header.data;
  const cpb_zip_entry *e = s->entry;
  cpb_span name = e->name, extra = {h + LOCAL_SIZE + name_size, s->header.size - LOCAL_SIZE - name_size};
  bool follow = cpb_load16(h + 6) & SIZES_FOLLOW;
  uint64_t size, packed;
  if (name.size != name_size || memcmp(name.data, h + LOCAL_SIZE, name_size) != 0)
    return "the name in the local header differs from the central directory's";
  if (cpb_load16(h + 8) != e->method)
    return "the compression method in the local header differs from the central directory's";
  if (!cpb_zip_local_sizes(h, extra, &size, &packed)) return "the extra fields of the local header are malformed";
  if (!agrees(size, e->size, follow) || !agrees(packed, e->packed, follow) ||
      !agrees(cpb_load32(h + 14), e->crc, follow))
    return "a size or the CRC-32 in the local header differs from the central directory's";
  if (s->header.size > e->end - e->header ||
      (e->cut == CPB_ZIP_WHOLE && e->packed > e->end - e->header - s->header.size))
    return "its data overlap the next entry";
  return NULL;
}

static cpb_have ends(cpb_zip_stream *s) {
  return fails(s, CPB_E_TRUNCATED, s->zip->size, "the file ends before it does");
}

static cpb_have check_readable(cpb_zip_stream *s) {
  const cpb_zip_entry *e = s->entry;
  if (e->cut == CPB_ZIP_UNSIZED) return ends(s);
  if (e->flags & ENCRYPTED) return fails(s, CPB_E_UNSUPPORTED, e->header, "encryption is not supported");
  if (e->flags & PATCH) return fails(s, CPB_E_UNSUPPORTED, e->header, "compressed patched data are not supported");
  if (e->method == STORED || e->method == DEFLATED) return CPB_HAVE;
  char problem[PROBLEM];
  cpb_format(problem, sizeof problem, "compression method is %u; expected 0 (stored) or 8 (DEFLATE)",
             (unsigned)e->method);
  return fails(s, CPB_E_UNSUPPORTED, e->header, problem);
}

static cpb_have read_header(cpb_zip_stream *s) {
  cpb_have have = check_readable(s);
  if (have == CPB_HAVE) have = gather(s, cpb_max_size(LOCAL_SIZE, s->header.size));
  if (have != CPB_HAVE) return have;
  const uint8_t *h = s->header.data;
  if (cpb_load32(h) != LOCAL_SIGNATURE)
    return damaged(s, s->entry->header, "no local header at the offset that the central directory gives");
  size_t name_size = cpb_load16(h + 26);
  have = gather(s, LOCAL_SIZE + name_size + cpb_load16(h + 28));
  if (have != CPB_HAVE) return have;
  const char *problem = local_problem(s, name_size);
  if (problem) return damaged(s, s->entry->header, problem);
  s->data = s->entry->header + s->header.size;
  return CPB_HAVE;
}

/* --- Content ---------------------------------------------------------------------- */

/* Stored content is passed on in the host's own bytes, without a copy. The CRC-32 is compared at the end, when the
 * content has been given out already, so callers must not rely on it before the empty last piece. */

/* "THING is VALUE; expected EXPECTED". */
static cpb_have differs(cpb_zip_stream *s, uint64_t offset, const char *thing, uint64_t value, uint64_t expected) {
  char problem[PROBLEM];
  cpb_format(problem, sizeof problem, "%s is %llu; expected %llu", thing, (unsigned long long)value,
             (unsigned long long)expected);
  return damaged(s, offset, problem);
}

static cpb_have finish(cpb_zip_stream *s, cpb_span *piece) {
  const cpb_zip_entry *e = s->entry;
  *piece = (cpb_span){NULL, 0};
  if (s->given != e->size) return differs(s, s->data + s->taken, "uncompressed size", s->given, e->size);
  if (s->taken != e->packed) return differs(s, s->data + s->taken, "compressed size", s->taken, e->packed);
  if (s->crc == e->crc) return CPB_HAVE;
  char problem[PROBLEM];
  cpb_format(problem, sizeof problem, "CRC-32 of the content is %08x; expected %08x", (unsigned)s->crc,
             (unsigned)e->crc);
  return damaged(s, s->data, problem);
}

static cpb_have next_packed(cpb_zip_stream *s, cpb_span *span) {
  uint64_t left = s->entry->packed - s->taken, at = s->data + s->taken;
  cpb_have have = cpb_input_span(s->zip->input, at, (size_t)cpb_min_u64(left, OUT), s->entry->ahead - at, span);
  if (have == CPB_AT_END && s->entry->cut != CPB_ZIP_WHOLE) return ends(s);
  return cpb_zip_settle(have, s->zip->input, s->error);
}

static cpb_have next_stored(cpb_zip_stream *s, cpb_span *piece) {
  if (s->taken == s->entry->packed) return finish(s, piece);
  cpb_have have = next_packed(s, piece);
  if (have != CPB_HAVE) return have;
  s->taken += piece->size;
  s->given += piece->size;
  return CPB_HAVE;
}

static cpb_have begin_inflate(cpb_zip_stream *s) {
  s->out = cpb_alloc(&s->zip->allocator, OUT);
  s->inflate = cpb_inflate_new(&s->zip->allocator);
  return s->out && s->inflate ? CPB_HAVE : no_memory(s);
}

/* Some output; at the end `piece` is empty. */
static cpb_have next_inflated(cpb_zip_stream *s, cpb_span *piece) {
  size_t made = 0;
  if (!s->inflate && begin_inflate(s) != CPB_HAVE) return CPB_FAILED;
  while (made == 0 && !s->ended) {
    cpb_span in = {s->out, 0};
    bool last = s->taken == s->entry->packed;
    cpb_have have = last ? CPB_HAVE : next_packed(s, &in);
    if (have != CPB_HAVE) return have;
    size_t had = in.size;
    cpb_inflated what = cpb_inflate_read(s->inflate, &in, s->out, OUT, &made);
    s->taken += had - in.size;
    if (what == CPB_INFLATE_MEMORY) return no_memory(s);
    if (what == CPB_INFLATE_DAMAGED) return damaged(s, s->data + s->taken, "invalid DEFLATE data");
    s->ended = what == CPB_INFLATE_END;
    if (last && made == 0 && !s->ended)
      return damaged(s, s->data + s->taken, "the compressed size ends before the DEFLATE data do");
  }
  if (made > s->entry->size - s->given)
    return damaged(s, s->data + s->taken, "DEFLATE data expand beyond the uncompressed size");
  if (!cpb_zip_charge(s->zip, CPB_WORK_DECODED, made, s->entry->header)) return CPB_FAILED;
  s->given += made;
  *piece = (cpb_span){s->out, made};
  return made > 0 ? CPB_HAVE : finish(s, piece);
}

cpb_have cpb_zip_stream_next(cpb_zip_stream *s, cpb_span *piece) {
  if (s->data == 0) {
    cpb_have have = read_header(s);
    if (have != CPB_HAVE) return have;
  }
  cpb_have have = s->entry->method == STORED ? next_stored(s, piece) : next_inflated(s, piece);
  if (have == CPB_HAVE) s->crc = cpb_crc32(s->crc, *piece);
  return have;
}

bool cpb_zip_stream_offset(const cpb_zip_stream *s, uint64_t *offset) {
  *offset = s->data;
  return s->entry->method == STORED && s->data != 0;
}

cpb_have cpb_zip_stream_load(cpb_zip_stream *s, uint64_t max, cpb_buffer *out) {
  if (s->entry->size > max) {
    char problem[PROBLEM];
    cpb_format(problem, sizeof problem, "uncompressed size is %llu; the limit is %llu bytes",
               (unsigned long long)s->entry->size, (unsigned long long)max);
    return fails(s, CPB_E_LIMIT, s->entry->header, problem);
  }
  cpb_span piece = {NULL, 0};
  do {
    cpb_have have = cpb_zip_stream_next(s, &piece);
    if (have != CPB_HAVE) return have;
    if (!cpb_buffer_append(out, piece.data, piece.size)) return no_memory(s);
  } while (piece.size > 0);
  return CPB_HAVE;
}
