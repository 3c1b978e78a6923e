/* FieldIndex: one tag of the path to a field. */
#ifndef CPB_CHUNKED_INDEX_FIELD_TAG_H
#define CPB_CHUNKED_INDEX_FIELD_TAG_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/chunked.h"

/* KEY_STRING: value is an offset in a text. */
typedef struct cpb_tag {
  uint64_t value;
  uint32_t length;
  cpb_tag_kind kind;
} cpb_tag;

/* Reads a serialized FieldIndex. NULL, with `tag` set, and the text of a string key, whose tag has only its length; or
 * the problem, and the message that has it. */
const char *cpb_tag_read(cpb_span in, cpb_tag *tag, cpb_span *key, const char **message);

/* Appends a FieldIndex as field `number`. False if memory is short. */
bool cpb_tag_append(cpb_buffer *out, uint32_t number, const cpb_tag *tag, const uint8_t *text);

/* The size of that. */
uint64_t cpb_tag_size(uint32_t number, const cpb_tag *tag, const uint8_t *text);

#endif
