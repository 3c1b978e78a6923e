/* A model in a file, for the commands that look inside. */
#ifndef CPB_CLI_MODEL_H
#define CPB_CLI_MODEL_H

#include "cli/cli.h"
#include "cpb/open.h"

/* The model that `path` stands for, of the kind that --type names or that it begins like;
 * `how` may be NULL. NULL after the message; `status` is then the exit code. */
cpb_model_file *cli_open_model(cli *c, const char *path, const cpb_model_options *how, int *status);
/* The same for looking at what is there of it: a .cpb may be damaged. */
cpb_model_file *cli_open_to_inspect(cli *c, const char *path, int *status);
cpb_model_file *cli_open_to_compare(cli *c, const char *path, const cpb_model_options *how, int *status);

/* What failed with the file: the message, with the name of what it is about; returns the exit
 * code. */
int cli_model_fail(cli *c, const cpb_model_file *file, const cpb_error *error);

/* An option as a number of 32 bits; one that is larger is no meta graph's or state's either. */
uint32_t cli_number32(uint64_t number);

#endif
