/* cpb tag: makes a SameDiff zip from parts, or adds a tag to one. */
#include <stdio.h>

#include "cli/tag/tag.h"

typedef struct tagging {
  cli *cli;
  tag_parts parts;
  cpb_samediff_writer *writer;
  cpb_file *base; /* NULL: a new zip */
  bool in_place;
  tag_reader reader;
  cpb_output *out;
} tagging;

/* --- Needs --------------------------------------------------------------------------- */

static int supply(tagging *t) {
  cpb_input *input = cpb_samediff_writer_input(t->writer);
  uint64_t number = cpb_samediff_writer_source(t->writer);
  if (number == CPB_SAMEDIFF_BASE) {
    cpb_file_supply(t->base, input);
    return CLI_OK;
  }
  const tag_source *source = &t->parts.sources[number];
  int status = t->reader.source == source ? CLI_OK : tag_reader_open(&t->reader, source);
  return status == CLI_OK ? tag_reader_supply(&t->reader, input) : status;
}

/* The name of the file that caused the writer's error. */
static const char *culprit(const tagging *t, const cpb_error *error) {
  uint64_t number = cpb_samediff_writer_source(t->writer);
  if (number != CPB_SAMEDIFF_BASE) return t->parts.sources[number].path;
  return t->base && error->code != CPB_E_USAGE ? t->cli->settings.question : t->cli->settings.input;
}

/* --- Writing --------------------------------------------------------------------------- */

static int put(tagging *t) {
  uint64_t offset;
  size_t length;
  const uint8_t *data = cpb_samediff_writer_output(t->writer, &offset, &length);
  if (cpb_samediff_writer_needs_sync(t->writer)) cpb_output_sync(t->out);
  if (cpb_output_write(t->out, offset, data, length) == CPB_OK) return CLI_OK;
  return cli_fail(t->cli, cli_output_name(t->in_place ? t->cli->settings.question : t->cli->settings.output),
                  cpb_output_error(t->out));
}

/* Copies the base unchanged: new entries come after it. */
static int copy_base(tagging *t) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (!t->base || t->in_place) return CLI_OK;
  cpb_file_options options = cli_transfer_options(t->cli, "copying");
  cpb_transfer_copy(t->base, t->out, &options, &error);
  return cli_transfer_status(t->cli, t->cli->settings.question, t->cli->settings.output, &error);
}

static int write(tagging *t) {
  int status = copy_base(t);
  cli_progress_start(t->cli, "writing");
  while (status == CLI_OK) {
    cpb_step step = cpb_samediff_writer_step(t->writer);
    if (step == CPB_STEP_DONE) break;
    if (step == CPB_STEP_NEED) {
      status = supply(t);
    } else if (step == CPB_STEP_OUTPUT) {
      uint64_t done, total;
      status = put(t);
      cpb_samediff_writer_progress(t->writer, &done, &total);
      cli_progress_step(t->cli, done, total);
    } else {
      const cpb_error *error = cpb_samediff_writer_error(t->writer);
      status = cli_fail(t->cli, culprit(t, error), error);
    }
  }
  cli_progress_end(t->cli);
  return status;
}

static int open_output(tagging *t) {
  cli *c = t->cli;
  int status = CLI_OK;
  t->out = t->in_place ? cli_extend_output(c, c->settings.question, &status)
                       : cli_open_output(c, c->settings.output, false, &status);
  return status;
}

/* --- All of it --------------------------------------------------------------------------- */

static int prepare(tagging *t) {
  cli *c = t->cli;
  int status = CLI_OK;
  if (c->settings.question) t->base = cli_open_input(c, c->settings.question, &status);
  if (status != CLI_OK) return status;
  const cpb_samediff_options how = {.struct_size = sizeof how,
                                    .append = t->base != NULL,
                                    .in_place = t->in_place,
                                    .deflate = tag_parts_deflate(&t->parts)};
  t->writer = cpb_samediff_writer_new(&c->allocator, &how);
  return t->writer ? tag_parts_add(&t->parts, t->writer) : cli_fail_memory(c);
}

/* A zip to add to is read only after it is locked. */
static int run(tagging *t) {
  int status = tag_parts_load(&t->parts, t->cli);
  if (status == CLI_OK && !t->in_place) status = prepare(t);
  if (status == CLI_OK) status = open_output(t);
  if (status != CLI_OK) return status;
  if (t->in_place) status = prepare(t);
  if (status == CLI_OK) status = write(t);
  return cli_close_output(t->cli, t->in_place ? t->cli->settings.question : t->cli->settings.output, t->out, status);
}

int cli_tag(cli *c) {
  tagging t = {.cli = c, .reader = {.cli = c}, .in_place = !c->settings.output};
  if (t.in_place && !c->settings.question)
    return cli_usage(c->command, "the output is missing; expected --output FILE, or a zip to add to");
  if (cli_is_dash(c->settings.input) || (c->settings.question && cli_is_dash(c->settings.question)))
    return cli_usage(c->command, "PARTS.json and MODEL.zip cannot be standard input");
  int status = run(&t);
  tag_reader_close(&t.reader);
  cpb_samediff_writer_free(t.writer);
  cpb_file_close(t.base);
  tag_parts_free(&t.parts);
  return status;
}
