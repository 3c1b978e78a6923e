/* cpb/find.h: a field of a message, found without reading the rest.
 *
 * The message is walked along a path (cpb/message.h), level by level; of fields
 * that are not on the way only tag and length are read. The input may be a file
 * or the virtual message of a .cpb file: what the engine needs is then answered
 * with cpb_merge_read() (cpb/chunked.h), which reads only what that touches. */
#ifndef CPB_FIND_H
#define CPB_FIND_H

#include "cpb/base.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_find cpb_find;

/* `type` is the message's type; NULL where it is not known, and then the path
 * has field numbers. Type and path must outlive the search. NULL when memory is
 * short. */
CPB_API cpb_find *cpb_find_new(const cpb_allocator *allocator, const cpb_message_type *type, const cpb_path *path,
                               const cpb_limits *limits);
CPB_API void cpb_find_free(cpb_find *find);

/* The message. Its size must be known (CPB_NEED_SIZE). */
CPB_API cpb_input *cpb_find_input(cpb_find *find);

/* CPB_STEP_NEED, then CPB_STEP_DONE: it is found; or CPB_STEP_ERROR:
 * CPB_E_NOT_FOUND when the message has no such field, element or key, or the
 * type no such field; CPB_E_USAGE when the path does not fit the type. */
CPB_API cpb_step cpb_find_step(cpb_find *find);
CPB_API const cpb_error *cpb_find_error(const cpb_find *find);

/* What was found; all of it is valid after CPB_STEP_DONE. */
typedef struct cpb_found {
  const cpb_message_type *parent;  /* type of the message it is in, or NULL */
  const cpb_field *field;          /* NULL for the message itself or when the
                                      type is not known; of a map's entry, the
                                      field `value` */
  const cpb_message_type *message; /* its type, if it is a message */
  uint32_t number;                 /* of the field, 0 for the message itself */
  uint32_t wire_type;              /* of the value */
  int fields;                      /* non-zero: a repeated field as a whole. The
                                      ranges are fields of the parent, with their
                                      tags; otherwise they are the value */
} cpb_found;

CPB_API const cpb_found *cpb_find_found(const cpb_find *find);

/* A message that is there in several parts is all of them, one after the other,
 * as a parser would merge them: so there may be several ranges. */
CPB_API size_t cpb_find_num_ranges(const cpb_find *find);
CPB_API cpb_range cpb_find_get_range(const cpb_find *find, size_t i);

#ifdef __cplusplus
}
#endif
#endif
