#ifdef __linux__
#  define _GNU_SOURCE /* O_TMPFILE */
#else
#  define _POSIX_C_SOURCE 200809L
#endif
#define _DARWIN_C_SOURCE /* _SC_NPROCESSORS_ONLN */
#define _FILE_OFFSET_BITS 64
#include "cli/os/os.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#  include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_PAUSE 5u /* milliseconds between two tries */

/* All that end a process, but SIGKILL. */
static const int ending[] = {SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ, SIGXCPU, SIGABRT, SIGALRM,
                             SIGUSR1,   SIGUSR2, SIGPROF, SIGILL,  SIGBUS,  SIGFPE,  SIGSEGV, SIGSYS,  SIGTRAP,
#ifdef SIGIO
                             SIGIO,
#endif
#ifdef SIGPWR
                             SIGPWR,
#endif
#ifdef SIGSTKFLT
                             SIGSTKFLT,
#endif
                             SIGVTALRM};
#define NUM_ENDING (sizeof ending / sizeof *ending)

static struct {
  void (*volatile undo)(void *what);
  void *volatile what;
} guarded;

/* The system's own SIGPIPE and SIGXFSZ come together with a write error; a signal from another process ends the
 * program. */
static bool is_of_a_write(int number, const siginfo_t *info) {
  if (number != SIGPIPE && number != SIGXFSZ) return false;
  return info->si_code != SI_USER || info->si_pid == getpid();
}

static void end_by_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  if (is_of_a_write(number, info)) return;
  void (*undo)(void *) = guarded.undo;
  if (undo) undo(guarded.what);
  signal(number, SIG_DFL);
  raise(number);
  errno = error;
}

/* The next opened file would get the number of a closed standard descriptor, and receive the output. The wrong end of a
 * pipe takes its place: it cannot be read as standard input, or written as the others. */
static void fill_descriptor(int fd) {
  int ends[2];
  if (fcntl(fd, F_GETFD) >= 0) return;
  if (pipe(ends) != 0 || ends[0] != fd) _exit(3);
  if (fd == STDIN_FILENO) dup2(ends[1], fd);
  close(ends[1]);
}

/* Large blocks are mapped, and grow without being copied. glibc would leave that to blocks as large as the largest
 * that was freed, and have all others grow where the room that they leave stays in use. */
static void map_large_blocks(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

void os_start(void) {
  map_large_blocks();
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) fill_descriptor(fd);
  struct sigaction action = {.sa_sigaction = end_by_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < NUM_ENDING; i++) {
    struct sigaction old;
    sigaction(ending[i], NULL, &old);
    if (old.sa_handler != SIG_DFL) continue; /* nohup and background jobs; sanitizers */
    sigaction(ending[i], &action, NULL);
  }
}

static void change_mask(int how) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < NUM_ENDING; i++) sigaddset(&set, ending[i]);
  sigprocmask(how, &set, NULL);
}

void os_hold_signals(void) { change_mask(SIG_BLOCK); }
void os_let_signals(void) { change_mask(SIG_UNBLOCK); }

void os_guard(void (*undo)(void *what), void *what) {
  guarded.undo = NULL;
  guarded.what = what;
  guarded.undo = undo;
}

static int open_unlinked(const char *folder) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/cpb-XXXXXX", folder);
  if (length < 0 || (size_t)length >= sizeof path) return -1;
  os_hold_signals();
  int fd = mkstemp(path);
  if (fd >= 0) unlink(path);
  os_let_signals();
  return fd;
}

int os_spool(void) {
  const char *folder = getenv("TMPDIR");
  int fd = -1;
  if (!folder || !*folder) folder = "/tmp";
#ifdef O_TMPFILE
  fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR, 0600);
#endif
  return fd >= 0 ? fd : open_unlinked(folder);
}

const char *os_spool_problem(void) { return strerror(errno); }

bool os_is_same(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int open_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char folder[4096] = ".";
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder) return -1;
  if (length > 0) memcpy(folder, path, length);
  if (length > 0) folder[length] = '\0';
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool os_lock_folder(const char *path, unsigned wait, int *lock) {
  const struct timespec pause = {.tv_nsec = LOCK_PAUSE * 1000000L};
  *lock = open_folder(path);
  for (unsigned waited = 0; *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0; waited += LOCK_PAUSE) {
    const bool taken = errno == EWOULDBLOCK, over = waited >= wait;
    if (!taken || over) os_close(*lock);
    if (!taken || over) *lock = -1;
    if (!taken || over) return !taken;
    nanosleep(&pause, NULL);
  }
  return true;
}

unsigned os_columns(int fd) {
#ifdef TIOCGWINSZ
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
  (void)fd;
  return 0;
}

unsigned os_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}
