/* Describes the difference of an item of cpb diff, in a few words. */
#ifndef CPB_CLI_SHOW_DIFF_ITEM_H
#define CPB_CLI_SHOW_DIFF_ITEM_H

#include "cli/show/values.h"

/* +, - or ~ for a difference. */
char cli_diff_sign(yyjson_val *difference);

/* Puts a description of an item that one model lacks, or of the members that differ: "inputs.x.shape: [?,4] ->
 * [?,9]". */
void cli_put_difference(cli_sheet *s, yyjson_val *section, yyjson_val *difference);

/* The largest difference of its values, as far as a double can represent it; negative for none. */
double cli_diff_distance(yyjson_val *difference);

#endif
