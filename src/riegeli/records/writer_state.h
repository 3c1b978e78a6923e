/* The state of a record writer, which the files of this folder share. */
#ifndef CPB_RIEGELI_RECORDS_WRITER_STATE_H
#define CPB_RIEGELI_RECORDS_WRITER_STATE_H

#include "base/status.h"
#include "cpb/records.h"
#include "riegeli/chunk_writer.h"
#include "riegeli/codec/compressor.h"
#include "riegeli/highwayhash.h"
#include "riegeli/simple/encoder.h"
#include "riegeli/transpose/encoder.h"

#define CPB_RECORD_OVERHEAD 8 /* bytes that each record adds to the chunk size, as in Riegeli */
#define CPB_RECORD_MAX_SIZE ((uint64_t)1 << 62)

/* How far the file is. */
typedef enum cpb_writer_stage {
  CPB_STAGE_BEGIN,  /* to output: the signature, or, appending, zeros to where a chunk can begin */
  CPB_STAGE_SECOND, /* to output: the metadata, or, appending, padding */
  CPB_STAGE_DRAIN,  /* the metadata is being output */
  CPB_STAGE_RECORDS,
  CPB_STAGE_DONE
} cpb_writer_stage;

/* The public call whose work is not done yet, as output must be taken first. */
typedef enum cpb_writer_request {
  CPB_REQUEST_NONE,
  CPB_REQUEST_BEGIN,
  CPB_REQUEST_WRITE,
  CPB_REQUEST_BATCH,
  CPB_REQUEST_FLUSH,
  CPB_REQUEST_CHUNK,
  CPB_REQUEST_FINISH
} cpb_writer_request;

typedef enum cpb_chunk_mode {
  CPB_CHUNK_COLLECTED, /* records are collected, and encoded when the chunk is closed */
  CPB_CHUNK_DIRECT,    /* one record, encoded as it comes, output when the chunk is closed */
  CPB_CHUNK_STREAMED   /* one record, encoded and output as it comes */
} cpb_chunk_mode;

typedef struct cpb_record_batch { /* the rest of a batch */
  const uint8_t *data;
  const size_t *sizes;
  size_t count;
} cpb_record_batch;

typedef struct cpb_writer_codec {
  cpb_codec_options options;
  cpb_compressor *compressor;
} cpb_writer_codec;

struct cpb_record_writer {
  cpb_allocator allocator;
  cpb_error error;
  cpb_record_writer_options options;
  uint64_t max_records;                    /* in a chunk */
  cpb_writer_codec codecs[CPB_NUM_CODECS]; /* one of each, kept as options may alternate */
  cpb_compressor *compressor;              /* of the next chunk */
  bool uncompressed;
  cpb_transpose transpose; /* the chunk that is collected */
  uint64_t bucket_size;
  cpb_simple_encoder encoder;
  cpb_transpose_encoder *transposer; /* NULL: not needed so far */
  cpb_chunk_writer out;
  cpb_output_bytes output;
  cpb_buffer metadata; /* the metadata chunk's data */

  cpb_writer_stage stage;
  cpb_writer_request request;
  cpb_span input; /* the rest of the record's lent bytes; the chunk to be placed */
  cpb_span whole; /* all records of the chunk, if they were lent in one piece */
  cpb_record_batch batch;
  size_t size_of_one; /* the sizes of a batch of one record */
  bool in_record, padded;
  uint64_t record_size, record_left;
  uint64_t position; /* of the last complete record */
  cpb_codec_options next_codec;
  cpb_transpose next_transpose;

  cpb_chunk_mode mode;
  uint64_t chunk_begin;
  uint64_t chunk_limit; /* `filled` at which a chunk is closed */
  uint64_t filled;      /* decoded bytes and overhead of the current chunk */
  uint64_t data_size;   /* CPB_CHUNK_STREAMED: bytes of data that were output, */
  cpb_hash hash;        /* and their hash */
};

static inline bool cpb_writer_fail(cpb_record_writer *w, cpb_code code, const char *text) {
  cpb_fail(&w->error, code, CPB_NO_OFFSET, "%s", text);
  return false;
}

static inline bool cpb_writer_codec_done(cpb_record_writer *w, bool done, const cpb_codec_error *error) {
  return done || cpb_writer_fail(w, error->code, error->what);
}

static inline bool cpb_writer_offset_fits(cpb_record_writer *w, bool fits) {
  return fits || cpb_writer_fail(w, CPB_E_LIMIT, "the file would exceed 2^64 bytes");
}

static inline bool cpb_writer_fail_size(cpb_record_writer *w) {
  return cpb_writer_fail(w, CPB_E_LIMIT, "the record has more than 2^62 bytes");
}

/* --- fill chunks ------------------------------------------------------------------------------ */

/* How a record writer puts records into chunks. */

/* The most frequent case, between records: adds one to a chunk that has some, and does not
 * fill it. False: it needs cpb_writer_begin_record(). */
bool cpb_writer_append(cpb_record_writer *w, cpb_span record);

/* The work of a public call. Each is called when all output was taken, and returns true when the work is done; until
 * then it is called again, unless there is an error. */

/* Begins a record of w->record_size bytes. */
bool cpb_writer_begin_record(cpb_record_writer *w);
/* Writes w->input into it. */
bool cpb_writer_write_input(cpb_record_writer *w);
/* Writes the records of w->batch. */
bool cpb_writer_write_batch(cpb_record_writer *w);

/* Encodes and outputs the chunk, which has records. */
void cpb_writer_close_chunk(cpb_record_writer *w);

/* --- metadata encoder ------------------------------------------------------------------------- */

/* Makes the data of a file metadata chunk: that of a transposed chunk with one record, a
 * serialized RecordsMetadata. */

/* Appends it to `out`. */
bool cpb_records_metadata_encode(const cpb_allocator *a, cpb_compressor *c, cpb_span metadata, cpb_buffer *out,
                                 cpb_codec_error *error);

#endif
