#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor.h"
#include "host/references.h"
#include "host/regular.h"

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
int cpb_reference_descriptor(const char *path, size_t folder, cpb_error *error) {
  char root[PATH_MAX], found[PATH_MAX];
  if (!resolve_folder(path, folder, root) || !realpath(path, found)) {
    cpb_fail_errno(error, CPB_E_READ);
    return -1;
  }
  size_t length = strlen(root);
  if (length > 1) root[length++] = '/';
  if (strncmp(found, root, length) == 0) return cpb_regular_open(found, O_NOFOLLOW, error);
  return -1;
}

/* --- For a file that is written --------------------------------------------------------- */

/* How much of both is folders that they have in common, with the slash after the last. */
static size_t common_folders(const char *folder, const char *file) {
  size_t common = 0;
  for (size_t i = 0;; i++) {
    const bool folder_ends = folder[i] == '\0' || folder[i] == '/', file_ends = file[i] == '/';
    if (folder_ends && file_ends) common = i + 1;
    if (folder[i] == '\0' || folder[i] != file[i]) return common;
  }
}

/* `folder` and `file` are absolute, without links. */
static bool add_relative(const char *folder, const char *file, cpb_buffer *name) {
  const size_t length = strlen(folder), common = common_folders(length > 1 ? folder : "", file);
  bool done = true;
  for (size_t i = common; done && i < length; i++) {
    const bool begins = i == common || folder[i - 1] == '/';
    if (begins) done = cpb_buffer_append(name, "../", 3);
  }
  if (done) done = cpb_buffer_append(name, file + common, strlen(file + common));
  if (!done) errno = ENOMEM;
  return done;
}

bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name) {
  char root[PATH_MAX], found[PATH_MAX];
  return resolve_folder(path, folder, root) && realpath(file, found) && add_relative(root, found, name);
}

bool cpb_reference_is_same(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
