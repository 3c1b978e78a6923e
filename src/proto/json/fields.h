/* The fields of a message, in the order of JSON. */
#ifndef CPB_PROTO_JSON_FIELDS_H
#define CPB_PROTO_JSON_FIELDS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/meter.h"
#include "cpb/message.h"
#include "proto/wire.h"

/* A field. */
typedef struct cpb_json_item {
  const cpb_field *field;     /* NULL: not in the schema */
  cpb_span bytes;             /* LEN: the value; a group: the field, with both tags */
  const cpb_omitted *omitted; /* not NULL: the value was left out, and `bytes` is empty */
  uint64_t value;             /* numbers, as on the wire */
  size_t order;               /* on the wire, within its message; set by
                                 cpb_json_arrange() */
  uint32_t number;
  cpb_wire_type type;
  bool superseded; /* a later member of its oneof counts instead */
} cpb_json_item;

/* State of a oneof, for the message whose fields are being arranged. */
typedef struct cpb_json_oneof {
  uint64_t arranged;     /* the number of that message; for any other number, the state is empty */
  const cpb_field *last; /* the member that occurs last */
  bool beaten;           /* another one came before it */
} cpb_json_oneof;

/* A stack: the fields of a message are above those of the message that it is in. */
typedef struct cpb_json_items {
  cpb_allocator allocator;
  cpb_span whole;             /* the outermost message: offsets in errors are relative to it */
  const cpb_omitted *omitted; /* sorted by `at` */
  size_t num_omitted;
  cpb_meter *meter; /* charged with each field, and with the bytes read for it */
  cpb_error *error;
  cpb_json_item *list;
  size_t count, capacity;
  cpb_json_oneof *oneofs; /* by their numbers */
  size_t oneofs_capacity;
  uint64_t arranged; /* messages so far */
} cpb_json_items;

/* Appends the fields of the message in `item`, which is of this type. */
bool cpb_json_collect(cpb_json_items *items, const cpb_message_type *type, const cpb_json_item *item);

/* Sorts the items from `first` on by number, those of one field in their order on the wire, unknown ones last. Removes
 * members of a oneof that a later member replaces. False if memory is short. */
bool cpb_json_arrange(cpb_json_items *items, size_t first);

/* The end of the items that belong to the field of item `first`; unknown ones count as one field. */
size_t cpb_json_run_end(const cpb_json_items *items, size_t first, size_t end);

/* Iterates over the elements of a repeated field, packed or not. A packed field whose value was left out is one
 * element. */
typedef struct cpb_json_elements {
  const cpb_field *field;
  size_t at, end;  /* the remaining items */
  cpb_span packed; /* the rest of a packed item */
} cpb_json_elements;

/* False at the end, or when items->error is set. */
bool cpb_json_next_element(cpb_json_items *items, cpb_json_elements *e, cpb_json_item *element);

/* Whether it is a wrapper such as google.protobuf.BoolValue, shown as the value of its field. */
bool cpb_json_is_wrapper(const cpb_message_type *type);

#endif
