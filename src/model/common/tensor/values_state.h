/* The values of a tensor while they are streamed. */
#ifndef CPB_MODEL_COMMON_TENSOR_VALUES_STATE_H
#define CPB_MODEL_COMMON_TENSOR_VALUES_STATE_H

#include "base/alloc.h"
#include "base/input.h"
#include "cpb/values.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/format.h"
#include "model/foreign/instead.h"
#include "proto/wire.h"

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

#endif
