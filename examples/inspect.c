/* inspect MODEL [QUESTION [NAME]]: prints the answer to a question about a model, as JSON; for
 * example `inspect model/ signature serving_default`. MODEL is a SavedModel's directory, or the file of
 * a model of any kind and size; its weights are not read. */
#include <stdio.h>
#include <string.h>

#include "cpb/open.h"

/* The question with this name, or 0. */
static cpb_question_kind find_question(const char *name) {
  for (int kind = CPB_ASK_OVERVIEW; cpb_question_name((cpb_question_kind)kind); kind++)
    if (strcmp(cpb_question_name((cpb_question_kind)kind), name) == 0) return (cpb_question_kind)kind;
  return (cpb_question_kind)0;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: inspect MODEL [QUESTION [NAME]]\n");
    return 1;
  }
  cpb_question question = {.struct_size = sizeof question, .kind = find_question(argc > 2 ? argv[2] : "overview")};
  if (argc > 3) question.name = argv[3], question.name_size = strlen(argv[3]);

  cpb_error error;
  size_t size;
  cpb_model_file *model = cpb_model_file_open(NULL, argv[1], NULL, &error);
  const char *json = model ? cpb_model_file_ask(model, &question, &size, &error) : NULL;
  if (json) {
    printf("%.*s\n", (int)size, json);
  } else {
    const char *path = argv[1];
    if (model) cpb_model_file_culprit(model, &path);
    fprintf(stderr, "%s: %s\n", path, error.message);
  }
  cpb_model_file_close(model);
  return json ? 0 : 1;
}
