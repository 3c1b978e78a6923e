/* Message types for --type and --schema. */
#ifndef CPB_CLI_MESSAGE_TYPES_H
#define CPB_CLI_MESSAGE_TYPES_H

#include "cli/cli.h"
#include "cpb/message.h"

/* The schema in --schema; NULL without the option. False after the message. */
bool cli_load_schema(cli *c, cpb_schema **schema, int *status);

/* The same, or the built-in schema. */
bool cli_load_any_schema(cli *c, cpb_schema **schema, int *status);

/* The type in --type. Without it, the first of TensorFlow's and ONNX's root types in which every chunked field of
 * `index` has a name (`index` NULL: the default type); NULL if no type fits. False after the message. */
bool cli_find_type(cli *c, const cpb_schema *schema, const cpb_index *index, const cpb_message_type **type,
                   int *status);

/* The type in --type, with its schema; both NULL without the option. False after the message. */
bool cli_load_type(cli *c, cpb_schema **schema, const cpb_message_type **type, int *status);

/* The path of `node` from its parent as text, by name as far as `type` extends. Returns the type at its end, NULL if
 * unknown. `type` may be NULL. */
const cpb_message_type *cli_node_path(const cpb_index *index, uint32_t node, const cpb_message_type *type, char *out,
                                      size_t size);

#endif
