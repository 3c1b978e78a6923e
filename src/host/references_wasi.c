/* WASI preview 1, where a runtime may not reveal the target of a path: files in subfolders are not opened, and links
 * are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "host/descriptor.h"
#include "host/references.h"

cpb_identity cpb_reference_identity(int fd) {
  (void)fd;
  return (cpb_identity){.is_known = false};
}

int cpb_reference_descriptor(const cpb_reference_home *home, const char *path, cpb_error *error) {
  struct stat found;
  if (strchr(path + home->folder, '/')) return -1;
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
  errno = ENOMEM;
  if (!cpb_buffer_reserve(name, name->size + rest.size + 1)) return false;
  char *plain = (char *)name->data + name->size;
  errno = EXDEV;
  if (!begins || !cpb_file_name_normalize(rest, plain)) return false;
  name->size += strlen(plain);
  return true;
}

bool cpb_reference_is_same(const char *a, const char *b) {
  const int fd = strcmp(a, b) == 0 ? open(a, O_RDONLY) : -1;
  if (fd >= 0) close(fd);
  return fd >= 0;
}
