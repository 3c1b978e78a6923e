/* The uncompressed content of one entry of a zip archive, streamed from front to back.
 *
 * Sizes and CRC-32 are compared at the end: content is returned before it is verified. `taken` never exceeds the
 * entry's `packed`, nor `given` its `size`. */
#ifndef CPB_MODEL_FORMATS_ZIP_STREAM_H
#define CPB_MODEL_FORMATS_ZIP_STREAM_H

#include "model/formats/zip/deflate.h"
#include "model/formats/zip/zip.h"

typedef struct cpb_zip_stream {
  const cpb_zip *zip;
  const cpb_zip_entry *entry; /* NULL before cpb_zip_stream_begin() */
  cpb_error *error;
  cpb_buffer header; /* the local header */
  uint64_t data;     /* offset of the compressed data; 0 until the local header is read */
  uint64_t taken;    /* compressed bytes read */
  uint64_t given;    /* uncompressed bytes returned */
  uint32_t crc;      /* of these */
  bool ended;        /* the DEFLATE stream has ended */
  cpb_inflate *inflate;
  uint8_t *out; /* the bytes returned by the last call */
} cpb_zip_stream;

void cpb_zip_stream_init(cpb_zip_stream *stream, const cpb_zip *zip);
void cpb_zip_stream_free(cpb_zip_stream *stream);

/* Begins an entry; abandons an unfinished one. */
void cpb_zip_stream_begin(cpb_zip_stream *stream, const cpb_zip_entry *entry);

/* The next bytes of the content, valid until the next call or until the engine waits. Empty at the end, once sizes and
 * CRC-32 were verified. */
cpb_have cpb_zip_stream_next(cpb_zip_stream *stream, cpb_span *piece);

/* Sets `offset` to where the content begins in the file. True only for an entry that is stored,
 * not compressed, and after the first call of cpb_zip_stream_next(). */
bool cpb_zip_stream_offset(const cpb_zip_stream *stream, uint64_t *offset);

/* Appends the rest of the content to `out`. CPB_E_LIMIT if the entry has more than `max` bytes. */
cpb_have cpb_zip_stream_load(cpb_zip_stream *stream, uint64_t max, cpb_buffer *out);

#endif
