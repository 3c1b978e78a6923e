/* File functions that src/host needs, for a system without files, so that nothing of preview 1 is imported. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/status.h"
#include "host/descriptor.h"
#include "host/open/lookup.h"
#include "host/references.h"

static int none(void) {
  errno = ENOSYS;
  return -1;
}

int open(const char *path, int flags, ...) {
  (void)path, (void)flags;
  return none();
}

ssize_t read(int fd, void *data, size_t length) {
  (void)fd, (void)data, (void)length;
  return none();
}

int close(int fd) {
  (void)fd;
  return none();
}

cpb_identity cpb_reference_identity(int fd) {
  (void)fd;
  return (cpb_identity){.is_known = false};
}

int cpb_reference_descriptor(const cpb_reference_home *home, const char *path, cpb_error *error) {
  (void)home;
  return cpb_regular_open(path, 0, error);
}

bool cpb_descriptor_reads_by_offset(int fd) {
  (void)fd;
  return false;
}

bool cpb_descriptor_is_device(int fd) {
  (void)fd;
  return false;
}

bool cpb_descriptor_read(cpb_descriptor *d, uint64_t offset, void *out, size_t length, size_t *got) {
  (void)d, (void)offset, (void)out, (void)length, (void)got;
  return none() == 0;
}

bool cpb_descriptor_write(cpb_descriptor *d, uint64_t offset, const void *data, size_t length) {
  (void)d, (void)offset, (void)data, (void)length;
  return none() == 0;
}

bool cpb_descriptor_size(cpb_descriptor *d, uint64_t *size) {
  (void)d, (void)size;
  return none() == 0;
}

cpb_code cpb_fail_errno(cpb_error *error, cpb_code code) {
  return cpb_fail(error, code, CPB_NO_OFFSET, "there are no files here; expected a URL");
}

int cpb_regular_open(const char *path, int flags, cpb_error *error) {
  (void)path, (void)flags;
  cpb_fail_errno(error, CPB_E_READ);
  return -1;
}

bool cpb_lookup_exists(const char *path) {
  (void)path;
  return false;
}

bool cpb_lookup_is_directory(const char *path) {
  (void)path;
  return false;
}

void cpb_lookup_in_folder(const char *path, cpb_lookup_folder *found) {
  (void)path;
  found->models.count = found->indexes.count = found->others.count = found->num_versions = 0;
  found->error = 0;
}
