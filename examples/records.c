/* records FILE: lists the records of a Riegeli/records file.
 *
 * The smallest complete use of an engine: a loop over its steps, in which a
 * cpb_file (cpb/file.h) supplies the bytes that the engine needs. */
#include <inttypes.h>
#include <stdio.h>

#include "cpb/file.h"
#include "cpb/records.h"

static void print_start(const cpb_record_reader *reader) {
  size_t length;
  const uint8_t *data = cpb_record_reader_data(reader, &length);
  for (size_t i = 0; i < length && i < 8; i++) printf(" %02x", data[i]);
}

/* Returns zero when all records were read. */
static int list(cpb_record_reader *reader, cpb_file *file) {
  uint64_t count = 0;
  for (;;) {
    switch (cpb_record_reader_step(reader)) {
      case CPB_STEP_NEED: cpb_file_supply(file, cpb_record_reader_input(reader)); break;
      case CPB_STEP_RECORD: {
        const cpb_record *record = cpb_record_reader_record(reader);
        printf("%sposition %" PRIu64 ", %" PRIu64 " bytes:", count++ ? "\n" : "", record->position, record->size);
        break;
      }
      case CPB_STEP_DATA:
        /* A large record comes with several steps; its beginning is enough here. */
        print_start(reader);
        cpb_record_reader_skip(reader, UINT64_MAX);
        break;
      case CPB_STEP_DONE: printf("%s%" PRIu64 " records\n", count ? "\n" : "", count); return 0;
      default: return -1;
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: records FILE\n");
    return 1;
  }
  cpb_error error;
  cpb_file *file = cpb_file_open(NULL, argv[1], &error);
  if (!file) {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
    return 1;
  }
  int status = 1;
  cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
  if (!reader) {
    fprintf(stderr, "out of memory\n");
  } else if (list(reader, file) != 0) {
    const cpb_error *e = cpb_record_reader_error(reader);
    fprintf(stderr, "%s: %s", argv[1], e->message);
    if (e->offset != CPB_NO_OFFSET) fprintf(stderr, " (byte %" PRIu64 ")", e->offset);
    fprintf(stderr, "\n");
  } else {
    status = 0;
  }
  cpb_record_reader_free(reader);
  cpb_file_close(file);
  return status;
}
