/* cpb/outline.h: a message without its large values.
 *
 * The outline of a message is a message of the same type in which every string,
 * bytes or packed field longer than `max_value` is empty. Only the rest of the
 * input is read. So the contents of a model of gigabytes can be shown after
 * reading a thousandth of it, and each large value can be fetched later: the
 * outline has its range.
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

  /* The most bytes for the outline and the list of omitted values; more is
   * CPB_E_LIMIT. Default 64 MiB. */
  uint64_t max_size;

  /* `depth`, `walked` and `held` count. */
  const cpb_limits *limits;

  /* need.ahead is at least this (but never reaches past the range), also after a
   * skipped value. Default 256. */
  uint64_t read_ahead;

  /* Non-zero: strings, bytes and packed fields of any length that `type` knows are
   * kept. With a type that only has the fields of interest, all others are left
   * out. */
  int keep_known;

  /* Non-zero: after CPB_E_DAMAGED, CPB_E_TRUNCATED or CPB_E_LIMIT, the outline has
   * the fields before that place. */
  int keep_damaged;

  /* Non-zero: allows cpb_outline_locate(). Takes 24 bytes for each kept value and
   * each entered message. */
  int locate;
} cpb_outline_options;

/* The outline keeps:
 * - numbers that are not packed, map keys, and every value of at most `max_value`
 *   bytes;
 * - from a longer submessage, if `type` knows it, and from any group, the fields that
 *   these rules keep.
 * All other values are left out: longer strings, bytes and packed fields, longer
 * values that the type does not know, and submessages nested deeper than
 * limits.depth. With `type` NULL all fields are unknown.
 *
 * The message is the concatenation of `ranges` of the input (copied), each of whole
 * fields. With `num_ranges` 0 it is the whole input, whose size must then be known
 * (CPB_NEED_SIZE). `type` must outlive the outline. Returns NULL when memory is
 * short. */
CPB_API cpb_outline *cpb_outline_new(const cpb_allocator *allocator, const cpb_message_type *type,
                                     const cpb_range *ranges, size_t num_ranges, const cpb_outline_options *options);
CPB_API void cpb_outline_free(cpb_outline *outline);

/* With keep_damaged, before the first step: ranges that the host reports as lost (cpb_input_lose)
 * are left out, at most 100 times, and the bytes after them are also read; the error comes at the
 * end. Some types lose further fields: see cpb_divisible. */
CPB_API void cpb_outline_keep_lost(cpb_outline *outline);

/* CPB_STEP_NEED; CPB_STEP_DONE; CPB_STEP_ERROR. While small fields follow each
 * other, need.ahead grows; after a skipped value it is small again. */
CPB_API cpb_input *cpb_outline_input(cpb_outline *outline);
CPB_API cpb_step cpb_outline_step(cpb_outline *outline);
CPB_API const cpb_error *cpb_outline_error(const cpb_outline *outline);

/* The following functions are valid after CPB_STEP_DONE, until cpb_outline_free(). */

/* The outline, serialized: the fields in the order of the message, tags and lengths as
 * short as can be. */
CPB_API const uint8_t *cpb_outline_message(const cpb_outline *outline, size_t *size);

/* The omitted values, in the order of `at` (which is not always that of `offset`,
 * as ranges may come in any order). NULL if no value was omitted. */
CPB_API const cpb_omitted *cpb_outline_omitted(const cpb_outline *outline, size_t *count);

/* With options.locate: the range in the input of the value that the outline has in
 * its bytes [at, at + size): a string, bytes, packed field or submessage that was
 * kept. */
CPB_API cpb_range cpb_outline_locate(const cpb_outline *outline, size_t at, size_t size);

/* The number of needed bytes that the host has reported as lost. With
 * keep_damaged, this and all of the above are also valid after CPB_STEP_ERROR. */
CPB_API uint64_t cpb_outline_lost(const cpb_outline *outline);

/* The number of the field that holds the first lost bytes: a field of the whole
 * message (`level` 0), and a field of the message in that field (1). 0: the bytes
 * belong to the message itself. */
CPB_API uint32_t cpb_outline_lost_in(const cpb_outline *outline, size_t level);

#ifdef __cplusplus
}
#endif
#endif
