/* cpb/split.h: a message of any size made into a .cpb file.
 *
 * A .cpb file is a Riegeli/records file. Its last record is a ChunkMetadata,
 * the index; every other record is a chunk: a part of the message that was
 * taken out of it. A chunk is
 *   - the bytes of one `bytes` or `string` field, or
 *   - a message: the root, or one that was moved out of its parent, which keeps
 *     an empty field in its place, or
 *   - a slice: when a message is too large for one chunk, it is cut between two
 *     of its fields, and the slices, concatenated, are the message again.
 *
 * Splitting reads the input twice and never holds it: once to plan (only what
 * is on the way to the large parts is read), once to copy the chunks. A message
 * whose fields are in order comes back from a merge byte for byte; any other
 * comes back as the same message.
 *
 * What goes where is decided by splitters: TensorFlow's are built in, yours can
 * be added, and a generic rule decides the rest. See docs/splitters.md. */
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

/* A field that can be moved, as the walk over the input meets it. All strings
 * end with NUL and are valid during the call. */
typedef struct cpb_split_field {
  const char *message_type; /* full name of the message it is in, such as
                               "tensorflow.NodeDef" */
  const char *name;         /* of the field, such as "attr" */
  const char *type;         /* MESSAGE: full name of its type; BYTES: NULL */
  const char *key;          /* map values: the key as text; otherwise NULL */
  uint64_t index;           /* repeated: which element; otherwise 0 */
  uint64_t size;            /* bytes of the value */
  uint64_t offset;          /* of the value in the input */
  uint32_t number;
  cpb_split_kind kind;
  uint64_t max_chunk_size, inline_max; /* the options, defaults filled in */
  const uint8_t *data;                 /* the value's first bytes, if `peek` asked for them */
  size_t data_size;
} cpb_split_field;

typedef enum cpb_split_action {
  CPB_SPLIT_DEFAULT = 0, /* whatever the next splitter, or the generic rule, says */
  CPB_SPLIT_KEEP,        /* leave it where it is, without looking into it */
  CPB_SPLIT_ENTER,       /* MESSAGE: decide on each of its fields, and move it
                            only if what stays in it exceeds `keep` bytes */
  CPB_SPLIT_MOVE         /* make it a chunk. MESSAGE: its fields are decided on
                            as well */
} cpb_split_action;

typedef struct cpb_split_decision {
  cpb_split_action action;
  uint64_t keep;  /* ENTER: 0 means max_chunk_size */
  uint64_t slice; /* ENTER, MOVE: the largest slice of this message, should it be
                     cut; 0 means max_chunk_size */
  int32_t order;  /* where its chunk comes in the file: lower first, default 0,
                     equal ones in the order of the message; the root's first
                     chunk is always the first */
  size_t peek;    /* more than field->data_size: ask again with this many bytes
                     of the value in field->data (at most CPB_SPLIT_PEEK_MAX) */
} cpb_split_decision;

#define CPB_SPLIT_PEEK_MAX 4096

/* Decides on the fields of messages of one type. */
typedef struct cpb_splitter {
  const char *type_name; /* full name of the message type; NULL for every type */
  void (*decide)(void *user, const cpb_split_field *field, cpb_split_decision *decision);
  void *user; /* must outlive the split */
} cpb_splitter;

/* The splitters for SavedModel, GraphDef and FunctionDef, which are always
 * asked after the caller's: constants' payload of `inline_max` or more moves
 * out, so do large nodes, functions, function libraries and graphs. */
CPB_API const cpb_splitter *cpb_tensorflow_splitters(size_t *count);

/* --- Splitting ------------------------------------------------------------ */

typedef struct cpb_split cpb_split;

typedef enum cpb_layout {
  CPB_LAYOUT_REMOTE = 0, /* each chunk and the index in a Riegeli chunk of its
                            own, which is then one range of the file. Zstd where
                            it pays, otherwise no compression */
  CPB_LAYOUT_COMPAT = 1  /* as TensorFlow writes: Brotli, Riegeli chunks of
                            1 MiB shared by chunks and index */
} cpb_layout;

typedef struct cpb_split_options {
  size_t struct_size;       /* sizeof(cpb_split_options) */
  const char *type_name;    /* full name of the input's message type; default
                               "tensorflow.SavedModel" */
  const cpb_schema *schema; /* where the type is; NULL: the built-in types. Must
                               outlive the split */
  uint64_t max_chunk_size;  /* a chunk is not larger unless it is one field that
                               cannot be divided; default 1 MiB, for COMPAT
                               2^31 - 500, as in TensorFlow */
  uint64_t inline_max;      /* constants' payload of this many bytes or more
                               moves out; default 64 KiB, for COMPAT
                               max_chunk_size, which it never exceeds */
  cpb_layout layout;
  cpb_codec_options codec;      /* CPB_CODEC_DEFAULT: the layout's choice */
  int seekable;                 /* as in cpb_record_writer_options */
  size_t buffer;                /* as in cpb_record_writer_options */
  size_t read_size;             /* the largest need.length; default 256 KiB */
  int32_t splitter_version;     /* written into the index; default 1 */
  int32_t join_version;         /* the least version a reader must have; default 0 */
  const int32_t *bad_consumers; /* versions that must not read it */
  size_t num_bad_consumers;
  const cpb_splitter *splitters; /* asked in this order, then TensorFlow's */
  size_t num_splitters;
  const cpb_limits *limits;
  uint64_t for_memory; /* bytes: a device with so much memory in all can stream any
                          chunk (cpb_device_memory in cpb/pager.h). Bounds Zstd's
                          window, or leaves compression out, and the index is not
                          compressed. 0: no bound */
} cpb_split_options;

/* Either may be NULL. Strings, splitters and arrays in the options must outlive
 * the split. Returns NULL when memory is short; a wrong option (an unknown type
 * name) is the first step's error. */
CPB_API cpb_split *cpb_split_new(const cpb_allocator *allocator, const cpb_split_options *options);
CPB_API void cpb_split_free(cpb_split *split);

/* The message to split. Its size must be known (CPB_NEED_SIZE). */
CPB_API cpb_input *cpb_split_input(cpb_split *split);

/* Makes the plan: CPB_STEP_NEED, then CPB_STEP_DONE; CPB_STEP_ERROR. The
 * functions that look at the plan may then be called, and cpb_split_step() to
 * write the file. */
CPB_API cpb_step cpb_split_plan(cpb_split *split);

/* Makes the plan unless it was made, then writes the file: CPB_STEP_NEED,
 * CPB_STEP_OUTPUT, CPB_STEP_DONE after the last byte; CPB_STEP_ERROR. */
CPB_API cpb_step cpb_split_step(cpb_split *split);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step.
 * Offsets follow each other as those of cpb_record_writer_output(). */
CPB_API const uint8_t *cpb_split_output(const cpb_split *split, uint64_t *offset, size_t *length);

CPB_API const cpb_error *cpb_split_error(const cpb_split *split);

/* --- The plan ------------------------------------------------------------- */

/* Zero when the message is small enough to be one chunk: a host that was given
 * a name without ending then writes NAME.pb, a copy of the input. */
CPB_API int cpb_split_is_split(const cpb_split *split);

CPB_API size_t cpb_split_count(const cpb_split *split); /* of chunks, without the index */

typedef struct cpb_split_chunk {
  uint64_t size;     /* bytes */
  uint64_t position; /* its record position once it was written; before, 0 */
  int is_bytes;      /* the value of a string or bytes field; else a message */
} cpb_split_chunk;

/* The chunk `index`, from 0; returns zero when there is none. */
CPB_API int cpb_split_chunk_at(const cpb_split *split, size_t index, cpb_split_chunk *chunk);

/* Bytes of the input that the phase at hand (planning or writing) is through
 * with, and in all. */
CPB_API void cpb_split_progress(const cpb_split *split, uint64_t *done, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
