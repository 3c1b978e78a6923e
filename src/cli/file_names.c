#include <stdio.h>
#include <string.h>

#include "base/url_text.h"
#include "cli/cli.h"

bool cli_is_dash(const char *path) { return !path || strcmp(path, "-") == 0; }

const char *cli_input_name(const char *path) { return cli_is_dash(path) ? "standard input" : path; }

const char *cli_shown_name(cli *c, const char *path) {
  const char *name = cli_input_name(path);
  return cpb_is_url(name) ? cpb_url_name(name, c->shown, sizeof c->shown) : name;
}

const char *cli_output_name(const char *path) { return cli_is_dash(path) ? "standard output" : path; }

bool cli_ends_with(const char *path, const char *ending) {
  size_t size = cpb_url_path_length((cpb_span){(const uint8_t *)path, strlen(path)}), end = strlen(ending);
  return size >= end && memcmp(path + size - end, ending, end) == 0;
}

const char *cli_last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool cli_has_ending(const char *path) {
  const char *name = cli_last_part(path);
  return *name && strchr(name + 1, '.');
}

char *cli_join(cli *c, const char *path, const char *ending, int *status) {
  size_t size = strlen(path) + strlen(ending) + 1;
  char *joined = cpb_alloc(&c->allocator, size);
  if (!joined) return cli_no_memory(c, status);
  snprintf(joined, size, "%s%s", path, ending);
  return joined;
}

char *cli_beside(cli *c, const char *path, const char *name, int *status) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0, size = strlen(name) + 1;
  char *beside = cpb_alloc(&c->allocator, folder + size);
  if (!beside) return cli_no_memory(c, status);
  memcpy(beside, path, folder);
  memcpy(beside + folder, name, size);
  return beside;
}

char *cli_find_model(cli *c, const char *path, int *status) {
  if (cpb_is_url(path)) return cli_join(c, path, "", status);
  size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  char *found = cpb_alloc(&c->allocator, size);
  if (!found || !cpb_find_model(path, found, size)) *status = cli_fail_memory(c);
  return found;
}
