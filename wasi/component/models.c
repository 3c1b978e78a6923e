/* Questions about models. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "cpb/open.h"
#include "folder.h"

enum { NAME_MOST = 4096 };

struct exports_models_model_t {
  place place;
  cpb_model_file *file;
};
typedef exports_models_model_t model;

static void free_model(model *m) {
  folder_be_in(&m->place);
  cpb_model_file_close(m->file);
  lent_free(m->place.own);
  if (m->place.has_folder) folder_folder_drop_own(m->place.folder);
  free(m->place.name);
  free(m);
}

/* --- Opening ------------------------------------------------------------------------- */

static bool set_name(place *p, const wit_string_t *name, cpb_error *error) {
  bool fits = name->len <= NAME_MOST && !memchr(name->ptr, 0, name->len);
  if (!fits)
    return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET,
                     "the name of the file has %zu bytes; expected at most %d, and no NUL", name->len, NAME_MOST);
  p->name = strndup((const char *)name->ptr, name->len);
  return p->name || cpb_fail_memory(error) == CPB_OK;
}

/* A new model, which has the source and the folder; NULL when memory is short. */
static model *new_model(exports_models_own_source_t source, const exports_models_own_folder_t *folder,
                        const wit_option_u32_t *read_size, cpb_error *error) {
  model *m = calloc(1, sizeof *m);
  if (m) {
    m->place.has_folder = folder != NULL;
    if (folder) m->place.folder = *folder;
    m->place.own = lent_new(source, read_size, error);
    return m;
  }
  source_source_drop_own(source);
  if (folder) folder_folder_drop_own(*folder);
  return cpb_fail_memory(error), NULL;
}

/* Puts the name of the file first, if an error is about a file next to the model. */
static void name_culprit(const model *m, cpb_error *error) {
  const char *path;
  char text[sizeof error->message];
  if (!m->file || cpb_model_file_culprit(m->file, &path) == 0) return;
  size_t length = cpb_format(text, sizeof text, "%s", cpb_quote((char[128]){0}, 128, path, strlen(path)));
  cpb_format(text + length, sizeof text - length, ": %s", error->message);
  memcpy(error->message, text, sizeof text);
}

bool exports_models_static_model_open(exports_models_own_source_t source, exports_models_own_folder_t *folder,
                                      exports_models_model_options_t *options, exports_models_own_model_t *ret,
                                      exports_models_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  model *m = new_model(source, folder, &options->read_size, &error);
  bool named = m && m->place.own && set_name(&m->place, &options->name, &error);
  argument_free(options->name.ptr, options->name.len);
  if (named) {
    folder_be_in(&m->place);
    m->file = cpb_model_file_open(NULL, m->place.name, NULL, &error);
  }
  if (named && m->file) {
    *ret = exports_models_model_new(m);
    return true;
  }
  if (m) free_model(m);
  return component_fail(err, &error);
}

void exports_models_model_destructor(model *m) { free_model(m); }

void exports_models_method_model_kind(model *m, wit_string_t *ret) {
  const char *name = cpb_model_kind_name(cpb_model_file_kind(m->file));
  component_give(name, strlen(name), ret);
}

/* --- Asking ---------------------------------------------------------------------------- */

static bool find_kind(const wit_string_t *name, cpb_question *question, cpb_error *error) {
  const char *known;
  char text[64];
  for (unsigned kind = 1; (known = cpb_question_name((cpb_question_kind)kind)) != NULL; kind++) {
    question->kind = (cpb_question_kind)kind;
    if (strlen(known) == name->len && memcmp(known, name->ptr, name->len) == 0) return true;
  }
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "there is no question \"%s\"",
                   cpb_quote(text, sizeof text, name->ptr, name->len));
}

static const char *text_of(const wit_option_string_t *text, size_t *size) {
  *size = text->is_some ? text->val.len : 0;
  return text->is_some ? (const char *)text->val.ptr : NULL;
}

static uint64_t number_of(const wit_option_u64_t *number) { return number->is_some ? number->val : 0; }

static const char *ask(model *m, const wit_string_t *name, const exports_models_arguments_t *a, size_t *size,
                       cpb_error *error) {
  cpb_question question = {.struct_size = sizeof question,
                           .meta_graph = a->meta_graph.is_some ? a->meta_graph.val : 0,
                           .first = number_of(&a->first),
                           .count = number_of(&a->count),
                           .distance = number_of(&a->distance)};
  question.name = text_of(&a->name, &question.name_size);
  question.scope = text_of(&a->scope, &question.scope_size);
  question.to = text_of(&a->to, &question.to_size);
  if (!find_kind(name, &question, error)) return NULL;
  folder_be_in(&m->place);
  const char *json = cpb_model_file_ask(m->file, &question, size, error);
  if (!json) name_culprit(m, error);
  return json;
}

static void free_text(const wit_option_string_t *text) {
  if (text->is_some) argument_free(text->val.ptr, text->val.len);
}

bool exports_models_method_model_ask(model *m, wit_string_t *question, exports_models_arguments_t *arguments,
                                     wit_string_t *ret, exports_models_error_t *err) {
  cpb_error error;
  size_t size = 0;
  cpb_error_begin(&error, NULL);
  const char *json = ask(m, question, arguments, &size, &error);
  argument_free(question->ptr, question->len);
  free_text(&arguments->name);
  free_text(&arguments->scope);
  free_text(&arguments->to);
  if (!json) return component_fail(err, &error);
  return component_give(json, size, ret) || component_fail_memory(err);
}
