/* cpb/field_reader.h: one field of the message in a .cpb file, by its path, in a fixed amount of memory.
 *
 * This reader is for small devices, like the pager (cpb/pager.h) that it uses: it does not keep the
 * index or a plan of the message. It reads the index once for each path, notes the few chunks on
 * the way to the field, and walks these. If memory suffices for index and plan, cpb_merge and
 * cpb_find read less.
 *
 *     const cpb_field_reader_options how = {.struct_size = sizeof how, .memory = 65536};
 *     cpb_field_reader *reader = cpb_field_reader_new(&allocator, &how);
 *     cpb_field_reader_read(reader, path, strlen(path), 0, UINT64_MAX);
 *     while ((step = cpb_field_reader_step(reader)) != CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_field_reader_input(reader));
 *       else if (step == CPB_STEP_DATA) ...cpb_field_reader_data(reader, &length)...
 *       else return cpb_field_reader_error(reader);
 *
 * The bytes are those of the value, as from cpb_find. Chunks that are merged into it are appended,
 * which means the same to every parser of messages. A chunk that belongs to an element or a map's
 * entry inside of the value cannot be appended: this is CPB_E_UNSUPPORTED, and the error names the
 * chunk. Use a path to that element then, or merge the file. Without types, a chunk for a field
 * without an index means what it means to cpb_merge (cpb/chunked.h). */
#ifndef CPB_FIELD_READER_H
#define CPB_FIELD_READER_H

#include "cpb/base.h"
#include "cpb/chunked.h"
#include "cpb/find.h"
#include "cpb/records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_field_reader cpb_field_reader;

typedef struct cpb_field_reader_options {
  /* sizeof(cpb_field_reader_options) */
  size_t struct_size;

  /* As in cpb_pager_options. `memory` includes the reader, the pager, and notes about the way. */
  cpb_verify verify;
  size_t memory;
  size_t read_size;
  const cpb_limits *limits;

  /* A serialized FileDescriptorSet, for names in paths; it is read in place, for instance in flash,
   * and must outlive the reader. NULL: paths need field numbers instead of names. Without types, a
   * chunk of the type BYTES is the value of a string or bytes field. */
  const void *descriptors;
  size_t descriptors_size;

  /* The full name of the message's type in it, such as "tensorflow.SavedModel". Must outlive the reader. */
  const char *message;

  /* Instead of `descriptors` and `message`: the message's type in a cpb_schema (cpb/message.h), for
   * instance the built-in one. The schema must outlive the reader, and does not count as `memory`. */
  const cpb_message_type *type;
} cpb_field_reader_options;

/* Returns NULL when memory is short or `verify` is out of range. A build without malloc needs an allocator. */
CPB_API cpb_field_reader *cpb_field_reader_new(const cpb_allocator *allocator, const cpb_field_reader_options *options);
CPB_API void cpb_field_reader_free(cpb_field_reader *reader);

CPB_API cpb_input *cpb_field_reader_input(cpb_field_reader *reader);

/* Asks for the bytes [offset, offset + size) of the field at `path` (cpb/message.h), without those
 * past its end. A size of 0 only finds the field. NULL as `path` means the previous path. May be
 * called at any time, even before the file is open, or after an error about a path: the reader then
 * starts again. `path` is not kept. Returns CPB_OK; CPB_E_USAGE: a NULL path in the first call; or
 * the code of a permanent error. */
CPB_API cpb_code cpb_field_reader_read(cpb_field_reader *reader, const char *path, size_t length, uint64_t offset,
                                       uint64_t size);

/* The same, but CPB_STEP_DATA gives the field as JSON (cpb/field_json.h). CPB_E_USAGE: options.type
 * is not set. Strings, bytes and packed fields of more than `max_value` bytes, by default 1024, are
 * left out. Their offsets count from the beginning of the field: read them with the path NULL. The
 * JSON and the data that it is made from count as `memory`. */
CPB_API cpb_code cpb_field_reader_read_json(cpb_field_reader *reader, const char *path, size_t length,
                                            uint64_t max_value);

/* Opens the file first. CPB_STEP_NEED; CPB_STEP_DATA until all bytes were given; CPB_STEP_DONE. Or CPB_STEP_ERROR:
 * as from cpb_pager_step(), and for the path as from cpb_path_parse() and cpb_find_step(). */
CPB_API cpb_step cpb_field_reader_step(cpb_field_reader *reader);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. */
CPB_API const uint8_t *cpb_field_reader_data(const cpb_field_reader *reader, size_t *length);

/* The found field. */
typedef struct cpb_field_place {
  /* Bytes in all. */
  uint64_t size;

  /* The number of the field; 0 for the message itself. */
  uint32_t number;

  /* The wire type of the value. */
  uint32_t wire_type;

  /* Non-zero: the path ends at a repeated field without an index, and the type is known. The bytes are then fields of
   * the message that has it, tags included. */
  uint32_t fields;

  /* The number of its pieces. */
  uint32_t num_pieces;
} cpb_field_place;

/* From the first CPB_STEP_DATA or CPB_STEP_DONE of a read on. */
CPB_API const cpb_field_place *cpb_field_reader_place(const cpb_field_reader *reader);

/* The found field in the form of cpb_find. Types and field are NULL without
 * options.type. */
CPB_API const cpb_found *cpb_field_reader_found(const cpb_field_reader *reader);

/* Piece `i` of the field: a range of a chunk, or literal bytes; offsets count from the beginning of
 * the field. Pieces follow each other without gaps. CPB_E_NOT_FOUND if `i` is not less than
 * num_pieces. */
CPB_API cpb_code cpb_field_reader_piece(const cpb_field_reader *reader, size_t i, cpb_segment *piece);

/* The most bytes that were held at once so far, like cpb_pager_memory(). */
CPB_API uint64_t cpb_field_reader_memory(const cpb_field_reader *reader);

CPB_API const cpb_error *cpb_field_reader_error(const cpb_field_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
