#include "cli/check_merge.h"

#include <string.h>

static void differ(cli_comparison *result, uint64_t offset) {
  if (result->same) result->differs_at = offset;
  result->same = false;
}

/* The merged message's bytes from `offset` on, against the file's. */
static void compare(cli_comparison *result, cpb_file *against, uint64_t offset, const uint8_t *data, size_t size) {
  while (size > 0 && result->same) {
    size_t n = size;
    const uint8_t *other = cpb_file_read(against, offset, &n, &result->against_error);
    if (!other) return;
    size_t i = 0;
    while (i < n && data[i] == other[i]) i++;
    if (i < n || n == 0) differ(result, offset + i);
    offset += n;
    data += n;
    size -= n;
  }
}

static void read_all(cli *c, cpb_merge *merge, cpb_file *cpb, cpb_file *against, cli_comparison *result) {
  uint64_t done = 0;
  cpb_step step;
  cpb_merge_read(merge, 0, UINT64_MAX);
  while ((step = cpb_merge_step(merge)) != CPB_STEP_DONE && step != CPB_STEP_ERROR) {
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(cpb, cpb_merge_input(merge));
      continue;
    }
    size_t length;
    const uint8_t *data = cpb_merge_data(merge, &length);
    if (against && result->against_error.code == CPB_OK) compare(result, against, done, data, length);
    done += length;
    cli_progress_step(c, done, result->size);
  }
}

/* The file may go on where the message has ended. */
static void compare_ends(cpb_file *against, cli_comparison *result) {
  size_t more = 1;
  if (!result->same || result->against_error.code != CPB_OK) return;
  if (cpb_file_read(against, result->size, &more, &result->against_error) && more > 0) differ(result, result->size);
}

cli_comparison cli_compare(cli *c, const cpb_index *index, const cpb_message_type *type, cpb_file *cpb,
                           cpb_file *against) {
  cli_comparison result = {.same = true, .error.offset = CPB_NO_OFFSET, .against_error.offset = CPB_NO_OFFSET};
  cpb_merge_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_LATE, .type = type, .limits = &c->settings.limits};
  cpb_merge *merge = cpb_merge_new(&c->allocator, index, &how);
  if (!merge) {
    result.error.code = CPB_E_MEMORY;
    strcpy(result.error.message, cpb_code_text(CPB_E_MEMORY));
    return result;
  }
  cpb_step step;
  cli_progress_start(c, "verifying");
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) cpb_file_supply(cpb, cpb_merge_input(merge));
  if (step == CPB_STEP_DONE) {
    result.size = cpb_merge_size(merge);
    read_all(c, merge, cpb, against, &result);
    if (against) compare_ends(against, &result);
  }
  cli_progress_end(c);
  result.error = *cpb_merge_error(merge);
  cpb_merge_free(merge);
  return result;
}
