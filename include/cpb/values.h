/* cpb/values.h: the values of one array of a model, streamed.
 *
 *     cpb_values *values = cpb_values_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, "w1", 2, NULL);
 *     while ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA)
 *       if (step == CPB_STEP_NEED) answer cpb_values_input(values);
 *       else write cpb_values_data(values, &size);
 *
 * Of the input only what leads to the array is read, and the array itself, once and
 * from front to back. Checksums are checked; a mismatch is an error at the end. A SameDiff
 * array whose dimensions were permuted is held in memory, to come in row-major order.
 *
 * The values of a SavedModel's variables are in the data files of a checkpoint, which are the
 * input where `checkpoint` is given.
 *
 * In a SavedModel or a graph an array is a tensor among a node's attributes, mostly the
 * value of a Const. TensorFlow stores values as they lie in memory, or one by one, and
 * then what is missing is the last one again: so a few bytes may stand for a large array,
 * and a shape may claim any size. cpb_values_info says it before the first value comes. */
#ifndef CPB_VALUES_H
#define CPB_VALUES_H

#include "cpb/checkpoint.h"
#include "cpb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_values cpb_values;

/* Zero means the default. */
typedef struct cpb_values_options {
  size_t struct_size; /* sizeof(cpb_values_options) */
  const char *scope;  /* SameDiff zip: the tag, NULL for the newest. SavedModel,
                         GraphDef: the function that has the node, NULL for the
                         graph itself. Copied */
  size_t scope_size;
  uint32_t state;                   /* SameDiff: not the parameter's value but the n-th state,
                                       from 1, that its updater has for it */
  uint64_t max_memory;              /* bytes for what is read on the way; default 256 MiB
                                       (64 MiB where size_t has 32 bits) */
  const cpb_limits *limits;         /* `depth` counts; copied */
  uint32_t meta_graph;              /* of a SavedModel: which, from 0 */
  int exact_texts;                  /* non-zero: TensorFlow's texts always come with their lengths
                                       (see cpb_values_data) */
  uint64_t tensor_offset;           /* SavedModel, GraphDef: where the tensor lies, as answers */
  uint64_t tensor_size;             /* (cpb/model.h) have it in "tensor"; not 0: then it is not
                                       looked for, and `name` does not matter */
  const cpb_checkpoint *checkpoint; /* not NULL: the array is what is stored in it under
                                       the key `name`, and the input is the data file that
                                       cpb_checkpoint_find() says, of whatever kind the model is.
                                       Must stay as long as the values */
} cpb_values_options;

/* What the array is. */
typedef struct cpb_values_info {
  size_t struct_size; /* sizeof(cpb_values_info), as the library has it */
  const char *dtype;  /* the model's own name, such as "FLOAT" or "float32" */
  const char *numpy;  /* NumPy's for the values as they come, such as "<f4";
                         "|V2" for bfloat16, "|V1" for floats of 8 and 4 bits;
                         "|S12" for texts of at most 12 bytes; NULL when it has
                         none */
  uint32_t item_size; /* bytes of an element; 0 when it is not fixed */
  uint32_t rank;
  const uint64_t *shape; /* `rank` numbers */
  int fortran_order;     /* the first dimension varies fastest */
  uint64_t count;        /* of elements */
  uint64_t size;         /* bytes that will come */
} cpb_values_info;

/* The array `name` (UTF-8; copied): a SameDiff variable or parameter; of a SavedModel or a
 * GraphDef the node, or NODE:ATTRIBUTE for an attribute other than "value". Other kinds
 * of models are CPB_E_UNSUPPORTED. `options` may be NULL. NULL when memory is short. */
CPB_API cpb_values *cpb_values_new(const cpb_allocator *allocator, cpb_model_kind kind, const char *name,
                                   size_t name_size, const cpb_values_options *options);
CPB_API void cpb_values_free(cpb_values *values);

/* CPB_STEP_NEED, CPB_STEP_DATA, CPB_STEP_DONE, CPB_STEP_ERROR. Ask for the input again
 * after each CPB_STEP_NEED. */
CPB_API cpb_input *cpb_values_input(cpb_values *values);
CPB_API cpb_step cpb_values_step(cpb_values *values);
CPB_API const cpb_error *cpb_values_error(const cpb_values *values);

/* From the first CPB_STEP_DATA or CPB_STEP_DONE on; NULL before. */
CPB_API const cpb_values_info *cpb_values_get_info(const cpb_values *values);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. Numbers are
 * little-endian whatever the file has, booleans a byte of 0 or 1, integers of four and two
 * bits a byte each. TensorFlow's texts come filled up with NUL to the longest (numpy "|S..."),
 * or, when one ends in NUL or they would take far more room so, each after its length in
 * 8 bytes (item_size 0). SameDiff's come as the file has them (item_size 0 as well),
 * and so do texts in a checkpoint, each after its length in 8 bytes. */
CPB_API const uint8_t *cpb_values_data(const cpb_values *values, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
