#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* flock, st_mtimespec */
#define _FILE_OFFSET_BITS 64
#include "host/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "host/descriptor.h"

#ifdef __APPLE__
#  define st_mtim st_mtimespec
#endif

#define PAUSE 5u /* milliseconds between attempts */

static bool same_file(const cpb_claim *a, const cpb_claim *b) {
  return a->device == b->device && a->number == b->number;
}

static bool unchanged(const cpb_claim *a, const cpb_claim *b) {
  return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static void describe(cpb_claim *out, const struct stat *found) {
  out->device = (uint64_t)found->st_dev;
  out->number = (uint64_t)found->st_ino;
  out->size = (uint64_t)found->st_size;
  out->seconds = (int64_t)found->st_mtim.tv_sec;
  out->nanoseconds = (int64_t)found->st_mtim.tv_nsec;
}

/* Identifies the file at the path, and the open file. */
static bool look(const cpb_claim *claim, cpb_claim *at_path, cpb_claim *open_file) {
  struct stat found;
  if (stat(claim->path, &found) != 0) return false;
  describe(at_path, &found);
  if (fstat(claim->fd, &found) != 0) return false;
  describe(open_file, &found);
  return true;
}

/* The lock belongs to the open file, so closing another descriptor of the file does not release it, unlike a POSIX
 * lock. */
static bool lock(int fd) {
  int result;
  do {
    result = flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

/* The lock also fails if the file was replaced while it waited. */
static bool try_to_take(cpb_claim *claim) {
  cpb_claim at_path;
  claim->fd = open(claim->path, O_RDWR | O_CLOEXEC);
  if (claim->fd < 0) return false;
  if (lock(claim->fd) && look(claim, &at_path, claim)) {
    if (same_file(&at_path, claim)) return true;
    errno = EWOULDBLOCK;
  }
  int error = errno;
  close(claim->fd);
  claim->fd = -1;
  errno = error;
  return false;
}

cpb_code cpb_claim_take(cpb_claim *claim, const char *path, unsigned wait, cpb_error *error) {
  const struct timespec pause = {.tv_nsec = PAUSE * 1000000L};
  *claim = (cpb_claim){.path = path, .fd = -1};
  for (unsigned waited = 0; !try_to_take(claim); waited += PAUSE) {
    if (errno != EWOULDBLOCK) return cpb_fail_errno(error, CPB_E_WRITE);
    if (waited >= wait) return cpb_fail(error, CPB_E_WRITE, CPB_NO_OFFSET, "in use by another process");
    nanosleep(&pause, NULL);
  }
  return CPB_OK;
}

cpb_code cpb_claim_check(const cpb_claim *claim, bool written, cpb_error *error) {
  cpb_claim at_path, open_file;
  if (!look(claim, &at_path, &open_file)) return cpb_fail_errno(error, CPB_E_WRITE);
  if (same_file(&at_path, claim) && (written || unchanged(&open_file, claim))) return CPB_OK;
  return cpb_fail(error, CPB_E_WRITE, CPB_NO_OFFSET, "in use by another process, which has changed it meanwhile");
}
