/* The parts of the output of cpb diff. */
#ifndef CPB_CLI_SHOW_DIFF_H
#define CPB_CLI_SHOW_DIFF_H

#include "cli/show/sheet.h"

/* --- An item's difference in a few words (diff_item.c) ----------------------------------- */

/* +, - or ~ for a difference. */
char cli_diff_sign(yyjson_val *difference);

/* Puts a description of an item that one model lacks, or of the members that differ: "inputs.x.shape: [?,4] ->
 * [?,9]". */
void cli_put_difference(cli_sheet *s, yyjson_val *section, yyjson_val *difference);

/* The largest difference of its values, as far as a double can represent it; negative for none. */
double cli_diff_distance(yyjson_val *difference);

/* The words that a person reads for the names of sections, items and members in a diff (cpb/diff.h); a program gets the
 * names. web/inspector/src/panels/compare-words.js has the same words. */

/* "kinds of operations" for ops. */
void cli_put_section(cli_sheet *s, yyjson_val *section);

/* The difference's name: "concrete functions" for a fact of the overview; names from the model stay unchanged. */
void cli_put_item(cli_sheet *s, yyjson_val *section, yyjson_val *difference);

/* --- The last line (diff_summary.c) ------------------------------------------------------ */

/* "3 of 262 variables, 1 signature and 2 of 5,359 nodes differ; 40 layers the same"; or that the models are the
 * same. */
void cli_show_diff_summary(cli_sheet *s, yyjson_val *result);

#endif
