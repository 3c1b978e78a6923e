/* Iterates over the fields of a message in memory. */
#ifndef CPB_MODEL_COMMON_CURSOR_H
#define CPB_MODEL_COMMON_CURSOR_H

#include <stdbool.h>

#include "base/bytes.h"
#include "model/common/spans.h"
#include "proto/wire.h"

enum { MAP_KEY = 1, MAP_VALUE = 2 }; /* the fields of a map's entry */

typedef struct cpb_cursor {
  const uint8_t *at, *end;
  bool damaged; /* the message ended within a field, or with no field at all */
  /* The field: */
  uint32_t number;
  cpb_wire_type type; /* VARINT, FIXED32, FIXED64 or LEN: groups are skipped */
  uint64_t value;     /* of a number */
  cpb_span bytes;     /* of a LEN */
} cpb_cursor;

cpb_cursor cpb_cursor_of(cpb_span message);
/* False at the end, also where the rest is damaged. */
bool cpb_cursor_next(cpb_cursor *cursor);
/* The next of the fields that have this number and wire type. */
bool cpb_cursor_find(cpb_cursor *cursor, uint32_t number, cpb_wire_type type);

/* The last field with this number, as in parsers; a missing field is empty, with `data` NULL, or 0. */
cpb_span cpb_get_bytes(cpb_span message, uint32_t number);
uint64_t cpb_get_number(cpb_span message, uint32_t number);
size_t cpb_count_bytes(cpb_span message, uint32_t number);

/* The number of the last field, or 0. */
uint32_t cpb_last_field(cpb_span message);

/* The entry of the map in field `number` with this key, the last one if there are several. */
cpb_span cpb_get_entry(cpb_span message, uint32_t number, cpb_span key);

/* The varints of a repeated field, packed or not. */
typedef struct cpb_varints {
  cpb_cursor fields;
  uint32_t number;
  const uint8_t *at, *end; /* of the packed ones */
} cpb_varints;

cpb_varints cpb_varints_of(cpb_span message, uint32_t number);
bool cpb_varints_next(cpb_varints *varints, uint64_t *value);
size_t cpb_count_varints(cpb_span message, uint32_t number);

/* Takes the next number off the front of a packed field: four bytes, or a varint. False at its end, or where it is cut
 * off. */
bool cpb_packed_next(cpb_span *packed, bool has_four_bytes, uint64_t *value);

#endif
