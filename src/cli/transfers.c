/* Input, output and progress of cpb_transfer_*, for the commands. */
#include <limits.h>

#include "base/checked.h"
#include "cli/cli.h"
#include "cli/os/os.h"

/* The default number of threads, each for at least so many bytes. */
#define THREADS_DEFAULT 4u
#define THREAD_WORTH ((uint64_t)4 << 20)

static int show_progress(void *user, uint64_t done, uint64_t total) {
  cli_progress_step(user, done, total);
  return 0;
}

cpb_file_options cli_transfer_options(cli *c, const char *doing) {
  cli_progress_start(c, doing);
  return (cpb_file_options){.struct_size = sizeof(cpb_file_options),
                            .allocator = &c->allocator,
                            .limits = &c->settings.limits,
                            .progress = show_progress,
                            .user = c};
}

int cli_transfer_status(cli *c, const char *in, const char *out, const cpb_error *error) {
  cli_progress_end(c);
  if (error->code == CPB_OK) return CLI_OK;
  return cli_fail(c, error->code == CPB_E_WRITE ? cli_output_name(out) : cli_input_name(in), error);
}

static int plan_split(cli *c, cpb_split *split, cpb_file *in, const char *name) {
  cpb_step step;
  while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) cpb_file_supply(in, cpb_split_input(split));
  return step == CPB_STEP_DONE ? CLI_OK : cli_fail(c, name, cpb_split_error(split));
}

int cli_split_into(cli *c, cpb_file *in, const char *name, const cpb_split_options *how, const char *path) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_split *split = cpb_split_new(&c->allocator, how);
  int status = split ? plan_split(c, split, in, name) : cli_fail_memory(c);
  cpb_output *out = status == CLI_OK ? cli_open_output(c, path, false, &status) : NULL;
  if (out) {
    cpb_file_options options = cli_transfer_options(c, "splitting");
    cpb_transfer_split(in, out, split, &options, &error);
    status = cli_close_output(c, path, out, cli_transfer_status(c, name, path, &error));
  }
  cpb_split_free(split);
  return status;
}

/* --- Threads ------------------------------------------------------------------ */

uint64_t cli_size_of_chunks(const cpb_index *index) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info chunk;
    bool fits = cpb_index_get_chunk(index, i, &chunk) == CPB_OK && cpb_add_u64(sum, chunk.size, &sum);
    if (!fits) return UINT64_MAX;
  }
  return sum;
}

/* For a URL, each thread waits for its own request, and not for a processor. */
unsigned cli_threads(const cli *c, const char *path, uint64_t size) {
  uint64_t asked = c->settings.threads, most = cpb_is_url(path) ? THREADS_DEFAULT : os_processors();
  if (asked > 0) return (unsigned)cpb_min_u64(asked, UINT_MAX);
  return (unsigned)cpb_min_u64(cpb_min_u64(most, THREADS_DEFAULT), size / THREAD_WORTH);
}

/* --- Comparing ---------------------------------------------------------------- */

cli_comparison cli_compare(cli *c, const cpb_index *index, const cpb_message_type *type, cpb_file *cpb,
                           cpb_file *against) {
  cli_comparison result;
  cpb_file_options options = cli_transfer_options(c, "verifying");
  options.type = type;
  options.threads = cli_threads(c, c->settings.input, cli_size_of_chunks(index));
  cpb_transfer_compare(cpb, index, against, &options, &result.of, &result.error);
  cli_progress_end(c);
  return result;
}
