/* A model in a file, for the commands that look inside. */
#ifndef CPB_CLI_MODEL_H
#define CPB_CLI_MODEL_H

#include "cli/cli.h"
#include "cpb/open.h"

/* The model that `path` stands for, of the kind in --type or the recognized one; `how` may be NULL. NULL after the
 * message; `status` is then the exit code. */
cpb_model_file *cli_open_model(cli *c, const char *path, const cpb_model_options *how, int *status);
/* The same for inspecting, where a .cpb may be damaged. */
cpb_model_file *cli_open_to_inspect(cli *c, const char *path, int *status);
cpb_model_file *cli_open_to_compare(cli *c, const char *path, const cpb_model_options *how, int *status);

/* Prints the message of an error, with the name of the file that caused it; returns the exit code. */
int cli_model_fail(cli *c, const cpb_model_file *file, const cpb_error *error);

/* An option as a 32-bit number; no meta graph or state has a larger number. */
uint32_t cli_number32(uint64_t number);

#endif
