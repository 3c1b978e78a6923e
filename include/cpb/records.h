/* cpb/records.h: Riegeli/records files, read and written.
 *
 * A Riegeli/records file is a sequence of Riegeli chunks, each holding some
 * records. Every 64 KiB a block header of 24 bytes interrupts the sequence, so
 * that a reader can start anywhere. A record is named by the begin of its
 * Riegeli chunk and its index therein; their sum, the record position, is
 * unique in the file and looks like a file offset.
 * (https://github.com/google/riegeli, docs/riegeli-format.md)
 *
 * A Riegeli chunk is not a chunk of a .cpb file: see cpb/chunked.h. */
#ifndef CPB_RECORDS_H
#define CPB_RECORDS_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Reading -------------------------------------------------------------- */

typedef struct cpb_record_reader cpb_record_reader;

/* When the hash of a Riegeli chunk's data is checked. */
typedef enum cpb_verify {
  CPB_VERIFY_FIRST = 0, /* before any of its records is handed out. A chunk
                           larger than `buffer` is then asked for twice. */
  CPB_VERIFY_LATE = 1,  /* at its end: records of it may have been handed out
                           before the error. Each byte is asked for once. */
  CPB_VERIFY_NEVER = 2  /* for a range of an uncompressed record: only what is
                           asked for is read; headers are still checked */
} cpb_verify;

typedef struct cpb_record_reader_options {
  size_t struct_size; /* sizeof(cpb_record_reader_options) */
  int recover;        /* non-zero: skip damaged regions and report each with
                         CPB_STEP_SKIPPED instead of failing */
  cpb_verify verify;
  size_t buffer;     /* bytes of chunk data that may be held to be verified
                        first; default 4 MiB */
  size_t read_size;  /* the largest need.length; default 256 KiB */
  uint64_t position; /* the record position to begin at (see
                        cpb_record_reader_seek); default 0, the beginning */
  const cpb_limits *limits;
  size_t memory; /* the most bytes that the reader may hold, with itself
                    and what is lent to it at once (read_size); 0: no
                    bound. `buffer` and `read_size` are then at most, and
                    by default, a sixteenth of it. What takes more than
                    there is ends with CPB_E_LIMIT before any of it is
                    decoded: see cpb_record_reader_memory */
} cpb_record_reader_options;

/* Either may be NULL. Returns NULL when memory is short or an option is out of
 * range. */
CPB_API cpb_record_reader *cpb_record_reader_new(const cpb_allocator *allocator,
                                                 const cpb_record_reader_options *options);
CPB_API void cpb_record_reader_free(cpb_record_reader *reader);

CPB_API cpb_input *cpb_record_reader_input(cpb_record_reader *reader);

/* CPB_STEP_NEED, then for each record CPB_STEP_RECORD followed by CPB_STEP_DATA
 * until all of its bytes were given (none for an empty record); with `recover`
 * CPB_STEP_SKIPPED between records, or in the midst of one that streams and
 * turns out to be damaged (which then ends there); CPB_STEP_DONE at the end of
 * the file (step again after cpb_input_end() with a larger size to go on),
 * CPB_STEP_ERROR. */
CPB_API cpb_step cpb_record_reader_step(cpb_record_reader *reader);

typedef struct cpb_record {
  uint64_t position;    /* chunk_begin + index */
  uint64_t chunk_begin; /* file offset of the Riegeli chunk */
  uint64_t index;       /* in that chunk, from 0 */
  uint64_t size;        /* bytes */
} cpb_record;

/* The record begun last. Valid until the next CPB_STEP_RECORD. */
CPB_API const cpb_record *cpb_record_reader_record(const cpb_record_reader *reader);

/* After CPB_STEP_DATA: the bytes, valid until the next step or batch. */
CPB_API const uint8_t *cpb_record_reader_data(const cpb_record_reader *reader, size_t *length);

/* The fast way for small records. Between records: takes the next ones that lie whole
 * in what is lent or decoded, at most `room` and of one Riegeli chunk. Their sizes are
 * put into `sizes`; cpb_record_reader_data gives their bytes, one behind the other,
 * valid until the next call; cpb_record_reader_record is the last of them, and those
 * before it have the indices before its own. Returns how many. 0 says to step on: the
 * next record comes in pieces, or a step has something else to say. So a loop over
 * steps becomes one over batches by taking all that there are before each step. */
CPB_API size_t cpb_record_reader_batch(cpb_record_reader *reader, size_t *sizes, size_t room);

/* Within a record: leaves out its next `count` bytes (at most what is left of
 * it, which makes the next step go on to the next record). With
 * CPB_VERIFY_NEVER and no compression they are not asked for either. */
CPB_API void cpb_record_reader_skip(cpb_record_reader *reader, uint64_t count);

typedef struct cpb_skipped {
  uint64_t begin, end; /* file offsets */
  const char *reason;  /* valid until the next step */
} cpb_skipped;

/* After CPB_STEP_SKIPPED: the region that was left out, and why. */
CPB_API const cpb_skipped *cpb_record_reader_skipped(const cpb_record_reader *reader);

/* Goes to the record at `position` (chunk_begin + index), as Riegeli does: a
 * number up to 64 means the first record; a number past its Riegeli chunk's
 * last record means the next chunk's first record; past the end, the end. The
 * position need not be exact: block headers lead to its chunk. Allowed at any
 * time but after an error. */
CPB_API void cpb_record_reader_seek(cpb_record_reader *reader, uint64_t position);

/* Goes to the last record of the file (opening from the tail: needs the size
 * and a few small ranges near the end). If there is none, the end. */
CPB_API void cpb_record_reader_seek_last(cpb_record_reader *reader);

/* The Riegeli chunk header that was read last. */
typedef struct cpb_riegeli_chunk {
  uint64_t begin, end; /* file offsets, block headers and padding included */
  uint64_t data_size;  /* stored bytes, without block headers */
  uint64_t num_records;
  uint64_t decoded_data_size; /* sum of the record sizes */
  char type;                  /* 's' signature, 'm' metadata, 'p' padding,
                                 'r' simple, 't' transposed; others unknown */
  char codec;                 /* 0 none, 'b' Brotli, 'z' Zstd, 's' Snappy;
                                 valid once a record of it was begun */
} cpb_riegeli_chunk;

CPB_API const cpb_riegeli_chunk *cpb_record_reader_chunk(const cpb_record_reader *reader);

/* After CPB_STEP_DATA: how many bytes of what it decoded before the codec of the
 * Riegeli chunk refers back to; 0 without compression. */
CPB_API uint64_t cpb_record_reader_window(const cpb_record_reader *reader);

/* The file's RecordsMetadata message, serialized, if the file has one and
 * reading began at the beginning of the file: valid from the first
 * CPB_STEP_RECORD or CPB_STEP_DONE on. NULL when there is none, or none that
 * can be decoded: the records do not depend on it. */
CPB_API const uint8_t *cpb_record_reader_metadata(const cpb_record_reader *reader, size_t *length);

CPB_API const cpb_error *cpb_record_reader_error(const cpb_record_reader *reader);

/* With `memory` set: the most that was held at once so far; after the CPB_E_LIMIT
 * that says that it was too little, the least that would have gone further. */
CPB_API uint64_t cpb_record_reader_memory(const cpb_record_reader *reader);

/* --- Writing -------------------------------------------------------------- */

typedef struct cpb_record_writer cpb_record_writer;

typedef enum cpb_codec {
  CPB_CODEC_DEFAULT = 0, /* Zstd */
  CPB_CODEC_NONE,
  CPB_CODEC_BROTLI,
  CPB_CODEC_ZSTD,
  CPB_CODEC_SNAPPY /* read only */
} cpb_codec;

typedef struct cpb_codec_options {
  cpb_codec codec;
  int level;      /* Zstd -131072 to 22, default 3; Brotli 0 to 11, default 6.
                     0 means the default; for Brotli's level 0 give -1 */
  int window_log; /* log2 of the window: Zstd 10 to 31, Brotli 10 to 30; 0: the
                     codec's own choice for the level */
} cpb_codec_options;

typedef struct cpb_record_writer_options {
  size_t struct_size; /* sizeof(cpb_record_writer_options) */
  cpb_codec_options codec;
  uint64_t chunk_size;      /* decoded bytes after which a Riegeli chunk is
                               closed, each record counting 8 more; default
                               1 MiB, or 4 KiB without compression, as in
                               Riegeli. At most `buffer` takes effect */
  int record_per_chunk;     /* non-zero: each record gets its own Riegeli chunk */
  int seekable;             /* non-zero: the host can write at any offset, so a
                               record whose chunk outgrows `buffer` is streamed
                               and the chunk's headers are patched afterwards;
                               zero: such a record is CPB_E_LIMIT, and nothing
                               of its chunk is output */
  size_t buffer;            /* encoded bytes held of one Riegeli chunk;
                               default 16 MiB */
  uint64_t append_at;       /* the size of the Riegeli file that is appended
                               to; 0 for a new file */
  uint64_t initial_padding; /* when appending, pad to a multiple of this before
                               the first record, and */
  uint64_t final_padding;   /* after the last; 0 for none, at most 2^30. 65536
                               lets files be concatenated byte by byte */
  const void *metadata;     /* a serialized RecordsMetadata for a new file */
  size_t metadata_size;
  const cpb_limits *limits;
} cpb_record_writer_options;

/* Either may be NULL. Returns NULL when memory is short; an option that is out of
 * range is the writer's error at once. The metadata is copied. */
CPB_API cpb_record_writer *cpb_record_writer_new(const cpb_allocator *allocator,
                                                 const cpb_record_writer_options *options);
CPB_API void cpb_record_writer_free(cpb_record_writer *writer);

/* A record is given whole, or many at once, which is the fast way for small ones: their
 * sizes in `sizes`, their bytes in `data`, one behind the other. Or it is begun with its
 * exact size, then written in pieces of any size.
 * Each call may leave output: take all of it with step() before the next call,
 * until when `data` and `sizes` must stay valid and unchanged (what they hold is put
 * out or compressed in place where it can be). The first call after new need not
 * wait. Each returns the writer's error code. */
CPB_API cpb_code cpb_record_writer_record(cpb_record_writer *writer, const void *data, size_t size);
CPB_API cpb_code cpb_record_writer_batch(cpb_record_writer *writer, const void *data, const size_t *sizes,
                                         size_t count);
CPB_API cpb_code cpb_record_writer_begin_record(cpb_record_writer *writer, uint64_t size);
CPB_API cpb_code cpb_record_writer_write(cpb_record_writer *writer, const void *data, size_t length);

/* Closes the current Riegeli chunk; may be called between records. The next
 * record may be given other codec options (NULL: as before). What alternates
 * between few options is fast: the codecs' memory is kept. */
CPB_API cpb_code cpb_record_writer_flush(cpb_record_writer *writer, const cpb_codec_options *next);

/* After the last record: closes the chunk and pads. */
CPB_API cpb_code cpb_record_writer_finish(cpb_record_writer *writer);

/* CPB_STEP_OUTPUT while there is something to write, CPB_STEP_NEED when the
 * next call can be made, CPB_STEP_DONE after finish, CPB_STEP_ERROR. */
CPB_API cpb_step cpb_record_writer_step(cpb_record_writer *writer);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next call.
 * They come as they lie in memory, in pieces from one byte to 64 KiB: gather
 * small ones before writing them where a write is dear.
 * Offsets follow each other without gaps except that, with `seekable`, headers
 * that were written as zeros are written again at the end of their chunk. */
CPB_API const uint8_t *cpb_record_writer_output(const cpb_record_writer *writer, uint64_t *offset, size_t *length);

/* Of the record written last: its position. Before a chunk's end the position
 * is already final. */
CPB_API uint64_t cpb_record_writer_position(const cpb_record_writer *writer);

CPB_API const cpb_error *cpb_record_writer_error(const cpb_record_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
