#include <string.h>

#include "cli/cli.h"

bool cli_is_dash(const char *path) { return !path || strcmp(path, "-") == 0; }

const char *cli_input_name(const char *path) { return cli_is_dash(path) ? "standard input" : path; }

const char *cli_output_name(const char *path) { return cli_is_dash(path) ? "standard output" : path; }

bool cli_ends_with(const char *path, const char *ending) {
  size_t size = strlen(path), end = strlen(ending);
  return size >= end && strcmp(path + size - end, ending) == 0;
}

bool cli_has_ending(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return *name && strchr(name + 1, '.');
}
