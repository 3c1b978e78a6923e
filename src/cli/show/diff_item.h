/* What differs in an item of cpb diff, in a few words. */
#ifndef CPB_CLI_SHOW_DIFF_ITEM_H
#define CPB_CLI_SHOW_DIFF_ITEM_H

#include "cli/show/values.h"

/* +, - or ~ for a difference. */
char cli_diff_sign(yyjson_val *difference);

/* What the item is that one model lacks, or how its members differ: "inputs.x.shape: [?,4] -> [?,9]". */
void cli_put_difference(cli_sheet *s, yyjson_val *section, yyjson_val *difference);

/* The largest difference of its values, as far as a double holds it; less than 0 for none. */
double cli_diff_distance(yyjson_val *difference);

#endif
