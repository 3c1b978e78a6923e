#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <unistd.h>

#include "host/threads.h"

ssize_t cpb_shared_read(int fd, void *out, size_t length, uint64_t offset) {
  return pread(fd, out, length, (off_t)offset);
}

ssize_t cpb_shared_write(int fd, const void *data, size_t length, uint64_t offset) {
  return pwrite(fd, data, length, (off_t)offset);
}
