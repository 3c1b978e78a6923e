#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"

/* The kind in --type; 0: recognize it from the model. False after the message. */
static bool find_kind(const cli *c, cpb_model_kind *kind, int *status) {
  const char *type = c->settings.type, *of_kind;
  char problem[512];
  int length = snprintf(problem, sizeof problem, "--type: no model is a %.150s; expected ", type ? type : "");
  *kind = (cpb_model_kind)0;
  if (!type) return true;
  for (cpb_model_kind each = 1; cpb_model_kind_name(each); each++) {
    if (!(of_kind = cpb_model_message_type(each))) continue;
    *kind = each;
    if (strcmp(of_kind, type) == 0) return true;
    length += snprintf(problem + length, sizeof problem - (size_t)length, each > 1 ? ", %s" : "%s", of_kind);
  }
  *status = cli_usage(c->command, problem);
  return false;
}

/* A model is read at many places of a file that has a name. */
static bool has_path(const cli *c, const char *path, int *status) {
  if (!cli_is_dash(path)) return true;
  *status = cli_usage(c->command, "a model cannot be read from standard input; expected a file");
  return false;
}

/* The answer does not show that there are other versions. */
static void say_version(cli *c, const char *path, const char *found) {
  const size_t count = !cpb_is_url(path) ? cpb_count_versions(path) : 0;
  if (count > 1 && !c->settings.quiet) cli_note(c, found, "the highest of %zu versions in %s", count, path);
}

/* Chunks may be damaged, but their content is unknown without the index. */
static void advise(const char *path, cpb_error *error) {
  size_t length = strlen(error->message);
  if ((error->code != CPB_E_DAMAGED && error->code != CPB_E_TRUNCATED) || !cli_ends_with(path, ".cpb")) return;
  cpb_format(error->message + length, sizeof error->message - length,
             "; the index of the chunks cannot be read. cpb recover copies the chunks that can");
}

cpb_model_file *cli_open_model(cli *c, const char *path, const cpb_model_options *how, bool keep_damaged, int *status) {
  cpb_error error;
  cpb_model_kind kind;
  char *found = has_path(c, path, status) && find_kind(c, &kind, status) ? cli_find_model(c, path, status) : NULL;
  if (!found) return NULL;
  cpb_model_options model = {.struct_size = sizeof model};
  if (how) model = *how;
  model.limits = &c->settings.limits;
  const cpb_model_file_options options = {.struct_size = sizeof options,
                                          .kind = kind,
                                          .model = &model,
                                          .urls = &c->urls,
                                          .keep_damaged = keep_damaged,
                                          .allow_references = c->settings.allow_references};
  /* The library distinguishes the user's path from the file found in it. */
  cpb_model_file *file = cpb_model_file_open(&c->allocator, path, &options, &error);
  if (!file && keep_damaged) advise(found, &error);
  if (file) say_version(c, path, found), cli_say_passed_over(c, path, found);
  else *status = cli_fail(c, found, &error);
  cpb_release(&c->allocator, found);
  return file;
}

int cli_model_fail(cli *c, const cpb_model_file *file, const cpb_error *error) {
  const char *path;
  cpb_model_file_culprit(file, &path);
  return cli_fail(c, path, error);
}

uint32_t cli_number32(uint64_t number) { return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX; }
