#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cpb/open.h"

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
  if (cli_is_dash(path)) return cli_join(c, path ? path : "-", "", status);
  size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  char *found = cpb_alloc(&c->allocator, size);
  if (!found || !cpb_find_model(path, found, size)) *status = cli_fail_memory(c);
  return found;
}
