/* cpb/onnx.h: moves the values of an ONNX model's tensors.
 *
 * The values are in the model, in raw_data, or in files next to it that external_data names, as a
 * message of more than 2 GiB cannot be parsed. A cpb_onnx_rewrite plans the same model with all
 * values inside, or with the large ones in one other file:
 *
 *     cpb_onnx_rewrite_options how = {.struct_size = sizeof how, .location = "model.onnx.data"};
 *     cpb_onnx_rewrite *rewrite = cpb_onnx_rewrite_new(NULL, &how);
 *     while ((step = cpb_onnx_rewrite_step(rewrite)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_onnx_rewrite_input(rewrite));
 *     for (i = 0; i < cpb_onnx_rewrite_num_pieces(rewrite, CPB_ONNX_MODEL); i++)
 *       ...copy the range or the bytes of cpb_onnx_rewrite_piece(rewrite, CPB_ONNX_MODEL, i)...
 *
 * Only the structure of the input is read. Everything else stays the same, byte for byte.
 * cpb_onnx_rewrite_open() (cpb/open.h) returns the result as a file to read, copy or split.
 *
 * The format: https://github.com/onnx/onnx/blob/main/docs/ExternalData.md */
#ifndef CPB_ONNX_H
#define CPB_ONNX_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_onnx_rewrite cpb_onnx_rewrite;

#define CPB_ONNX_THRESHOLD 1024 /* bytes */

typedef struct cpb_onnx_rewrite_options {
  /* sizeof(cpb_onnx_rewrite_options) */
  size_t struct_size;

  /* The name of the file for values, relative to the model's folder: external_data.location. NULL: all
   * values go into the model. Must outlive the rewrite. */
  const char *location;

  /* With a location: values of at least this many bytes go there, and smaller ones into the model.
   * Values in other fields than raw_data, such as float_data, are not moved. Tensors that name the
   * same range of the same file also share one range in the new file. Default CPB_ONNX_THRESHOLD. */
  uint64_t threshold;

  /* The most bytes for the model's structure. Default 256 MiB; 64 MiB if size_t has 32 bits. */
  uint64_t max_memory;

  /* `depth`, `held` and `walked` count; copied. */
  const cpb_limits *limits;
} cpb_onnx_rewrite_options;

/* Returns NULL when memory is short. */
CPB_API cpb_onnx_rewrite *cpb_onnx_rewrite_new(const cpb_allocator *allocator, const cpb_onnx_rewrite_options *options);
CPB_API void cpb_onnx_rewrite_free(cpb_onnx_rewrite *rewrite);

/* Makes the plan: CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. CPB_E_DAMAGED: the model is
 * damaged, or a tensor's external_data is not a valid place, or its length does not match shape and
 * type. */
CPB_API cpb_input *cpb_onnx_rewrite_input(cpb_onnx_rewrite *rewrite);
CPB_API cpb_step cpb_onnx_rewrite_step(cpb_onnx_rewrite *rewrite);
CPB_API const cpb_error *cpb_onnx_rewrite_error(const cpb_onnx_rewrite *rewrite);

/* --- The plan --------------------------------------------------------------- */

typedef enum cpb_onnx_file {
  CPB_ONNX_MODEL, /* the model */
  CPB_ONNX_VALUES /* the file for values; empty without a location, or if all values are smaller */
} cpb_onnx_file;

/* Both files are concatenations of pieces. */
typedef struct cpb_onnx_piece {
  const uint8_t *bytes; /* NULL: a range of a file */
  uint64_t offset;      /* of the range */
  uint64_t length;      /* in bytes */
  cpb_other_file other; /* the file of the range, as external_data names it; its name is NULL for the input */
} cpb_onnx_piece;

/* Valid until cpb_onnx_rewrite_free(), after CPB_STEP_DONE. */
CPB_API uint64_t cpb_onnx_rewrite_size(const cpb_onnx_rewrite *rewrite, cpb_onnx_file file); /* in bytes */
CPB_API size_t cpb_onnx_rewrite_num_pieces(const cpb_onnx_rewrite *rewrite, cpb_onnx_file file);
CPB_API cpb_onnx_piece cpb_onnx_rewrite_piece(const cpb_onnx_rewrite *rewrite, cpb_onnx_file file, size_t i);

#ifdef __cplusplus
}
#endif
#endif
