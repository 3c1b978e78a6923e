/* Streams a chunk of a .cpb file through a device: libcpb's core with an allocator of its own and
 * input from semihosting. Everything that reads the file is in host.c. */
#include "board/board.h"
#include "host.h"

int board_main(void) {
  job j;
  int status = job_begin(&j);
  if (status != 0) return status;
  device_reader d = host_device(&j);
  const cpb_pager_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = host_memory(), .read_size = READ_SIZE};
  cpb_pager *pager = cpb_pager_new(&host_allocator, &how);
  if (!pager) return host_end(&d, 0, "no memory for a pager");
  const char *problem = device_chunk(&d, pager, j.chunk);
  status = host_end(&d, cpb_pager_memory(pager), problem);
  cpb_pager_free(pager);
  return status;
}
