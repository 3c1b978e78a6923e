/* The fields of a message in the order in which JSON shows them. */
#ifndef CPB_PROTO_JSON_FIELDS_H
#define CPB_PROTO_JSON_FIELDS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/message.h"
#include "proto/wire.h"

typedef struct cpb_json_item {
  const cpb_field *field;     /* NULL: unknown to the schema */
  cpb_span bytes;             /* LEN: the value; group: the field with both tags */
  const cpb_omitted *omitted; /* LEN: where the value is; `bytes` is empty */
  uint64_t value;             /* numbers, as on the wire */
  size_t order;               /* on the wire, among its message's fields; set by
                                 cpb_json_arrange */
  uint32_t number;
  cpb_wire_type type;
  bool superseded; /* by a later member of its oneof */
} cpb_json_item;

/* A stack: the fields of a message lie above those of the message it is in. */
typedef struct cpb_json_items {
  cpb_allocator allocator;
  cpb_span whole;             /* all bytes lie in it; errors count from its begin */
  const cpb_omitted *omitted; /* sorted by `at` */
  size_t num_omitted;
  uint32_t depth_limit;
  cpb_error *error;
  cpb_json_item *list;
  size_t count, capacity;
} cpb_json_items;

/* Appends the fields of `type` in the message that `item` holds. */
bool cpb_json_collect(cpb_json_items *items, const cpb_message_type *type, const cpb_json_item *item);

/* Sorts the items from `first` on by number, those of one field in their order
 * on the wire, unknown ones last; drops members of a oneof that a later member
 * takes the place of. */
void cpb_json_arrange(cpb_json_items *items, size_t first);

/* The end of the items of one field (or the unknown ones) from `first` on. */
size_t cpb_json_run_end(const cpb_json_items *items, size_t first, size_t end);

/* The elements of a repeated field, packed or not. Those of a packed field that
 * was omitted count as one. */
typedef struct cpb_json_elements {
  const cpb_field *field;
  size_t at, end;  /* items */
  cpb_span packed; /* what is left of a packed item */
} cpb_json_elements;

/* False at the end, or with items->error set. */
bool cpb_json_next_element(cpb_json_items *items, cpb_json_elements *e, cpb_json_item *element);

/* Whether a message of the type is shown as the value of its one field. */
bool cpb_json_is_wrapper(const cpb_message_type *type);

#endif
