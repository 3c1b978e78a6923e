/* Forks of a merge, and its cuts: [how 1][file]. The divisions, each read by a fork of its own while others
 * read theirs, are together the merged message. */
#include "cpb_file.h"
#include "mutate.h"

FUZZ_MUTATE_FILE(1)

enum { FORKS = 4 };

static const fuzz_bounds bounds = {
    .decoded = {4 << 20, 256}, .held = {256 << 10, 1024}, .walked = {4096, 64}, .entries = {100, 8}, .index = {0, 64}};

typedef struct division {
  cpb_merge *fork;
  fuzz_loan loan;
  fuzz_out bytes;
  cpb_range range;
  cpb_step step;
} division;

/* One step of a fork that is not done. */
static void advance(division *d, fuzz_in file, size_t piece) {
  size_t length;
  if (d->step <= CPB_STEP_DONE) return;
  d->step = cpb_merge_step(d->fork);
  if (d->step == CPB_STEP_NEED) fuzz_lend(&d->loan, cpb_merge_input(d->fork), file, piece);
  if (d->step != CPB_STEP_DATA) return;
  const uint8_t *data = cpb_merge_data(d->fork, &length);
  fuzz_put(&d->bytes, data, length);
}

static void begin(division *d, const cpb_merge *merge, cpb_range range) {
  *d = (division){.fork = cpb_merge_fork(merge, NULL), .range = range, .step = CPB_STEP_NEED};
  fuzz_check(d->fork != NULL && cpb_merge_size(d->fork) == cpb_merge_size(merge));
  fuzz_check(cpb_merge_read(d->fork, range.offset, range.length) == CPB_OK);
}

/* All steps in turns, then each division is compared. Whether all went well. */
static int finish(division *divisions, size_t count, fuzz_in file, size_t piece, fuzz_in whole) {
  int good = 1;
  for (int busy = 1; busy;) {
    busy = 0;
    for (size_t i = 0; i < count; i++) {
      advance(&divisions[i], file, piece);
      busy |= divisions[i].step > CPB_STEP_DONE;
    }
  }
  for (size_t i = 0; i < count; i++) {
    division *d = &divisions[i];
    fuzz_check(d->step == CPB_STEP_ERROR || d->bytes.size == d->range.length);
    good = good && d->step == CPB_STEP_DONE;
    size_t end = (size_t)(d->range.offset + d->range.length);
    if (d->step == CPB_STEP_DONE && end <= whole.size)
      fuzz_check(memcmp(d->bytes.data, whole.data + d->range.offset, d->bytes.size) == 0);
    cpb_merge_free(d->fork);
    fuzz_return(&d->loan);
    fuzz_free(&d->bytes);
  }
  return good;
}

static void compare(cpb_merge *merge, fuzz_in file, uint32_t how) {
  fuzz_out whole = {NULL, 0, 0};
  size_t piece = how & 4 ? 61 : SIZE_MAX, count;
  const uint64_t *cuts;
  uint64_t size = cpb_merge_size(merge), begin_at = 0, least = 1 + size / (1 + how % 4);
  cpb_merge *first = cpb_merge_fork(merge, NULL); /* a merge that failed cannot be forked */
  cpb_code code = fuzz_read_merged(first, file, piece, (cpb_range){0, size}, &whole);
  cpb_merge_free(first);
  fuzz_check(cpb_merge_cut(merge, least, &cuts, &count) == CPB_OK && (count == 0) == (size == 0));
  for (size_t i = 0; i < count;) {
    division divisions[FORKS];
    size_t taken = 0;
    for (; taken < FORKS && i < count; taken++, i++) {
      fuzz_check(cuts[i] > begin_at && cuts[i] <= size);
      fuzz_check(i + 1 == count || cuts[i] - begin_at >= least);
      begin(&divisions[taken], merge, (cpb_range){begin_at, cuts[i] - begin_at});
      begin_at = cuts[i];
    }
    int good = finish(divisions, taken, file, piece, fuzz_view(&whole));
    fuzz_check(code != CPB_OK || good);
  }
  fuzz_check(begin_at == size);
  fuzz_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  cpb_index *index = fuzz_open_index(in, SIZE_MAX, &counted);
  if (index == NULL) return 0;
  const cpb_merge_options options = {.struct_size = sizeof options,
                                     .verify = (cpb_verify)((how >> 3 & 3) % 3),
                                     .trust_sizes = how >> 5 & 1,
                                     .plan_items = 10000,
                                     .memory = how & 64 ? 1000 : 0,
                                     .limits = &counted};
  cpb_merge *merge = cpb_merge_new(NULL, index, &options);
  if (fuzz_plan(merge, in, SIZE_MAX) == CPB_OK && cpb_merge_size(merge) <= FUZZ_MOST_MERGED) compare(merge, in, how);
  cpb_merge_free(merge);
  cpb_index_free(index);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
