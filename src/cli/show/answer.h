/* An answer about a model, as text for a person. */
#ifndef CPB_CLI_SHOW_ANSWER_H
#define CPB_CLI_SHOW_ANSWER_H

#include "base/json_read.h"
#include "cli/cli.h"

/* Prints the JSON object: members as lines, lists of objects as tables. */
int cli_show_answer(cli *c, const char *json, size_t size);

/* One value on a line, within one; "-" for null and for none. False when memory was
 * short: then the beginning of it. */
bool cli_show_value(cli *c, yyjson_val *value);

#endif
