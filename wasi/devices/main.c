/* Streams a chunk of a .cpb file through a module of libcpb in an interpreter: as
 * wasi/examples/c/cpb_pager.c, on a board. MEMORY is how many bytes of linear memory it may use,
 * fewer than its pages have. */
#include <string.h>

#include "board/board.h"
#include "board/heap.h"
#include "board/job.h"
#include "board/semihosting.h"
#include "reactor.h"

enum { STEP_DONE = 0, STEP_NEED = 1, STEP_DATA = 3, STEP_ERROR = -1, NEED_SIZE = 2 };
enum { READ_SIZE = 1024, VERIFY_LATE = 1, MESSAGE = 16, NEED_STRUCT = 32, OPTIONS_STRUCT = 20 };

static job j;
static uint32_t pager, need, window;
static uint32_t longest; /* ticks of a step */

static int32_t call(const char *name, const char *types, uint32_t a, uint32_t b) {
  return (int32_t)reactor_call(name, types, a, b);
}

static uint32_t load32(uint32_t at) {
  uint32_t value;
  memcpy(&value, reactor_memory() + at, sizeof value);
  return value;
}

static int failed(const char *text) {
  semihosting_print("error ");
  semihosting_print(text);
  semihosting_print("\n");
  return 1;
}

/* Gives the pager the bytes that it needs from the file, whose size has 32 bits. */
static void give(void) {
  uint32_t input = (uint32_t)call("cpb_pager_input", "i", pager, 0);
  call("cpb_input_need", "ii", input, need);
  uint32_t offset = load32(need + 8), high = load32(need + 12), length = load32(need + 16);
  if (load32(need) == NEED_SIZE || high > 0 || offset >= j.size) {
    reactor_call("cpb_input_end", "iI", input, (uint64_t)j.size);
    return;
  }
  if (length > READ_SIZE) length = READ_SIZE;
  length = (uint32_t)semihosting_read(j.file, offset, reactor_memory() + window, length);
  reactor_call("cpb_input_supply", "iIii", input, (uint64_t)offset, window, length);
}

static int32_t take_step(void) {
  uint32_t begun = (uint32_t)board_ticks();
  int32_t step = call("cpb_pager_step", "i", pager, 0);
  uint32_t took = (uint32_t)board_ticks() - begun;
  if (took > longest) longest = took;
  return step;
}

static int run(void) {
  for (;;) {
    int32_t step = take_step();
    if (step == STEP_DONE) return 0;
    if (step == STEP_NEED) give();
    if (step == STEP_ERROR)
      return failed((const char *)reactor_memory() + (uint32_t)call("cpb_pager_error", "i", pager, 0) + MESSAGE);
    if (step != STEP_DATA) continue;
    uint32_t data = (uint32_t)call("cpb_pager_data", "ii", pager, need);
    if (semihosting_write(j.out, reactor_memory() + data, load32(need)) != 0) return failed("cannot write");
  }
}

static int open_pager(void) {
  uint32_t options = (uint32_t)call("malloc", "i", OPTIONS_STRUCT, 0);
  need = (uint32_t)call("malloc", "i", NEED_STRUCT, 0);
  window = (uint32_t)call("malloc", "i", READ_SIZE, 0);
  const uint32_t how[] = {OPTIONS_STRUCT, VERIFY_LATE, PAGER_MEMORY, READ_SIZE, 0};
  memcpy(reactor_memory() + options, how, sizeof how);
  pager = (uint32_t)call("cpb_pager_new", "ii", 0, options);
  if (pager == 0) return failed("no memory for a pager");
  return run();
}

static int read_chunk(void) {
  int status = open_pager();
  if (status != 0) return status;
  if (reactor_call("cpb_pager_read", "iIII", pager, j.chunk, (uint64_t)0, UINT64_MAX) != 0)
    return failed("no such chunk");
  return run();
}

int board_main(void) {
  int status = job_begin(&j);
  if (status != 0) return status;
  const char *problem = reactor_load(MEMORY);
  if (problem) return failed(problem);
  reactor_call("cpb_memory_end", "i", MEMORY);
  status = read_chunk();
  job_print("longest", longest);
  job_print("linear", MEMORY);
  job_print("module", (uint64_t)(data_end_in_flash - module_begin));
  job_report();
  return status;
}
