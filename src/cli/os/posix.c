#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE /* _SC_NPROCESSORS_ONLN */
#define _FILE_OFFSET_BITS 64
#include "cli/os/os.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define NUM_ENDING (sizeof ending / sizeof *ending)

static const char *volatile guarded;

static void end_by_signal(int number) {
  const char *path = guarded;
  if (path) unlink(path);
  signal(number, SIG_DFL);
  raise(number);
}

void os_start(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
  for (size_t i = 0; i < NUM_ENDING; i++) {
    struct sigaction old;
    sigaction(ending[i], NULL, &old);
    if (old.sa_handler == SIG_IGN) continue; /* nohup and background jobs */
    action.sa_handler = end_by_signal;
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
void os_guard(const char *path) { guarded = path; }

int os_spool(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/cpb-XXXXXX", folder && *folder ? folder : "/tmp");
  if (length < 0 || (size_t)length >= sizeof path) return -1;
  os_hold_signals();
  int fd = mkstemp(path);
  if (fd >= 0) unlink(path);
  os_let_signals();
  return fd;
}

void os_close(int fd) { close(fd); }

bool os_is_special(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

bool os_is_terminal(int fd) { return isatty(fd) == 1; }

unsigned os_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}

double os_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
