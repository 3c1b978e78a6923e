/* The values of a tensor's message, streamed: of TensorFlow's TensorProto, or of ONNX's.
 *
 * They are in one field, as they lie in memory (tensor_content, raw_data), or in a repeated field for each group of
 * dtypes, packed or not; ONNX's may also be in another file. In TensorFlow's repeated fields the last value stands for
 * all that are missing at the end. Fields may come in any order. The reader first finds the fields by their tags and
 * lengths, and then reads the values once. */
#ifndef CPB_MODEL_COMMON_TENSOR_VALUES_H
#define CPB_MODEL_COMMON_TENSOR_VALUES_H

#include "base/alloc.h"
#include "base/input.h"
#include "base/json_writer.h"
#include "base/meter.h"
#include "cpb/values.h"
#include "model/common/cursor.h"
#include "model/common/part.h"
#include "model/common/tensor/tensor.h"
#include "model/foreign/foreign.h"
#include "proto/wire.h"

/* --- values state ----------------------------------------------------------------------------- */

/* The values of a tensor while they are streamed. */

#define CPB_TENSOR_RANK_MAX 254 /* TensorFlow's limit */
#define CPB_TENSOR_OUT ((size_t)32 << 10)

/* A type of elements, as stored in one of these messages. */
typedef struct cpb_tensor_type {
  char name[CPB_DTYPE_NAME];
  const cpb_tensor_format *format; /* NULL: its values cannot be read */
  uint32_t field;                  /* field of the values, if they are not in `content` */
  cpb_wire_type wire;              /* of an element in that field */
  uint8_t packed;                  /* bits of an element in `content` if elements share bytes; else 0 */
  uint8_t packed_typed;            /* the same if each number of the field is such a byte */
  bool high_first;                 /* the first of them has the highest bits of the byte; else the lowest */
} cpb_tensor_type;

/* The bits of an element in `content`; 0 if its values cannot be read. */
static inline unsigned cpb_tensor_type_bits(const cpb_tensor_type *type) {
  if (type->packed > 0) return type->packed;
  return type->format ? 8u * type->format->size : 0;
}

/* How a kind of tensor message stores its parts. */
typedef struct cpb_tensor_layout {
  uint32_t dtype, shape, content, strings; /* numbers of its fields */
  const char *shape_name, *content_name, *strings_name;
  /* the shape is a list of sizes (repeated int64), and not a TensorShapeProto */
  bool has_dims;
  /* The last value stands for those that are left out, as in TensorFlow; else all must be present. */
  bool repeats_last;
  /* If values can be in another file: the fields of the location and of the entries; else 0. */
  uint32_t location, external;
  /* Describes a dtype; false if it does not exist. */
  bool (*describe)(uint64_t dtype, cpb_tensor_type *type);
} cpb_tensor_layout;

/* Fields of a message that begins at `base` of the input. */
typedef struct cpb_tensor_scan {
  cpb_wire_scanner scanner;
  uint64_t base;
  cpb_span window;   /* lent bytes from scanner.pos on */
  size_t piece;      /* size of the last request */
  uint64_t expected; /* where the next field begins if nothing is skipped */
} cpb_tensor_scan;

/* Strings are measured before they are returned, to find the longest. */
typedef struct cpb_tensor_texts {
  cpb_range last; /* of the input */
  uint64_t count, bytes, longest;
  bool at_nul;        /* the last byte of `last` is still to be read */
  bool nul_at_end;    /* some string ends in NUL, which a fixed width would lose */
  bool fixed;         /* each is padded to the longest */
  unsigned stage;     /* of the string that is being returned */
  uint64_t at, given; /* in it; bytes returned so far */
} cpb_tensor_texts;

typedef struct cpb_tensor_values {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_tensor_layout *layout;
  cpb_input *input;
  cpb_error *error;
  cpb_range tensor;
  bool exact_texts;
  cpb_tensor_scan scan;
  cpb_foreign_instead instead;
  unsigned stage;
  uint64_t dtype;
  cpb_range shape_at, content;
  uint64_t location;                                           /* not 0: `content` is in another file */
  cpb_buffer path;                                             /* the name of that file */
  bool has_length;                                             /* the message gives the length of `content` */
  uint64_t begins[CPB_TENSOR_FIELDS], ends[CPB_TENSOR_FIELDS]; /* of the typed fields */
  cpb_buffer message; /* the shape, or an item of a list that is needed in one piece */
  cpb_range gathered; /* its range */
  cpb_tensor_type type;
  const cpb_tensor_format *format; /* that of `type` */
  uint64_t shape[CPB_TENSOR_RANK_MAX], count, size;
  uint64_t stored; /* bytes of `content` by shape and type: less than `size` if elements share bytes */
  uint32_t rank;
  bool listing; /* a list is being read: dims, or entries about another file */
  char numpy[24];
  uint64_t at, end; /* of the piece of values that is being read */
  uint64_t given;   /* bytes of values returned so far */
  uint8_t last[16]; /* the last bytes returned */
  uint64_t number;  /* an incomplete varint, and its bits so far */
  unsigned shift;
  uint32_t bits; /* elements that share bytes: the remaining ones, and their number */
  unsigned num_bits;
  cpb_tensor_texts texts;
  uint8_t *out; /* CPB_TENSOR_OUT bytes */
} cpb_tensor_values;

/* --- values ----------------------------------------------------------------------------------- */

/* `meter`, `input` and `error` belong to the caller. False if memory is short; free `values` then as well. */
bool cpb_tensor_values_init(cpb_tensor_values *values, const cpb_allocator *a, cpb_meter *meter,
                            const cpb_tensor_layout *layout, cpb_input *input, cpb_error *error, cpb_range tensor,
                            bool exact_texts);

/* A tensor that is not stored as a tensor message, as its kind of model describes it. */
typedef struct cpb_tensor_known {
  cpb_tensor_type type; /* with a format; its field below CPB_TENSOR_FIELDS, 0 for `content` */
  const uint64_t *shape;
  uint32_t rank;     /* at most CPB_TENSOR_RANK_MAX */
  cpb_range message; /* whose field type.field has the values, */
  cpb_range content; /* or their range, as in memory; of length 0 if they are in the field */
  cpb_span file;     /* the file that has `content`; empty: the model */
} cpb_tensor_known;

/* Begins to read such a tensor. Only the layout's names count, and its field of strings. */
bool cpb_tensor_values_init_known(cpb_tensor_values *values, const cpb_allocator *a, cpb_meter *meter,
                                  const cpb_tensor_layout *layout, cpb_input *input, cpb_error *error,
                                  const cpb_tensor_known *known, bool exact_texts);
void cpb_tensor_values_free(cpb_tensor_values *values);

/* Like `next` of a cpb_values_reader. */
cpb_have cpb_tensor_values_next(cpb_tensor_values *values, cpb_values_info *info, cpb_span *data);

/* Counts bytes of elements that only repeat the last one. The input does not bound them, so a limit does. */
cpb_have cpb_tensor_charge_repeated(cpb_tensor_values *values, uint64_t bytes);

/* --- layout ----------------------------------------------------------------------------------- */

/* TensorFlow's TensorProto (framework/tensor.proto). */

extern const cpb_tensor_layout cpb_tensorflow_layout;

/* --- preview ---------------------------------------------------------------------------------- */

/* The first values of a tensor in memory, in JSON. */

/* The place and type of the values. */
typedef struct cpb_tensor_preview {
  const cpb_part *part;
  cpb_span message;        /* that has them in its field: */
  uint32_t field, content; /* `content` is the field with all values as in memory; 0: no such field */
  const cpb_tensor_type *type;
  uint64_t dtype; /* for `write` */
  uint64_t elements;
  uint64_t texts; /* number of values of a string type */
  bool repeats;   /* the last one stands for those that are left out, zero if all are; else all must be present */
  /* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
  void (*write)(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);
} cpb_tensor_preview;

/* Writes members of an object: "preview", the first values, if they are in memory, with "preview_more": true if there
 * are more. */
void cpb_tensor_write_preview(cpb_json_writer *answer, const cpb_tensor_preview *of);

/* --- external --------------------------------------------------------------------------------- */

/* The values of a tensor that are in another file, for values.c. */

/* Where values are, from the entries {"key", "value"} of ONNX's external_data. */
typedef struct cpb_external {
  cpb_span location, checksum; /* spans of the message; empty if absent */
  uint64_t offset, length;
  bool has_length;
  const char *wrong; /* NULL, or its problem: */
  cpb_span value;    /* that of the entry, if that says more */
} cpb_external;

/* Adds an entry. */
void cpb_external_add(cpb_external *external, cpb_span entry);
/* Call it after the last entry. Sets `wrong`. */
void cpb_external_check(cpb_external *external);

#define CPB_EXTERNAL_PROBLEM 160

/* Where the values are, if shape and type say that they have `*bytes`; NULL: they do not tell. False: `problem`
 * continues "external_data". */
bool cpb_external_range(const cpb_external *external, const uint64_t *bytes, cpb_range *where, char *problem,
                        size_t size);

/* Reads the entries, and sets `content`, `path` and `has_length`. */
cpb_have cpb_tensor_find_external(cpb_tensor_values *values);
/* Compares them with `stored`, and completes `content`. */
cpb_have cpb_tensor_measure_external(cpb_tensor_values *values);
/* Makes that file the one that the input reads. */
void cpb_tensor_turn_to_external(cpb_tensor_values *values);

/* --- scan ------------------------------------------------------------------------------------- */

/* Reads the fields of a tensor's message without the bytes between them. */

/* Goes through the fields in [begin, end) of the input. */
void cpb_tensor_scan_begin(cpb_tensor_values *values, uint64_t begin, uint64_t end);
/* Extends the range of the field with values: from the first such field to the end of the last. */
void cpb_tensor_scan_field(cpb_tensor_values *values);
/* The next of a list's fields, which all have this number: CPB_HAVE with one, or with `listing` false at the end of the
 * list. Sets `listing` at the start, if it is false. */
cpb_have cpb_tensor_list_next(cpb_tensor_values *values, uint32_t number);
/* Reads a small part of the message, up to 64 KiB, into one piece. */
cpb_have cpb_tensor_gather(cpb_tensor_values *values, cpb_range where, const char *name, cpb_span *bytes);
/* CPB_HAVE with a field, or CPB_WIRE_END. */
cpb_have cpb_tensor_scan_next(cpb_tensor_values *values, cpb_wire_event *event);
/* Turns a result of cpb_input_span other than CPB_HAVE into an error, for the model's end and failures. */
cpb_have cpb_tensor_settle(cpb_tensor_values *values, cpb_have have);
/* The first of these bytes of values, at most `most`, of the model or of the other file; anything but CPB_HAVE is
 * settled. */
cpb_have cpb_tensor_span(cpb_tensor_values *values, cpb_range left, size_t most, cpb_span *bytes);

/* --- texts ------------------------------------------------------------------------------------ */

/* The strings of a tensor, for values.c. */

/* Whether strings with this total size may be padded to the longest: whether padding takes little extra memory. */
bool cpb_tensor_pads_texts(uint64_t count, uint64_t longest, uint64_t bytes);

/* Counts and measures the strings, and sets `size` and whether they are padded to a fixed width. Reads only the length
 * and the last byte of each. */
cpb_have cpb_tensor_measure_texts(cpb_tensor_values *values);
/* Then returns their next bytes. */
cpb_have cpb_tensor_next_text(cpb_tensor_values *values, cpb_span *data);

#endif
