/* The records that --at names. */
#ifndef CPB_CLI_COMMANDS_RECORD_RANGES_H
#define CPB_CLI_COMMANDS_RECORD_RANGES_H

#include "cli/cli.h"

/* The records [begin, end). */
typedef struct record_range {
  uint64_t begin, end;
} record_range;

/* Parses "3,10:20,-1": numbers, and ranges as Python's slices, where a negative number counts from the end. `*count`
 * ranges in ascending order, which the caller frees. NULL after the message. They need the number of records only if
 * *needs_total; before `total` is known, call it with 0. */
record_range *cli_record_ranges(cli *c, uint64_t total, size_t *count, bool *needs_total, int *status);

#endif
