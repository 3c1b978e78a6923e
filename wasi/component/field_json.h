/* The value of a field as JSON, for this component and cpb-http. */
#ifndef CPB_COMPONENT_FIELD_JSON_H
#define CPB_COMPONENT_FIELD_JSON_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/open.h"

/* Appends the value that `find` has found in `message` to `text`; nothing if its type is not known. Values of more
 * than `omit` bytes (at least 1) are not read: only their place is written (cpb_omitted). False with the error set:
 * CPB_E_LIMIT beyond 16 MiB of values that are not omitted, or 32 MiB of text. */
bool cpb_field_json_text(cpb_message_file *message, const cpb_find *find, uint64_t omit, cpb_buffer *text,
                         cpb_error *error);

/* The name of the found value's type, such as "tensorflow.NodeDef" or "string"; NULL: not known. The text is static or
 * belongs to the schema. */
const char *cpb_field_type_name(const cpb_found *found);

#endif
