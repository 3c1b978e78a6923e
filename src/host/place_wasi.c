/* WASI preview 1, which has neither modes nor signals nor locks. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor.h"
#include "host/place.h"

int cpb_place_open(cpb_place *p) {
  struct stat found;
  if (stat(p->path, &found) == 0) {
    if (S_ISDIR(found.st_mode)) {
      errno = EISDIR;
      return -1;
    }
    if (!S_ISREG(found.st_mode)) return open(p->path, O_WRONLY);
    if (!p->replace) {
      errno = EEXIST;
      return -1;
    }
  }
  p->beside = true;
  return cpb_place_open_named(p, 0666);
}

bool cpb_place_set_mode(const cpb_place *p, int fd) {
  (void)p, (void)fd;
  return true;
}

bool cpb_place_publish(cpb_place *p, int fd) {
  (void)fd;
  return cpb_place_publish_named(p);
}

bool cpb_place_sync(const cpb_place *p) {
  (void)p;
  return true;
}

cpb_code cpb_claim_take(cpb_claim *claim, const char *path, unsigned wait, cpb_error *error) {
  (void)wait;
  *claim = (cpb_claim){.path = path, .fd = open(path, O_RDWR)};
  return claim->fd >= 0 ? CPB_OK : cpb_fail_errno(error, CPB_E_WRITE);
}

cpb_code cpb_claim_check(const cpb_claim *claim, bool written, cpb_error *error) {
  (void)claim, (void)written, (void)error;
  return CPB_OK;
}
