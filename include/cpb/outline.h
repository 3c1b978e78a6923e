/* cpb/outline.h: a message without its large values.
 *
 * The outline of a message is a message of the same type in which every string,
 * bytes or packed field longer than `max_value` is empty. Of the input, only the
 * rest is read. So what is in a model of gigabytes can be shown after reading a
 * thousandth of it, and each large value can be fetched later: the outline says
 * where it is.
 *
 *     cpb_outline_options how = {.struct_size = sizeof how, .max_value = 100};
 *     cpb_outline *outline = cpb_outline_new(NULL, type, NULL, 0, &how);
 *     while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_outline_input(outline));
 *     message = cpb_outline_message(outline, &size);
 *     omitted = cpb_outline_omitted(outline, &num_omitted);
 *
 * cpb_json (cpb/message.h) writes an outline with {"@omitted": {"offset", "size"}}
 * for each value that is left out. The input may be a file, or the merged message of
 * a .cpb file, as for cpb_find (cpb/find.h); the ranges that a cpb_find returns can
 * be outlined instead of the whole message. */
#ifndef CPB_OUTLINE_H
#define CPB_OUTLINE_H

#include "cpb/base.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_outline cpb_outline;

typedef struct cpb_outline_options {
  /* sizeof(cpb_outline_options) */
  size_t struct_size;

  /* Longer values are left out. In bytes; default 1024. */
  uint64_t max_value;

  /* Bytes that the outline and the list of what was left out may take before
   * CPB_E_LIMIT. Default 64 MiB. */
  uint64_t max_size;

  /* `depth`, `walked` and `held` count. */
  const cpb_limits *limits;

  /* need.ahead is at least this (but never reaches past the range), also after a
   * value was passed over. Default 256. */
  uint64_t read_ahead;

  /* Non-zero: strings, bytes and packed fields that `type` knows are kept, however
   * long. With a type that has only the fields of interest, all others are left
   * out. */
  int keep_known;

  /* Non-zero: after CPB_E_DAMAGED, CPB_E_TRUNCATED or CPB_E_LIMIT there is an outline
   * of what stands before that. */
  int keep_damaged;

  /* Non-zero: for cpb_outline_locate(). Takes 24 bytes for each value that is kept
   * and each message that is entered. */
  int locate;
} cpb_outline_options;

/* What is kept:
 * - numbers that are not packed, map keys, and every value of at most `max_value`
 *   bytes;
 * - of a longer submessage, if `type` knows it, and of any group: what these rules
 *   keep of its fields.
 * All other values are left out: longer strings, bytes and packed fields, longer
 * values that the type does not know, and submessages nested deeper than
 * limits.depth. With `type` NULL nothing is known.
 *
 * The message is the concatenation of `ranges` of the input (copied), each of whole
 * fields. With `num_ranges` 0 it is the whole input, whose size must then be known
 * (CPB_NEED_SIZE). `type` must outlive the outline. Returns NULL when memory is
 * short. */
CPB_API cpb_outline *cpb_outline_new(const cpb_allocator *allocator, const cpb_message_type *type,
                                     const cpb_range *ranges, size_t num_ranges, const cpb_outline_options *options);
CPB_API void cpb_outline_free(cpb_outline *outline);

/* With keep_damaged, before the first step: what the host says to be lost (cpb_input_lose)
 * is left out, at most 100 times, and what is behind it is read as well; the error comes at
 * the end. What else is left out with it depends on the types: see cpb_divisible. */
CPB_API void cpb_outline_keep_lost(cpb_outline *outline);

/* CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. While small fields follow each other,
 * need.ahead grows; after a value that was passed over it is small again. */
CPB_API cpb_input *cpb_outline_input(cpb_outline *outline);
CPB_API cpb_step cpb_outline_step(cpb_outline *outline);
CPB_API const cpb_error *cpb_outline_error(const cpb_outline *outline);

/* What follows is valid after CPB_STEP_DONE, until cpb_outline_free(). */

/* The outline, serialized: the fields in the order of the message, tags and lengths as
 * short as can be. */
CPB_API const uint8_t *cpb_outline_message(const cpb_outline *outline, size_t *size);

/* What was left out, in the order of `at` (which is not always that of `offset`, as
 * ranges may come in any order). NULL when there is none. */
CPB_API const cpb_omitted *cpb_outline_omitted(const cpb_outline *outline, size_t *count);

/* With options.locate: where in the input the value lies that the outline has in its
 * bytes [at, at + size): a string, bytes, packed field or submessage that was
 * kept. */
CPB_API cpb_range cpb_outline_locate(const cpb_outline *outline, size_t at, size_t size);

/* How many bytes the host has said to be lost, of those that were needed. Valid after
 * CPB_STEP_ERROR with keep_damaged, too, as is all of the above. */
CPB_API uint64_t cpb_outline_lost(const cpb_outline *outline);

/* Which field the first of them are in: of the whole message (`level` 0), and of the
 * message that this is (1). 0: of none, but of the message itself. */
CPB_API uint32_t cpb_outline_lost_in(const cpb_outline *outline, size_t level);

#ifdef __cplusplus
}
#endif
#endif
