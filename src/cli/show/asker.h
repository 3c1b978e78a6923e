/* Asks a model, and parses the answers. Files next to the model that cannot be read are reported once, and left out. */
#ifndef CPB_CLI_SHOW_ASKER_H
#define CPB_CLI_SHOW_ASKER_H

#include "base/json_read.h"
#include "cli/model.h"

#define CLI_PAGE_SIZE 1000 /* elements of the first page of a list that is shown completely */

typedef struct cli_asker {
  cli *cli;
  cpb_model_file *model;
  int status;      /* CLI_OK, or the exit code of the first failure */
  cpb_error error; /* of the last question; its code is CPB_OK if it was answered */
  bool silent;     /* does not report questions that fail, which the caller handles; but still reports files */
} cli_asker;

/* A question about the meta graph, scope and page in the options. */
cpb_question cli_question(const cli *c, cpb_question_kind kind, cpb_span name);

/* The answer as text, valid until the next question, or NULL after the message. */
const char *cli_ask(cli_asker *a, const cpb_question *question, size_t *size);
/* The same as a tree; free it with yyjson_doc_free(), which accepts NULL. */
yyjson_doc *cli_ask_tree(cli_asker *a, const cpb_question *question);

/* The size of the next page, after that of `list` in the answer; at least `least`. A model walks an entire list for
 * each page, so a long list comes in about ten pages, unless these would be too large. */
uint64_t cli_next_page(yyjson_doc *answer, yyjson_val *list, uint64_t least);

#endif
