/* WASI preview 1. Paths are looked at by opening them, because small runtimes have no
 * path_filestat_get. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <wasi/api.h>

#include "host/lookup.h"

/* What is no directory says so, unless the runtime opens it all the same. */
static __wasi_filetype_t type_of(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return errno == ENOTDIR ? __WASI_FILETYPE_REGULAR_FILE : __WASI_FILETYPE_UNKNOWN;
  __wasi_fdstat_t stat;
  bool known = __wasi_fd_fdstat_get(fd, &stat) == 0;
  close(fd);
  return known ? stat.fs_filetype : __WASI_FILETYPE_UNKNOWN;
}

bool cpb_lookup_exists(const char *path) { return type_of(path) != __WASI_FILETYPE_UNKNOWN; }
bool cpb_lookup_is_directory(const char *path) { return type_of(path) == __WASI_FILETYPE_DIRECTORY; }
