/* cpb inspect: what a model computes, and what it is made of. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/model.h"
#include "cli/show/answer.h"
#include "cli/show/fingerprint.h"
#include "cli/show/variables.h"

typedef struct inspection {
  cli *cli;
  cli_model model;
  cpb_question_kind kind;
} inspection;

/* --- The question ------------------------------------------------------------------- */

static const char *question_name_at(const void *list, size_t i) {
  (void)list;
  return cpb_question_name((cpb_question_kind)(i + 1));
}

static size_t count_questions(void) {
  size_t count = 0;
  while (question_name_at(NULL, count)) count++;
  return count;
}

static bool find_question(inspection *i, int *status) {
  char problem[160];
  const char *word = i->cli->settings.question;
  i->kind = CPB_ASK_OVERVIEW;
  if (!word) return true;
  for (size_t q = 0; q < count_questions(); q++) {
    i->kind = (cpb_question_kind)(q + 1);
    if (strcmp(cpb_question_name(i->kind), word) == 0) return true;
  }
  const char *meant = cli_suggest(word, NULL, count_questions(), question_name_at);
  snprintf(problem, sizeof problem, meant ? "there is no question %.64s; is %s meant?" : "there is no question %.64s",
           word, meant);
  *status = cli_usage(i->cli->command, problem);
  return false;
}

static cpb_question question_of(const inspection *i) {
  const cli_settings *s = &i->cli->settings;
  return (cpb_question){.struct_size = sizeof(cpb_question),
                        .kind = i->kind,
                        .meta_graph = s->meta_graph < UINT32_MAX ? (uint32_t)s->meta_graph : UINT32_MAX,
                        .name = s->name,
                        .name_size = s->name ? strlen(s->name) : 0,
                        .scope = s->scope,
                        .scope_size = s->scope ? strlen(s->scope) : 0,
                        .first = s->first,
                        .count = s->page};
}

static int run(inspection *i) {
  cpb_error error;
  cpb_question question = question_of(i);
  return cli_model_answer(&i->model, &question, &error) ? CLI_OK : cli_fail(i->cli, i->model.name, &error);
}

/* --- The answer ------------------------------------------------------------------------- */

static int print(inspection *i, const cpb_buffer *answer) {
  if (!i->cli->settings.json) return cli_show_answer(i->cli, (const char *)answer->data, answer->size);
  cli_print_bytes(i->cli, answer->data, answer->size);
  cli_print(i->cli, "\n");
  return CLI_OK;
}

static int show(inspection *i, int beside) {
  size_t size;
  cpb_buffer answer;
  const char *json = cpb_model_answer(i->model.model, &size);
  cpb_buffer_init(&answer, &i->cli->allocator);
  int status = cpb_buffer_append(&answer, json, size) ? CLI_OK : cli_fail_memory(i->cli);
  if (status == CLI_OK && i->kind == CPB_ASK_OVERVIEW && i->model.kind == CPB_MODEL_SAVED_MODEL) {
    int added = cli_add_fingerprint(i->cli, i->model.name, &answer);
    if (beside == CLI_OK) beside = added;
  }
  if (status == CLI_OK) status = print(i, &answer);
  cpb_buffer_free(&answer);
  return status != CLI_OK ? status : beside;
}

int cli_inspect(cli *c) {
  int status = CLI_OK, beside = CLI_OK;
  inspection i = {.cli = c};
  if (!find_question(&i, &status)) return status;
  bool of_keras = i.kind == CPB_ASK_LAYERS || i.kind == CPB_ASK_LOAD || i.kind == CPB_ASK_CUT ||
                  i.kind == CPB_ASK_OVERVIEW || i.kind == CPB_ASK_SEARCH;
  status = cli_model_open(&i.model, c, c->settings.input);
  if (status == CLI_OK) status = cli_model_begin(&i.model, NULL);
  if (status == CLI_OK && of_keras) status = cli_model_give_keras(&i.model);
  if (status == CLI_OK && (i.kind == CPB_ASK_VARIABLES || i.kind == CPB_ASK_OVERVIEW))
    beside = cli_model_give_checkpoint(&i.model);
  if (status == CLI_OK) status = run(&i);
  if (status == CLI_OK) status = show(&i, beside);
  cli_model_close(&i.model);
  return status;
}
