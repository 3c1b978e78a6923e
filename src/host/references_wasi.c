/* WASI preview 1, where a runtime may not say what a path leads to: files in folders below are not opened, and
 * links are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/references.h"

int cpb_reference_descriptor(const char *path, size_t folder) {
  struct stat found;
  errno = EXDEV;
  if (strchr(path + folder, '/')) return -1;
  if (fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  errno = EXDEV;
  if (S_ISLNK(found.st_mode)) return -1;
  /* To open a pipe would wait for somebody who writes to it. */
  errno = EINVAL;
  if (!S_ISREG(found.st_mode)) return -1;
  return open(path, O_RDONLY | O_NOFOLLOW);
}
