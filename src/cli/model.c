#include "cli/cli.h"

#include <string.h>

#include "base/status.h"

/* The kind in --type; 0: recognize it from the model. */
static cpb_model_kind kind_of(const char *type) {
  for (cpb_model_kind kind = 1; type && cpb_model_kind_name(kind); kind++) {
    const char *of_kind = cpb_model_message_type(kind);
    if (of_kind && strcmp(of_kind, type) == 0) return kind;
  }
  return (cpb_model_kind)0;
}

/* The answer does not show that there are other versions. */
static void say_version(cli *c, const char *path, const char *found) {
  const size_t count = path && !cli_is_dash(path) && !cpb_is_url(path) ? cpb_count_versions(path) : 0;
  if (count > 1 && !c->settings.quiet) cli_note(c, found, "the highest of %zu versions in %s", count, path);
}

/* Chunks may be damaged, but their content is unknown without the index. Errors of zip archives say so. */
static void advise(cpb_error *error) {
  size_t length = strlen(error->message);
  if (error->code != CPB_E_DAMAGED && error->code != CPB_E_TRUNCATED) return;
  if (strncmp(error->message, "zip", 3) == 0) return;
  cpb_format(error->message + length, sizeof error->message - length,
             "; the index of the chunks cannot be read. cpb recover copies the chunks that can");
}

cpb_model_file *cli_open_model(cli *c, const char *path, const cpb_model_options *how, bool keep_damaged, int *status) {
  cpb_error error;
  char *found = cli_find_model(c, path, status);
  if (!found) return NULL;
  cpb_model_options model = {.struct_size = sizeof model};
  if (how) model = *how;
  model.limits = &c->settings.limits;
  const cpb_model_file_options options = {.struct_size = sizeof options,
                                          .kind = kind_of(c->settings.type),
                                          .model = &model,
                                          .urls = &c->urls,
                                          .keep_damaged = keep_damaged,
                                          .allow_references = c->settings.allow_references};
  /* The library distinguishes the user's path from the file found in it. */
  cpb_model_file *file = cpb_model_file_open(&c->allocator, path ? path : found, &options, &error);
  if (!file && keep_damaged) advise(&error);
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
