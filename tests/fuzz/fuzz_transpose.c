/* A transposed Riegeli chunk: [number of records 1][decoded size 2][data]. No
 * block is ever much larger than the limits. With block headers in the data, and
 * large values left where they are, the records are the same. Decoding some fields only gives what
 * filtering the whole records leaves. */
#include "base/bytes.h"
#include "fuzz.h"
#include "riegeli/block.h"
#include "riegeli/transpose/transpose.h"

#define MOST ((size_t)8 << 20)

static void *capped_allocate(void *user, size_t size) {
  (void)user;
  fuzz_check(size <= MOST);
  return malloc(size);
}

static void *capped_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  fuzz_check(new_size <= MOST);
  return realloc(block, new_size);
}

static void capped_release(void *user, void *block) {
  (void)user;
  free(block);
}

static void check_records(const cpb_transposed *out, uint64_t num_records, uint64_t decoded_size) {
  uint64_t begin = 0;
  fuzz_check(out->num_records == num_records && out->values.size == decoded_size);
  for (size_t i = 0; i < out->num_records; i++) {
    fuzz_check(out->ends[i] >= begin);
    begin = out->ends[i];
  }
  fuzz_check(begin == decoded_size);
}

/* The data as in a file, with a block header after `first` bytes and so on. */
static uint8_t *in_blocks(const fuzz_in *in, size_t first, cpb_transpose_cursor *data) {
  uint8_t *file = malloc(in->size + (in->size / CPB_BLOCK_USABLE + 2) * CPB_BLOCK_HEADER_SIZE), *to = file;
  for (size_t i = 0, left = first; i < in->size; i++, left--) {
    if (left == 0) {
      memset(to, 0xee, CPB_BLOCK_HEADER_SIZE);
      to += CPB_BLOCK_HEADER_SIZE;
      left = CPB_BLOCK_USABLE;
    }
    *to++ = in->data[i];
  }
  const size_t together = first < in->size ? first : in->size;
  *data = (cpb_transpose_cursor){file, file + together, in->size - together};
  return file;
}

static void check_same(const cpb_transposed *whole, cpb_transposed *got) {
  cpb_span span;
  size_t at = 0;
  fuzz_check(whole->num_records == got->num_records && whole->unpacked == got->unpacked);
  for (size_t i = 0; i < whole->num_records; i++) fuzz_check(whole->ends[i] == got->ends[i]);
  for (cpb_transposed_rewind(got); cpb_transposed_next(got, &span); at += span.size)
    fuzz_check(span.size <= whole->values.size - at && memcmp(whole->values.data + at, span.data, span.size) == 0);
  fuzz_check(at == whole->values.size);
}

/* Whether both say that the same thing is wrong. Data that were compressed and have several faults say
 * another one when they come in pieces: then the part of the chunk that has them is the same. */
static bool same_message(const char *a, const char *b) {
  static const char part[] = "transposed: ";
  if (strcmp(a, b) == 0) return true;
  const char *a_end = strncmp(a, part, sizeof part - 1) == 0 ? strchr(a + sizeof part - 1, ':') : NULL;
  return a_end && strncmp(a, b, (size_t)(a_end - a) + 1) == 0;
}

/* Twice, the second time with the memory of the first. `whole` is NULL if the chunk is damaged. */
static void read_in_blocks(const cpb_allocator *a, const fuzz_in *in, uint64_t num_records, uint64_t decoded_size,
                           const cpb_transposed *whole, const cpb_error *expected) {
  cpb_transpose_program program;
  cpb_transposed out;
  cpb_transpose_program_init(&program, a);
  cpb_transposed_init(&out, a);
  for (size_t turn = 0; turn < 2; turn++) {
    cpb_error error = {.code = CPB_OK};
    cpb_transpose_chunk chunk = {.stays = turn == 0, .num_records = num_records, .decoded_size = decoded_size};
    const size_t first =
        1 + (decoded_size + 7 * turn) % (in->size < CPB_BLOCK_USABLE ? in->size + 1 : CPB_BLOCK_USABLE);
    uint8_t *file = in_blocks(in, first, &chunk.data);
    const bool done = cpb_transpose_read(&program, &fuzz_limits, &chunk, &out, &error);
    fuzz_check(done == (whole != NULL) && error.code == expected->code);
    if (done) check_same(whole, &out);
    else fuzz_check(same_message(error.message, expected->message));
    free(file);
  }
  cpb_transposed_free(&out);
  cpb_transpose_program_free(&program);
}

/* --- Projections ------------------------------------------------------------ */

static const char *const projections[] = {"", "", "1", "2", "3,1", "1.1", "1.2,2", "2.1.1,3.2", "1.1.1.1,4", "5,6,7,8"};

/* All bytes of the records, one after the other; the caller's. */
static uint8_t *gather(cpb_transposed *t, size_t most) {
  uint8_t *all = malloc(most + 1);
  cpb_span span;
  size_t at = 0;
  for (cpb_transposed_rewind(t); cpb_transposed_next(t, &span); at += span.size) {
    fuzz_check(span.size <= most - at);
    memcpy(all + at, span.data, span.size);
  }
  fuzz_check(at == (t->num_records > 0 ? t->ends[t->num_records - 1] : 0));
  return all;
}

static void check_filtered(const cpb_projection *p, cpb_transposed *whole, cpb_transposed *got) {
  const size_t size = whole->num_records > 0 ? (size_t)whole->ends[whole->num_records - 1] : 0;
  uint8_t *all = gather(whole, size), *left = gather(got, size), *record = malloc(size + 1);
  size_t at = 0, begin = 0;
  fuzz_check(whole->num_records == got->num_records);
  for (size_t i = 0; i < whole->num_records; begin = (size_t)whole->ends[i++]) {
    const size_t n = cpb_projection_filter(p, all + begin, (size_t)whole->ends[i] - begin, record);
    fuzz_check(got->ends[i] - at == n && memcmp(left + at, record, n) == 0);
    at += n;
  }
  free(record);
  free(left);
  free(all);
}

/* Decodes it again with each projection. What it would leave of all fields is what the first, which has all of
 * them, gives: other than the whole records that is well-formed, whatever the columns have. */
static void read_projected(const cpb_allocator *a, const fuzz_in *in, uint64_t num_records, uint64_t decoded_size,
                           bool whole) {
  cpb_transpose_program programs[2];
  cpb_transposed all, out;
  for (size_t i = 0; i < 2; i++) cpb_transpose_program_init(&programs[i], a);
  cpb_transposed_init(&all, a);
  cpb_transposed_init(&out, a);
  for (size_t i = 0; i < sizeof projections / sizeof *projections; i++) {
    cpb_projection projection;
    cpb_error error = {.code = CPB_OK};
    fuzz_check(cpb_projection_parse(&projection, a, projections[i], &error));
    projection.nodes[0].whole = i == 0;
    const cpb_transpose_chunk chunk = {.data = cpb_transpose_cursor_of((cpb_span){in->data, in->size}),
                                       .num_records = num_records,
                                       .decoded_size = decoded_size,
                                       .projection = &projection};
    const bool done = cpb_transpose_read(&programs[i > 0], &fuzz_limits, &chunk, i == 0 ? &all : &out, &error);
    fuzz_check(done || (!whole && error.code != CPB_OK));
    if (whole && i > 0) check_filtered(&projection, &all, &out);
    if (whole && i == 0) fuzz_check(all.num_records == num_records);
    cpb_projection_free(&projection);
  }
  cpb_transposed_free(&all);
  cpb_transposed_free(&out);
  for (size_t i = 0; i < 2; i++) cpb_transpose_program_free(&programs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const cpb_allocator a = {NULL, capped_allocate, capped_resize, capped_release};
  fuzz_in in = {data, size};
  const uint64_t num_records = fuzz_number(&in, 1), decoded_size = fuzz_number(&in, 2);
  cpb_transposed out;
  cpb_error error = {.code = CPB_OK};
  const cpb_span chunk = {in.data, in.size};
  if (cpb_transpose_decode(&a, &fuzz_limits, chunk, num_records, decoded_size, &out, &error)) {
    check_records(&out, num_records, decoded_size);
    read_in_blocks(&a, &in, num_records, decoded_size, &out, &error);
    read_projected(&a, &in, num_records, decoded_size, true);
    cpb_transposed_free(&out);
  } else {
    fuzz_check(error.code != CPB_OK);
    read_in_blocks(&a, &in, num_records, decoded_size, NULL, &error);
    read_projected(&a, &in, num_records, decoded_size, false);
  }
  return 0;
}
