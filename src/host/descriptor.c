#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "host/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/status.h"

/* Some systems refuse or shorten a single call beyond 2 GiB. */
#define CALL_MAX ((size_t)1 << 30)

/* pread and pwrite, which small systems lack. */
#if defined(__wasi__) || defined(CPB_NO_THREADS)

static ssize_t shared_read(int fd, void *out, size_t length, uint64_t offset) {
  (void)fd, (void)out, (void)length, (void)offset;
  errno = ENOSYS;
  return -1;
}

static ssize_t shared_write(int fd, const void *data, size_t length, uint64_t offset) {
  return shared_read(fd, (void *)data, length, offset);
}

#else

static ssize_t shared_read(int fd, void *out, size_t length, uint64_t offset) {
  return pread(fd, out, length, (off_t)offset);
}

static ssize_t shared_write(int fd, const void *data, size_t length, uint64_t offset) {
  return pwrite(fd, data, length, (off_t)offset);
}

#endif

bool cpb_descriptor_reads_by_offset(int fd) {
  char byte;
  return shared_read(fd, &byte, 0, 0) == 0;
}

static bool go_to(cpb_descriptor *d, uint64_t offset) {
  if (d->at == offset) return true;
  if (offset > INT64_MAX) {
    errno = EOVERFLOW;
    return false;
  }
  if (!d->shared && !d->reads_by_offset && lseek(d->fd, (off_t)offset, SEEK_SET) < 0) return false;
  d->at = offset;
  return true;
}

static ssize_t read_some(const cpb_descriptor *d, void *out, size_t length) {
  length = cpb_min_size(length, CALL_MAX);
  return d->shared || d->reads_by_offset ? shared_read(d->fd, out, length, d->at) : read(d->fd, out, length);
}

static ssize_t write_some(const cpb_descriptor *d, const void *data, size_t length) {
  length = cpb_min_size(length, CALL_MAX);
  return d->shared ? shared_write(d->fd, data, length, d->at) : write(d->fd, data, length);
}

bool cpb_descriptor_read(cpb_descriptor *d, uint64_t offset, void *out, size_t length, size_t *got) {
  *got = 0;
  if (!go_to(d, offset)) return false;
  while (*got < length) {
    ssize_t n = read_some(d, (uint8_t *)out + *got, length - *got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) return true;
    *got += (size_t)n;
    d->at += (size_t)n;
  }
  return true;
}

bool cpb_descriptor_write(cpb_descriptor *d, uint64_t offset, const void *data, size_t length) {
  if (!go_to(d, offset)) return false;
  const uint8_t *bytes = data;
  while (length > 0) {
    ssize_t n = write_some(d, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    length -= (size_t)n;
    d->at += (size_t)n;
  }
  return true;
}

/* WASI gives no devices, and to ask would be one more function of its own. */
bool cpb_descriptor_is_device(int fd) {
#ifdef __wasi__
  (void)fd;
  return false;
#else
  struct stat found;
  return fstat(fd, &found) == 0 && S_ISCHR(found.st_mode);
#endif
}

bool cpb_descriptor_size(cpb_descriptor *d, uint64_t *size) {
  off_t end = lseek(d->fd, 0, SEEK_END);
  if (end < 0) return false;
  *size = d->at = (uint64_t)end;
  return true;
}

/* Which of the ways to fail in reading. */
static cpb_code code_of(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR: return CPB_E_NOT_FOUND;
    case EACCES:
    case EPERM:
#ifdef __wasi__
    case ENOTCAPABLE:
#endif
      return CPB_E_DENIED;
    default: return CPB_E_READ;
  }
}

#ifdef __wasi__

/* Where a runtime gives no access, that it could. */
static const char *text_of(int number) {
  if (number == ENOTCAPABLE)
    return "the runtime gives access to no folder that this is in; expected one, as by --dir . in Wasmtime";
  if (number == ESPIPE)
    return "a pipe is read once, as there is no temporary file for it; expected a folder that the runtime gives access "
           "to, and its name in TMPDIR, as by --dir . --env TMPDIR=. in Wasmtime";
  return strerror(number);
}

#else

static const char *text_of(int number) { return strerror(number); }

#endif

cpb_code cpb_fail_errno(cpb_error *error, cpb_code code) {
  if (error->code != CPB_OK) return error->code;
  const int number = errno;
  cpb_fail(error, code == CPB_E_READ ? code_of(number) : code, CPB_NO_OFFSET, "%s", text_of(number));
  error->system = (int16_t)number;
  return error->code;
}

/* --- Regular files ------------------------------------------------------------------ */

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
