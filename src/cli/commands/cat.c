/* cpb cat: writes the bytes of a chunk, a record or a field. */
#include <stdio.h>

#include "cli/commands/cat_field.h"
#include "cli/keep.h"

#define SELECTORS (CLI_BIT(CHUNK) | CLI_BIT(RECORD) | CLI_BIT(POSITION) | CLI_BIT(FIELD))

typedef struct source {
  cli *cli;
  const char *name;
  cpb_file *file;
  cpb_output *out;
  uint64_t written, total;
} source;

static int put(source *s, const uint8_t *data, size_t length) {
  int status = cli_write(s->cli, s->out, s->cli->settings.output, &s->written, data, length);
  cli_progress_step(s->cli, s->written, s->total);
  return status;
}

/* --- A chunk ---------------------------------------------------------------- */

static int stream_chunk(source *s, cpb_chunk_reader *reader) {
  int status = CLI_OK;
  cpb_code code = cpb_chunk_reader_read(reader, s->cli->settings.chunk, 0, UINT64_MAX);
  cpb_step step = code == CPB_OK ? CPB_STEP_NEED : CPB_STEP_ERROR;
  while (status == CLI_OK && step != CPB_STEP_DONE && step != CPB_STEP_ERROR) {
    step = cpb_chunk_reader_step(reader);
    if (step == CPB_STEP_NEED) cpb_file_supply(s->file, cpb_chunk_reader_input(reader));
    if (step != CPB_STEP_DATA) continue;
    size_t length;
    const uint8_t *data = cpb_chunk_reader_data(reader, &length);
    status = put(s, data, length);
  }
  return step == CPB_STEP_ERROR ? cli_fail(s->cli, s->name, cpb_chunk_reader_error(reader)) : status;
}

static int cat_chunk(source *s) {
  cli *c = s->cli;
  int status = CLI_OK;
  cpb_chunk_info info;
  cpb_index *index = cli_open_index(c, c->settings.input, s->file, &status);
  if (!index) return status;
  if (cpb_index_get_chunk(index, c->settings.chunk, &info) != CPB_OK) {
    cli_note(c, s->name, "chunk is %llu; expected less than %llu, the number of chunks",
             (unsigned long long)c->settings.chunk, (unsigned long long)cpb_index_num_chunks(index));
    status = CLI_USAGE;
  } else {
    const cpb_chunk_reader_options how = {.struct_size = sizeof how, .limits = &c->settings.limits};
    cpb_chunk_reader *reader = cpb_chunk_reader_new(&c->allocator, index, &how);
    s->total = info.size;
    status = reader ? stream_chunk(s, reader) : cli_fail_memory(c);
    cpb_chunk_reader_free(reader);
  }
  cpb_index_free(index);
  return status;
}

/* --- A record ----------------------------------------------------------------- */

static cpb_step next_record(source *s, cpb_record_reader *reader) {
  cpb_step step;
  while ((step = cpb_record_reader_step(reader)) == CPB_STEP_NEED)
    cpb_file_supply(s->file, cpb_record_reader_input(reader));
  return step;
}

static int stream_record(source *s, cpb_record_reader *reader) {
  uint64_t left = cpb_record_reader_record(reader)->size;
  int status = CLI_OK;
  s->total = left;
  while (left > 0 && status == CLI_OK) {
    if (next_record(s, reader) != CPB_STEP_DATA) return cli_fail(s->cli, s->name, cpb_record_reader_error(reader));
    size_t length;
    const uint8_t *data = cpb_record_reader_data(reader, &length);
    status = put(s, data, length);
    left -= length;
  }
  return status;
}

static int find_record(source *s, cpb_record_reader *reader) {
  if (s->cli->settings.given & CLI_BIT(RECORD)) cpb_record_reader_seek_number(reader, s->cli->settings.record);
  const cpb_step step = next_record(s, reader);
  if (step == CPB_STEP_ERROR) return cli_fail(s->cli, s->name, cpb_record_reader_error(reader));
  if (step != CPB_STEP_DONE) return stream_record(s, reader);
  uint64_t count;
  if (cpb_record_reader_count(reader, &count))
    cli_note(s->cli, s->name, "there is no such record; %llu were found", (unsigned long long)count);
  else cli_note(s->cli, s->name, "there is no such record");
  return CLI_USAGE;
}

static int cat_record(source *s) {
  int status = CLI_OK;
  cpb_record_reader_options options = {.struct_size = sizeof options, .position = s->cli->settings.position};
  cpb_record_reader *reader = cli_open_reader(s->cli, &options, &status);
  if (reader) status = find_record(s, reader);
  cpb_record_reader_free(reader);
  return status;
}

/* --- The command --------------------------------------------------------------- */

static int cat(source *s) {
  cli_option_set given = s->cli->settings.given;
  if (given & CLI_BIT(CHUNK)) return cat_chunk(s);
  return cat_record(s);
}

static int cat_to_output(source *s) {
  cli *c = s->cli;
  int status = CLI_OK;
  status = cli_keep_chunks(c, c->settings.output, c->settings.input);
  if (status == CLI_OK) s->out = cli_open_output(c, c->settings.output, true, &status);
  if (!s->out) return status;
  cli_progress_start(c, "reading");
  status = cat(s);
  cli_progress_end(c);
  return cli_close_output(c, c->settings.output, s->out, status);
}

int cli_cat(cli *c) {
  cli_option_set selected = c->settings.given & SELECTORS;
  if (selected == 0 || (selected & (selected - 1)) != 0)
    return cli_usage(c->command, "expected exactly one of --chunk, --record, --position and --field");
  if (c->settings.json && selected != CLI_BIT(FIELD)) return cli_usage(c->command, "--json needs --field");
  if ((c->settings.given & CLI_BIT(OMIT)) && !c->settings.json) return cli_usage(c->command, "--omit needs --json");
  if (selected == CLI_BIT(FIELD)) return cli_cat_field(c);
  int status = CLI_OK;
  source s = {.cli = c, .name = cli_input_name(c->settings.input)};
  s.file = cli_open_input(c, c->settings.input, &status);
  if (s.file) status = cat_to_output(&s);
  cpb_file_close(s.file);
  return status;
}
