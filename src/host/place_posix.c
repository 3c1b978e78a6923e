#ifdef __linux__
#  define _GNU_SOURCE /* O_TMPFILE, clone */
#else
#  define _POSIX_C_SOURCE 200809L
#endif
#define _DARWIN_C_SOURCE /* flock, st_mtimespec */
#define _FILE_OFFSET_BITS 64
#include "host/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#  include <sched.h>
#  include <sys/wait.h>
#endif

#include "base/checked.h"
#include "base/status.h"
#include "host/descriptor.h"

#ifdef __APPLE__
#  define st_mtim st_mtimespec
#endif

#define PAUSE 5u      /* milliseconds between attempts */
#define LINKS_MAX 40u /* as in Linux */
#define PATH_SIZE 4096u
#define ONLY_OURS 0600u
#define OF_ALL 0666u
#define PERMISSIONS 0777u

/* --- Symbolic links ------------------------------------------------------------------ */

/* The length of the path's folder with its slash; 0 if it has none. */
static size_t folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The path that the link at `p->path` leads to. */
static bool follow_one(cpb_place *p, const char *target, size_t length) {
  size_t folder = target[0] == '/' ? 0 : folder_of(p->path);
  char *path = cpb_alloc(&p->allocator, folder + length + 1);
  bool done = path != NULL;
  if (done) {
    memcpy(path, p->path, folder);
    memcpy(path + folder, target, length);
    path[folder + length] = '\0';
    done = cpb_place_set(p, path);
  }
  cpb_release(&p->allocator, path);
  if (!done) errno = ENOMEM;
  return done;
}

/* Follows links even to a file that does not exist yet. */
static bool follow(cpb_place *p) {
  char target[PATH_SIZE];
  for (unsigned i = 0; i < LINKS_MAX; i++) {
    ssize_t length = readlink(p->path, target, sizeof target);
    if (length < 0) return errno == EINVAL || errno == ENOENT; /* no link, or nothing */
    if ((size_t)length == sizeof target) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (!follow_one(p, target, (size_t)length)) return false;
  }
  errno = ELOOP;
  return false;
}

/* --- Opening -------------------------------------------------------------------------- */

static void name_of_descriptor(int fd, char *out, size_t size) { cpb_format(out, size, "/proc/self/fd/%d", fd); }

static int close_and_fail(int fd) {
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

/* Notes the mode that the system makes of 0666: a thread cannot query the umask without changing it. */
static bool note_mode(cpb_place *p, int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) return false;
  p->mode = found.st_mode & PERMISSIONS;
  return true;
}

/* -1 if the system does not support this. */
static int open_nameless(cpb_place *p) {
#ifdef O_TMPFILE
  char path[32];
  size_t folder = folder_of(p->path);
  memcpy(p->name, p->path, folder);
  memcpy(p->name + folder, ".", 2);
  int fd = open(p->name, O_TMPFILE | O_RDWR | O_CLOEXEC, OF_ALL);
  if (fd < 0) return -1;
  name_of_descriptor(fd, path, sizeof path); /* to be linked by this */
  bool good = access(path, F_OK) == 0 && note_mode(p, fd) && fchmod(fd, ONLY_OURS) == 0;
  return good ? fd : close_and_fail(fd);
#else
  (void)p;
  return -1;
#endif
}

/* An empty file shows the mode, so that nobody else can open the real one in between. */
static int open_named(cpb_place *p) {
  int fd = cpb_place_open_named(p, OF_ALL);
  if (fd < 0) return -1;
  bool good = note_mode(p, fd);
  close_and_fail(fd);
  cpb_place_remove(p);
  return good ? cpb_place_open_named(p, ONLY_OURS) : -1;
}

/* False, with errno, if no file can be placed there. */
static bool look(const cpb_place *p, bool *is_special) {
  struct stat found;
  *is_special = false;
  if (stat(p->path, &found) != 0) {
    size_t length = strlen(p->path);
    if (errno == ENOENT && length > 0 && p->path[length - 1] == '/') errno = EISDIR;
    return errno == ENOENT;
  }
  *is_special = !S_ISREG(found.st_mode);
  errno = S_ISDIR(found.st_mode) ? EISDIR : EEXIST;
  return !S_ISDIR(found.st_mode) && (*is_special || p->replace);
}

int cpb_place_open(cpb_place *p) {
  bool is_special;
  if (!look(p, &is_special)) return -1;
  if (is_special) return open(p->path, O_WRONLY | O_CLOEXEC);
  if (!follow(p)) return -1;
  p->beside = true;
  int fd = open_nameless(p);
  return fd >= 0 ? fd : open_named(p);
}

/* --- Modes ---------------------------------------------------------------------------- */

/* Some file systems have the same mode for all files. */
static bool change_mode(int fd, unsigned mode) {
  return fchmod(fd, (mode_t)mode) == 0 || errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
}

/* Takes owner and group of the old file, if permitted. If the group differs from the old one, it gets no more rights
 * than everybody. */
static bool take_over(const struct stat *old, int fd) {
  struct stat made;
  unsigned mode = old->st_mode & PERMISSIONS;
  if (fstat(fd, &made) != 0) return false;
  bool same = old->st_uid == made.st_uid && old->st_gid == made.st_gid;
  if (!same && fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
    mode &= ~070u | (mode & 07u) << 3;
  return change_mode(fd, mode);
}

bool cpb_place_set_mode(const cpb_place *p, int fd) {
  struct stat old;
  if (p->replace && stat(p->path, &old) == 0) return take_over(&old, fd);
  return change_mode(fd, p->mode);
}

/* --- Names ---------------------------------------------------------------------------- */

static bool link_descriptor(void *user, const char *name) {
  char path[32];
  const int *fd = user;
  name_of_descriptor(*fd, path, sizeof path);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* A link does not replace a file, so the new file needs a temporary name for a moment. */
static bool replace_nameless(cpb_place *p, int fd) {
  if (!cpb_place_try_names(p, link_descriptor, &fd)) return false;
  if (cpb_place_publish_named(p)) return true;
  int error = errno;
  cpb_place_remove(p);
  errno = error;
  return false;
}

#ifdef __linux__
typedef struct replacing {
  cpb_place *place;
  int fd;
} replacing;

static int replace_as_child(void *user) {
  const replacing *r = user;
  return replace_nameless(r->place, r->fd) ? 0 : errno;
}

/* If the process were killed between the two calls, the temporary name would remain. So a child process makes them,
 * which continues if this process is killed. It shares the memory, as with vfork; because it ends without a signal, the
 * program around this library does not notice it. False if no child can be created; then `*error` is not set. */
static bool replace_by_child(cpb_place *p, int fd, int *error) {
  _Alignas(16) char stack[32768];
  int status = 0;
  replacing r = {p, fd};
  pid_t child = clone(replace_as_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK, &r);
  if (child < 0) return false;
  if (waitpid(child, &status, __WALL) != child) *error = errno;
  else *error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  return true;
}
#endif

static bool publish_nameless(cpb_place *p, int fd) {
  if (link_descriptor(&fd, p->path)) return true;
  if (errno != EEXIST || !p->replace) return false;
#ifdef __linux__
  int error = 0;
  if (replace_by_child(p, fd, &error)) {
    errno = error;
    return error == 0;
  }
#endif
  return replace_nameless(p, fd);
}

/* Some file systems report failed writes only when a descriptor is closed. This closes a second one, because a file
 * without a name disappears with its last descriptor. */
static bool settle(int fd) {
  int other = dup(fd);
  return other >= 0 && close(other) == 0;
}

/* Blocks signals between the temporary name and the final one. (Systems with threads have a mask for each, and
 * sigprocmask changes that of the caller.) */
bool cpb_place_publish(cpb_place *p, int fd) {
  sigset_t all, before;
  if (!settle(fd)) return false;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  bool done = p->named ? cpb_place_publish_named(p) : publish_nameless(p, fd);
  int error = errno;
  if (!done) cpb_place_remove(p);
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return done;
}

bool cpb_place_sync(const cpb_place *p) {
  size_t folder = folder_of(p->path);
  memcpy(p->name, p->path, folder);
  memcpy(p->name + folder, ".", 2);
  int fd = open(p->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; /* some file systems do not support it */
  close_and_fail(fd);
  return done;
}

/* --- Files that are changed where they are --------------------------------------------- */

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
static bool identify(const cpb_claim *claim, cpb_claim *at_path, cpb_claim *open_file) {
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
  if (lock(claim->fd) && identify(claim, &at_path, claim)) {
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
  if (!identify(claim, &at_path, &open_file)) return cpb_fail_errno(error, CPB_E_WRITE);
  if (same_file(&at_path, claim) && (written || unchanged(&open_file, claim))) return CPB_OK;
  return cpb_fail(error, CPB_E_WRITE, CPB_NO_OFFSET, "in use by another process, which has changed it meanwhile");
}
