/* field FILE.cpb|URL PATH: writes one field of the message to standard output, in 1 MiB of memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpb/field_reader.h"
#include "cpb/file.h"
#include "cpb/url.h"

static int write_field(cpb_field_reader *reader, cpb_file *file, const char *path) {
  cpb_step step;
  cpb_field_reader_read(reader, path, strlen(path), 0, UINT64_MAX);
  while ((step = cpb_field_reader_step(reader)) > CPB_STEP_DONE) {
    size_t length;
    const uint8_t *data = cpb_field_reader_data(reader, &length);
    if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_field_reader_input(reader));
    else if (fwrite(data, 1, length, stdout) != length) return 1;
  }
  if (step == CPB_STEP_ERROR) fprintf(stderr, "%s\n", cpb_field_reader_error(reader)->message);
  return step == CPB_STEP_ERROR;
}

int main(int argc, char **argv) {
  const cpb_field_reader_options how = {.struct_size = sizeof how, .memory = 1 << 20};
  cpb_error error;
  if (argc != 3) return 2;
  cpb_file *file =
      cpb_is_url(argv[1]) ? cpb_url_open(NULL, argv[1], NULL, &error) : cpb_file_open(NULL, argv[1], &error);
  cpb_field_reader *reader = cpb_field_reader_new(NULL, &how);
  if (!file || !reader) fprintf(stderr, "%s\n", file ? "out of memory" : error.message);
  int status = file && reader ? write_field(reader, file, argv[2]) : 1;
  cpb_field_reader_free(reader);
  cpb_file_close(file);
  return status;
}
