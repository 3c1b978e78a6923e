/* The loops between an engine, the file it reads and the file it writes. */
#include "host/transfer.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"

/* The size of parts that threads merge: large enough that their ends cost little, small enough that all threads finish
 * at about the same time. */
#define PART_MOST ((uint64_t)1 << 20)
#define PARTS_EACH 8u

typedef cpb_transfer transfer;

static transfer begin(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error) {
  transfer t = {.in = in, .out = out, .error = error};
  cpb_options_copy(&t.options, sizeof t.options, options);
  return t;
}

static cpb_code failed(transfer *t, const cpb_error *error) {
  if (t->error->code == CPB_OK) *t->error = *error;
  return t->error->code;
}

static bool put(transfer *t, uint64_t offset, const void *data, size_t length) {
  if (cpb_output_write(t->out, offset, data, length) == CPB_OK) return true;
  failed(t, cpb_output_error(t->out));
  return false;
}

/* --- Comparing ------------------------------------------------------------- */

static bool goes_on(const cpb_comparison *c) { return c->same && c->error.code == CPB_OK; }

static void differ(cpb_comparison *c, uint64_t offset) {
  c->differs_at = offset;
  c->same = 0;
}

void cpb_compare_bytes(cpb_comparison *c, cpb_file *against, uint64_t offset, const uint8_t *data, size_t size) {
  while (size > 0 && goes_on(c)) {
    size_t n = size, i = 0;
    const uint8_t *other = cpb_file_read(against, offset, &n, &c->error);
    if (!other) return;
    while (i < n && data[i] == other[i]) i++;
    if (i < n || n == 0) differ(c, offset + i);
    offset += n;
    data += n;
    size -= n;
  }
}

/* The file may continue after the message of c->size bytes. */
static void compare_ends(cpb_comparison *c, cpb_file *against) {
  size_t more = 1;
  if (goes_on(c) && cpb_file_read(against, c->size, &more, &c->error) && more > 0) differ(c, c->size);
}

/* --- Merge ---------------------------------------------------------------- */

/* The bytes before `written` exist already. */
static bool put_rest(transfer *t, uint64_t written, uint64_t at, const uint8_t *data, size_t length) {
  uint64_t skip = cpb_min_u64(length, at < written ? written - at : 0);
  return skip == length || put(t, at + skip, data + skip, length - (size_t)skip);
}

static bool take(transfer *t, uint64_t written, uint64_t at, const uint8_t *data, size_t length) {
  if (t->out) return put_rest(t, written, at, data, length);
  if (t->against) cpb_compare_bytes(t->comparison, t->against, at, data, length);
  return true;
}

static cpb_step plan(transfer *t, cpb_merge *merge) {
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) cpb_file_supply(t->in, cpb_merge_input(merge));
  return step;
}

static void merge_alone(transfer *t, cpb_merge *merge, uint64_t written) {
  uint64_t done = 0;
  cpb_merge_read(merge, 0, UINT64_MAX);
  do {
    cpb_step step = cpb_merge_step(merge);
    if (step == CPB_STEP_ERROR) failed(t, cpb_merge_error(merge));
    if (step == CPB_STEP_ERROR || step == CPB_STEP_DONE) return;
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(t->in, cpb_merge_input(merge));
    } else {
      size_t length;
      const uint8_t *data = cpb_merge_data(merge, &length);
      if (!take(t, written, done, data, length)) return;
      done += length;
    }
  } while (cpb_transfer_go_on(t, done, cpb_merge_size(merge)));
}

/* False: a single thread must try again. */
static bool merge_planned(transfer *t, cpb_merge *merge, unsigned threads, uint64_t *written) {
  const uint64_t *ends;
  size_t num_parts = 0;
  if (t->comparison) t->comparison->size = cpb_merge_size(merge);
  uint64_t part = cpb_min_u64(PART_MOST, cpb_merge_size(merge) / PARTS_EACH / threads);
  if (threads > 1 && cpb_merge_cut(merge, part, &ends, &num_parts) != CPB_OK) return false;
  threads = (unsigned)cpb_min_u64(threads, num_parts);
  if (threads > 1) return cpb_merge_by_threads(t, merge, ends, num_parts, threads, written);
  merge_alone(t, merge, *written);
  return true;
}

static bool merge(transfer *t, const cpb_index *index, unsigned threads, uint64_t *written) {
  const cpb_merge_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .type = t->options.type, .limits = t->options.limits};
  cpb_merge *merge = cpb_merge_new(t->options.allocator, index, &how);
  bool over = true;
  if (!merge) cpb_fail_memory(t->error);
  else if (plan(t, merge) == CPB_STEP_ERROR) failed(t, cpb_merge_error(merge));
  else over = merge_planned(t, merge, threads, written);
  cpb_merge_free(merge);
  return over;
}

/* If several threads fail, a single one tries again: it may need less memory, and it always meets the same error
 * first. */
static cpb_code merge_all(transfer *t, const cpb_index *index) {
  uint64_t written = 0;
  unsigned threads = cpb_transfer_threads(t);
  if (!merge(t, index, threads, &written)) merge(t, index, 1, &written);
  return t->error->code;
}

cpb_code cpb_transfer_merge(cpb_file *in, const cpb_index *index, cpb_output *out, const cpb_file_options *options,
                            cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  transfer t = begin(in, out, options, error);
  return merge_all(&t, index);
}

cpb_code cpb_transfer_compare(cpb_file *in, const cpb_index *index, cpb_file *against, const cpb_file_options *options,
                              cpb_comparison *result, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  transfer t = begin(in, NULL, options, error);
  *result = (cpb_comparison){.same = 1, .error.offset = CPB_NO_OFFSET};
  t.against = against;
  t.comparison = result;
  if (merge_all(&t, index) == CPB_OK && against) compare_ends(result, against);
  return error->code;
}

/* --- Copy ------------------------------------------------------------------- */

cpb_code cpb_transfer_copy(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  transfer t = begin(in, out, options, error);
  uint64_t size = 0;
  if (!cpb_file_is_pipe(in) && cpb_file_size(in, &size, error) != CPB_OK) return error->code;
  for (uint64_t done = 0;;) {
    size_t length = (size_t)256 << 10;
    const uint8_t *data = cpb_file_read(in, done, &length, error);
    if (!data) return error->code;
    if (length == 0 && done < size)
      cpb_fail(error, CPB_E_TRUNCATED, done, "the input has become shorter; expected %llu bytes",
               (unsigned long long)size);
    if (length == 0) return error->code;
    if (!put(&t, done, data, length)) return error->code;
    done += length;
    if (!cpb_transfer_go_on(&t, done, size)) return error->code;
  }
}
