/* cpb/records.h: Riegeli/records files, read and written.
 *
 * A record is any string of bytes. A Riegeli/records file holds a sequence of
 * them in Riegeli chunks, each of some records, compressed and hashed together:
 *
 *     signature | Riegeli chunk | Riegeli chunk | ... | padding
 *                 header, data    header, data
 *
 * At every multiple of 64 KiB a block header of 24 bytes interrupts that
 * sequence. It says where the interrupted Riegeli chunk begins and ends, so that a
 * reader can start anywhere, and can go on after damage.
 *
 * A record's position is the file offset at which its Riegeli chunk begins plus
 * its index in that chunk. It is unique in the file and all that is needed to seek
 * to the record.
 * (https://github.com/google/riegeli; in our words docs/riegeli-format.md)
 *
 * To write a record and read it back, with cpb_file and cpb_output of cpb/file.h:
 *
 *     cpb_record_writer *writer = cpb_record_writer_new(NULL, NULL);
 *     cpb_record_writer_record(writer, "hello", 5);
 *     while (cpb_record_writer_step(writer) == CPB_STEP_OUTPUT) {
 *       data = cpb_record_writer_output(writer, &offset, &length);
 *       cpb_output_write(output, offset, data, length);
 *     }
 *     cpb_record_writer_finish(writer);
 *     ...the same loop again, then cpb_output_commit(output)
 *
 *     cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
 *     for (;;) {
 *       switch (cpb_record_reader_step(reader)) {
 *         case CPB_STEP_NEED:   cpb_file_supply(file, cpb_record_reader_input(reader)); break;
 *         case CPB_STEP_RECORD: size = cpb_record_reader_record(reader)->size; break;
 *         case CPB_STEP_DATA:   data = cpb_record_reader_data(reader, &length); break;
 *         default:              return cpb_record_reader_error(reader)->code;
 *       }
 *     }
 *
 * A Riegeli chunk is not a chunk of a .cpb file (cpb/chunked.h), which is one
 * record. */
#ifndef CPB_RECORDS_H
#define CPB_RECORDS_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Reading -------------------------------------------------------------- */

typedef struct cpb_record_reader cpb_record_reader;

/* When the hash of a Riegeli chunk's data is checked. Headers always are. */
typedef enum cpb_verify {
  /* Before any of its records is given out. The data of a Riegeli chunk that is
   * larger than `buffer` is then needed twice. */
  CPB_VERIFY_FIRST = 0,

  /* At its end, when records of it may have been given out already. All data is
   * needed once. For a program that discards its result on an error. */
  CPB_VERIFY_LATE = 1,

  /* Not at all. In an uncompressed record only the requested bytes are needed. */
  CPB_VERIFY_NEVER = 2
} cpb_verify;

typedef struct cpb_record_reader_options {
  /* sizeof(cpb_record_reader_options) */
  size_t struct_size;

  /* Non-zero: a damaged region is left out and reported with CPB_STEP_SKIPPED,
   * instead of being an error. */
  int recover;

  cpb_verify verify;

  /* Bytes of a Riegeli chunk's data that may be held until its hash has been
   * checked. Default 4 MiB. */
  size_t buffer;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  /* The record position to begin at, as for cpb_record_reader_seek(). Default 0:
   * the first record. */
  uint64_t position;

  const cpb_limits *limits;

  /* The most bytes that the reader may hold, including itself and the bytes lent
   * to it at once (read_size). Default 0: no bound. With a bound, `buffer` and
   * `read_size` are at most a sixteenth of it, which is also their default. A
   * Riegeli chunk that needs more is CPB_E_LIMIT before any of it is decoded;
   * cpb_record_reader_memory() then says how much is enough. */
  size_t memory;

  /* If not NULL, the records are messages, and only some of their fields are given out. The text
   * lists the numbers that lead to each field: "1,4.2" is field 1, and field 2 of the message in
   * field 4; "" selects no fields. A field is given out with all its contents. Fields keep their
   * order; the messages around them get new lengths, and stay even if they become empty. A record
   * that is not a message is given out whole, and so is a bytes field on such a path that does not
   * hold a message.
   *
   * In a transposed Riegeli chunk, other fields are not decompressed or checked: only the hash
   * finds damage in them. The reader reads the whole Riegeli chunk, and holds its reduced records,
   * or all records of a simple one, below limits.riegeli_chunk. An invalid text is CPB_E_USAGE at
   * the first step. A reader for devices (cpb/pager.h) does not support fields. The text is not
   * kept. */
  const char *fields;
} cpb_record_reader_options;

/* Returns NULL when memory is short or `verify` is not one of the values above. */
CPB_API cpb_record_reader *cpb_record_reader_new(const cpb_allocator *allocator,
                                                 const cpb_record_reader_options *options);
CPB_API void cpb_record_reader_free(cpb_record_reader *reader);

CPB_API cpb_input *cpb_record_reader_input(cpb_record_reader *reader);

/* CPB_STEP_NEED; for each record CPB_STEP_RECORD, then CPB_STEP_DATA until all of
 * its bytes were given (never for an empty record); CPB_STEP_DONE at the end of
 * the file; CPB_STEP_ERROR.
 *
 * With `recover` also CPB_STEP_SKIPPED: between records, or within a damaged
 * record, which ends there. After CPB_STEP_DONE the reader continues if
 * cpb_input_end() says that the file has grown. */
CPB_API cpb_step cpb_record_reader_step(cpb_record_reader *reader);

typedef struct cpb_record {
  uint64_t position;    /* chunk_begin + index */
  uint64_t chunk_begin; /* file offset of the Riegeli chunk */
  uint64_t index;       /* in that chunk, from 0 */
  uint64_t size;        /* bytes */
} cpb_record;

/* The record that CPB_STEP_RECORD began, until the next one. */
CPB_API const cpb_record *cpb_record_reader_record(const cpb_record_reader *reader);

/* After CPB_STEP_DATA: the record's next bytes, valid until the next step or
 * batch. They come as they lie in memory: a large value within a record may be a
 * span of its own, or several. */
CPB_API const uint8_t *cpb_record_reader_data(const cpb_record_reader *reader, size_t *length);

/* Takes several small records at once, which is faster than a step for each. Call
 * it between records. It takes the following records of the Riegeli chunk that are
 * completely available, but no more than `room`.
 *
 * Returns how many records it took. Their sizes are then in sizes[0 .. room),
 * cpb_record_reader_data() returns their bytes, one record after the other, until
 * the next call, and cpb_record_reader_record() is the last of them (the indices
 * of the others precede its index). 0 means that the reader needs a step. So a
 * loop over steps takes batches before each step until the result is 0. */
CPB_API size_t cpb_record_reader_batch(cpb_record_reader *reader, size_t *sizes, size_t room);

/* Within a record: skips its next `count` bytes, or the rest of the record. With
 * CPB_VERIFY_NEVER, skipped bytes of an uncompressed record are not even
 * requested. */
CPB_API void cpb_record_reader_skip(cpb_record_reader *reader, uint64_t count);

/* A damaged region. */
typedef struct cpb_skipped {
  uint64_t begin, end; /* file offsets */
  const char *reason;  /* valid until the next step */
} cpb_skipped;

/* After CPB_STEP_SKIPPED: the skipped region, and the reason. */
CPB_API const cpb_skipped *cpb_record_reader_skipped(const cpb_record_reader *reader);

/* Goes to the record at `position`, at any time except after an error. If
 * `position` is not that of a record, the reader goes to the next record, as in
 * Riegeli: from positions up to 64 to the first record, from a position behind the
 * last record of a Riegeli chunk to the first of the next, from one past the end
 * to the end. */
CPB_API void cpb_record_reader_seek(cpb_record_reader *reader, uint64_t position);

/* Goes to the first record of the Riegeli chunk that begins at `begin` (cpb_riegeli_chunk), whose
 * header is read at once, while a seek also reads the way to it. If no Riegeli chunk begins there,
 * this is a seek to that position. */
CPB_API void cpb_record_reader_seek_chunk(cpb_record_reader *reader, uint64_t begin);

/* Goes to the last record of the file, or to the end of a file without records.
 * Needs the size and a few small ranges at the end. */
CPB_API void cpb_record_reader_seek_last(cpb_record_reader *reader);

/* Goes to the record with this number, counted from 0 at the beginning of the file; past the last
 * one, to the end. The reader counts records by the headers of their Riegeli chunks: it reads 40
 * bytes of each, once, up to this number. Records in a damaged Riegeli chunk also count, unless its
 * header is damaged. Numbers in ascending order decode each Riegeli chunk once. */
CPB_API void cpb_record_reader_seek_number(cpb_record_reader *reader, uint64_t number);

/* Gives the number of records in the file. Returns zero while it is unknown: it is known at
 * CPB_STEP_DONE after cpb_record_reader_seek_number() with UINT64_MAX. */
CPB_API int cpb_record_reader_count(const cpb_record_reader *reader, uint64_t *count);

/* A Riegeli chunk. */
typedef struct cpb_riegeli_chunk {
  uint64_t begin, end; /* file offsets, with block headers and padding */
  uint64_t data_size;  /* bytes as stored, without block headers */
  uint64_t num_records;
  uint64_t decoded_data_size; /* bytes of all records */
  char type;                  /* 'r' simple, 't' transposed, 's' signature,
                                 'm' file metadata, 'p' padding; others unknown */
  char codec;                 /* cpb_codec_of_byte(); known from its first record on */
} cpb_riegeli_chunk;

/* The Riegeli chunk whose header was read last. */
CPB_API const cpb_riegeli_chunk *cpb_record_reader_chunk(const cpb_record_reader *reader);

/* After CPB_STEP_DATA: the window of the Riegeli chunk's compression, in bytes: how far it refers
 * back into decoded data. 0 without compression. For Zstd it is known before decoding begins: after
 * a CPB_STEP_NEED that follows CPB_STEP_RECORD, unless it is 0. */
CPB_API uint64_t cpb_record_reader_window(const cpb_record_reader *reader);

/* The file's RecordsMetadata message, serialized, from the first CPB_STEP_RECORD
 * or CPB_STEP_DONE on, if reading began at the beginning of the file. NULL when
 * the file has no metadata, or they cannot be decoded: records do not depend on
 * them. */
CPB_API const uint8_t *cpb_record_reader_metadata(const cpb_record_reader *reader, size_t *length);

CPB_API const cpb_error *cpb_record_reader_error(const cpb_record_reader *reader);

/* With options.memory: the most bytes that were held at once so far; after its
 * CPB_E_LIMIT, the smallest bound that would have allowed the next step. */
CPB_API uint64_t cpb_record_reader_memory(const cpb_record_reader *reader);

/* --- Writing -------------------------------------------------------------- */

typedef struct cpb_record_writer cpb_record_writer;

/* The codecs: X(NAME, name, number, the byte that names it in a file, its least and its highest level). Numbers never
 * change; NONE has no levels. */
#define CPB_CODECS(X)                \
  X(NONE, none, 1, 0, 0, 0)          \
  X(BROTLI, brotli, 2, 'b', 0, 11)   \
  X(ZSTD, zstd, 3, 'z', -131072, 22) \
  X(SNAPPY, snappy, 4, 's', 1, 2)

/* CPB_CODEC_NONE and so on. */
typedef enum cpb_codec {
  CPB_CODEC_DEFAULT = 0, /* Zstd; in cpb/split.h the layout's choice */
#define CPB_CODEC_ENUM(NAME, name, number, byte, least, most) CPB_CODEC_##NAME = number,
  CPB_CODECS(CPB_CODEC_ENUM)
#undef CPB_CODEC_ENUM
} cpb_codec;

/* The codec's name, such as "zstd"; NULL for other numbers. Static. */
CPB_API const char *cpb_codec_name(cpb_codec codec);
/* The codec that this byte names in a file (cpb_riegeli_chunk), or 0. */
CPB_API cpb_codec cpb_codec_of_byte(char byte);
/* Gives the lowest and the highest level; returns zero if the codec has no levels. */
CPB_API int cpb_codec_levels(cpb_codec codec, int *least, int *most);

typedef struct cpb_codec_options {
  cpb_codec codec;

  /* One of its levels; 0: the default, for Zstd 3, for Brotli 6, for Snappy 1. -1 stands for Brotli's level 0. */
  int level;

  /* log2 of the window in bytes. Zstd: 10 to 31; Brotli: 10 to 30; Snappy has no
   * choice. 0: the codec's window at this level. */
  int window_log;
} cpb_codec_options;

/* Whether records that are serialized messages are taken apart, so that the values of a field in
 * all records are compressed together. Other records are stored whole in such a Riegeli chunk. The
 * chunk is smaller if the messages are alike, but takes longer to write, and is decoded completely
 * before its first record is read. */
typedef enum cpb_transpose {
  CPB_TRANSPOSE_NEVER = 0,
  CPB_TRANSPOSE_ALWAYS,
  CPB_TRANSPOSE_IF_SMALLER /* each Riegeli chunk is encoded in both ways */
} cpb_transpose;

typedef struct cpb_record_writer_options {
  /* sizeof(cpb_record_writer_options) */
  size_t struct_size;

  cpb_codec_options codec;

  /* Decoded bytes at which a Riegeli chunk is closed; each record counts 8 bytes
   * more than its size. At most `buffer`. Default 1 MiB, or 4 KiB without
   * compression, as in Riegeli. */
  uint64_t chunk_size;

  /* Non-zero: each record gets a Riegeli chunk of its own. */
  int record_per_chunk;

  /* Non-zero: the host can write at any offset. Two kinds of records are then output as
   * they are encoded, and the headers of their Riegeli chunk, first output as zeros, follow
   * at its end: one too large for `buffer`, and an uncompressed one of more than 1 MiB that fills
   * a Riegeli chunk. Zero: a record too large for `buffer` is CPB_E_LIMIT, before any
   * output of its Riegeli chunk. */
  int seekable;

  /* Encoded bytes of a Riegeli chunk that may be held. Default 16 MiB. */
  size_t buffer;

  /* To append to a Riegeli file: its size. 0: a new file. */
  uint64_t append_at;

  /* Padding to a multiple of so many bytes, before the first record when
   * appending, and behind the last one. At most 2^30; 0: no padding. Files that
   * are padded to 65536 can be concatenated. */
  uint64_t initial_padding;
  uint64_t final_padding;

  /* A serialized RecordsMetadata message for a new file, which is copied, or NULL. */
  const void *metadata;
  size_t metadata_size;

  const cpb_limits *limits;

  /* A record larger than `buffer` is never transposed. To transpose, the writer holds some three
   * times the decoded bytes of a Riegeli chunk, in addition to `buffer`. */
  cpb_transpose transpose;

  /* The size of the buckets of a transposed Riegeli chunk, in which values of different fields are
   * compressed together, as a fraction of chunk_size, from 0 to 1. 0: the default, 1. -1, which is
   * Riegeli's 0, compresses each field alone. */
  double bucket_fraction;

  /* Non-zero: the output is not a file, but only its Riegeli chunks, for
   * cpb_record_writer_chunk() of the writer that makes the file. They follow each
   * other without block headers and padding. Options about the file (append_at,
   * metadata, paddings) and `seekable` must be 0. */
  int apart;
} cpb_record_writer_options;

/* Sets options from a text in Riegeli's own syntax, such as "transpose,zstd:9,chunk_size:64K":
 * codec (with Brotli as the default, as in Riegeli), chunk_size, transpose, bucket_fraction and the
 * paddings. Those that `text` does not name get Riegeli's defaults. `parallelism` and
 * `brotli_encoder` have no effect. Other options, and all options after an error, stay unchanged.
 * CPB_E_USAGE, with the place in `text` as its offset. (docs/riegeli-format.md) */
CPB_API cpb_code cpb_record_writer_options_parse(cpb_record_writer_options *options, const char *text,
                                                 cpb_error *error);

/* Returns NULL when memory is short. An option that is out of range is the error of
 * each following call. */
CPB_API cpb_record_writer *cpb_record_writer_new(const cpb_allocator *allocator,
                                                 const cpb_record_writer_options *options);
CPB_API void cpb_record_writer_free(cpb_record_writer *writer);

/* Each of the following calls returns the code of the writer's error. It may leave
 * output: step until CPB_STEP_NEED before the next call (only the very first call
 * need not wait for the beginning of the file to be output). Until then `data` and
 * `sizes` must stay unchanged: bytes may be output or compressed in place. */

/* Writes a record. */
CPB_API cpb_code cpb_record_writer_record(cpb_record_writer *writer, const void *data, size_t size);

/* Writes `count` records, whose bytes follow each other in `data`. Faster than one
 * call for each of many small records. */
CPB_API cpb_code cpb_record_writer_batch(cpb_record_writer *writer, const void *data, const size_t *sizes,
                                         size_t count);

/* Writes a record whose bytes come in parts: begins it with its exact size, to be
 * followed by writes of any length, of `size` bytes in all. */
CPB_API cpb_code cpb_record_writer_begin_record(cpb_record_writer *writer, uint64_t size);
CPB_API cpb_code cpb_record_writer_write(cpb_record_writer *writer, const void *data, size_t length);

/* Between records: closes the Riegeli chunk, and changes the codec options (NULL:
 * keeps them) for the following ones. Alternating between a few options is cheap:
 * the memory of each codec is kept. */
CPB_API cpb_code cpb_record_writer_flush(cpb_record_writer *writer, const cpb_codec_options *next);

/* Between records: closes the Riegeli chunk, and changes how the following ones are encoded. */
CPB_API cpb_code cpb_record_writer_transpose(cpb_record_writer *writer, cpb_transpose how);

/* A Riegeli chunk that was encoded by another writer, with `apart`. */
typedef struct cpb_encoded_chunk {
  size_t length; /* bytes */
  uint64_t num_records;
  char codec; /* as in cpb_riegeli_chunk */
} cpb_encoded_chunk;

/* Between records: closes the Riegeli chunk, and writes the first of the encoded chunks that begin
 * at `data`, of `size` bytes in all. `*chunk` then describes this chunk; the next one begins
 * `chunk->length` bytes later. The data of the chunk are not checked. So several threads can
 * encode, each with a writer: if records are divided where cpb_record_writer_fits() says, the file
 * is the same as if this writer had got all of them. CPB_E_USAGE: no such chunk begins there. */
CPB_API cpb_code cpb_record_writer_chunk(cpb_record_writer *writer, const void *data, size_t size,
                                         cpb_encoded_chunk *chunk);

/* Whether a record of `size` bytes goes into the same Riegeli chunk as the one before it.
 * `*filled`, at first 0, is the filled part of the chunk; the call updates it for this record, in
 * the same or the next chunk. */
CPB_API int cpb_record_writer_fits(const cpb_record_writer *writer, uint64_t *filled, uint64_t size);

/* options.buffer, or its default. */
CPB_API size_t cpb_record_writer_buffer(const cpb_record_writer *writer);

/* After the last record: closes the Riegeli chunk and pads. */
CPB_API cpb_code cpb_record_writer_finish(cpb_record_writer *writer);

/* CPB_STEP_OUTPUT while there are bytes to write; CPB_STEP_NEED when the next call
 * can be made (this engine has no input); CPB_STEP_DONE after
 * cpb_record_writer_finish(); CPB_STEP_ERROR. */
CPB_API cpb_step cpb_record_writer_step(cpb_record_writer *writer);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next call.
 * Offsets follow each other without gaps, except that with `seekable` the headers
 * of a Riegeli chunk may be written again. The bytes come as they lie in memory,
 * from 1 to 65536 at a time. A host with expensive writes should gather them. */
CPB_API const uint8_t *cpb_record_writer_output(const cpb_record_writer *writer, uint64_t *offset, size_t *length);

/* The position of the last written record, once its output was taken
 * (CPB_STEP_NEED). It does not change when its Riegeli chunk is closed. */
CPB_API uint64_t cpb_record_writer_position(const cpb_record_writer *writer);

/* The Riegeli chunk of the last step's output: its begin, and the hash in its header, which is
 * right once all of the chunk was output. */
CPB_API void cpb_record_writer_last_chunk(const cpb_record_writer *writer, uint64_t *begin, uint64_t *data_hash);

CPB_API const cpb_error *cpb_record_writer_error(const cpb_record_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
