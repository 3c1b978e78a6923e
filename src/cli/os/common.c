/* The same on all systems. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "cli/os/os.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void os_close(int fd) { close(fd); }

bool os_is_special(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

int os_open_pipe(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISFIFO(found.st_mode) ? open(path, O_RDONLY) : -1;
}

bool os_is_file(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

time_t os_modified(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 ? found.st_mtime : 0;
}

bool os_is_folder(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool os_is_terminal(int fd) { return isatty(fd) == 1; }

double os_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
