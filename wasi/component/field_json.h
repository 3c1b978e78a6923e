/* The value of a field as JSON, for this component and cpb-http. */
#ifndef CPB_COMPONENT_FIELD_JSON_H
#define CPB_COMPONENT_FIELD_JSON_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/open.h"

/* The value that `find` has found in `message`, appended to `text`; nothing where the type is not known. Of values of
 * more than `omit` bytes (at least 1) only the place is told (cpb_omitted), and nothing is read. False with the error
 * set: CPB_E_LIMIT beyond 16 MiB of what is not omitted, or 32 MiB of text. */
bool cpb_field_json_text(cpb_message_file *message, const cpb_find *find, uint64_t omit, cpb_buffer *text,
                         cpb_error *error);

/* The name of the type of what was found, such as "tensorflow.NodeDef" or "string"; NULL: not known. Static, or the
 * schema's. */
const char *cpb_field_type_name(const cpb_found *found);

#endif
