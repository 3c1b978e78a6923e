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

/* --- map -------------------------------------------------------------------------------------- */

/* The entries of a map, sorted by key; the last of several with the same key. */

typedef struct cpb_json_entry {
  cpb_json_item item; /* the entry, a message */
  cpb_span text;      /* the key, if it is a string */
  uint64_t value;     /* else a number as on the wire */
  uint64_t rank;      /* the sort key */
} cpb_json_entry;

/* A stack, like cpb_json_items. */
typedef struct cpb_json_entries {
  cpb_json_entry *list;
  size_t count, capacity;
} cpb_json_entries;

/* Appends the entries that are the items [first, end), all of one map. */
bool cpb_json_collect_entries(cpb_json_entries *entries, cpb_json_items *items, size_t first, size_t end);

/* --- text ------------------------------------------------------------------------------------- */

/* Values in protobuf's JSON mapping: bytes and numbers, appended to a buffer. */

/* Each returns false if memory is short. */
bool cpb_json_put(cpb_buffer *out, const char *text, size_t length);
bool cpb_json_put_text(cpb_buffer *out, const char *text);

/* Appends bytes in base64, without quotes: takes at most some thousand from the front of `in`, and
 * is called until that is empty. */
bool cpb_json_put_base64(cpb_buffer *out, cpb_span *in);

/* A number: `value` is the varint or the bits on the wire, and `type` is not string, bytes, message or enum. */
bool cpb_json_put_number(cpb_buffer *out, cpb_field_type type, uint64_t value);
/* The same as the key of a map, always in quotes. */
bool cpb_json_put_key_number(cpb_buffer *out, cpb_field_type type, uint64_t value);

#endif
