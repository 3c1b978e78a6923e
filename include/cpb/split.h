/* cpb/split.h: a message of any size made into a .cpb file.
 *
 * A .cpb file is a Riegeli/records file. Its last record is a ChunkMetadata,
 * the index; every other record is a chunk, something that was moved out of the
 * message. A chunk is
 *   - the bytes of one `bytes` or `string` field, or
 *   - a message: the root, or one that was moved out of its parent, which keeps
 *     an empty field in its place, or
 *   - a slice: a message too large for one chunk is cut between two of its
 *     fields, and its slices, concatenated, are the message again.
 *
 * Splitting reads the input twice and never holds it: once to plan (only what
 * leads to large parts is read), once to copy the chunks. If its fields are in
 * the order of their numbers, as serializers write them, a merge gives back the
 * same bytes, otherwise the same message.
 *
 * Splitters decide what becomes a chunk: those for TensorFlow's types are built in,
 * a program can add its own, and a generic rule decides the rest. See
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
  const char *message_type; /* full name of the message's type that has the
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
  CPB_SPLIT_KEEP,        /* it stays, and nothing in it is looked at */
  CPB_SPLIT_ENTER,       /* MESSAGE: each of its fields is decided on; it moves
                            only if more than `keep` bytes then stay in it */
  CPB_SPLIT_MOVE         /* it becomes a chunk. MESSAGE: each of its fields is
                            decided on as well */
} cpb_split_action;

/* A splitter's decision. All members are 0 when it is called. */
typedef struct cpb_split_decision {
  cpb_split_action action;

  /* ENTER: in bytes; 0 means max_chunk_size. */
  uint64_t keep;

  /* ENTER, MOVE: the largest slice if this message must be cut, in bytes; 0 means
   * max_chunk_size. */
  uint64_t slice;

  /* Where its chunk comes in the file: those with a lower number first (0 is the
   * default), equal ones in the order of the message. The root's first chunk is
   * always the first. */
  int32_t order;

  /* More than field->data_size: call again with this many bytes of the value in
   * field->data, at most CPB_SPLIT_PEEK_MAX. */
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
  /* Each chunk, and the index, is alone in its Riegeli chunk, which is one range of
   * the file. Zstd where it pays, otherwise no compression. */
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

  /* Has that type; must outlive the split. NULL: the built-in schema. */
  const cpb_schema *schema;

  /* The largest chunk in bytes; one field that cannot be divided may be larger.
   * Default 1 MiB; for COMPAT 2^31 - 500, as in TensorFlow. */
  uint64_t max_chunk_size;

  /* The content of a constant moves out if it has this many bytes or more. Default
   * 64 KiB; for COMPAT, and at most, max_chunk_size. */
  uint64_t inline_max;

  cpb_layout layout;

  /* CPB_CODEC_DEFAULT: as the layout says. */
  cpb_codec_options codec;

  /* As in cpb_record_writer_options. */
  int seekable;
  size_t buffer;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  /* What the index says of versions: of the splitter, default 1; the least that a
   * merger must have, default 0; those of mergers that must not read the file. */
  int32_t splitter_version;
  int32_t join_version;
  const int32_t *bad_consumers;
  size_t num_bad_consumers;

  /* Asked in this order, then the built-in ones. */
  const cpb_splitter *splitters;
  size_t num_splitters;

  const cpb_limits *limits;

  /* Makes a file of which a device with so many bytes of memory in all can stream any
   * chunk: a cpb-core.wasm from 256 KiB on (cpb_device_memory() in cpb/pager.h), below that the
   * reader in C (cpb_core_memory()). It bounds Zstd's window, or leaves compression out, and
   * the index is not compressed. 0: no bound. */
  uint64_t for_memory;

  /* CPB_TRANSPOSE_IF_SMALLER: a message of up to CPB_TRANSPOSE_MOST bytes that is compressed
   * is also encoded transposed, and the smaller is kept (cpb_transpose in cpb/records.h). For
   * CPB_LAYOUT_REMOTE it stays alone in its Riegeli chunk, one range of the file; for
   * CPB_LAYOUT_COMPAT each Riegeli chunk is tried. CPB_TRANSPOSE_ALWAYS: without trial. Neither
   * goes with for_memory, as such a chunk is decoded as a whole. */
  cpb_transpose transpose;

  /* Not 0: the index is in pages of about so many bytes (CPB_INDEX_PAGES: of a size that suits
   * it), which are records before the last one; for each of its chunks and fields a reader then
   * needs a few of them, and not all of the index. join_version is 1 at least: TensorFlow's merger
   * cannot read the file, nor can libcpb 1.x or cpb_pager. An index of more than 2 GiB, which no
   * protobuf message can be, has pages in any case. */
  uint64_t index_pages;

  /* Chunks but the first go into other files, in their order: into so many of about the same size,
   * if there are as many chunks (`files`, at most 99,999), or into as many as are needed so that none
   * has more than `file_size` bytes of chunks before compression, unless it has a single one. They are
   * called FILE_NAME.00001-of-00004.cpb and so on: the index names them, and expects them beside the
   * file that it is in, which comes last. join_version is then 1 at least: TensorFlow's merger cannot
   * read the file. 0: all is in one file. It does not go with for_memory, and there are no parts for
   * forks. */
  uint32_t files;
  uint64_t file_size;
  const char *file_name;
} cpb_split_options;

#define CPB_INDEX_PAGES ((uint64_t)1)

/* A larger one takes too long to read for what it saves. */
#define CPB_TRANSPOSE_MOST ((uint64_t)4 << 20)

/* Strings, splitters and arrays in the options must outlive the split. Returns NULL
 * when memory is short; a wrong option, such as an unknown type name, is the error of
 * the first step. */
CPB_API cpb_split *cpb_split_new(const cpb_allocator *allocator, const cpb_split_options *options);
CPB_API void cpb_split_free(cpb_split *split);

/* The message to split. Its size must be known (CPB_NEED_SIZE). */
CPB_API cpb_input *cpb_split_input(cpb_split *split);

/* Makes the plan: CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. For a caller that
 * looks at the plan before cpb_split_step() writes the file. */
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

/* What a Riegeli chunk is does not depend on where it is in the file. So forks of a split can
 * encode parts of the file, each by a thread of its own, and the split itself puts them in
 * their places, in order:
 *
 *     cpb_split_cut(split, 1 << 20, &count);
 *     ...in each thread, with a `fork` and an input of its own, for some parts...
 *     cpb_split_part(fork, part);
 *     ...steps until CPB_STEP_DONE, whose output, one after the other, is that part...
 *     ...and with `split`, as ever; but where a step returns CPB_STEP_PART...
 *     cpb_split_give(split, data, size);
 *
 * The file is the same as without parts. */

/* Divides the planned file into parts of `least` bytes or more of the message; cpb_split_step()
 * then returns CPB_STEP_PART before each of them, from the first one on. There are none with
 * options.transpose, nor with Riegeli's options for a repack. CPB_E_USAGE when there
 * is no plan, or writing has begun; CPB_E_MEMORY, after which it can be written without parts. */
CPB_API cpb_code cpb_split_cut(cpb_split *split, uint64_t least, size_t *count);

/* An engine that encodes parts, with an input of its own. `split` must have been cut, and outlive
 * it. Each may be used by a thread of its own while `split` is stepped. Returns NULL when memory
 * is short, or there are no parts. */
CPB_API cpb_split *cpb_split_fork(const cpb_split *split, const cpb_allocator *allocator);

/* With a fork: begins with a part. cpb_split_step() then returns CPB_STEP_NEED; CPB_STEP_OUTPUT
 * for bytes that follow each other, wherever they are said to begin; CPB_STEP_DONE; or
 * CPB_STEP_ERROR. Without any output the part is one that only the split itself can encode: a
 * chunk larger than `buffer`, or what shares its Riegeli chunk with the index. CPB_E_USAGE when
 * there is no such part. */
CPB_API cpb_code cpb_split_part(cpb_split *fork, size_t part);

/* After CPB_STEP_PART: what a fork made of that part, which must stay as it is until the next
 * CPB_STEP_PART, CPB_STEP_NEED or CPB_STEP_DONE. Nothing, or not to call this: the split encodes
 * the part itself. CPB_E_USAGE at any other time. */
CPB_API cpb_code cpb_split_give(cpb_split *split, const void *data, size_t size);

/* Once there is a plan: the file will be written again, from its beginning and without parts, also
 * after an error. For a program with threads whose memory was short: without them it may suffice.
 * CPB_E_USAGE, or the error of planning, when there is no plan. */
CPB_API cpb_code cpb_split_restart(cpb_split *split);

/* --- Several files --------------------------------------------------------- */

/* After CPB_STEP_OUTPUT: which file the output is of, where offsets begin anew: 1 and so on, then 0 for
 * the one with the index. */
CPB_API uint32_t cpb_split_file(const cpb_split *split);

/* How many other files there are, once the first was begun. */
CPB_API uint32_t cpb_split_num_files(const cpb_split *split);

/* The name of file `file`, from 1 on, as the index has it; at most size - 1 bytes and a NUL. Returns the
 * length of what was written. */
CPB_API size_t cpb_split_file_name(const cpb_split *split, uint32_t file, char *out, size_t size);

/* --- Against a base -------------------------------------------------------- */

/* A model and what was fine-tuned from it have most of their chunks in common. A split against a
 * base, the .cpb file of the one, writes of the other only the chunks that the base does not have;
 * the index says of the rest where in the base they are (docs/chunked-format.md, "Chunks in other
 * files"). The first chunk is always written, and what the base itself has in other files is
 * referred to there. Chunks are the same if their SHA-256 is.
 *
 *     while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) ...
 *     cpb_split_base_options which = {.struct_size = sizeof which, .name = "base.cpb"};
 *     cpb_split_base *base = cpb_split_base_new(NULL, split, &which);
 *     while ((step = cpb_split_base_step(base)) == CPB_STEP_NEED)
 *       cpb_file_supply(base_file, cpb_split_base_input(base));
 *     if (step == CPB_STEP_DONE) cpb_split_share(split, base);
 *     ...steps as ever, or cpb_transfer_split()...
 *
 * cpb_file_read_base() (cpb/file.h) does the middle part in one call.
 *
 * Without any chunk in common the file is what it would be without the base; with one, join_version
 * is 1 at least: TensorFlow's merger cannot read it. cpb_repack makes one file of it that stands
 * alone. */
typedef struct cpb_split_base cpb_split_base;

/* Smaller chunks are written: a reference saves little then, and sends readers to another file. */
#define CPB_SHARE_LEAST ((uint64_t)1024)

typedef struct cpb_split_base_options {
  /* sizeof(cpb_split_base_options) */
  size_t struct_size;

  /* What the index is to call the base: its path relative to the folder of the file that is written,
   * with "/" between folders. Readers open what is in that folder or below it; where their callers
   * allow more (docs/security.md) it may also have "..", be an absolute path, or a URL. Copied. */
  const char *name;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  const cpb_limits *limits;
} cpb_split_base_options;

/* `split` must have its plan: of the base only chunks are read that are as large as one of those.
 * Returns NULL when memory is short. */
CPB_API cpb_split_base *cpb_split_base_new(const cpb_allocator *allocator, const cpb_split *split,
                                           const cpb_split_base_options *options);
CPB_API void cpb_split_base_free(cpb_split_base *base);

/* The base. Its chunks may be in other files (cpb_need.file). */
CPB_API cpb_input *cpb_split_base_input(cpb_split_base *base);

/* CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR, among others for CPB_E_USAGE: a wrong option, and for
 * what cpb_index_step() and cpb_chunk_reader_step() say. */
CPB_API cpb_step cpb_split_base_step(cpb_split_base *base);

CPB_API const cpb_error *cpb_split_base_error(const cpb_split_base *base);

/* Bytes of chunks that were read, and all that are to be; both are 0 while the index is read. */
CPB_API void cpb_split_base_progress(const cpb_split_base *base, uint64_t *done, uint64_t *total);

/* Once the base's index was read: file 0 is the base, those from 1 on are what it refers to. The name is
 * what the file that is written would call it. CPB_E_NOT_FOUND when there is no such file. */
CPB_API cpb_code cpb_split_base_get_file(const cpb_split_base *base, uint32_t file, cpb_other_file *out);

/* After CPB_STEP_DONE of `base`, which must outlive the split; before cpb_split_cut() and the first
 * cpb_split_step(), and once. The plan then goes on: chunks of the message are read and compared, by
 * cpb_split_plan() or the next cpb_split_step(). CPB_E_USAGE at any other time, and with for_memory. */
CPB_API cpb_code cpb_split_share(cpb_split *split, const cpb_split_base *base);

/* How many chunks the file that is written has elsewhere, and how large they are together. */
typedef struct cpb_split_shared {
  uint64_t chunks, bytes;
} cpb_split_shared;

CPB_API void cpb_split_get_shared(const cpb_split *split, cpb_split_shared *shared);

/* --- The plan ------------------------------------------------------------- */

/* Zero when the whole message is one chunk: then a copy of the input serves as
 * well. */
CPB_API int cpb_split_is_split(const cpb_split *split);

/* The number of chunks, without the index. */
CPB_API size_t cpb_split_count(const cpb_split *split);

typedef struct cpb_split_chunk {
  uint64_t size;     /* bytes */
  uint64_t position; /* of its record, once that is written; 0 before. Of what a base has: there */
  int is_bytes;      /* non-zero: the value of a string or bytes field; zero: a
                        message */
} cpb_split_chunk;

/* The chunk `index`, from 0. Returns zero when there is none. */
CPB_API int cpb_split_chunk_at(const cpb_split *split, size_t index, cpb_split_chunk *chunk);

/* Bytes of the input that were processed in this phase (planning, comparing with a base, then
 * writing), and all there are for it. */
CPB_API void cpb_split_progress(const cpb_split *split, uint64_t *done, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
