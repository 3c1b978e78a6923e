/* cpb split: a message made into a .cpb file. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/check_merge.h"
#include "cli/cli.h"
#include "cli/message_types.h"
#include "cli/os/os.h"

typedef struct splitting {
  cli *cli;
  cpb_schema *schema;
  cpb_file *in;
  cpb_split *split;
  char *out_path; /* with its ending, or NULL: as given */
} splitting;

static cpb_split *new_split(const splitting *s) {
  const cli_settings *settings = &s->cli->settings;
  cpb_split_options how = {.struct_size = sizeof how,
                           .limits = &s->cli->settings.limits,
                           .type_name = settings->type,
                           .schema = s->schema,
                           .max_chunk_size = settings->max_chunk_size,
                           .layout = (cpb_layout)settings->layout,
                           .codec = settings->codec,
                           .for_memory = settings->for_memory,
                           .seekable = 1};
  return cpb_split_new(&s->cli->allocator, &how);
}

static int plan(splitting *s) {
  cli *c = s->cli;
  cpb_step step;
  cli_progress_start(c, "planning");
  while ((step = cpb_split_plan(s->split)) == CPB_STEP_NEED) {
    uint64_t done, total;
    cpb_file_supply(s->in, cpb_split_input(s->split));
    cpb_split_progress(s->split, &done, &total);
    cli_progress_step(c, done, total);
  }
  cli_progress_end(c);
  if (step == CPB_STEP_DONE) return CLI_OK;
  return cli_fail(c, cli_input_name(c->settings.input), cpb_split_error(s->split));
}

/* --- Verifying ------------------------------------------------------------- */

static int report_comparison(cli *c, const cli_comparison *result, const char *out_name) {
  const char *in_name = cli_input_name(c->settings.input);
  if (result->error.code != CPB_OK) return cli_fail(c, out_name, &result->error);
  if (result->against_error.code != CPB_OK) return cli_fail(c, in_name, &result->against_error);
  if (result->same) return CLI_OK;
  cli_note(c, in_name,
           "byte %llu: the merged message differs from here on. If the fields of the input are in order, this is a "
           "bug in cpb; otherwise it is to be expected, and without --verify the file is written",
           (unsigned long long)result->differs_at);
  return CLI_DAMAGED;
}

/* Merges what was written, before it gets its name. */
static int verify(splitting *s, cpb_output *out) {
  cli *c = s->cli;
  int status = CLI_OK;
  cpb_error error;
  cpb_file *written = cpb_output_read_back(out, &error);
  if (!written) return cli_fail(c, s->out_path, &error);
  cpb_index *index = cli_open_index(c, s->out_path, written, &status);
  if (index) {
    cli_comparison result = cli_compare(c, index, NULL, written, s->in);
    status = report_comparison(c, &result, s->out_path);
  }
  cpb_index_free(index);
  cpb_file_close(written);
  return status;
}

/* --- Writing --------------------------------------------------------------- */

static int write_output(splitting *s, bool copy) {
  cli *c = s->cli;
  int status = CLI_OK;
  cpb_output *out = cli_open_output(c, s->out_path, copy, &status);
  if (!out) return status;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file_options options = cli_transfer_options(c, copy ? "copying" : "splitting");
  if (copy) {
    cpb_transfer_copy(s->in, out, &options, &error);
  } else {
    cpb_transfer_split(s->in, out, s->split, &options, &error);
  }
  status = cli_transfer_status(c, c->settings.input, s->out_path, &error);
  bool verifies = c->settings.verify && !copy && !os_is_special(s->out_path);
  if (status == CLI_OK && verifies) status = verify(s, out);
  return cli_close_output(c, s->out_path, out, status);
}

static void summarize(const splitting *s, bool copy) {
  if (s->cli->settings.quiet || cli_is_dash(s->out_path)) return;
  if (copy) {
    cli_note(s->cli, s->out_path, "fits into one chunk; copied unchanged");
  } else {
    size_t count = cpb_split_count(s->split);
    cli_note(s->cli, s->out_path, "%zu chunk%s", count, count == 1 ? "" : "s");
  }
}

/* A name without ending gets the one that fits. */
static int split(splitting *s) {
  cli *c = s->cli;
  const char *given = c->settings.output;
  int status = plan(s);
  if (status != CLI_OK) return status;
  bool is_named = cli_is_dash(given) || cli_has_ending(given) || os_is_special(given);
  bool copy = is_named ? cli_ends_with(given, ".pb") : !cpb_split_is_split(s->split);
  if (copy && cpb_split_is_split(s->split))
    return cli_usage(c->command, "the message needs several chunks; expected an output name that ends in .cpb");
  s->out_path = cli_join(c, given, is_named ? "" : copy ? ".pb" : ".cpb", &status);
  if (!s->out_path) return status;
  status = write_output(s, copy);
  if (status == CLI_OK) summarize(s, copy);
  return status;
}

int cli_split(cli *c) {
  if (c->settings.verify && cli_is_dash(c->settings.output))
    return cli_usage(c->command, "--verify reads the output back; expected a file, not standard output");
  int status = CLI_OK;
  splitting s = {.cli = c};
  s.in = cli_open_input(c, c->settings.input, &status);
  if (!s.in) return status;
  if (cli_load_schema(c, &s.schema, &status)) {
    s.split = new_split(&s);
    status = s.split ? split(&s) : cli_fail_memory(c);
  }
  cpb_release(&c->allocator, s.out_path);
  cpb_split_free(s.split);
  cpb_schema_free(s.schema);
  cpb_file_close(s.in);
  return status;
}
