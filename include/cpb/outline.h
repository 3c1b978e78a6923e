/* cpb/outline.h: a message read without its large values.
 *
 * The outline of a message is a message of the same type in which every string,
 * bytes or packed field that is longer than `max_value` is there, but empty; of
 * the input only the rest is read. So what a model of gigabytes is made of can be
 * shown after reading a thousandth of it, and each large value can be fetched
 * later from where the outline says it lies. cpb_json (cpb/message.h) writes an
 * outline with {"@omitted": {"offset", "size"}} where something was left out.
 *
 * The input may be a file or the virtual message of a .cpb file, as for cpb_find
 * (cpb/find.h), whose ranges are what an outline of a part is made from. */
#ifndef CPB_OUTLINE_H
#define CPB_OUTLINE_H

#include "cpb/base.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_outline cpb_outline;

/* Zero means the default. */
typedef struct cpb_outline_options {
  size_t struct_size;       /* sizeof(cpb_outline_options) */
  uint64_t max_value;       /* longer values are omitted; in bytes, default 1024 */
  uint64_t max_size;        /* bytes that the outline and its list may take before
                               CPB_E_LIMIT; default 64 MiB */
  const cpb_limits *limits; /* `depth` counts */
  uint64_t read_ahead;      /* need.ahead is at least this also after a jump (but never
                               past the range); default 256 */
  int keep_known;           /* non-zero: strings, bytes and packed fields that `type`
                               knows are kept, however long. With a type that has only
                               what is looked for, the rest is omitted */
  int keep_damaged;         /* non-zero: after CPB_E_DAMAGED, CPB_E_TRUNCATED or CPB_E_LIMIT
                               there is an outline too: of what stands before that */
  int locate;               /* non-zero: cpb_outline_locate is wanted, at 24 bytes for
                               each value that is kept and message that is entered */
} cpb_outline_options;

/* What is kept and what is omitted:
 * - numbers that are not packed, map keys, and every value of at most `max_value`
 *   bytes are kept;
 * - of a longer submessage that `type` knows, the fields are looked at, one by
 *   one; so are those of any group;
 * - other longer values are omitted: strings, bytes, packed fields, what the type
 *   does not know, and submessages nested deeper than limits.depth.
 * With `type` NULL nothing is known: every longer value is omitted.
 *
 * The message is the concatenation of `ranges` of the input (copied), in which
 * the fields must end where a range does; with `num_ranges` 0 it is the whole
 * input, whose size must then be known (CPB_NEED_SIZE). `type` must outlive the
 * outline; `options` may be NULL. NULL when memory is short. */
CPB_API cpb_outline *cpb_outline_new(const cpb_allocator *allocator, const cpb_message_type *type,
                                     const cpb_range *ranges, size_t num_ranges, const cpb_outline_options *options);
CPB_API void cpb_outline_free(cpb_outline *outline);

/* CPB_STEP_NEED, CPB_STEP_DONE, CPB_STEP_ERROR. Where small fields follow each
 * other, need.ahead grows; after a value that was passed over it is small. */
CPB_API cpb_input *cpb_outline_input(cpb_outline *outline);
CPB_API cpb_step cpb_outline_step(cpb_outline *outline);
CPB_API const cpb_error *cpb_outline_error(const cpb_outline *outline);

/* After CPB_STEP_DONE. The message's fields in their order, tags and lengths as
 * short as they can be; it lives as long as the outline. */
CPB_API const uint8_t *cpb_outline_message(const cpb_outline *outline, size_t *size);

/* What was omitted, in the order of `at` (which is not always that of `offset`:
 * the ranges come in the order in which they were given). The list lives as long
 * as the outline; NULL when it is empty. */
CPB_API const cpb_omitted *cpb_outline_omitted(const cpb_outline *outline, size_t *count);

/* With options.locate: where in the input the value lies that begins at byte `at`
 * of the outline and has `size` bytes there; a string, bytes, packed field or
 * submessage that was not omitted. */
CPB_API cpb_range cpb_outline_locate(const cpb_outline *outline, size_t at, size_t size);

#ifdef __cplusplus
}
#endif
#endif
