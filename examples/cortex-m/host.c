#include "host.h"

#include "board/board.h"
#include "board/heap.h"
#include "board/semihosting.h"

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

const cpb_allocator host_allocator = {NULL, take, resize, give_back};

size_t host_memory(void) { return heap_largest() - SPARE; }

static int read_file(void *state, uint64_t offset, void *out, size_t length) {
  const job *j = state;
  return semihosting_read(j->file, (uint32_t)offset, out, length) == length ? 0 : -1;
}

static int write_file(void *state, const uint8_t *data, size_t length) {
  const job *j = state;
  return semihosting_write(j->out, data, length);
}

static uint32_t now(void) { return (uint32_t)board_ticks(); }

device_reader host_device(job *j) {
  device_reader d = {.source = {read_file, j, j->size}, .window = window, .window_size = sizeof window};
  d.write = write_file;
  d.state = j;
  d.now = now;
  return d;
}

int host_end(const device_reader *d, uint64_t held, const char *problem) {
  job_print("reader", held);
  job_print("steps", d->steps);
  job_print("longest", d->longest);
  if (problem) {
    semihosting_print("error ");
    semihosting_print(problem);
    semihosting_print("\n");
  }
  job_report();
  return problem ? 1 : 0;
}
