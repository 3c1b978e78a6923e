/* The same as main.c for a field by its path: the content of constant CHUNK - 1 of a GraphDef, wherever that is. */
#include <string.h>

#include "board/board.h"
#include "board/heap.h"
#include "board/job.h"
#include "board/semihosting.h"
#include "cpb/field_reader.h"

/* What is asked for at once. */
#ifndef READ_SIZE
#  define READ_SIZE 1024
#endif
/* Of the heap, for what the reader does not count: itself, and the headers of blocks. */
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

/* What the reader needs of the file. */
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
static cpb_step run(const job *j, cpb_field_reader *reader) {
  for (;;) {
    cpb_step step = cpb_field_reader_step(reader);
    size_t length;
    switch (step) {
      case CPB_STEP_NEED: give(j, cpb_field_reader_input(reader)); break;
      case CPB_STEP_DATA: {
        const uint8_t *data = cpb_field_reader_data(reader, &length);
        if (semihosting_write(j->out, data, length) != 0) return CPB_STEP_ERROR;
        break;
      }
      default: return step;
    }
  }
}

/* node[N].attr["value"].tensor.tensor_content: numbers need no descriptors. Returns its length. */
static size_t path_of(uint64_t number, char *out) {
  static const char before[] = "1[", after[] = "].5[\"value\"].8.4";
  char digits[20], *at = digits + sizeof digits;
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  size_t count = (size_t)(digits + sizeof digits - at);
  memcpy(out, before, sizeof before - 1);
  memcpy(out + sizeof before - 1, at, count);
  memcpy(out + sizeof before - 1 + count, after, sizeof after - 1);
  return sizeof before - 1 + count + sizeof after - 1;
}

static int read_field(const job *j, cpb_field_reader *reader) {
  char path[64];
  cpb_field_reader_read(reader, path, path_of(j->chunk - 1, path), 0, UINT64_MAX);
  cpb_step step = run(j, reader);
  job_print("pager", cpb_field_reader_memory(reader));
  if (step == CPB_STEP_DONE) return 0;
  semihosting_print("error ");
  semihosting_print(cpb_field_reader_error(reader)->message);
  semihosting_print("\n");
  return 1;
}

int board_main(void) {
  job j;
  int status = job_begin(&j);
  if (status != 0) return status;
  const cpb_allocator allocator = {NULL, take, resize, give_back};
  const cpb_field_reader_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .memory = heap_largest() - SPARE, .read_size = READ_SIZE};
  cpb_field_reader *reader = cpb_field_reader_new(&allocator, &how);
  if (!reader) {
    semihosting_print("error no memory for a reader\n");
    return 1;
  }
  status = read_field(&j, reader);
  cpb_field_reader_free(reader);
  job_report();
  return status;
}
