#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/references.h"

#ifndef PATH_MAX
#  define PATH_MAX 4096
#endif

static bool resolve_folder(const char *path, size_t length, char *out) {
  char folder[PATH_MAX];
  if (length >= sizeof folder) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(folder, path, length);
  folder[length] = '\0';
  return realpath(length > 0 ? folder : ".", out) != NULL;
}

/* What the name led to when it was looked at is opened, and not the name again, which may since lead elsewhere. */
int cpb_reference_descriptor(const char *path, size_t folder) {
  char root[PATH_MAX], found[PATH_MAX];
  if (!resolve_folder(path, folder, root) || !realpath(path, found)) return -1;
  size_t length = strlen(root);
  if (length > 1) root[length++] = '/';
  if (strncmp(found, root, length) == 0) return open(found, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  errno = EXDEV;
  return -1;
}
