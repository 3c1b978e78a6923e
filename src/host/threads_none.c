#include <errno.h>

#include "host/threads.h"

ssize_t cpb_shared_read(int fd, void *out, size_t length, uint64_t offset) {
  (void)fd, (void)out, (void)length, (void)offset;
  errno = ENOSYS;
  return -1;
}

ssize_t cpb_shared_write(int fd, const void *data, size_t length, uint64_t offset) {
  (void)fd, (void)data, (void)length, (void)offset;
  errno = ENOSYS;
  return -1;
}

bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *written) {
  (void)t, (void)merge, (void)ends, (void)num_parts, (void)count, (void)written;
  return false;
}
