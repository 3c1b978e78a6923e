/* Asks a model, and reads the answers. What lies beside the model and cannot be read is said once, and left out. */
#ifndef CPB_CLI_SHOW_ASKER_H
#define CPB_CLI_SHOW_ASKER_H

#include "base/json_read.h"
#include "cli/model.h"

#define CLI_PAGE_SIZE 1000 /* elements of the first page of a list, where all of it is shown */

typedef struct cli_asker {
  cli *cli;
  cpb_model_file *model;
  int status;      /* CLI_OK, or the exit code of what failed first */
  cpb_error error; /* of the last question; its code is CPB_OK if it was answered */
  bool silent;     /* says nothing of questions that fail, which is up to the caller; but of files it does */
} cli_asker;

/* A question about the meta graph, scope and page that the options say. */
cpb_question cli_question(const cli *c, cpb_question_kind kind, cpb_span name);

/* The answer as it is, valid until the next question, or NULL after the message. */
const char *cli_ask(cli_asker *a, const cpb_question *question, size_t *size);
/* The same as a tree, to be freed with yyjson_doc_free(), which may be given NULL. */
yyjson_doc *cli_ask_tree(cli_asker *a, const cpb_question *question);

/* How many elements the next page should have, after that of `list` in the answer; at least `least`. A model goes
 * through a list anew for each page of it, so a long one comes in some ten pages, unless these would be too large. */
uint64_t cli_next_page(yyjson_doc *answer, yyjson_val *list, uint64_t least);

#endif
