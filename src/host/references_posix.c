#ifdef __linux__
#  define _GNU_SOURCE /* O_PATH */
#else
#  define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "host/descriptor.h"
#include "host/references.h"

#ifndef PATH_MAX
#  define PATH_MAX 4096
#endif

/* Opening files below a folder needs no permission to list it. */
#if defined(O_PATH)
#  define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)
#elif defined(O_SEARCH)
#  define FOLDER (O_SEARCH | O_DIRECTORY | O_CLOEXEC)
#else
#  define FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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

cpb_identity cpb_reference_identity(int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) return (cpb_identity){.is_known = false};
  return (cpb_identity){(uint64_t)found.st_dev, (uint64_t)found.st_ino, true};
}

/* --- Opening ------------------------------------------------------------------------------ */

/* Opens the target that was checked, and not the name, which may lead elsewhere by now: below the folder, no part of
 * the path may be a link. Closes the folder. */
static int open_below(int folder, char *path, cpb_error *error) {
  char *slash;
  while (folder >= 0 && (slash = strchr(path, '/'))) {
    *slash = '\0';
    const int next = openat(folder, path, FOLDER | O_NOFOLLOW), failure = errno;
    close(folder);
    errno = failure;
    folder = next;
    path = slash + 1;
  }
  if (folder < 0) return cpb_fail_errno(error, CPB_E_READ), -1;
  const int fd = cpb_regular_open_at(folder, path, O_NOFOLLOW, error);
  close(folder);
  return fd;
}

/* The rest of the path after the folder, or NULL if it is not in the folder. Both are absolute, without links. */
static char *path_below(const char *folder, char *path) {
  const size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (length == 1) return path + 1;
  return path[length] == '/' ? path + length + 1 : NULL;
}

/* Opens the folder, if the file with this name in it is still the one that was opened; else -1, with the error set if
 * the folder cannot be opened. */
static int open_folder_of(const cpb_identity *file, const char *folder, const char *name, int flags, cpb_error *error) {
  struct stat found;
  const int fd = open(folder, FOLDER);
  if (fd < 0) return cpb_fail_errno(error, CPB_E_READ), -1;
  const bool is_there = file->is_known && fstatat(fd, name, &found, flags) == 0;
  if (is_there && (uint64_t)found.st_dev == file->device && (uint64_t)found.st_ino == file->number) return fd;
  close(fd);
  return -1;
}

/* If the path is a link, `root` becomes the folder of its target. */
static int open_real_folder(const cpb_reference_home *home, char *root, cpb_error *error) {
  char real[PATH_MAX];
  if (!realpath(home->path, real)) return -1;
  const char *name = strrchr(real, '/') + 1;
  const size_t length = (size_t)(name - real);
  memcpy(root, real, length);
  root[length > 1 ? length - 1 : length] = '\0';
  return open_folder_of(&home->identity, root, name, AT_SYMLINK_NOFOLLOW, error);
}

int cpb_reference_descriptor(const cpb_reference_home *home, const char *path, cpb_error *error) {
  char root[PATH_MAX], found[PATH_MAX], *rest;
  if (!resolve_folder(home->path, home->folder, root) || !realpath(path, found)) {
    cpb_fail_errno(error, CPB_E_READ);
    return -1;
  }
  int folder = open_folder_of(&home->identity, root, home->path + home->folder, 0, error);
  if (folder < 0) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the file that names it is no longer the one that was opened");
    return -1;
  }
  if ((rest = path_below(root, found))) return open_below(folder, rest, error);
  close(folder);
  folder = open_real_folder(home, root, error);
  if (folder >= 0 && (rest = path_below(root, found))) return open_below(folder, rest, error);
  if (folder >= 0) close(folder);
  return -1;
}

/* --- For a file that is written --------------------------------------------------------- */

/* The length of the folders that both have in common, including the last slash. */
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
