/* cpb inspect: shows the computation and the contents of a model. */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "cli/cli.h"
#include "cli/show/show.h"

#define DEPTH 200 /* of an answer */

typedef struct inspection {
  cli *cli;
  cpb_model_file *model;
  cpb_question_kind kind;
  bool is_of_tensors; /* by a word of cli_tensor_words */
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

/* The argument of the question, and the question that lists possible arguments; NULL if it has no argument. */
static const char *expected_subject(cpb_question_kind kind) {
  static const char *const subjects[][2] = {
      {"FUNCTION", "the NAME of a function; cpb inspect MODEL functions lists them"},
      {"NODE", "the NAME of a node; cpb inspect MODEL nodes lists them"},
      {"PATHS", "the PATHS of objects; cpb inspect MODEL objects lists them"}};
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (strcmp(subjects[i][0], cpb_question_argument(kind)) == 0) return subjects[i][1];
  return NULL;
}

static bool has_subject(inspection *i, int *status) {
  char problem[160];
  const char *name = i->cli->settings.name, *expected = expected_subject(i->kind);
  if (!expected || (name && *name)) return true;
  snprintf(problem, sizeof problem, "%s needs %s", i->cli->settings.question, expected);
  *status = cli_usage(i->cli->command, problem);
  return false;
}

static bool is_of_tensors(const char *word) {
  for (size_t i = 0; cli_tensor_words[i]; i++)
    if (strcmp(cli_tensor_words[i], word) == 0) return true;
  return false;
}

/* Where a model has its weights: a SavedModel in variables. */
static cpb_question_kind question_of_tensors(const cpb_model_file *model) {
  return cpb_model_kind_answers(cpb_model_file_kind(model), CPB_ASK_VARIABLES) ? CPB_ASK_VARIABLES : CPB_ASK_CONSTANTS;
}

/* --csv is for one list. */
static bool has_form(inspection *i, int *status) {
  char problem[160];
  const cli_settings *s = &i->cli->settings;
  const bool is_list = i->is_of_tensors ? !s->name : cli_main_list(i->kind) != NULL;
  if (s->json + s->tsv + s->csv > 1) *status = cli_usage(i->cli->command, "expected one of --json, --tsv and --csv");
  else if (s->csv && !is_list) {
    snprintf(problem, sizeof problem, "--csv needs a question with a list, such as variables; %s is not one",
             s->question ? s->question : "the summary");
    *status = cli_usage(i->cli->command, problem);
  } else return true;
  return false;
}

static bool find_question(inspection *i, int *status) {
  char problem[160];
  const char *word = i->cli->settings.question;
  i->kind = CPB_ASK_OVERVIEW;
  if (!word) return true;
  i->is_of_tensors = is_of_tensors(word);
  if (i->is_of_tensors) return true;
  for (size_t q = 0; q < count_questions(); q++) {
    i->kind = (cpb_question_kind)(q + 1);
    if (strcmp(cpb_question_name(i->kind), word) == 0) return has_subject(i, status);
  }
  const char *meant = cli_suggest(word, NULL, count_questions(), question_name_at);
  snprintf(problem, sizeof problem,
           meant ? "there is no question %.64s; did you mean %s?" : "there is no question %.64s", word, meant);
  *status = cli_usage(i->cli->command, problem);
  return false;
}

/* Whether one of the answer's problems is damage. Within strings the quotes would be escaped. */
static bool tells_damage(const char *json, size_t size) {
  static const char damage[] = "\"damage\":true";
  const char *at = json, *end = json + size;
  while ((at = memchr(at, damage[0], (size_t)(end - at)))) {
    if ((size_t)(end - at) < sizeof damage) return false;
    if (memcmp(at, damage, sizeof damage - 1) == 0) return true;
    at++;
  }
  return false;
}

/* Reports where reading ended, from the first problem that is damage. */
static void tell_damage(inspection *i, const char *json, size_t size) {
  static const char told[] = "the model is damaged; what could be read is shown";
  const char *path = cpb_model_file_path(i->model);
  cpb_error error;
  yyjson_doc *answer = cpb_json_read(&i->cli->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  yyjson_val *problem = answer ? cpb_json_member(yyjson_doc_get_root(answer), "problems") : NULL;
  yyjson_arr_iter all = yyjson_arr_iter_with(problem);
  while ((problem = yyjson_arr_iter_next(&all)) && !yyjson_is_true(cpb_json_member(problem, "damage"))) {}
  const char *text = yyjson_get_str(cpb_json_member(problem, "text"));
  uint64_t offset;
  if (!text) cli_note(i->cli, path, "%s", told);
  else if (!cpb_json_unsigned(cpb_json_member(problem, "offset"), &offset))
    cli_note(i->cli, path, "%s: %s", told, text);
  else cli_note(i->cli, path, "%s. Byte %llu: %s", told, (unsigned long long)offset, text);
  yyjson_doc_free(answer);
}

/* The damage first: what follows it is missing. */
static int print_answer(inspection *i, const char *json, size_t size) {
  bool is_damaged = tells_damage(json, size);
  if (is_damaged) tell_damage(i, json, size);
  cli_print_answer(i->cli, json, size);
  return is_damaged ? CLI_INCOMPLETE : CLI_OK;
}

static int answer(inspection *i) {
  const char *name = i->cli->settings.name;
  cli_asker asker = {.cli = i->cli, .model = i->model};
  size_t size;
  const cpb_question question =
      cli_question(i->cli, i->kind, (cpb_span){(const uint8_t *)name, name ? strlen(name) : 0});
  const char *json = cli_ask(&asker, &question, &size);
  int shown = json ? print_answer(i, json, size) : CLI_OK;
  return asker.status != CLI_OK ? asker.status : shown;
}

int cli_inspect(cli *c) {
  int status = CLI_OK;
  inspection i = {.cli = c};
  if (!find_question(&i, &status) || !has_form(&i, &status)) return status;
  const bool reads_values = i.is_of_tensors && c->settings.name; /* which must be whole */
  i.model = cli_open_model(c, c->settings.input, NULL, !reads_values, &status);
  if (!i.model) return status;
  if (i.is_of_tensors) i.kind = question_of_tensors(i.model);
  if (reads_values) status = cli_show_weight(c, i.model);
  else if (c->settings.json) status = answer(&i);
  else if (c->settings.question) status = cli_show_question(c, i.model, i.kind);
  else status = cli_show_summary(c, i.model);
  cpb_model_file_close(i.model);
  return status;
}
