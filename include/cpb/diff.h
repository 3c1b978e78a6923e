/* cpb/diff.h: the differences between two models, as an engine.
 *
 * A cpb_diff asks both models the questions of cpb/model.h and compares the answers. If a constant
 * or parameter has the same description in both, it also compares the values, through cpb/values.h.
 * So it works for every kind of model, and does not depend on how a model is stored: a .pb and the
 * .cpb that was split from it are equal, and so are two constants with the same values in different
 * encodings.
 *
 *     cpb_diff *diff = cpb_diff_new(NULL, a, b, NULL);
 *     while ((step = cpb_diff_step(diff)) == CPB_STEP_NEED)
 *       cpb_file_supply(cpb_diff_side(diff) == 0 ? file_a : file_b, cpb_diff_input(diff));
 *     if (step == CPB_STEP_DONE) json = cpb_diff_result(diff, &size);
 *
 * For models that cpb_model_file_open() has opened (cpb/open.h), call cpb_model_file_supply()
 * instead of cpb_file_supply().
 *
 * The result is a JSON object in UTF-8; docs/inspecting.md, "What differs between two models",
 * describes it. In addition to the memory of the models, the diff holds the result, and both
 * models' versions of the longest compared list, such as the nodes of a graph. Values are compared
 * as they stream and are not kept. */
#ifndef CPB_DIFF_H
#define CPB_DIFF_H

#include "cpb/checkpoint.h"
#include "cpb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_diff cpb_diff;

typedef struct cpb_diff_options {
  /* sizeof(cpb_diff_options) */
  size_t struct_size;

  /* How many differences the result lists in each section, such as "nodes" or "constants". All
   * are counted, listed or not. Default 100. */
  uint64_t max_differences;

  /* Non-zero: neither the values of constants and parameters nor the checksums of variables are
   * compared, and no values are read. */
  int skip_values;

  /* Limits for the whole comparison: `decoded`, `walked` and `entries` include the models' work for
   * all of its questions; `held` does not include the models' memory; `answer` is for the result.
   * Amounts for each byte of input count for both models together. NULL: defaults. Copied. */
  const cpb_limits *limits;

  /* The checkpoints that were set for `a` and `b` (cpb_model_set_checkpoint), if the host supplies
   * the shards that cpb_diff_shard() returns: the values of variables are then read if the
   * checksums differ. NULL: only checksums are compared. Must outlive the diff. */
  const cpb_checkpoint *checkpoints[2];

  /* Non-zero: both models are the same file in the same state, and so are the files next to it.
   * Values are then not compared; in other files, only their begin is read, to see whether they
   * exist. */
  int same_file;
} cpb_diff_options;

/* Compares models `a` and `b`, which must be different objects. They must outlive the diff, and
 * must not be asked other questions until it is freed. Keras metadata and checkpoints that were set
 * for them (cpb_model_set_keras_metadata, cpb_model_set_checkpoint) are also compared, checkpoints
 * only if both models have one. Strings longer than a model's max_value (cpb_model_options) are
 * compared by their lengths alone; 16 KiB is a good value. `options` may be NULL. Returns NULL when
 * memory is short. */
CPB_API cpb_diff *cpb_diff_new(const cpb_allocator *allocator, cpb_model *a, cpb_model *b,
                               const cpb_diff_options *options);
CPB_API void cpb_diff_free(cpb_diff *diff);

/* CPB_STEP_NEED, then CPB_STEP_DONE or CPB_STEP_ERROR: an error of either model,
 * CPB_E_MEMORY, or CPB_E_LIMIT. Differences are not an error. */
CPB_API cpb_step cpb_diff_step(cpb_diff *diff);

/* After CPB_STEP_NEED: the model whose message is needed, 0 for `a` or 1 for `b`, and the input to
 * supply with it; ask for both again after each CPB_STEP_NEED. Unlike with other engines, lent
 * bytes must stay valid while the other model's are supplied: until the next CPB_STEP_NEED for the
 * same side, CPB_STEP_DONE or CPB_STEP_ERROR. After CPB_STEP_ERROR: the model that the error is
 * about, or -1 for neither. The error's offset is in that model's message. */
CPB_API int cpb_diff_side(const cpb_diff *diff);
CPB_API cpb_input *cpb_diff_input(cpb_diff *diff);
CPB_API const cpb_error *cpb_diff_error(const cpb_diff *diff);

/* After CPB_STEP_NEED: the shard of that model's checkpoint to read from, or -1 for its message.
 * Always -1 without checkpoints in the options. If the shard does not exist, call cpb_input_fail():
 * its values then count as unreadable. cpb_model_file_supply() (cpb/open.h) does all of this. */
CPB_API int64_t cpb_diff_shard(const cpb_diff *diff);

/* After CPB_STEP_DONE: the result, `*size` bytes without a terminating NUL, valid until the diff is
 * freed; before, NULL and 0. cpb_diff_equal() is non-zero when all compared items are equal; with
 * `skip_values` values may still differ. */
CPB_API const char *cpb_diff_result(const cpb_diff *diff, size_t *size);
CPB_API int cpb_diff_equal(const cpb_diff *diff);

/* After CPB_STEP_DONE: why not everything was compared, a sum of 1 and 2 for damage in `a` and `b`, and
 * 4 for content that is too long to be read, such as the trees of a Core ML model, if no difference
 * was found; 0 if everything was. Models that were not wholly compared do not count as equal, even if
 * the rest does not differ. */
CPB_API int cpb_diff_incomplete(const cpb_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
