/* The result of cpb diff, as text for a person. */
#ifndef CPB_CLI_SHOW_DIFF_H
#define CPB_CLI_SHOW_DIFF_H

#include "cli/cli.h"

int cli_show_diff(cli *c, const char *json, size_t size);

#endif
