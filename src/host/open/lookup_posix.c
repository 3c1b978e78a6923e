#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <sys/stat.h>
#include <unistd.h>

#include "host/open/lookup.h"

bool cpb_lookup_exists(const char *path) { return access(path, F_OK) == 0; }

bool cpb_lookup_is_directory(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}
