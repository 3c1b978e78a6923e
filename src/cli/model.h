/* A model in a file, for the commands that look inside: which kind it is, and answers. */
#ifndef CPB_CLI_MODEL_H
#define CPB_CLI_MODEL_H

#include "cli/cli.h"
#include "cpb/model.h"
#include "cpb/values.h"
#include "host/message.h"

typedef struct cli_model {
  cli *cli;
  char *name; /* of the file */
  cpb_message_file *message;
  cpb_model_kind kind;
  cpb_model *model;           /* NULL until cli_model_begin */
  cpb_checkpoint *checkpoint; /* beside it; NULL until cli_model_give_checkpoint finds one */
} cli_model;

/* The file that `path` stands for, and what it holds: what --type names, or what it begins
 * with. CLI_OK, or the exit code after the message; to be closed then too. */
int cli_model_open(cli_model *m, cli *c, const char *path);
void cli_model_close(cli_model *m);

/* Makes it ready for questions; `options` may be NULL. */
int cli_model_begin(cli_model *m, const cpb_model_options *options);
/* Gives a SavedModel the keras_metadata.pb beside it, if there is one: what is
 * asked of Keras wants it. */
int cli_model_give_keras(cli_model *m);
/* What reading values comes to, its needs answered; `error` says why with CPB_STEP_ERROR. */
cpb_step cli_model_values(cli_model *m, cpb_values *values, cpb_error *error);
/* Answers the question; `error` says why there is no answer. */
bool cli_model_answer(cli_model *m, const cpb_question *question, cpb_error *error);

#endif
