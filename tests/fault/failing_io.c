/* A library to preload: the CPB_FAIL_AT-th call of a kind that does I/O fails
 * with errno CPB_FAIL_WITH, or ends the process there when that is "exit".
 * CPB_FAIL_KIND is "read" or "write" (which stands for all that changes files).
 * At its end a process appends the number of calls to the file CPB_FAIL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int count;

static int fails(const char *kind) {
  const char *wanted = getenv("CPB_FAIL_KIND"), *at = getenv("CPB_FAIL_AT");
  if (wanted == NULL || strcmp(wanted, kind) != 0) return 0;
  if (at == NULL || count++ != atoi(at)) return 0;
  const char *with = getenv("CPB_FAIL_WITH");
  if (strcmp(with, "exit") == 0) _exit(99);
  errno = atoi(with);
  return 1;
}

static __attribute__((destructor)) void report(void) {
  const char *path = getenv("CPB_FAIL_COUNT");
  if (path == NULL) return;
  char line[32];
  int n = snprintf(line, sizeof line, "%d\n", count);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (fd >= 0) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    real(fd, line, (size_t)n);
    close(fd);
  }
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *data, size_t size) {
  if (fails("read")) return -1;
  REAL(read);
  return real(fd, data, size);
}
ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
  if (fails("read")) return -1;
  REAL(pread64);
  return real(fd, data, size, at);
}
ssize_t pread(int fd, void *data, size_t size, off_t at) { return pread64(fd, data, size, at); }
ssize_t write(int fd, const void *data, size_t size) {
  if (fd > 2 && fails("write")) return -1;
  REAL(write);
  return real(fd, data, size);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  if (fails("write")) return -1;
  REAL(pwrite64);
  return real(fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }
int fsync(int fd) {
  if (fails("write")) return -1;
  REAL(fsync);
  return real(fd);
}
int rename(const char *from, const char *to) {
  if (fails("write")) return -1;
  REAL(rename);
  return real(from, to);
}
int link(const char *from, const char *to) {
  if (fails("write")) return -1;
  REAL(link);
  return real(from, to);
}
