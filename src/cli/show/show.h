/* Shows the answers to questions about a model, to a person or to a program. */
#ifndef CPB_CLI_SHOW_SHOW_H
#define CPB_CLI_SHOW_SHOW_H

#include "base/json_read.h"
#include "cli/cli.h"

/* --- Asking (asker.c) ------------------------------------------------------------------ */

/* Files next to the model that cannot be read are reported once, and left out. */

#define CLI_PAGE_SIZE 1000        /* elements of the first page of a list that is shown completely */
#define CLI_EVERYTHING UINT64_MAX /* of an answer whose lists have no pages of their own */

typedef struct cli_asker {
  cli *cli;
  cpb_model_file *model;
  int status;      /* CLI_OK, or the exit code of the first failure */
  cpb_error error; /* of the last question; its code is CPB_OK if it was answered */
  bool silent;     /* does not report questions that fail, which the caller handles; but still reports files */
} cli_asker;

/* A question about the meta graph, scope and page in the options. */
cpb_question cli_question(const cli *c, cpb_question_kind kind, cpb_span name);

/* Whether the functions of such models include subgraphs. */
static inline bool cli_has_subgraphs(cpb_model_kind kind) { return kind == CPB_MODEL_ONNX || kind == CPB_MODEL_COREML; }

/* The answer as text, valid until the next question, or NULL after the message. */
const char *cli_ask(cli_asker *a, const cpb_question *question, size_t *size);
/* The same as a tree; free it with yyjson_doc_free(), which accepts NULL. */
yyjson_doc *cli_ask_tree(cli_asker *a, const cpb_question *question);

/* The size of the next page, after that of `list` in the answer; at least `least`. A model walks an entire list for
 * each page, so a long list comes in about ten pages, unless these would be too large. */
uint64_t cli_next_page(yyjson_doc *answer, yyjson_val *list, uint64_t least);

/* --- Showing: each returns the exit code ------------------------------------------------- */

/* cpb inspect MODEL: the most important facts, at most CLI_SUMMARY_MOST lines unless names are very long, or everything
 * with --all and for a program. */
#define CLI_SUMMARY_MOST 50
int cli_show_summary(cli *c, cpb_model_file *model);

/* cpb inspect MODEL QUESTION: lists, page by page if everything is wanted, and then the rest of the answer. */
int cli_show_question(cli *c, cpb_model_file *model, cpb_question_kind kind);

/* The list that the question is about, which comes in pages; NULL if there are several or none (lists.c). */
const char *cli_main_list(cpb_question_kind kind);

/* cpb inspect MODEL weights NAME: one array, its place, and the statistics of its values. */
int cli_show_weight(cli *c, cpb_model_file *model);

/* cpb diff: for a person as git diff --stat reads, for a program a line for each difference. */
int cli_show_diff(cli *c, const char *json, size_t size);

/* How many differences of a section are needed for that; 0: as many as a program gets. */
uint64_t cli_diff_wanted(cli *c);

#endif
