/* ask FILE QUESTION NAME SCOPE FIRST COUNT: the answer about a SameDiff model;
 * ask FILE values NAME TAG STATE: a line of JSON, then an array's values. An empty
 * NAME, SCOPE or TAG stands for none. Code 2: the error is on standard error. With
 * PIECE in the environment, the input comes in pieces of so many bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/values.h"

typedef struct source {
  uint8_t *data, *lent;
  size_t size, piece;
  unsigned requests;
} source;

static source open_source(const char *path) {
  source s = {.piece = SIZE_MAX};
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) exit(1);
  s.size = (size_t)ftell(file);
  rewind(file);
  s.data = malloc(s.size + 1);
  if (!s.data || fread(s.data, 1, s.size, file) != s.size) exit(1);
  fclose(file);
  if (getenv("PIECE")) s.piece = strtoul(getenv("PIECE"), NULL, 10);
  return s;
}

/* A copy, of just what was asked for: so that a look beyond it is noticed. */
static void answer(source *s, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, s->size);
  if (need.kind != CPB_NEED_RANGE) return;
  if (need.offset >= s->size || need.length > s->size - need.offset || need.ahead > s->size - need.offset) abort();
  size_t length = need.ahead < s->piece ? (size_t)need.ahead : s->piece;
  free(s->lent);
  s->lent = malloc(length);
  memcpy(s->lent, s->data + need.offset, length);
  s->requests++;
  cpb_input_supply(input, need.offset, s->lent, length);
}

static int failed(const cpb_error *error) {
  fprintf(stderr, "%s at %" PRId64 ": %s\n", cpb_code_name(error->code), (int64_t)error->offset, error->message);
  return 2;
}

static void print_info(const cpb_values_info *info) {
  printf("{\"dtype\": \"%s\", \"numpy\": \"%s\", \"fortran\": %s, \"size\": %" PRIu64 ", \"shape\": [", info->dtype,
         info->numpy ? info->numpy : "", info->fortran_order ? "true" : "false", info->size);
  for (uint32_t i = 0; i < info->rank; i++) printf("%s%" PRIu64, i > 0 ? ", " : "", info->shape[i]);
  printf("]}\n");
}

static int print_values(source *s, cpb_model_kind kind, const char *name, const char *tag, const char *state) {
  cpb_values_options how = {.struct_size = sizeof how, .state = (uint32_t)atoi(state)};
  if (tag[0]) {
    how.scope = tag;
    how.scope_size = strlen(tag);
  }
  cpb_values *values = cpb_values_new(NULL, kind, name, strlen(name), &how);
  cpb_step step;
  int begun = 0, status = 0;
  do {
    step = cpb_values_step(values);
    if (step == CPB_STEP_NEED) answer(s, cpb_values_input(values));
    if (!begun && (step == CPB_STEP_DATA || step == CPB_STEP_DONE)) print_info(cpb_values_get_info(values));
    begun = begun || step == CPB_STEP_DATA;
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (step == CPB_STEP_DATA) fwrite(data, 1, size, stdout);
  } while (step == CPB_STEP_NEED || step == CPB_STEP_DATA);
  if (step == CPB_STEP_ERROR) status = failed(cpb_values_error(values));
  cpb_values_free(values);
  return status;
}

static cpb_question_kind question_of(const char *name) {
  for (int i = 1; cpb_question_name((cpb_question_kind)i); i++) {
    if (strcmp(cpb_question_name((cpb_question_kind)i), name) == 0) return (cpb_question_kind)i;
  }
  exit(1);
}

static int print_answer(source *s, cpb_model_kind kind, char **a) {
  cpb_question question = {.struct_size = sizeof question, .kind = question_of(a[0])};
  if (a[1][0]) question.name = a[1], question.name_size = strlen(a[1]);
  if (a[2][0]) question.scope = a[2], question.scope_size = strlen(a[2]);
  question.first = strtoull(a[3], NULL, 10);
  question.count = strtoull(a[4], NULL, 10);
  cpb_model *model = cpb_model_new(NULL, kind, NULL);
  cpb_step step;
  int status = 0;
  cpb_model_ask(model, &question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) answer(s, cpb_model_input(model));
  if (step == CPB_STEP_DONE) {
    size_t size;
    const char *text = cpb_model_answer(model, &size);
    fwrite(text, 1, size, stdout);
  } else {
    status = failed(cpb_model_error(model));
  }
  cpb_model_free(model);
  return status;
}

int main(int count, char **arguments) {
  if (count < 6) return 1;
  source s = open_source(arguments[1]);
  size_t length = strlen(arguments[1]);
  int zip = length > 4 && strcmp(arguments[1] + length - 4, ".zip") == 0;
  cpb_model_kind kind = zip ? CPB_MODEL_SAMEDIFF_ZIP : CPB_MODEL_SAMEDIFF_GRAPH;
  int status = strcmp(arguments[2], "values") == 0
                   ? print_values(&s, kind, arguments[3], arguments[4], arguments[5])
                   : print_answer(&s, kind, arguments + 2);
  free(s.data);
  free(s.lent);
  return status;
}
