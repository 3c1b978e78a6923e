/* A library to preload: at its end a process writes to the file CPB_READS how many reads of files it
 * has made, and how many bytes these gave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long long calls, bytes;

ssize_t read(int fd, void *out, size_t length) {
  ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  struct stat found;
  ssize_t n = real(fd, out, length);
  if (n > 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) {
    calls++;
    bytes += (unsigned long long)n;
  }
  return n;
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("CPB_READS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%llu %llu\n", calls, bytes);
  fclose(file);
}
