/* A transposed chunk in two pieces, cut at each byte, has one verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/bytes.h"
#include "riegeli/block.h"
#include "riegeli/transpose/transpose.h"

typedef struct bytes {
  uint8_t data[256];
  size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size) {
  assert_true(size <= sizeof b->data - b->size);
  if (size > 0) memcpy(b->data + b->size, data, size);
  b->size += size;
}

/* A Zstd frame of less than 32 bytes that does not say its size, and claims a window of 2 GiB: a stored
 * block, and then an empty one. */
static void add_frame(bytes *out, const void *data, size_t size) {
  add(out, &(uint8_t){(uint8_t)size}, 1);
  add(out, "\x28\xb5\x2f\xfd\0\xa8", 6);
  add(out, (uint8_t[]){(uint8_t)(size << 3), 0, 0}, 3);
  add(out, data, size);
  add(out, "\1\0", 3);
}

/* With a block header after `first` bytes. */
static cpb_code code_of(const bytes *chunk, size_t first, uint64_t num_records, uint64_t decoded_size) {
  bytes file = {.size = 0};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_limits limits = {.struct_size = sizeof limits, .window = 1 << 20};
  cpb_error error = {.code = CPB_OK};
  cpb_transpose_program program;
  cpb_transposed out;
  add(&file, chunk->data, first);
  add(&file, (uint8_t[CPB_BLOCK_HEADER_SIZE]){0}, CPB_BLOCK_HEADER_SIZE);
  add(&file, chunk->data + first, chunk->size - first);
  cpb_transpose_program_init(&program, &a);
  cpb_transposed_init(&out, &a);
  const cpb_transpose_chunk in = {
      {file.data, file.data + first, chunk->size - first}, true, num_records, decoded_size, NULL};
  cpb_transpose_read(&program, &limits, &in, &out, &error);
  cpb_transposed_free(&out);
  cpb_transpose_program_free(&program);
  return error.code;
}

/* The records are the decoder's window: it needs none of its own, in one piece or in two. */
static void a_window_above_the_limit_is_not_needed_in_place(void **state) {
  (void)state;
  /* No buckets and buffers; two nodes: a record begins; field 1 is 5. The second is the first to run. */
  static const uint8_t header[] = {0, 0, 2, 3, 1 << 3, 0, 2, 10 + 5, 1};
  bytes packed = {.size = 0}, chunk = {.size = 0};
  add_frame(&packed, header, sizeof header);
  add(&chunk, "z", 1);
  add(&chunk, &(uint8_t){(uint8_t)packed.size}, 1);
  add(&chunk, packed.data, packed.size);
  add_frame(&chunk, "", 0);
  for (size_t first = 1; first <= chunk.size; first++)
    if (code_of(&chunk, first, 1, 2) != CPB_OK) fail_msg("with %zu of %zu bytes in the first piece", first, chunk.size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_window_above_the_limit_is_not_needed_in_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
