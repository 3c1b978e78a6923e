/* cpb/split.h: splits a message of any size into a .cpb file.
 *
 * A .cpb file is a Riegeli/records file. Its last record is a ChunkMetadata, the
 * index; every other record is a chunk, a part that was moved out of the message.
 * A chunk is
 *   - the bytes of one `bytes` or `string` field, or
 *   - a message: the root, or one that was moved out of its parent, which keeps
 *     an empty field in its place, or
 *   - a slice: a message too large for one chunk is cut between two of its
 *     fields, and its slices, concatenated, are the message again.
 *
 * Splitting reads the input twice and never holds it: once to plan (reading only
 * fields around large parts), once to copy the chunks. If the input's fields are
 * in the order of their numbers, as serializers write them, a merge gives back the
 * same bytes, otherwise the same message.
 *
 * Splitters decide which parts become chunks: splitters for TensorFlow's types are
 * built in, a program can add its own, and a generic rule decides the rest. See
 * docs/splitters.md.
 *
 *     cpb_split_options how = {.struct_size = sizeof how,
 *                              .type_name = "tensorflow.GraphDef", .seekable = 1};
 *     cpb_split *split = cpb_split_new(NULL, &how);
 *     for (;;) {
 *       switch (cpb_split_step(split)) {
 *         case CPB_STEP_NEED: cpb_file_supply(file, cpb_split_input(split)); break;
 *         case CPB_STEP_OUTPUT:
 *           data = cpb_split_output(split, &offset, &length);
 *           ...write it...
 *           break;
 *         default: return cpb_split_error(split)->code;
 *       }
 *     }
 *
 * cpb_file_split() (cpb/file.h) does that in one call. */
#ifndef CPB_SPLIT_H
#define CPB_SPLIT_H

#include "cpb/base.h"
#include "cpb/records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_schema cpb_schema; /* cpb/message.h */

/* --- Splitters ------------------------------------------------------------ */

typedef enum cpb_split_kind {
  CPB_SPLIT_MESSAGE, /* a message, or a map's value that is one */
  CPB_SPLIT_BYTES    /* a singular string or bytes field */
} cpb_split_kind;

/* A field that may be moved. Strings end with NUL and are valid during the call. */
typedef struct cpb_split_field {
  const char *message_type; /* full name of the type of the message that has the
                               field, such as "tensorflow.NodeDef" */
  const char *name;         /* of the field, such as "attr" */
  const char *type;         /* MESSAGE: the full name of its type; BYTES: NULL */
  const char *key;          /* of a map's value: the key as text; otherwise NULL */
  uint64_t index;           /* repeated: which element, from 0; otherwise 0 */
  uint64_t size;            /* bytes of the value */
  uint64_t offset;          /* of the value in the input */
  uint32_t number;          /* of the field */
  cpb_split_kind kind;

  /* From the options, with defaults filled in. */
  uint64_t max_chunk_size, inline_max;

  /* The value's first bytes, if `peek` asked for them. */
  const uint8_t *data;
  size_t data_size;
} cpb_split_field;

typedef enum cpb_split_action {
  CPB_SPLIT_DEFAULT = 0, /* as the next splitter, or the generic rule, says */
  CPB_SPLIT_KEEP,        /* the field stays with all its contents */
  CPB_SPLIT_ENTER,       /* MESSAGE: splitters decide on each of its fields; it
                            moves only if more than `keep` bytes then stay in it */
  CPB_SPLIT_MOVE         /* the field becomes a chunk. MESSAGE: splitters also
                            decide on each of its fields */
} cpb_split_action;

/* A splitter's decision. All members are 0 when it is called. */
typedef struct cpb_split_decision {
  cpb_split_action action;

  /* ENTER: in bytes; 0 means max_chunk_size. */
  uint64_t keep;

  /* ENTER, MOVE: the largest slice, in bytes, if this message must be cut; 0 means
   * max_chunk_size. */
  uint64_t slice;

  /* The place of its chunk in the file: chunks with a lower number come first (0
   * is the default), those with equal numbers in the order of the message. The
   * root's first chunk is always the first. */
  int32_t order;

  /* If this is more than field->data_size, the function is called again with this
   * many bytes of the value in field->data, at most CPB_SPLIT_PEEK_MAX. */
  size_t peek;
} cpb_split_decision;

#define CPB_SPLIT_PEEK_MAX 4096

/* Decides on the fields of messages of one type. */
typedef struct cpb_splitter {
  const char *type_name; /* full name of the message type; NULL for every type */
  void (*decide)(void *user, const cpb_split_field *field, cpb_split_decision *decision);
  void *user; /* must outlive the split */
} cpb_splitter;

/* The splitters for TensorFlow's SavedModel, GraphDef and FunctionDef and ONNX's ModelProto,
 * which are always asked after the caller's: they move out the content of constants of
 * `inline_max` bytes or more, and large nodes, functions, function libraries and graphs. */
CPB_API const cpb_splitter *cpb_builtin_splitters(size_t *count);

/* --- Splitting ------------------------------------------------------------ */

typedef struct cpb_split cpb_split;

typedef enum cpb_layout {
  /* Each chunk, and the index, is alone in its Riegeli chunk, which is one range
   * of the file. Compressed with Zstd if that pays. */
  CPB_LAYOUT_REMOTE = 0,

  /* As TensorFlow writes: Brotli, Riegeli chunks of 1 MiB that chunks and index
   * share. */
  CPB_LAYOUT_COMPAT = 1
} cpb_layout;

typedef struct cpb_split_options {
  /* sizeof(cpb_split_options) */
  size_t struct_size;

  /* Full name of the input's message type. Default "tensorflow.SavedModel". */
  const char *type_name;

  /* The schema of that type, which must outlive the split. NULL: the built-in
   * schema. */
  const cpb_schema *schema;

  /* The largest chunk in bytes; one field that cannot be divided may be larger.
   * Default 1 MiB; for COMPAT 2^31 - 500, as in TensorFlow. */
  uint64_t max_chunk_size;

  /* The content of a constant moves out if it has this many bytes or more. Default
   * 64 KiB; for COMPAT, and at most, max_chunk_size. */
  uint64_t inline_max;

  cpb_layout layout;

  /* CPB_CODEC_DEFAULT: the layout's codec. */
  cpb_codec_options codec;

  /* As in cpb_record_writer_options. */
  int seekable;
  size_t buffer;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  /* The versions in the index: of the splitter, default 1; the lowest version of a
   * merger that can read the file, default 0; the versions of mergers that must
   * not read it. */
  int32_t splitter_version;
  int32_t join_version;
  const int32_t *bad_consumers;
  size_t num_bad_consumers;

  /* Asked in this order, then the built-in ones. */
  const cpb_splitter *splitters;
  size_t num_splitters;

  const cpb_limits *limits;

  /* Makes a file whose chunks a device with this many bytes of memory in all can stream: from 256
   * KiB on a cpb-core.wasm (cpb_device_memory() in cpb/pager.h), below that the reader in C
   * (cpb_core_memory()). This bounds Zstd's window, or turns compression off, and the index is not
   * compressed. 0: no bound. */
  uint64_t for_memory;

  /* CPB_TRANSPOSE_IF_SMALLER: a compressed message of up to CPB_TRANSPOSE_MOST bytes is also
   * encoded transposed, and the smaller form is kept (cpb_transpose in cpb/records.h). For
   * CPB_LAYOUT_REMOTE it stays alone in its Riegeli chunk, one range of the file; for
   * CPB_LAYOUT_COMPAT each Riegeli chunk is tried. CPB_TRANSPOSE_ALWAYS: without comparing. Both
   * exclude for_memory, as such a chunk is decoded as a whole. */
  cpb_transpose transpose;

  /* Not 0: the index is in pages of about this many bytes (CPB_INDEX_PAGES: a suitable size), which
   * are records before the last one. For a chunk or field a reader then needs a few pages, and not
   * the whole index. join_version is at least 1: TensorFlow's merger, libcpb 1.x and cpb_pager
   * cannot read the file. An index of more than 2 GiB, the limit of protobuf messages, always has
   * pages. */
  uint64_t index_pages;

  /* All chunks except the first go into other files, in order: into `files` files of about the same
   * size (at most 99,999, and at most one for each chunk), or into as many files as needed so that
   * each has at most `file_size` bytes of chunks before compression, or a single chunk. They are
   * called FILE_NAME.00001-of-00004.cpb and so on: the index names them, and expects them in its
   * own file's folder. The file with the index comes last. join_version is then at least 1:
   * TensorFlow's merger cannot read the file. 0: one file. This excludes for_memory and parts for
   * forks. */
  uint32_t files;
  uint64_t file_size;
  const char *file_name;
} cpb_split_options;

#define CPB_INDEX_PAGES ((uint64_t)1)

/* For a larger message the savings do not justify the time to read it. */
#define CPB_TRANSPOSE_MOST ((uint64_t)4 << 20)

/* Strings, splitters and arrays in the options must outlive the split. Returns NULL
 * when memory is short; a wrong option, such as an unknown type name, is the error of
 * the first step. */
CPB_API cpb_split *cpb_split_new(const cpb_allocator *allocator, const cpb_split_options *options);
CPB_API void cpb_split_free(cpb_split *split);

/* The message to split. Its size must be known (CPB_NEED_SIZE). */
CPB_API cpb_input *cpb_split_input(cpb_split *split);

/* Makes the plan: CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. For a caller that
 * inspects the plan before cpb_split_step() writes the file. */
CPB_API cpb_step cpb_split_plan(cpb_split *split);

/* Makes the plan unless it is made, then writes the file: CPB_STEP_NEED;
 * CPB_STEP_OUTPUT; CPB_STEP_DONE after the last byte; CPB_STEP_ERROR. After
 * cpb_split_cut() also CPB_STEP_PART. */
CPB_API cpb_step cpb_split_step(cpb_split *split);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step;
 * offsets as from cpb_record_writer_output(). */
CPB_API const uint8_t *cpb_split_output(const cpb_split *split, uint64_t *offset, size_t *length);

CPB_API const cpb_error *cpb_split_error(const cpb_split *split);

/* --- In several threads --------------------------------------------------- */

/* The content of a Riegeli chunk does not depend on its place in the file. So forks of a split can
 * encode parts of the file, each in a thread of its own, and the split itself puts them in their
 * places, in order:
 *
 *     cpb_split_cut(split, 1 << 20, &count);
 *     ...in each thread, with a `fork` and an input of its own, for some parts...
 *     cpb_split_part(fork, part);
 *     ...steps until CPB_STEP_DONE, whose output, one after the other, is that part...
 *     ...and with `split`, as usual; but where a step returns CPB_STEP_PART...
 *     cpb_split_give(split, data, size);
 *
 * The file is the same as without parts. */

/* Divides the planned file into parts of `least` bytes or more of the message; cpb_split_step()
 * then returns CPB_STEP_PART before each part, from the first one on. With options.transpose, or
 * Riegeli's options for a repack, the file has no parts. CPB_E_USAGE if the plan is missing, or
 * writing has begun; CPB_E_MEMORY, after which the file can be written without parts. */
CPB_API cpb_code cpb_split_cut(cpb_split *split, uint64_t least, size_t *count);

/* An engine that encodes parts, with an input of its own. `split` must have been cut, and outlive
 * it. Each fork may be used by a thread of its own while `split` is stepped. Returns NULL when
 * memory is short, or `split` has no parts. */
CPB_API cpb_split *cpb_split_fork(const cpb_split *split, const cpb_allocator *allocator);

/* With a fork: begins with a part. cpb_split_step() then returns CPB_STEP_NEED; CPB_STEP_OUTPUT for
 * bytes that follow each other (ignore their offsets); CPB_STEP_DONE; or CPB_STEP_ERROR. A part
 * without output is for the split itself to encode: a chunk larger than `buffer`, or of more than
 * 1 MiB and not compressed, or records that share a Riegeli chunk with the index. CPB_E_USAGE if the
 * part does not exist. */
CPB_API cpb_code cpb_split_part(cpb_split *fork, size_t part);

/* After CPB_STEP_PART: passes a fork's output for this part, which must stay unchanged until the
 * next CPB_STEP_PART, CPB_STEP_NEED or CPB_STEP_DONE. With `size` 0, or without this call, the
 * split encodes the part itself. CPB_E_USAGE at any other time. */
CPB_API cpb_code cpb_split_give(cpb_split *split, const void *data, size_t size);

/* After planning: the next steps write the file again, from its beginning and without parts, even
 * after an error. For a program whose memory was too short for threads: without them it may
 * suffice. CPB_E_USAGE, or the error of planning, if the plan is missing. */
CPB_API cpb_code cpb_split_restart(cpb_split *split);

/* --- Several files --------------------------------------------------------- */

/* After CPB_STEP_OUTPUT: the number of the file that the output belongs to: 1 and so on, then 0 for
 * the file with the index. Offsets begin at 0 in each file. */
CPB_API uint32_t cpb_split_file(const cpb_split *split);

/* The number of other files, once the first was begun. */
CPB_API uint32_t cpb_split_num_files(const cpb_split *split);

/* The name of file `file`, from 1 on, as in the index; at most size - 1 bytes and a NUL.
 * Returns the length of the written name. */
CPB_API size_t cpb_split_file_name(const cpb_split *split, uint32_t file, char *out, size_t size);

/* --- Against a base -------------------------------------------------------- */

/* A model and its fine-tuned version have most of their chunks in common. A split of the new model
 * against a base, the .cpb file of the old one, only writes chunks that the base does not have; for
 * the rest, the index refers to the base (docs/chunked-format.md, "Chunks in other files"). The
 * first chunk is always written. If the base itself has a chunk in another file, the index refers
 * to that file. Chunks are the same if their SHA-256 is.
 *
 *     while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) ...
 *     cpb_split_base_options which = {.struct_size = sizeof which, .name = "base.cpb"};
 *     cpb_split_base *base = cpb_split_base_new(NULL, split, &which);
 *     while ((step = cpb_split_base_step(base)) == CPB_STEP_NEED)
 *       cpb_file_supply(base_file, cpb_split_base_input(base));
 *     if (step == CPB_STEP_DONE) cpb_split_share(split, base);
 *     ...steps as usual, or cpb_transfer_split()...
 *
 * cpb_file_read_base() (cpb/file.h) does the middle part in one call.
 *
 * Without any chunk in common the file is the same as without the base. Otherwise join_version is
 * at least 1: TensorFlow's merger cannot read the file. cpb_repack makes a file from it that stands
 * alone. */
typedef struct cpb_split_base cpb_split_base;

/* Smaller chunks are written: a reference would save little, and send readers to another file. */
#define CPB_SHARE_LEAST ((uint64_t)1024)

typedef struct cpb_split_base_options {
  /* sizeof(cpb_split_base_options) */
  size_t struct_size;

  /* The name of the base in the index: its path relative to the folder of the new file, with "/"
   * between folders. Readers open files in or below this folder. If their callers allow more
   * (docs/security.md), the name may also contain "..", be an absolute path, or a URL. Copied. */
  const char *name;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  const cpb_limits *limits;
} cpb_split_base_options;

/* `split` must have its plan: only chunks of the base that are as large as one of the plan's chunks
 * are read. Returns NULL when memory is short. */
CPB_API cpb_split_base *cpb_split_base_new(const cpb_allocator *allocator, const cpb_split *split,
                                           const cpb_split_base_options *options);
CPB_API void cpb_split_base_free(cpb_split_base *base);

/* The base. Its chunks may be in other files (cpb_need.file). */
CPB_API cpb_input *cpb_split_base_input(cpb_split_base *base);

/* CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR, among others for CPB_E_USAGE: a wrong option, and
 * with the errors of cpb_index_step() and cpb_chunk_reader_step(). */
CPB_API cpb_step cpb_split_base_step(cpb_split_base *base);

CPB_API const cpb_error *cpb_split_base_error(const cpb_split_base *base);

/* The bytes of chunks that were read, and all bytes to read; both are 0 while the index is read. */
CPB_API void cpb_split_base_progress(const cpb_split_base *base, uint64_t *done, uint64_t *total);

/* Once the base's index was read: file 0 is the base, files from 1 on are those that it refers to.
 * The name is that of the file in the new index. CPB_E_NOT_FOUND if the file does not exist. */
CPB_API cpb_code cpb_split_base_get_file(const cpb_split_base *base, uint32_t file, cpb_other_file *out);

/* Call this once, after CPB_STEP_DONE of `base`, which must outlive the split, and before
 * cpb_split_cut() and the first cpb_split_step(). Planning then continues: cpb_split_plan() or the
 * next cpb_split_step() reads and compares chunks of the message. CPB_E_USAGE at any other time,
 * and with for_memory. */
CPB_API cpb_code cpb_split_share(cpb_split *split, const cpb_split_base *base);

/* The chunks that the new file refers to in other files: their number, and their bytes in all. */
typedef struct cpb_split_shared {
  uint64_t chunks, bytes;
} cpb_split_shared;

CPB_API void cpb_split_get_shared(const cpb_split *split, cpb_split_shared *shared);

/* --- The plan ------------------------------------------------------------- */

/* Zero when the whole message is one chunk: a copy of the input is then as good. */
CPB_API int cpb_split_is_split(const cpb_split *split);

/* The number of chunks, without the index. */
CPB_API size_t cpb_split_count(const cpb_split *split);

typedef struct cpb_split_chunk {
  uint64_t size;     /* bytes */
  uint64_t position; /* of its record; 0 until it is written. For a chunk of the base: its position in the base */
  int is_bytes;      /* non-zero: the value of a string or bytes field; zero: a
                        message */
} cpb_split_chunk;

/* The chunk `index`, from 0. Returns zero if it does not exist. */
CPB_API int cpb_split_chunk_at(const cpb_split *split, size_t index, cpb_split_chunk *chunk);

/* The bytes of the input that were processed in this phase (planning, comparing with a base, then
 * writing), and all bytes of the phase. */
CPB_API void cpb_split_progress(const cpb_split *split, uint64_t *done, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
