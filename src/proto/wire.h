/* The protobuf wire format, scanned and written.
 * (https://protobuf.dev/programming-guides/encoding/)
 *
 * A cpb_wire_scanner goes through the fields of a message as its bytes come, in pieces of any
 * size. It reports each field before its value: the caller enters a submessage or group, or its
 * value is skipped. It does not recurse: messages that were entered are on a stack of frames.
 *
 *     while ((event = cpb_wire_next(&s, &in)) != CPB_WIRE_END) {
 *       if (event == CPB_WIRE_MORE) ...let `in` be the bytes of the message at s.pos...
 *       if (event == CPB_WIRE_FIELD && s.field.number == 2) cpb_wire_enter(&s);
 *       if (event == CPB_WIRE_ERROR) return false;
 *     } */
#ifndef CPB_PROTO_WIRE_H
#define CPB_PROTO_WIRE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"
#include "cpb/message.h"

typedef enum cpb_wire_type {
  CPB_WIRE_VARINT = 0,
  CPB_WIRE_FIXED64 = 1,
  CPB_WIRE_LEN = 2,
  CPB_WIRE_START_GROUP = 3,
  CPB_WIRE_END_GROUP = 4,
  CPB_WIRE_FIXED32 = 5
} cpb_wire_type;

/* The bytes of each value of this type, a cpb_field_type, or 0: that differs from value to value. */
static inline unsigned cpb_wire_fixed_size(uint32_t type) {
  switch (type) {
    case CPB_TYPE_DOUBLE:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64: return 8;
    case CPB_TYPE_FLOAT:
    case CPB_TYPE_FIXED32:
    case CPB_TYPE_SFIXED32: return 4;
    default: return 0;
  }
}

/* A field. Offsets count from the beginning of the outermost message. */
typedef struct cpb_wire_field {
  uint64_t begin;        /* of the tag */
  uint64_t value;        /* of the value, after tag and length */
  uint64_t size;         /* of the value. For a group, 0 until CPB_WIRE_LEAVE, and then with its end tag */
  uint64_t number_value; /* VARINT, FIXED32, FIXED64: the value */
  uint32_t number;       /* field number, 1 to 2^29 - 1 */
  cpb_wire_type type;
} cpb_wire_field;

typedef enum cpb_wire_event {
  CPB_WIRE_ERROR = -1,
  CPB_WIRE_MORE = 0, /* feed the bytes at scanner->pos and call again */
  CPB_WIRE_FIELD,    /* scanner->field. A LEN or START_GROUP value is untouched: it is skipped unless it is entered
                      * now */
  CPB_WIRE_LEAVE,    /* an entered message ended at scanner->pos. scanner->field is the
                        field that was entered, with its size */
  CPB_WIRE_END       /* the outermost message ended */
} cpb_wire_event;

/* A message that was entered. */
typedef struct cpb_wire_frame {
  cpb_wire_field field;
  uint64_t end; /* where a LEN ends; a group ends before */
} cpb_wire_frame;

typedef struct cpb_wire_scanner {
  uint64_t pos;  /* offset of the next byte the scanner wants */
  uint64_t size; /* of the outermost message */
  cpb_wire_field field;
  cpb_wire_frame *frames;
  size_t depth, capacity;
  uint32_t depth_limit;
  bool value_open;     /* private: the next call skips the value of `field` */
  uint8_t partial[32]; /* private: a tag, length or number that `in` ended in */
  size_t partial_size;
  uint64_t walked;        /* private: for cpb_wire_walked() */
  size_t skipping_groups; /* private: how many frames at the top are groups being skipped */
  const cpb_allocator *allocator;
  cpb_error *error; /* CPB_E_DAMAGED, with the offset in its text; CPB_E_LIMIT; CPB_E_MEMORY */
} cpb_wire_scanner;

/* `error` and `a` must outlive the scanner. */
void cpb_wire_begin(cpb_wire_scanner *s, const cpb_allocator *a, uint32_t depth_limit, uint64_t size, cpb_error *error);
void cpb_wire_free(cpb_wire_scanner *s);

/* The next event. `in` are bytes of the message from s->pos on; those that were used are taken
 * off its front. To skip a value its bytes are not needed: s->pos moves past it, so the
 * caller must look at s->pos after each CPB_WIRE_MORE. */
cpb_wire_event cpb_wire_next(cpb_wire_scanner *s, cpb_span *in);

/* After CPB_WIRE_FIELD with LEN or START_GROUP: its fields come next. */
bool cpb_wire_enter(cpb_wire_scanner *s);

/* After CPB_WIRE_FIELD with LEN: takes what `in` has of the value off its front; all of it was
 * taken when s->pos is at its end. */
cpb_span cpb_wire_take(cpb_wire_scanner *s, cpb_span *in);

/* Skips the rest of the scanner's innermost message; only LEN fields may have been entered. CPB_WIRE_LEAVE comes next,
 * or CPB_WIRE_END. Also possible after an error, once the caller has cleared it. */
void cpb_wire_pass(cpb_wire_scanner *s, cpb_span *in);

/* Continues at a field at `pos` of the message at `depth`, which is the innermost one or one around it. */
void cpb_wire_move(cpb_wire_scanner *s, size_t depth, uint64_t pos);

/* The number of bytes read since the last call: tags, lengths and numbers, also in groups that are skipped. */
uint64_t cpb_wire_walked(cpb_wire_scanner *s);

/* --- Writing -------------------------------------------------------------- */

/* The most bytes that each of these writes. They return the byte after the last. */
#define CPB_WIRE_HEADER_MAX 20
uint8_t *cpb_wire_put_tag(uint8_t *out, uint32_t number, cpb_wire_type type);
uint8_t *cpb_wire_put_len(uint8_t *out, uint32_t number, uint64_t size); /* tag and length */
size_t cpb_wire_len_size(uint32_t number, uint64_t size);                /* bytes of put_len */

#endif
