/* read_field FILE|FOLDER|URL PATH: writes one field of a message to standard output as JSON, of which large values are
 * left out; read_field --bytes FILE|FOLDER|URL PATH its bytes. Only what leads to the field is read, or requested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/open.h"

int main(int argc, char **argv) {
  const cpb_json_options json = {.struct_size = sizeof json, .original_names = 1, .indent = 2};
  const cpb_field_options how = {.struct_size = sizeof how, .json = &json, .omit = 1024};
  int bytes = argc == 4 && strcmp(argv[1], "--bytes") == 0;
  if (argc != 3 && !bytes) {
    fprintf(stderr, "usage: read_field [--bytes] FILE|FOLDER|URL PATH\n");
    return 2;
  }
  const char *location = argv[argc - 2], *path = argv[argc - 1];
  cpb_error error;
  size_t size;
  void *field = bytes ? (void *)cpb_read_field(location, path, NULL, &size, &error)
                      : cpb_read_field_json(location, path, &how, &size, &error);
  if (!field) {
    fprintf(stderr, "%s: %s: %s\n", location, cpb_code_name(error.code), error.message);
    return 1;
  }
  int written = fwrite(field, 1, size, stdout) == size && (bytes || putchar('\n') != EOF) && fflush(stdout) == 0;
  free(field);
  return written ? 0 : 1;
}
