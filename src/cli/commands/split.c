/* cpb split: makes a .cpb file from a message. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/cli.h"
#include "cli/os/os.h"
#include "cpb/model.h"

#define BEGINNING 4096

typedef struct splitting {
  cli *cli;
  cpb_schema *schema;
  cpb_file *in;
  cpb_split *split;
  cpb_split_base *base;
  char *out_path;   /* with its ending, or NULL: as given */
  char *prefix;     /* of the other files' names */
  const char *type; /* the message's; NULL: the default */
  cli_outputs outputs;
  int status; /* for an error that was already reported */
} splitting;

static cpb_split *new_split(const splitting *s) {
  const cli_settings *settings = &s->cli->settings;
  cpb_split_options how = {.struct_size = sizeof how,
                           .files = (uint32_t)cpb_min_u64(settings->files, UINT32_MAX),
                           .file_size = settings->file_size,
                           .file_name = s->prefix,
                           .limits = &s->cli->settings.limits,
                           .type_name = s->type,
                           .schema = s->schema,
                           .max_chunk_size = settings->max_chunk_size,
                           .layout = (cpb_layout)settings->layout,
                           .codec = settings->codec,
                           .for_memory = settings->for_memory,
                           .transpose = settings->transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER,
                           .index_pages = settings->index_pages ? CPB_INDEX_PAGES : 0,
                           .seekable = 1};
  return cpb_split_new(&s->cli->allocator, &how);
}

/* Without --type and --schema, the type follows from the message's first bytes, and never from its name. */
static int find_type(splitting *s) {
  const cli *c = s->cli;
  cpb_error error;
  size_t length = BEGINNING;
  s->type = c->settings.type;
  if (s->type || c->settings.schema) return CLI_OK;
  const uint8_t *begin = cpb_file_read(s->in, 0, &length, &error);
  if (!begin) return cli_fail(s->cli, cli_input_name(c->settings.input), &error);
  const cpb_file_ends ends = {.struct_size = sizeof ends, .begin = begin, .begin_size = length, .size = UINT64_MAX};
  s->type = cpb_model_message_type(cpb_model_guess(&ends));
  return CLI_OK;
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
  return cli_fail_input(c, c->settings.input, s->in, cpb_split_error(s->split));
}

/* Text may happen to parse as a message of unknown fields. */
static int refuse_text(const splitting *s) {
  cli *c = s->cli;
  char what[256];
  const char *name = cli_foreign(c, c->settings.input, s->in, what, sizeof what);
  if (!name || strcmp(name, "text") != 0) return CLI_OK;
  char *kinds = strstr(what, "; expected one of ");
  if (kinds) *kinds = 0;
  cli_note(c, cli_input_name(c->settings.input),
           "%s; expected a protobuf message (with --type, any file that parses as one is taken)", what);
  return CLI_DAMAGED;
}

/* --- Verifying ------------------------------------------------------------- */

static int report_comparison(cli *c, const cli_comparison *result, const char *out_name) {
  const char *in_name = cli_input_name(c->settings.input);
  if (result->error.code != CPB_OK) return cli_fail(c, out_name, &result->error);
  if (result->of.error.code != CPB_OK) return cli_fail(c, in_name, &result->of.error);
  if (result->of.same) return CLI_OK;
  cli_note(c, in_name,
           "byte %llu: the merged message differs from here on. If the fields of the input are in order, this is a "
           "bug in cpb; otherwise it is to be expected, and without --verify the file is written",
           (unsigned long long)result->of.differs_at);
  return CLI_DAMAGED;
}

/* Merges the written file, before it gets its name. */
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

/* --- Against a base --------------------------------------------------------- */

static int read_base(splitting *s) {
  cli *c = s->cli;
  cpb_error error;
  cpb_file_options options = cli_transfer_options(c, "reading the base");
  options.urls = &c->urls;
  options.allow_references = c->settings.allow_references;
  s->base = cpb_file_read_base(c->settings.base, s->out_path, s->split, &options, &error);
  cli_progress_end(c);
  if (!s->base) return cli_fail(c, c->settings.base, &error);
  return cpb_split_share(s->split, s->base) == CPB_OK ? CLI_OK
                                                      : cli_fail(c, c->settings.base, cpb_split_error(s->split));
}

/* --- Several files ---------------------------------------------------------- */

static bool has_others(const cli *c) { return c->settings.files > 0 || c->settings.file_size > 0; }

/* The beginning of the other files' names: the output's, without folder and ending. */
static int set_prefix(splitting *s) {
  const char *name = cli_last_part(s->cli->settings.output);
  size_t length = strlen(name) - (cli_ends_with(name, ".cpb") ? 4 : 0);
  s->prefix = cpb_alloc(&s->cli->allocator, length + 1);
  if (!s->prefix) return cli_fail_memory(s->cli);
  memcpy(s->prefix, name, length);
  s->prefix[length] = '\0';
  return CLI_OK;
}

static cpb_output *open_other(void *user, const char *name, cpb_error *error) {
  splitting *s = user;
  cli *c = s->cli;
  char *path = cli_beside(c, s->out_path, name, &s->status);
  cpb_output *output = path ? cli_open_other(&s->outputs, path, false, &s->status) : NULL;
  cpb_release(&c->allocator, path);
  if (!output) cpb_fail(error, CPB_E_WRITE, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_WRITE)); /* it was reported */
  return output;
}

/* --- Writing --------------------------------------------------------------- */

static int write_output(splitting *s, bool copy) {
  cli *c = s->cli;
  int status = CLI_OK;
  uint64_t done, total;
  const bool several = has_others(c) && !copy;
  cpb_output *out = cli_open_main(&s->outputs, s->out_path, copy, &status);
  if (!out) return status;
  s->outputs.several = several;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file_options options = cli_transfer_options(c, copy ? "copying" : "splitting");
  if (copy) {
    cpb_transfer_copy(s->in, out, &options, &error);
  } else {
    cpb_split_progress(s->split, &done, &total);
    options.threads = cli_threads(c, c->settings.input, total);
    options.open_file = several ? open_other : NULL;
    options.open_user = s;
    cpb_transfer_split(s->in, out, s->split, &options, &error);
  }
  if (s->status != CLI_OK) cli_progress_end(c);
  status = s->status != CLI_OK ? s->status : cli_transfer_status(c, c->settings.input, s->out_path, &error);
  bool verifies = c->settings.verify && !copy && !os_is_special(s->out_path);
  if (status == CLI_OK && verifies) status = verify(s, out);
  return cli_close_outputs(&s->outputs, status);
}

static void summarize(const splitting *s, bool copy) {
  if (s->cli->settings.quiet || cli_is_dash(s->out_path)) return;
  if (copy) {
    cli_note(s->cli, s->out_path, "fits into one chunk; copied unchanged");
  } else {
    char shared[80] = "", others[80] = "";
    const size_t count = cpb_split_count(s->split);
    cpb_split_shared base;
    cpb_split_get_shared(s->split, &base);
    if (s->outputs.num_others > 0)
      snprintf(others, sizeof others, ", in %zu other file%s", s->outputs.num_others, cli_s(s->outputs.num_others));
    if (s->base)
      snprintf(shared, sizeof shared, "; the base has %llu of them, %llu bytes", (unsigned long long)base.chunks,
               (unsigned long long)base.bytes);
    cli_note(s->cli, s->out_path, "%zu chunk%s%s%s", count, cli_s(count), others, shared);
  }
}

/* Adds the right ending to a name without one. */
static int split(splitting *s) {
  cli *c = s->cli;
  const char *given = c->settings.output;
  int status = plan(s);
  if (status == CLI_OK && !s->type && !c->settings.schema) status = refuse_text(s);
  if (status != CLI_OK) return status;
  bool is_named = cli_is_dash(given) || cli_has_ending(given) || os_is_special(given);
  bool copy = is_named ? cli_ends_with(given, ".pb") : !cpb_split_is_split(s->split);
  if (copy && cpb_split_is_split(s->split))
    return cli_usage(c->command, "the message needs several chunks; expected an output name that ends in .cpb");
  s->out_path = cli_join(c, given, is_named ? "" : copy ? ".pb" : ".cpb", &status);
  if (!s->out_path) return status;
  if (c->settings.base && !copy) status = read_base(s);
  if (status == CLI_OK) status = write_output(s, copy);
  if (status == CLI_OK) summarize(s, copy);
  return status;
}

/* Checks that the options are compatible. */
static int check_options(const cli *c) {
  const cli_settings *set = &c->settings;
  const bool is_file = !cli_is_dash(set->output) && !os_is_special(set->output);
  if (is_file && !*cli_last_part(set->output))
    return cli_usage(c->command, "the output has no name; expected that of a file"); /* an ending alone would hide it */
  if (set->verify && cli_is_dash(set->output))
    return cli_usage(c->command, "--verify reads the output back; expected a file, not standard output");
  if (has_others(c) && (set->verify || !is_file))
    return cli_usage(c->command,
                     "--files and --file-size expect a file as output, and no --verify: cpb verify reads "
                     "the files afterwards");
  if (!set->base) return CLI_OK;
  if (set->verify || !is_file)
    return cli_usage(c->command,
                     "--base expects a file as output, and no --verify: cpb verify reads both files afterwards");
  if (cli_is_dash(set->base)) return cli_usage(c->command, "--base has no name on standard input; expected a file");
  return CLI_OK;
}

int cli_split(cli *c) {
  int status = check_options(c);
  if (status != CLI_OK) return status;
  splitting s = {.cli = c, .outputs.cli = c};
  s.in = cli_open_input(c, c->settings.input, &status);
  if (!s.in) return status;
  status = has_others(c) ? set_prefix(&s) : CLI_OK;
  if (status == CLI_OK) status = find_type(&s);
  if (status == CLI_OK && cli_load_schema(c, &s.schema, &status)) {
    s.split = new_split(&s);
    status = s.split ? split(&s) : cli_fail_memory(c);
  }
  cpb_release(&c->allocator, s.out_path);
  cpb_release(&c->allocator, s.prefix);
  cpb_split_free(s.split);
  cpb_split_base_free(s.base);
  cpb_schema_free(s.schema);
  cpb_file_close(s.in);
  return status;
}
