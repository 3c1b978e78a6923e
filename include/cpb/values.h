/* cpb/values.h: the values of one array of a model, streamed.
 *
 * An array is a SameDiff variable or parameter, a tensor among a node's attributes
 * in a SavedModel or frozen graph (mostly the value of a Const), or a tensor in a
 * checkpoint. Only the way to the array is read, and then the array itself, once,
 * from front to back. Its checksum is checked; a mismatch is an error at the end.
 * Only a SameDiff array with permuted dimensions is held in memory, to be returned
 * in row-major order.
 *
 *     cpb_values *values = cpb_values_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, "w1", 2, NULL);
 *     while ((step = cpb_values_step(values)) != CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_values_input(values));
 *       else if (step == CPB_STEP_DATA) ...cpb_values_data(values, &size)...
 *       else return cpb_values_error(values);
 *
 * A few bytes may stand for a large array: TensorFlow repeats the last value that it
 * has stored, and a shape can claim any size. cpb_values_get_info() gives the size
 * before the first value comes. */
#ifndef CPB_VALUES_H
#define CPB_VALUES_H

#include "cpb/checkpoint.h"
#include "cpb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_values cpb_values;

typedef struct cpb_values_options {
  /* sizeof(cpb_values_options) */
  size_t struct_size;

  /* SameDiff zip: the tag; NULL: the newest. Others: the function or subgraph that has the
   * node or tensor; NULL: the graph, or else the only one that has it. Copied. */
  const char *scope;
  size_t scope_size;

  /* SameDiff: not 0: the parameter's updater state with this number, from 1, instead of its value. */
  uint32_t state;

  /* The most bytes for data on the way to the array. Default 256 MiB; 64 MiB if size_t has 32 bits. */
  uint64_t max_memory;

  /* `depth`, `held`, and for a zip `walked`, `entries` and `decoded` count;
   * copied. */
  const cpb_limits *limits;

  /* SavedModel: the number of the meta graph, from 0. */
  uint32_t meta_graph;

  /* Non-zero: TensorFlow's strings always come with their lengths: see
   * cpb_values_data(). */
  int exact_texts;

  /* SavedModel, GraphDef: the range of the tensor, from "tensor" in an answer (cpb/model.h). If the
   * size is not 0, the tensor is read without a search, and `name` is ignored. */
  uint64_t tensor_offset;
  uint64_t tensor_size;

  /* Not NULL: the array is the one that this checkpoint has stored under the key `name`, with
   * slices joined, and the input is the shard that cpb_values_shard() returns; the kind of model
   * does not matter. Must outlive the cpb_values. */
  const cpb_checkpoint *checkpoint;
} cpb_values_options;

/* The type, shape and size of the array. */
typedef struct cpb_values_info {
  /* sizeof(cpb_values_info) in the library: later members exist if they lie within. */
  size_t struct_size;

  /* The type's name in the model, such as "FLOAT" or "float32". */
  const char *dtype;

  /* NumPy's type string for the values as they are returned, such as "<f4"; "|V2" for bfloat16,
   * "|V1" for floats of 8 and 4 bits, "|S12" for strings of at most 12 bytes; NULL when NumPy has
   * no such type. */
  const char *numpy;

  /* Bytes of an element; 0 when their sizes differ. */
  uint32_t item_size;

  /* `rank` numbers. */
  uint32_t rank;
  const uint64_t *shape;

  /* Non-zero: column-major, the first dimension varies fastest. */
  int fortran_order;

  uint64_t count; /* elements */
  uint64_t size;  /* bytes in all */
} cpb_values_info;

/* The array `name` (UTF-8; copied): a SameDiff variable or parameter; in a SavedModel or GraphDef
 * the node, or NODE:ATTRIBUTE for another attribute than "value". Other kinds of models are
 * CPB_E_UNSUPPORTED at the first step. Returns NULL when memory is short. */
CPB_API cpb_values *cpb_values_new(const cpb_allocator *allocator, cpb_model_kind kind, const char *name,
                                   size_t name_size, const cpb_values_options *options);
CPB_API void cpb_values_free(cpb_values *values);

/* CPB_STEP_NEED; CPB_STEP_DATA until all values were given; CPB_STEP_DONE;
 * CPB_STEP_ERROR. */
CPB_API cpb_input *cpb_values_input(cpb_values *values);
CPB_API cpb_step cpb_values_step(cpb_values *values);
CPB_API const cpb_error *cpb_values_error(const cpb_values *values);

/* After CPB_STEP_NEED: the number of the checkpoint's shard that the input stands for, or -1
 * without a checkpoint. For a partitioned variable it changes between needs. */
CPB_API int64_t cpb_values_shard(const cpb_values *values);

/* From the first CPB_STEP_DATA or CPB_STEP_DONE on; NULL before. */
CPB_API const cpb_values_info *cpb_values_get_info(const cpb_values *values);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. In every kind of model, numbers
 * are little-endian, a boolean is a byte of 0 or 1, an integer of 4 or 2 bits a byte.
 *
 * TensorFlow's strings are padded with NUL to the longest ("|S12"). If one ends in NUL
 * itself, or padding would take far more room, and always with `exact_texts`, each comes
 * after its length in 8 bytes instead, and item_size is 0.
 * SameDiff's strings come as the file has them, with item_size 0. */
CPB_API const uint8_t *cpb_values_data(const cpb_values *values, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
