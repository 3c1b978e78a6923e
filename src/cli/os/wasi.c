/* WASI preview 1. */
#include "cli/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPOOL_TRIES 1000u

/* WASI has no signals. If the program is ended from outside, the guarded file remains. */
void os_start(void) {}
void os_hold_signals(void) {}
void os_let_signals(void) {}
void os_guard(void (*undo)(void *what), void *what) { (void)undo, (void)what; }

int os_spool(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  int fd = -1;
  for (unsigned i = 0; i < SPOOL_TRIES; i++) {
    int length = snprintf(path, sizeof path, "%s/cpb-%u", folder && *folder ? folder : "/tmp", i);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd >= 0) unlink(path);
  return fd;
}

const char *os_spool_problem(void) {
  return "the runtime gives access to no folder for it; expected one with its name in TMPDIR, as by --dir . --env "
         "TMPDIR=. in Wasmtime";
}

/* A runtime may not say which file a path leads to. */
bool os_is_same(const char *a, const char *b) {
  int fd = strcmp(a, b) == 0 ? open(a, O_RDONLY) : -1;
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool os_lock_folder(const char *path, unsigned wait, int *lock) {
  (void)path, (void)wait;
  *lock = -1;
  return true;
}

/* WASI does not know; COLUMNS may. */
unsigned os_columns(int fd) {
  (void)fd;
  return 0;
}

unsigned os_processors(void) { return 1; }
