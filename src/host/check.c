/* Reads every record of a file. Several threads begin at positions of Riegeli chunks from the index. If their parts
 * meet exactly and without errors, one thread would have found the same records. In any other case one thread reads the
 * file again, so that reports do not depend on threads. */
#include "host/transfer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"

/* Each part has its own reader, whose memory is new to the process, so there should be few parts. The first ones are
 * large, a share of the remaining bytes each, and the last ones small, so that all threads end at about the same
 * time. */
#define PART_MOST ((uint64_t)64 << 20)
#define PART_LEAST ((uint64_t)64 << 10)

static cpb_allocator allocator_of(const cpb_checking *c) {
  return cpb_allocator_or_default(c->transfer.options.allocator);
}

/* --- One thread ------------------------------------------------------------------- */

static bool go_on(cpb_checking *c) {
  cpb_transfer *t = &c->transfer;
  cpb_error ignored;
  uint64_t size = 0;
  if (!t->options.progress) return true;
  if (!cpb_file_is_pipe(t->in)) cpb_file_size(t->in, &size, &ignored);
  return cpb_transfer_go_on(t, cpb_file_bytes_read(t->in), size);
}

static void read_alone(cpb_checking *c, cpb_record_reader *reader) {
  cpb_transfer *t = &c->transfer;
  do {
    cpb_step step = cpb_record_reader_step(reader);
    if (step == CPB_STEP_NEED) cpb_file_supply(t->in, cpb_record_reader_input(reader));
    if (step == CPB_STEP_RECORD) {
      if (!cpb_check_record(c, cpb_record_reader_record(reader))) return;
      cpb_record_reader_skip(reader, UINT64_MAX);
    }
    if (step == CPB_STEP_SKIPPED && c->check.skipped)
      c->check.skipped(c->check.user, cpb_record_reader_skipped(reader));
    if (step == CPB_STEP_ERROR) *t->error = *cpb_record_reader_error(reader);
    if (step == CPB_STEP_ERROR || step == CPB_STEP_DONE) return;
  } while (go_on(c));
}

static void check_alone(cpb_checking *c) {
  const cpb_record_reader_options how = {.struct_size = sizeof how, .recover = 1, .limits = c->transfer.options.limits};
  cpb_record_reader *reader = cpb_record_reader_new(c->transfer.options.allocator, &how);
  if (reader) read_alone(c, reader);
  else cpb_fail_memory(c->transfer.error);
  cpb_record_reader_free(reader);
}

/* --- Where threads begin ------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t part_size(uint64_t left, unsigned threads) {
  return cpb_max_u64(cpb_min_u64(PART_MOST, left / threads), PART_LEAST);
}

/* Chooses the positions that begin parts, from sorted positions in a file of `size` bytes, with 0 before and UINT64_MAX
 * after them. A position right after another is in the same Riegeli chunk. */
static size_t choose_cuts(uint64_t *cuts, size_t count, uint64_t size, unsigned threads) {
  size_t kept = 1;
  for (size_t i = 1; i < count; i++) {
    uint64_t position = cuts[i], begin = cuts[kept - 1];
    uint64_t least = part_size(size > begin ? size - begin : 0, threads);
    if (position - begin >= least && position - cuts[i - 1] > 1) cuts[kept++] = position;
  }
  cuts[kept] = UINT64_MAX;
  return kept;
}

static uint64_t *make_cuts(const cpb_checking *c, const cpb_index *index, uint64_t size, unsigned threads,
                           size_t *num_parts) {
  const cpb_allocator a = allocator_of(c);
  size_t count = (size_t)cpb_index_num_chunks(index), room;
  uint64_t *cuts = NULL;
  if (cpb_mul_size(count + 2, sizeof *cuts, &room)) cuts = cpb_alloc(&a, room);
  if (!cuts) return NULL;
  cuts[0] = 0;
  for (size_t i = 0; i < count; i++) {
    cpb_chunk_info info;
    cpb_index_get_chunk(index, i, &info);
    cuts[i + 1] = info.file == 0 ? info.position : 0;
  }
  qsort(cuts, count + 1, sizeof *cuts, by_value);
  *num_parts = choose_cuts(cuts, count + 1, size, threads);
  return cuts;
}

static bool check_apart(cpb_checking *c, const cpb_index *index, unsigned threads) {
  const cpb_allocator a = allocator_of(c);
  cpb_error ignored;
  uint64_t size;
  size_t num_parts = 0;
  if (threads < 2 || !index || cpb_file_size(c->transfer.in, &size, &ignored) != CPB_OK) return false;
  uint64_t *cuts = make_cuts(c, index, size, threads, &num_parts);
  threads = (unsigned)cpb_min_u64(threads, num_parts);
  bool over = threads > 1 && cpb_check_by_threads(c, cuts, num_parts, threads);
  cpb_release(&a, cuts);
  return over;
}

cpb_code cpb_transfer_check(cpb_file *in, const cpb_index *index, const cpb_check *check,
                            const cpb_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_checking c = {.transfer = {.in = in, .error = error}};
  cpb_options_copy(&c.transfer.options, sizeof c.transfer.options, options);
  cpb_options_copy(&c.check, sizeof c.check, check);
  if (!check_apart(&c, index, cpb_transfer_threads(&c.transfer)) && error->code == CPB_OK) check_alone(&c);
  return error->code;
}
