/* cpb cat --field: a field of a message, chunked or not. */
#ifndef CPB_CLI_COMMANDS_CAT_FIELD_H
#define CPB_CLI_COMMANDS_CAT_FIELD_H

#include "cli/cli.h"

int cli_cat_field(cli *c);

#endif
