/* The last line of cpb diff. */
#ifndef CPB_CLI_SHOW_DIFF_SUMMARY_H
#define CPB_CLI_SHOW_DIFF_SUMMARY_H

#include "cli/show/values.h"

/* "3 of 262 variables, 1 signature and 2 of 5,359 nodes differ; 40 layers the same"; or that the models are the
 * same. */
void cli_show_diff_summary(cli_sheet *s, yyjson_val *result);

#endif
