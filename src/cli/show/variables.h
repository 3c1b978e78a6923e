/* The values of a SavedModel's variables: the checkpoint beside it, in variables/. */
#ifndef CPB_CLI_SHOW_VARIABLES_H
#define CPB_CLI_SHOW_VARIABLES_H

#include "cli/model.h"

/* Tells a SavedModel of the checkpoint beside it, if there is one (m->checkpoint). CLI_OK, or
 * the exit code after the message: the model then answers without it. */
int cli_model_give_checkpoint(cli_model *m);

/* The data file of that number; NULL after the message. */
cpb_file *cli_model_open_shard(cli_model *m, uint32_t shard, int *status);

/* The tensor that is stored for the variable that `name` means: its path, its name or its
 * key. NULL after the message. */
const cpb_stored *cli_model_find_variable(cli_model *m, const char *name, int *status);

#endif
