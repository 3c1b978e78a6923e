/* The answer to a question, as text for a person, or as lines for a program. */
#ifndef CPB_CLI_SHOW_QUESTION_H
#define CPB_CLI_SHOW_QUESTION_H

#include "cli/model.h"

/* Asks, and shows lists, page by page if everything is wanted, and then the rest of the answer. Returns the exit
 * code. */
int cli_show_question(cli *c, cpb_model_file *model, cpb_question_kind kind);

#endif
