/* --limit NAME=VALUE: the members of cpb_limits by their names. */
#ifndef CPB_CLI_LIMITS_H
#define CPB_CLI_LIMITS_H

#include <stdbool.h>

#include "cpb/base.h"

/* Reads a size such as 64M. */
typedef bool cli_parse_size(const char *text, uint64_t *value);

/* `text` is NAME=VALUE, with "none" for no limit. False if the limit does not exist, or the value is not a size. */
bool cli_limit_set(cpb_limits *out, const char *text, cli_parse_size *parse);

#endif
