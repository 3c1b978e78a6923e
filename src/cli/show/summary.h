/* cpb inspect MODEL: what a person asks first. */
#ifndef CPB_CLI_SHOW_SUMMARY_H
#define CPB_CLI_SHOW_SUMMARY_H

#include "cli/model.h"

/* Asks the model what is needed, and prints at most CLI_SUMMARY_MOST lines, or all with --all and into a pipe.
 * Returns the exit code. */
#define CLI_SUMMARY_MOST 50
int cli_show_summary(cli *c, cpb_model_file *model);

#endif
