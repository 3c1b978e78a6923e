/* cpb inspect MODEL: the most important facts for a person. */
#ifndef CPB_CLI_SHOW_SUMMARY_H
#define CPB_CLI_SHOW_SUMMARY_H

#include "cli/model.h"

/* Asks the model, and prints at most CLI_SUMMARY_MOST lines, or everything with --all and into a pipe. Returns the exit
 * code. */
#define CLI_SUMMARY_MOST 50
int cli_show_summary(cli *c, cpb_model_file *model);

#endif
