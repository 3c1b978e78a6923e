/* cpb/diff.h: what differs between two models.
 *
 * A cpb_diff asks both models the questions of cpb/model.h and compares their answers, and where
 * these are the same the values of constants and parameters. So it works for every kind of
 * model, and a model is equal to itself in another form: as a .cpb file, or with its values
 * stored another way.
 *
 *     cpb_diff *diff = cpb_diff_new(NULL, a, b, NULL);
 *     while ((step = cpb_diff_step(diff)) == CPB_STEP_NEED)
 *       lend cpb_diff_input(diff) the message of cpb_diff_side(diff) == 0 ? a : b;
 *     if (step == CPB_STEP_DONE) json = cpb_diff_result(diff, &size);
 *
 * The result is a JSON object in UTF-8; docs/inspecting.md says what is in it. Memory is that
 * of the longest list that is compared, of both models, beside what the models keep. */
#ifndef CPB_DIFF_H
#define CPB_DIFF_H

#include "cpb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_diff cpb_diff;

typedef struct cpb_diff_options {
  /* sizeof(cpb_diff_options) */
  size_t struct_size;

  /* How many differences of a section are listed; all are counted. Default 100. */
  uint64_t max_differences;

  /* Non-zero: the values of constants and parameters, and the checksums of variables, are not
   * compared. */
  int skip_values;
} cpb_diff_options;

/* Two models, which must not be the same object; they must stay, and be asked nothing else, until
 * the diff is freed. What was set for them (cpb_model_set_keras_metadata,
 * cpb_model_set_checkpoint) is compared, too, checkpoints if both have one. Texts that are longer
 * than a model's max_value compare by their lengths: 16 KiB is a good choice. NULL when memory is
 * short; `options` may be NULL. */
CPB_API cpb_diff *cpb_diff_new(const cpb_allocator *allocator, cpb_model *a, cpb_model *b,
                               const cpb_diff_options *options);
CPB_API void cpb_diff_free(cpb_diff *diff);

/* CPB_STEP_NEED, then CPB_STEP_DONE or CPB_STEP_ERROR. */
CPB_API cpb_step cpb_diff_step(cpb_diff *diff);

/* After CPB_STEP_NEED: which model's message is wanted, 0 for a or 1 for b, and the input that
 * waits for it. What is lent of one message must stay until the diff needs that one again (not
 * only until it needs the other one), or ends. After CPB_STEP_ERROR: which model the error is
 * about, -1 for neither. */
CPB_API int cpb_diff_side(const cpb_diff *diff);
CPB_API cpb_input *cpb_diff_input(cpb_diff *diff);
CPB_API const cpb_error *cpb_diff_error(const cpb_diff *diff);

/* After CPB_STEP_DONE: the result, without a terminating NUL, until the diff is freed; and whether
 * the models are equal as far as they were compared. */
CPB_API const char *cpb_diff_result(const cpb_diff *diff, size_t *size);
CPB_API int cpb_diff_equal(const cpb_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
