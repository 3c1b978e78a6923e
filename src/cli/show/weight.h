/* cpb inspect MODEL weights NAME: one array, its place, and the statistics of its values. */
#ifndef CPB_CLI_SHOW_WEIGHT_H
#define CPB_CLI_SHOW_WEIGHT_H

#include "cli/model.h"

/* Returns the exit code. */
int cli_show_weight(cli *c, cpb_model_file *model);

#endif
