/* Streams a chunk of a .cpb file through a device: libcpb's core with an allocator of its own and
 * input from semihosting. Everything that reads the file is in give(). */
#include "board/board.h"
#include "board/heap.h"
#include "board/job.h"
#include "board/semihosting.h"
#include "cpb/pager.h"

/* What is asked for at once. */
#ifndef READ_SIZE
#  define READ_SIZE 1024
#endif
/* Of the heap, for what the pager does not count: itself, and the headers of blocks. */
enum { SPARE = 1024 };

static uint8_t window[READ_SIZE];

static void *take(void *user, size_t size) {
  (void)user;
  return heap_take(size);
}

static void *resize(void *user, void *block, size_t old_size, size_t size) {
  (void)user;
  (void)old_size;
  return heap_resize(block, size);
}

static void give_back(void *user, void *block) {
  (void)user;
  heap_give(block);
}

/* What the pager needs of the file. */
static void give(const job *j, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= j->size) {
    cpb_input_end(input, j->size);
    return;
  }
  size_t length = need.length < sizeof window ? (size_t)need.length : sizeof window;
  size_t got = semihosting_read(j->file, (uint32_t)need.offset, window, length);
  if (got > 0) cpb_input_supply(input, need.offset, window, got);
  else cpb_input_fail(input, CPB_E_READ, "cannot read the file");
}

/* Until there is nothing more to do: CPB_STEP_DONE or CPB_STEP_ERROR. */
static cpb_step run(const job *j, cpb_pager *pager) {
  for (;;) {
    cpb_step step = cpb_pager_step(pager);
    size_t length;
    switch (step) {
      case CPB_STEP_NEED: give(j, cpb_pager_input(pager)); break;
      case CPB_STEP_DATA: {
        const uint8_t *data = cpb_pager_data(pager, &length);
        if (semihosting_write(j->out, data, length) != 0) return CPB_STEP_ERROR;
        break;
      }
      default: return step;
    }
  }
}

static int read_chunk(const job *j, cpb_pager *pager) {
  cpb_step step = run(j, pager);
  if (step == CPB_STEP_DONE && cpb_pager_read(pager, j->chunk, 0, UINT64_MAX) == CPB_OK) step = run(j, pager);
  job_print("pager", cpb_pager_memory(pager));
  if (step == CPB_STEP_DONE) return 0;
  semihosting_print("error ");
  semihosting_print(cpb_pager_error(pager)->message);
  semihosting_print("\n");
  return 1;
}

int board_main(void) {
  job j;
  int status = job_begin(&j);
  if (status != 0) return status;
  const cpb_allocator allocator = {NULL, take, resize, give_back};
  const cpb_pager_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = heap_largest() - SPARE, .read_size = READ_SIZE};
  cpb_pager *pager = cpb_pager_new(&allocator, &how);
  if (!pager) {
    semihosting_print("error no memory for a pager\n");
    return 1;
  }
  status = read_chunk(&j, pager);
  cpb_pager_free(pager);
  job_report();
  return status;
}
