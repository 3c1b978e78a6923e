/* The result of cpb diff: for a person as git diff --stat reads, for a program a line for each difference. */
#ifndef CPB_CLI_SHOW_DIFF_H
#define CPB_CLI_SHOW_DIFF_H

#include "cli/cli.h"

/* How many differences of a section are needed for display; 0: as many as a program gets. */
uint64_t cli_diff_wanted(cli *c);

int cli_show_diff(cli *c, const char *json, size_t size);

#endif
