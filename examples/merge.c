/* merge IN.cpb OUT.pb: writes the merged message of a .cpb file. The message is
 * streamed, so memory does not depend on its size. */
#include <inttypes.h>
#include <stdio.h>

#include "cpb/file.h"

/* Reports progress. Returning non-zero would cancel the merge, and leave no OUT.pb. */
static int progress(void *user, uint64_t done, uint64_t total) {
  (void)user;
  fprintf(stderr, "\r%3.0f %%", total ? 100.0 * (double)done / (double)total : 100.0);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: merge IN.cpb OUT.pb\n");
    return 1;
  }
  cpb_file_options options = {.struct_size = sizeof options, .progress = progress, .replace = 1};
  cpb_error error;
  cpb_code code = cpb_file_merge(argv[1], argv[2], &options, &error);
  fprintf(stderr, "\n");
  if (code == CPB_OK) return 0;
  fprintf(stderr, "%s: %s", argv[code == CPB_E_WRITE ? 2 : 1], error.message);
  if (error.offset != CPB_NO_OFFSET) fprintf(stderr, " (byte %" PRIu64 ")", error.offset);
  fprintf(stderr, "\n");
  return 1;
}
