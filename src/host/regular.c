#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "host/descriptor.h"
#include "host/regular.h"

/* WASI has no name for pipes. */
static const char *name_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "a pipe or a device";
}

static bool is_file(const struct stat *found, cpb_error *error) {
  if (S_ISREG(found->st_mode)) return true;
  errno = EISDIR;
  if (S_ISDIR(found->st_mode)) cpb_fail_errno(error, CPB_E_READ);
  else cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "it is %s; expected a file", name_of(found->st_mode));
  return false;
}

#ifdef __wasi__

/* A runtime may not know how to open without waiting, so all depends on the look before. */
int cpb_regular_open(const char *path, int flags, cpb_error *error) {
  struct stat found;
  if (stat(path, &found) == 0 && !is_file(&found, error)) return -1;
  int fd = open(path, O_RDONLY | flags);
  if (fd < 0) cpb_fail_errno(error, CPB_E_READ);
  return fd;
}

#else

/* To open a device may do something. Looks again after it, in case another file was put there meanwhile. */
static int open_file(int folder, const char *path, int flags, cpb_error *error) {
  struct stat found;
  int fd = openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
  const bool is_open = fd >= 0 && fstat(fd, &found) == 0;
  if (is_open && is_file(&found, error)) return fd;
  if (!is_open) cpb_fail_errno(error, CPB_E_READ);
  if (fd >= 0) close(fd);
  return -1;
}

int cpb_regular_open_at(int folder, const char *path, int flags, cpb_error *error) {
  struct stat found;
  const bool is_other = fstatat(folder, path, &found, 0) == 0 && !is_file(&found, error);
  return is_other ? -1 : open_file(folder, path, flags, error);
}

int cpb_regular_open(const char *path, int flags, cpb_error *error) {
  return cpb_regular_open_at(AT_FDCWD, path, flags, error);
}

#endif
