/* Runs a fuzz target over the files of the folders that are its arguments. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(size > 0 ? size : 1); /* exact, so that a sanitizer sees an overrun */
  size_t got = fread(data, 1, size, file);
  fclose(file);
  if (got == size) LLVMFuzzerTestOneInput(data, size);
  free(data);
  return got == size;
}

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 1; i < argc; i++) {
    DIR *folder = opendir(argv[i]);
    if (folder == NULL) {
      perror(argv[i]);
      return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
      char path[2048];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      count += replay(path);
    }
    closedir(folder);
  }
  printf("%d inputs\n", count);
  return count == 0;
}
