/* The content of a zip's entry, from front to back. */
#ifndef CPB_MODEL_FORMATS_ZIP_STREAM_H
#define CPB_MODEL_FORMATS_ZIP_STREAM_H

#include "model/formats/zip/inflate.h"
#include "model/formats/zip/zip.h"

typedef struct cpb_zip_stream {
  const cpb_zip *zip;
  const cpb_zip_entry *entry; /* NULL: nothing was begun */
  cpb_error *error;
  cpb_buffer header; /* the local one */
  uint64_t data;     /* where the packed data begin; 0: not known yet */
  uint64_t taken;    /* of the packed data */
  uint64_t given;    /* of the content */
  uint32_t crc;
  bool ended; /* DEFLATE said so */
  cpb_inflate *inflate;
  uint8_t *out; /* inflated, not yet given: none between calls */
} cpb_zip_stream;

void cpb_zip_stream_init(cpb_zip_stream *stream, const cpb_zip *zip);
void cpb_zip_stream_free(cpb_zip_stream *stream);

/* From its beginning; what was under way is dropped. */
void cpb_zip_stream_begin(cpb_zip_stream *stream, const cpb_zip_entry *entry);

/* The next piece, valid until the next call or the next time that the engine
 * waits; empty at the end, when size and checksum have been found right. */
cpb_have cpb_zip_stream_next(cpb_zip_stream *stream, cpb_span *piece);

/* Where the content lies in the file, after the first piece of a stored entry. */
bool cpb_zip_stream_offset(const cpb_zip_stream *stream, uint64_t *offset);

/* The rest of the content, appended to `out`, which may have `max` bytes at most. */
cpb_have cpb_zip_stream_load(cpb_zip_stream *stream, uint64_t max, cpb_buffer *out);

#endif
