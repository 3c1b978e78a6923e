/* WASI preview 1, where a runtime may not say what a path leads to: files in folders below are not opened, and
 * links are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "host/references.h"

int cpb_reference_descriptor(const char *path, size_t folder) {
  if (!strchr(path + folder, '/')) return open(path, O_RDONLY | O_NOFOLLOW);
  errno = EXDEV;
  return -1;
}

/* By their texts alone: where both paths begin with the same folder. */
bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name) {
  const bool is_there = strncmp(file, path, folder) == 0 &&
                        cpb_reference_stays((cpb_span){(const uint8_t *)file + folder, strlen(file) - folder});
  if (!is_there) errno = EXDEV;
  else if (!cpb_buffer_append(name, file + folder, strlen(file + folder))) errno = ENOMEM;
  else return true;
  return false;
}

bool cpb_reference_is_same(const char *a, const char *b) {
  const int fd = strcmp(a, b) == 0 ? open(a, O_RDONLY) : -1;
  if (fd >= 0) close(fd);
  return fd >= 0;
}
