/* Prevents an output from replacing files of the input other than the one given on the command line. --force allows
 * replacing that one; the others could be lost unnoticed. */
#ifndef CPB_CLI_KEEP_H
#define CPB_CLI_KEEP_H

#include "cli/model.h"

/* CLI_OK, or CLI_USAGE after the message if the output is ... */

/* ... the file that the input at `in` calls `name`. */
int cli_keep_file(cli *c, const char *out, const char *in, const char *name, size_t length);

/* ... one of those that have chunks of the .cpb file at `in`; other files have none. */
int cli_keep_chunks(cli *c, const char *out, const char *in);

/* ... one of those that have chunks, values or metadata of the model. */
int cli_keep_model(cli *c, const char *out, cpb_model_file *model);

#endif
