/* cpb diff: what differs between two models. */
#include "cpb/diff.h"

#include "cli/show/show.h"

#define EQUAL 0
#define DIFFERENT 1
#define TROUBLE 2
#define MAX_VALUE ((uint64_t)16 << 10)

typedef struct comparison {
  cli *cli;
  cpb_model_file *files[2];
  cpb_diff *diff;
} comparison;

static bool open_models(comparison *d) {
  const unsigned beside = CPB_BESIDE_KERAS_METADATA | CPB_BESIDE_CHECKPOINT;
  const cpb_model_options how = {.struct_size = sizeof how, .max_value = MAX_VALUE};
  const char *const paths[2] = {d->cli->settings.input, d->cli->settings.question};
  for (int side = 0; side < 2; side++) {
    int status;
    cpb_error error;
    d->files[side] = cli_open_model(d->cli, paths[side], &how, true, &status);
    if (!d->files[side]) return false;
    if (cpb_model_file_load(d->files[side], beside, &error) != CPB_OK) {
      cli_model_fail(d->cli, d->files[side], &error);
      return false;
    }
  }
  return true;
}

static bool make_diff(comparison *d) {
  const cli_settings *s = &d->cli->settings;
  const cpb_diff_options how = {
      .struct_size = sizeof how,
      .max_differences = cli_diff_wanted(d->cli),
      .skip_values = s->skip_values,
      .limits = &s->limits,
      .same_file = cpb_model_file_is_same(d->files[0], d->files[1]),
      .checkpoints = {cpb_model_file_checkpoint(d->files[0]), cpb_model_file_checkpoint(d->files[1])}};
  d->diff =
      cpb_diff_new(&d->cli->allocator, cpb_model_file_model(d->files[0]), cpb_model_file_model(d->files[1]), &how);
  if (!d->diff) cli_fail_memory(d->cli);
  return d->diff != NULL;
}

/* Reports the error with its subject: one of the models, or the comparison itself. */
static bool fail(comparison *d, const cpb_error *error) {
  int side = cpb_diff_side(d->diff);
  if (side < 0) cli_fail(d->cli, cli_input_name(d->cli->settings.input), error);
  else cli_model_fail(d->cli, d->files[side], error);
  return false;
}

static bool compare(comparison *d) {
  cpb_step step;
  cpb_need need;
  uint64_t read = 0;
  cpb_error error = {.code = CPB_OK};
  cli_progress_start(d->cli, "comparing");
  while (error.code == CPB_OK && (step = cpb_diff_step(d->diff)) == CPB_STEP_NEED) {
    cpb_model_file *file = d->files[cpb_diff_side(d->diff)];
    cpb_input *input = cpb_diff_input(d->diff);
    cpb_input_need(input, &need);
    read += need.length;
    cli_progress_step(d->cli, read, 0);
    if (cpb_model_file_supply(file, cpb_diff_shard(d->diff), input, &error) != CPB_OK && need.file > 0)
      error.code = CPB_OK; /* in another file: the engine tells which */
  }
  cli_progress_end(d->cli);
  if (error.code != CPB_OK) return fail(d, &error);
  return step == CPB_STEP_DONE || fail(d, cpb_diff_error(d->diff));
}

static bool print(comparison *d) {
  size_t size;
  const char *json = cpb_diff_result(d->diff, &size);
  if (!d->cli->settings.json) return cli_show_diff(d->cli, json, size) == CLI_OK;
  cli_print_answer(d->cli, json, size);
  return true;
}

int cli_diff(cli *c) {
  comparison d = {.cli = c};
  if (!c->settings.question) {
    cli_usage(c->command, "the second model is missing");
    return TROUBLE;
  }
  if (c->settings.json && c->settings.tsv) {
    cli_usage(c->command, "expected one of --json and --tsv");
    return TROUBLE;
  }
  bool done = open_models(&d) && make_diff(&d) && compare(&d) && print(&d);
  bool whole = done && cpb_diff_incomplete(d.diff) == 0;
  int status = !whole ? TROUBLE : cpb_diff_equal(d.diff) ? EQUAL : DIFFERENT;
  cpb_diff_free(d.diff);
  for (int side = 0; side < 2; side++) cpb_model_file_close(d.files[side]);
  return status;
}
