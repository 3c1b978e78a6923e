#include "chunked/split/chunked_writer.h"

#include <string.h>

#include "base/limits.h"
#include "base/status.h"

void cpb_chunked_writer_init(cpb_chunked_writer *w, const cpb_allocator *a, cpb_error *error) {
  memset(w, 0, sizeof *w);
  w->allocator = *a;
  w->error = error;
  cpb_parts_init(&w->parts, a);
  cpb_evenly_init(&w->pieces, a, 0);
  cpb_buffer_init(&w->index, a);
}

void cpb_chunked_writer_free(cpb_chunked_writer *w) {
  cpb_record_writer_free(w->writer);
  cpb_parts_free(&w->parts);
  cpb_evenly_free(&w->pieces);
  cpb_page_writer_free(&w->pages);
  cpb_buffer_free(&w->index);
}

/* --- Writers -------------------------------------------------------------------------------------- */

/* Whether each chunk is alone in its Riegeli chunk, with an encoding chosen for it. */
static bool chooses(const cpb_chunked_writer *w) { return !cpb_chunked_writer_is_compat(w) && !w->options.riegeli; }

bool cpb_chunked_writer_chooses_codec(const cpb_chunked_writer *w) {
  return chooses(w) && w->options.codec.codec == CPB_CODEC_DEFAULT;
}

static cpb_codec_options with_codec(const cpb_chunked_writer *w, cpb_codec codec) {
  cpb_codec_options options = w->options.codec;
  options.codec = codec;
  return options;
}

static void set_layout(cpb_chunked_writer *w, cpb_record_writer_options *options) {
  const bool compat = cpb_chunked_writer_is_compat(w);
  w->codec = w->options.codec.codec;
  if (w->codec == CPB_CODEC_DEFAULT) w->codec = compat ? CPB_CODEC_BROTLI : CPB_CODEC_ZSTD;
  w->transpose = compat ? w->options.transpose : CPB_TRANSPOSE_NEVER;
  options->codec = with_codec(w, w->codec);
  options->chunk_size = compat ? 1u << 20 : 0;
  options->record_per_chunk = !compat;
  options->transpose = w->transpose;
}

bool cpb_chunked_writer_open(cpb_chunked_writer *w, const cpb_chunked_writer_options *given) {
  cpb_record_writer_options options = {.struct_size = sizeof options};
  w->options = *given;
  if (given->riegeli) cpb_options_copy(&options, sizeof options, given->riegeli);
  else set_layout(w, &options);
  options.seekable = given->seekable && !given->apart;
  options.buffer = given->buffer;
  options.limits = given->limits;
  options.apart = given->apart;
  cpb_record_writer_free(w->writer);
  w->writer = cpb_record_writer_new(&w->allocator, &options);
  w->state = CPB_CHUNKED_CODEC;
  w->last = false;
  cpb_evenly_free(&w->pieces);
  cpb_evenly_init(&w->pieces, &w->allocator, given->buffer);
  if (!w->writer) cpb_fail_memory(w->error);
  return w->writer != NULL;
}

bool cpb_chunked_writer_called(cpb_chunked_writer *w, cpb_code code) {
  w->drain = true;
  if (code == CPB_OK) return true;
  *w->error = *cpb_record_writer_error(w->writer);
  return false;
}

/* --- Chunks --------------------------------------------------------------------------------------- */

bool cpb_chunked_writer_use_codec(cpb_chunked_writer *w, cpb_codec codec) {
  if (codec == w->codec) return true;
  w->codec = codec;
  const cpb_codec_options options = with_codec(w, codec);
  return cpb_chunked_writer_called(w, cpb_record_writer_flush(w->writer, &options));
}

static bool set_transpose(cpb_chunked_writer *w, cpb_transpose how) {
  if (!chooses(w) || how == w->transpose) return true;
  w->transpose = how;
  return cpb_chunked_writer_called(w, cpb_record_writer_transpose(w->writer, how));
}

bool cpb_chunked_writer_choose_transpose(cpb_chunked_writer *w, bool is_message, uint64_t size) {
  const bool may = is_message && size <= CPB_TRANSPOSE_MOST && w->codec != CPB_CODEC_NONE;
  return set_transpose(w, may ? w->options.transpose : CPB_TRANSPOSE_NEVER);
}

bool cpb_chunked_writer_begin_chunk(cpb_chunked_writer *w, uint64_t size) {
  cpb_evenly_begin(&w->pieces, size, w->codec != CPB_CODEC_NONE);
  return cpb_chunked_writer_called(w, cpb_record_writer_begin_record(w->writer, size));
}

bool cpb_chunked_writer_write_piece(cpb_chunked_writer *w) {
  cpb_span piece;
  if (!cpb_evenly_next(&w->pieces, &piece)) return cpb_fail_memory(w->error), false;
  return cpb_chunked_writer_called(w, cpb_record_writer_write(w->writer, piece.data, piece.size));
}

bool cpb_chunked_writer_place(cpb_chunked_writer *w) {
  if (w->given.size == 0) {
    const cpb_codec codec = w->placed.codec == 0 ? CPB_CODEC_NONE : CPB_CODEC_ZSTD;
    return !cpb_chunked_writer_chooses_codec(w) || cpb_chunked_writer_use_codec(w, codec);
  }
  const cpb_code code = cpb_record_writer_chunk(w->writer, w->given.data, w->given.size, &w->placed);
  w->given = (cpb_span){w->given.data + w->placed.length, w->given.size - w->placed.length};
  return cpb_chunked_writer_called(w, code);
}

/* --- The index ------------------------------------------------------------------------------------ */

/* A device goes through the index again and again, from any place in it. */
static bool choose_codec(cpb_chunked_writer *w) {
  w->state = CPB_CHUNKED_PAGES;
  if (w->options.for_memory == 0) return set_transpose(w, CPB_TRANSPOSE_NEVER);
  const cpb_codec_options none = {.codec = CPB_CODEC_NONE};
  return cpb_chunked_writer_called(w, cpb_record_writer_flush(w->writer, &none));
}

/* A page is alone in its Riegeli chunk, so that it is one range of the file. The last record follows the chunks, or the
 * last page. */
static bool encode(cpb_chunked_writer *w, bool is_first) {
  w->state = CPB_CHUNKED_BEGIN;
  if (!cpb_page_writer_next(&w->pages, &w->index, &w->last, w->error)) return false;
  if (w->last) cpb_page_writer_free(&w->pages);
  return (w->last && is_first) || cpb_chunked_writer_called(w, cpb_record_writer_flush(w->writer, NULL));
}

static bool begin_pages(cpb_chunked_writer *w, const cpb_metadata *m, bool apart) {
  if (cpb_page_writer_begin(&w->pages, m, w->options.index_pages, apart)) return encode(w, true);
  return cpb_fail_memory(w->error), false;
}

static bool write_record(cpb_chunked_writer *w) {
  w->state = w->last ? CPB_CHUNKED_FINISH : CPB_CHUNKED_PLACED;
  return cpb_chunked_writer_called(w, cpb_record_writer_write(w->writer, w->index.data, w->index.size));
}

bool cpb_chunked_writer_write_index(cpb_chunked_writer *w, const cpb_metadata *m, bool apart) {
  switch (w->state) {
    case CPB_CHUNKED_CODEC: return choose_codec(w);
    case CPB_CHUNKED_PAGES: return begin_pages(w, m, apart);
    case CPB_CHUNKED_BEGIN:
      w->state = CPB_CHUNKED_WRITE;
      return cpb_chunked_writer_called(w, cpb_record_writer_begin_record(w->writer, w->index.size));
    case CPB_CHUNKED_WRITE: return write_record(w);
    case CPB_CHUNKED_PLACED:
      cpb_page_writer_placed(&w->pages, cpb_record_writer_position(w->writer));
      return encode(w, false);
    case CPB_CHUNKED_FINISH:
      w->state = CPB_CHUNKED_DONE;
      return cpb_chunked_writer_called(w, cpb_record_writer_finish(w->writer));
    case CPB_CHUNKED_DONE: break;
  }
  return true;
}
