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

#define CPB_TENSOR_RANK_MAX 254 /* TensorFlow's own */
#define CPB_TENSOR_OUT ((size_t)32 << 10)

/* A type of elements, as one of these messages has it. */
typedef struct cpb_tensor_type {
  char name[CPB_DTYPE_NAME];
  const cpb_tensor_format *format; /* NULL: its values are not read */
  uint32_t field;                  /* with the values, if they are not in `content` */
  cpb_wire_type wire;              /* of an element there */
  uint8_t packed;                  /* bits of an element in `content` where these share bytes; 0: none do */
  uint8_t packed_typed;            /* the same where each number of the field is such a byte */
  bool high_first;                 /* of those, the first has the highest bits of the byte; else the lowest */
} cpb_tensor_type;

/* How a kind of tensor message has its parts. */
typedef struct cpb_tensor_layout {
  uint32_t dtype, shape, content, strings; /* numbers of its fields */
  const char *shape_name, *content_name, *strings_name;
  /* The field has the sizes themselves (repeated int64) rather than a TensorShapeProto. */
  bool has_dims;
  /* A last value stands for those that are left out, as in TensorFlow; else all must be there. */
  bool repeats_last;
  /* Where it has fields for values in another file: its number and those of the entries; 0: none. */
  uint32_t location, external;
  /* What it says of a dtype; false if there is no such. */
  bool (*describe)(uint64_t dtype, cpb_tensor_type *type);
} cpb_tensor_layout;

/* Fields of a message, from `base` of the input on. */
typedef struct cpb_tensor_scan {
  cpb_wire_scanner scanner;
  uint64_t base;
  cpb_span window;   /* lent bytes from scanner.pos on */
  size_t piece;      /* how many were asked for last */
  uint64_t expected; /* where fields go on if nothing is passed over */
} cpb_tensor_scan;

/* Texts are looked at before they are given out: how long is the longest? */
typedef struct cpb_tensor_texts {
  cpb_range last; /* of the input */
  uint64_t count, bytes, longest;
  bool at_nul;        /* the last byte of `last` is to be looked at */
  bool nul_at_end;    /* of some text: a fixed width would lose it */
  bool fixed;         /* each comes in as many bytes as the longest */
  unsigned stage;     /* of the text that is given out */
  uint64_t at, given; /* of it; how many were given */
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
  uint64_t location;                                           /* not 0: `content` is in another file, */
  cpb_buffer path;                                             /* which is called this */
  bool has_length;                                             /* that is said of it */
  uint64_t begins[CPB_TENSOR_FIELDS], ends[CPB_TENSOR_FIELDS]; /* of the typed fields */
  cpb_buffer message; /* the shape, or what of a list is needed in one piece, */
  cpb_range gathered; /* from here */
  cpb_tensor_type type;
  const cpb_tensor_format *format; /* that of `type` */
  uint64_t shape[CPB_TENSOR_RANK_MAX], count, size;
  uint64_t stored; /* bytes of `content` by shape and type: less than `size` where elements share bytes */
  uint32_t rank;
  bool listing; /* the fields of a list are gone through: dims, or entries about another file */
  char numpy[24];
  uint64_t at, end; /* of the piece of values that is read now */
  uint64_t given;   /* bytes of values */
  uint8_t last[16]; /* the last bytes that were given */
  uint64_t number;  /* a varint of which more is to come, and its bits */
  unsigned shift;
  uint32_t bits; /* of elements that share bytes: those that are left, and how many */
  unsigned num_bits;
  cpb_tensor_texts texts;
  uint8_t *out; /* CPB_TENSOR_OUT bytes */
} cpb_tensor_values;

#endif
