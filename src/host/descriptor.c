#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "host/descriptor.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/status.h"
#include "host/threads.h"

/* Some systems refuse or shorten a single call beyond 2 GiB. */
#define CALL_MAX ((size_t)1 << 30)

bool cpb_descriptor_reads_by_offset(int fd) {
  char byte;
  return cpb_shared_read(fd, &byte, 0, 0) == 0;
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
  return d->shared || d->reads_by_offset ? cpb_shared_read(d->fd, out, length, d->at) : read(d->fd, out, length);
}

static ssize_t write_some(const cpb_descriptor *d, const void *data, size_t length) {
  length = cpb_min_size(length, CALL_MAX);
  return d->shared ? cpb_shared_write(d->fd, data, length, d->at) : write(d->fd, data, length);
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
