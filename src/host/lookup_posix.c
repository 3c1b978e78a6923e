#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/lookup.h"

bool cpb_lookup_exists(const char *path) { return access(path, F_OK) == 0; }

bool cpb_lookup_is_directory(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool cpb_lookup_only(const char *directory, const char *ending, char *out, size_t room) {
  DIR *all = opendir(directory);
  const size_t end = strlen(ending);
  size_t found = 0;
  for (struct dirent *one; all && found < 2 && (one = readdir(all));) {
    const size_t size = strlen(one->d_name);
    if (size <= end || strcmp(one->d_name + size - end, ending) != 0) continue;
    found++;
    if (size < room) memcpy(out, one->d_name, size + 1);
    else found = 2;
  }
  if (all) closedir(all);
  return found == 1;
}
