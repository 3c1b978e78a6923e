/* WASI preview 1, where a runtime may not say what a path leads to: files in folders below are not opened, and
 * links are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor.h"
#include "host/references.h"
#include "host/regular.h"

int cpb_reference_descriptor(const char *path, size_t folder, cpb_error *error) {
  struct stat found;
  if (strchr(path + folder, '/')) return -1;
  if (fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0)
    return S_ISLNK(found.st_mode) ? -1 : cpb_regular_open(path, O_NOFOLLOW, error);
  cpb_fail_errno(error, CPB_E_READ);
  return -1;
}

/* The path without "./" at its beginning. */
static const char *without_here(const char *path) {
  while (path[0] == '.' && path[1] == '/') path += 2;
  return path;
}

/* By their texts alone: where both paths begin with the same folder. */
bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name) {
  const char *from = without_here(path), *to = without_here(file);
  const size_t skip = (size_t)(from - path), length = folder > skip ? folder - skip : 0;
  const bool begins = strncmp(to, from, length) == 0;
  const cpb_span rest = {(const uint8_t *)to + length, begins ? strlen(to) - length : 0};
  if (!begins || !cpb_reference_stays(rest)) errno = EXDEV;
  else if (!cpb_buffer_append(name, rest.data, rest.size)) errno = ENOMEM;
  else return true;
  return false;
}

bool cpb_reference_is_same(const char *a, const char *b) {
  const int fd = strcmp(a, b) == 0 ? open(a, O_RDONLY) : -1;
  if (fd >= 0) close(fd);
  return fd >= 0;
}
