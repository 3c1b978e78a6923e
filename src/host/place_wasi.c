/* WASI preview 1, which has neither modes nor signals. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
