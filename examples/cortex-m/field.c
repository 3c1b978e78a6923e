/* The same as main.c for a field by its path. */
#include "board/board.h"
#include "host.h"

int board_main(void) {
  job j;
  int status = job_begin(&j);
  if (status != 0) return status;
  device_reader d = host_device(&j);
  const cpb_field_reader_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = host_memory(), .read_size = READ_SIZE};
  cpb_field_reader *reader = cpb_field_reader_new(&host_allocator, &how);
  if (!reader) return host_end(&d, 0, "no memory for a reader");
  const char *problem = device_field(&d, reader, j.what);
  status = host_end(&d, cpb_field_reader_memory(reader), problem);
  cpb_field_reader_free(reader);
  return status;
}
