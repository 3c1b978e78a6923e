/* split IN.pb OUT.cpb [TYPE]: splits a message into a .cpb file. However large the
 * message is, only a few MB of it are in memory at once. */
#include <inttypes.h>
#include <stdio.h>

#include "cpb/file.h"

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: split IN.pb OUT.cpb [TYPE]\n");
    return 1;
  }
  /* All members that are zero have their defaults. */
  cpb_split_options how = {
      .struct_size = sizeof how,
      .type_name = argc > 3 ? argv[3] : "tensorflow.SavedModel",
      .layout = CPB_LAYOUT_REMOTE,
  };
  cpb_file_options options = {.struct_size = sizeof options, .replace = 1};

  cpb_error error;
  if (cpb_file_split(argv[1], argv[2], &how, &options, &error) == CPB_OK) return 0;
  /* OUT.cpb is whole or not there at all. A failure to write concerns it, any
   * other the input. */
  fprintf(stderr, "%s: %s", argv[error.code == CPB_E_WRITE ? 2 : 1], error.message);
  if (error.offset != CPB_NO_OFFSET) fprintf(stderr, " (byte %" PRIu64 ")", error.offset);
  fprintf(stderr, "\n");
  return 1;
}
