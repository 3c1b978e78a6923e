/* cpb/find.h: a field of a message, found without reading the rest.
 *
 * A cpb_find follows a path (cpb/message.h) through a serialized message, level by
 * level. It only reads tag and length of fields that are not on the path. The
 * result is the place of the field: ranges of the input.
 *
 *     cpb_path *path = cpb_path_parse(NULL, "node[7].attr[\"value\"]", 21, &error);
 *     cpb_find *find = cpb_find_new(NULL, graph_def_type, path, NULL);
 *     while ((step = cpb_find_step(find)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_find_input(find));
 *     if (step == CPB_STEP_DONE) range = cpb_find_get_range(find, 0);
 *
 * The input may be a file, or the merged message of a .cpb file: the host then
 * gets the needed ranges from cpb_merge_read() (cpb/chunked.h), which reads only
 * the chunks in these ranges; see examples/range.c. */
#ifndef CPB_FIND_H
#define CPB_FIND_H

#include "cpb/base.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_find cpb_find;

/* `type` is the type of the message. NULL: unknown; the path then needs field
 * numbers instead of names. Type and path must outlive the search. Returns NULL
 * when memory is short. */
CPB_API cpb_find *cpb_find_new(const cpb_allocator *allocator, const cpb_message_type *type, const cpb_path *path,
                               const cpb_limits *limits);
CPB_API void cpb_find_free(cpb_find *find);

/* Before the first step: the message is the concatenation of these ranges of the input (copied),
 * each of whole fields, instead of the whole input. So a search can continue within the ranges that
 * another one has found. CPB_E_MEMORY. */
CPB_API cpb_code cpb_find_within(cpb_find *find, const cpb_range *ranges, size_t count);

/* Before the first step: if the path ends at a repeated field of the type without an index, the
 * result has a range for each element, in order, without tags. The elements of a map are its
 * entries. A run of packed numbers is one range. So the concatenated ranges of a field of numbers
 * are a packed run of all of them. */
CPB_API void cpb_find_each(cpb_find *find);

/* Before the first step: if the path ends at a repeated field of the type without an index, each
 * element is a CPB_STEP_DATA, in order, and the result has no ranges. A number of a packed field is an
 * element. The elements of a map are its entries. The memory does not depend on their number. */
CPB_API void cpb_find_elements(cpb_find *find);

/* After CPB_STEP_DATA: the range of the element's value; cpb_find_found() has its wire type. */
CPB_API cpb_range cpb_find_element(const cpb_find *find);

/* The message. Its size must be known (CPB_NEED_SIZE). */
CPB_API cpb_input *cpb_find_input(cpb_find *find);

/* CPB_STEP_NEED; CPB_STEP_DATA after cpb_find_elements(); CPB_STEP_DONE: the field was found;
 * CPB_STEP_ERROR.
 * CPB_E_NOT_FOUND: the message does not have this field, element or key, or its
 * type does not have this field; CPB_E_USAGE: the path does not fit the type, for
 * instance with an index after a field that is not repeated. */
CPB_API cpb_step cpb_find_step(cpb_find *find);
CPB_API const cpb_error *cpb_find_error(const cpb_find *find);

/* The found field; valid after CPB_STEP_DONE. */
typedef struct cpb_found {
  /* The type of the message that has the field. NULL when it is unknown. */
  const cpb_message_type *parent;

  /* The field; for a map's entry its field `value`. NULL when its type is unknown,
   * and for an empty path, which leads to the message itself. */
  const cpb_field *field;

  /* Its type if it is a message, else NULL. */
  const cpb_message_type *message;

  /* The number of the field; 0 for the message itself. */
  uint32_t number;

  /* The wire type of the value. */
  uint32_t wire_type;

  /* Non-zero: the path ends at a repeated field without an index. The ranges are
   * then fields of the parent, tags included, unless cpb_find_each() was called.
   * Otherwise they are the value alone. */
  int fields;
} cpb_found;

CPB_API const cpb_found *cpb_find_found(const cpb_find *find);

/* The ranges of the field in the input. If a message occurs several times, it has several ranges: a
 * parser merges all occurrences, and parsing their concatenation gives the same. */
CPB_API size_t cpb_find_num_ranges(const cpb_find *find);
CPB_API cpb_range cpb_find_get_range(const cpb_find *find, size_t i);

#ifdef __cplusplus
}
#endif
#endif
