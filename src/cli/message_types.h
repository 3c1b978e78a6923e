/* Message types for --type and --schema. */
#ifndef CPB_CLI_MESSAGE_TYPES_H
#define CPB_CLI_MESSAGE_TYPES_H

#include "cli/cli.h"
#include "cpb/message.h"

/* The schema that --schema names; NULL when it was not given. False after the
 * message. */
bool cli_load_schema(cli *c, cpb_schema **schema, int *status);

/* That one or the built-in one. */
bool cli_load_any_schema(cli *c, cpb_schema **schema, int *status);

/* The type that --type names. Without it, the first of TensorFlow's and ONNX's root types
 * in which every chunked field of `index` has a name (`index` NULL: the default
 * type); NULL when there is none such. False after the message. */
bool cli_find_type(cli *c, const cpb_schema *schema, const cpb_index *index, const cpb_message_type **type,
                   int *status);

/* The type that --type names, with its schema; both NULL when it was not given.
 * False after the message. */
bool cli_load_type(cli *c, cpb_schema **schema, const cpb_message_type **type, int *status);

/* The path of `node` from its parent, by name as far as `type` goes, as text.
 * Returns the type at its end, NULL when that is not known. `type` may be
 * NULL. */
const cpb_message_type *cli_node_path(const cpb_index *index, uint32_t node, const cpb_message_type *type, char *out,
                                      size_t size);

#endif
