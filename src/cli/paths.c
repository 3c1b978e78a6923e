#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/os/os.h"

char *cli_join(cli *c, const char *path, const char *ending, int *status) {
  size_t size = strlen(path) + strlen(ending) + 1;
  char *joined = cpb_alloc(&c->allocator, size);
  if (joined) {
    snprintf(joined, size, "%s%s", path, ending);
  } else {
    *status = cli_fail_memory(c);
  }
  return joined;
}

char *cli_beside(cli *c, const char *path, const char *name, int *status) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0, size = strlen(name) + 1;
  char *beside = cpb_alloc(&c->allocator, folder + size);
  if (beside) {
    memcpy(beside, path, folder);
    memcpy(beside + folder, name, size);
  } else {
    *status = cli_fail_memory(c);
  }
  return beside;
}

char *cli_find_model(cli *c, const char *path, int *status) {
  static const char *const in_directory[] = {"/saved_model.cpb", "/saved_model.pb", NULL};
  static const char *const of_prefix[] = {"", ".cpb", ".pb", NULL};
  const char *const *ending = os_is_directory(path) ? in_directory : of_prefix;
  for (; *ending && !cli_is_dash(path); ending++) {
    char *found = cli_join(c, path, *ending, status);
    if (!found || os_exists(found)) return found;
    cpb_release(&c->allocator, found);
  }
  return cli_join(c, path, "", status);
}
