/* The protobuf wire format, walked without recursion and without needing the
 * message whole. (https://protobuf.dev/programming-guides/encoding/) */
#ifndef CPB_PROTO_WIRE_H
#define CPB_PROTO_WIRE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"

typedef enum cpb_wire_type {
  CPB_WIRE_VARINT = 0,
  CPB_WIRE_FIXED64 = 1,
  CPB_WIRE_LEN = 2,
  CPB_WIRE_START_GROUP = 3,
  CPB_WIRE_END_GROUP = 4,
  CPB_WIRE_FIXED32 = 5
} cpb_wire_type;

/* One field as it stands on the wire. Offsets count from the beginning of the
 * outermost message. */
typedef struct cpb_wire_field {
  uint64_t begin;        /* of the tag */
  uint64_t value;        /* of the value: after tag and length */
  uint64_t size;         /* of the value; groups: 0 until they are walked, then
                            with the tag that ends them */
  uint64_t number_value; /* VARINT, FIXED32, FIXED64: the value */
  uint32_t number;       /* field number, 1 to 2^29 - 1 */
  cpb_wire_type type;
} cpb_wire_field;

typedef enum cpb_wire_event {
  CPB_WIRE_ERROR = -1,
  CPB_WIRE_MORE = 0, /* feed the bytes at scanner->pos and call again */
  CPB_WIRE_FIELD,    /* scanner->field. For LEN and START_GROUP nothing of the
                        value was used: enter it, or it is left out */
  CPB_WIRE_LEAVE,    /* an entered message ended at scanner->pos; scanner->field
                        is the field that was entered, with its full size */
  CPB_WIRE_END       /* the outermost message ended */
} cpb_wire_event;

/* A frame for each message that was entered. */
typedef struct cpb_wire_frame {
  cpb_wire_field field;
  uint64_t end; /* no field of it goes beyond; a LEN ends here */
} cpb_wire_frame;

typedef struct cpb_wire_scanner {
  uint64_t pos;  /* offset of the next byte the scanner wants */
  uint64_t size; /* of the outermost message */
  cpb_wire_field field;
  cpb_wire_frame *frames;
  size_t depth, capacity;
  uint32_t depth_limit;
  bool value_open;     /* private: the next call leaves out field's value */
  uint8_t partial[32]; /* private: a tag, length or value cut by the feed */
  size_t partial_size;
  size_t skipping_groups; /* private: how many frames on top are left out */
  const cpb_allocator *allocator;
  cpb_error *error; /* DAMAGED with the offset in the message, or LIMIT */
} cpb_wire_scanner;

/* `error` and `a` must outlive the scanner. */
void cpb_wire_begin(cpb_wire_scanner *s, const cpb_allocator *a, uint32_t depth_limit, uint64_t size, cpb_error *error);
void cpb_wire_free(cpb_wire_scanner *s);

/* The next event from `in`, whose first byte is the message's byte s->pos;
 * what was used is taken off its front. A LEN value that is left out moves
 * s->pos past it at the next call without needing its bytes, so the caller
 * must look at s->pos after each MORE. */
cpb_wire_event cpb_wire_next(cpb_wire_scanner *s, cpb_span *in);

/* After CPB_WIRE_FIELD with a LEN or START_GROUP: its fields come next. */
bool cpb_wire_enter(cpb_wire_scanner *s);

/* --- Writing -------------------------------------------------------------- */

/* Each writes at most this many bytes and returns the byte after them. */
#define CPB_WIRE_HEADER_MAX 20
uint8_t *cpb_wire_put_tag(uint8_t *out, uint32_t number, cpb_wire_type type);
uint8_t *cpb_wire_put_len(uint8_t *out, uint32_t number, uint64_t size); /* tag and length */
size_t cpb_wire_len_size(uint32_t number, uint64_t size);                /* bytes of put_len */

#endif
