/* An answer about a model, as text for a person. */
#ifndef CPB_CLI_INSPECT_SHOW_H
#define CPB_CLI_INSPECT_SHOW_H

#include "cli/cli.h"

/* Prints the JSON object: members as lines, lists of objects as tables. */
int cli_show_answer(cli *c, const char *json, size_t size);

#endif
