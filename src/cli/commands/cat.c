/* cpb cat: writes the bytes of a chunk, a record or a field. */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cpb/field_json.h"
#include "cpb/find.h"
#include "cpb/model.h"

#define SELECTORS (CLI_BIT(CHUNK) | CLI_BIT(RECORD) | CLI_BIT(POSITION) | CLI_BIT(FIELD))
#define BEGINNING 4096
#define JSON_MAX ((uint64_t)1 << 30) /* largest field that is kept in memory to be written as JSON */

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

/* --- A field -------------------------------------------------------------------- */

typedef struct message {
  cli *cli;
  char *name;
  cpb_file *in; /* belongs to `file` */
  cpb_message_file *file;
} message;

/* --- Writing what was found --------------------------------------------------------- */

static int write_raw(message *m, const cpb_find *find, cpb_output *out) {
  uint64_t written = 0;
  int status = CLI_OK;
  for (size_t i = 0; i < cpb_find_num_ranges(find) && status == CLI_OK; i++)
    status =
        cli_write_range(m->cli, out, m->cli->settings.output, &written, m->file, m->name, cpb_find_get_range(find, i));
  return status;
}

static cpb_field_json *json_of(message *m, const cpb_find *find, const cpb_range *ranges) {
  const cpb_limits *limits = &m->cli->settings.limits;
  const cpb_json_options form = {.struct_size = sizeof form, .original_names = 1, .indent = 2};
  const bool omits = m->cli->settings.given & CLI_BIT(OMIT);
  const cpb_field_json_options how = {.struct_size = sizeof how,
                                      .max_value = omits ? cpb_max_u64(m->cli->settings.omit, 1) : UINT64_MAX,
                                      .max_size = JSON_MAX,
                                      .json = &form,
                                      .limits = limits};
  const cpb_range nothing = {0, 0};
  const size_t count = cpb_find_num_ranges(find);
  return cpb_field_json_new(&m->cli->allocator, cpb_find_found(find), count ? ranges : &nothing, count ? count : 1,
                            &how);
}

static int print_json(message *m, cpb_field_json *json, cpb_output *out) {
  cli *c = m->cli;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  uint64_t written = 0;
  int status = CLI_OK;
  cpb_step step;
  while (status == CLI_OK && (step = cpb_field_json_step(json)) != CPB_STEP_DONE) {
    size_t length;
    const char *text = cpb_field_json_output(json, &length);
    if (step == CPB_STEP_ERROR) return cli_fail(c, m->name, cpb_field_json_error(json));
    if (step == CPB_STEP_OUTPUT) status = cli_write(c, out, c->settings.output, &written, text, length);
    else if (cpb_message_file_supply(m->file, cpb_field_json_input(json), &error) != CPB_OK)
      return cli_fail(c, m->name, &error);
  }
  return status == CLI_OK ? cli_write(c, out, c->settings.output, &written, "\n", 1) : status;
}

static int write_json(message *m, const cpb_find *find, cpb_output *out) {
  const cpb_allocator *a = &m->cli->allocator;
  const cpb_found *found = cpb_find_found(find);
  if (!found->message && !found->parent) {
    cli_note(m->cli, m->name,
             "--json needs the type of the message; expected --type, and --schema unless the type is built in");
    return CLI_USAGE;
  }
  const size_t count = cpb_find_num_ranges(find);
  cpb_range *ranges = cpb_alloc(a, count * sizeof *ranges);
  for (size_t i = 0; ranges && i < count; i++) ranges[i] = cpb_find_get_range(find, i);
  cpb_field_json *json = ranges ? json_of(m, find, ranges) : NULL;
  int status = json ? print_json(m, json, out) : cli_fail_memory(m->cli);
  cpb_field_json_free(json);
  cpb_release(a, ranges);
  return status;
}

static int write_found(message *m, const cpb_find *find) {
  cli *c = m->cli;
  int status = CLI_OK;
  status = cli_keep_chunks(c, c->settings.output, m->name);
  cpb_output *out = status == CLI_OK ? cli_open_output(c, c->settings.output, true, &status) : NULL;
  if (!out) return status;
  status = c->settings.json ? write_json(m, find, out) : write_raw(m, find, out);
  return cli_close_output(c, c->settings.output, out, status);
}

/* --- Finding it ------------------------------------------------------------------------ */

static int find_field(message *m, const cpb_message_type *type, const cpb_path *path) {
  cpb_error error;
  cpb_find *find = cpb_message_file_find(m->file, type, path, &error);
  if (!find) return cli_fail_input(m->cli, m->name, m->in, &error);
  int status = write_found(m, find);
  cpb_find_free(find);
  return status;
}

/* `type` is the type in --type, or NULL. Offsets, which --omit shows, are those of the whole message. */
static int open_message(message *m, const cpb_schema *schema, const cpb_message_type *type, const cpb_path *path) {
  const bool in_whole = m->cli->settings.given & CLI_BIT(OMIT);
  int status = CLI_OK;
  cpb_error error;
  m->in = cli_find_input(m->cli, m->cli->settings.input, &m->name, &status);
  if (!m->in) return status;
  const cpb_message_file_options how = {.struct_size = sizeof how,
                                        .type = type,
                                        .limits = &m->cli->settings.limits,
                                        .plan_late = !in_whole,
                                        .field = in_whole ? NULL : path,
                                        .field_type = type ? type : cpb_guess_message_type(schema, path)};
  m->file = cpb_message_file_on(&m->cli->allocator, m->in, m->name, &how, &error);
  return m->file ? CLI_OK : cli_fail(m->cli, m->name, &error);
}

/* The type of a message that is not a .cpb, from its first bytes; NULL if unknown. */
static const cpb_message_type *guess_type(message *m, const cpb_schema *schema) {
  cpb_error error;
  size_t length = BEGINNING;
  if (m->cli->settings.schema || cpb_message_file_index(m->file)) return NULL;
  const uint8_t *begin = cpb_message_file_read(m->file, 0, &length, &error);
  const cpb_file_ends ends = {.struct_size = sizeof ends, .begin = begin, .begin_size = length, .size = UINT64_MAX};
  const char *guessed = begin ? cpb_model_message_type(cpb_model_guess(&ends)) : NULL;
  return guessed ? cpb_schema_find_message(schema, guessed) : NULL;
}

/* Without --type, the type comes from the path's names, then from the message's first bytes, then from the index: good
 * enough for names. */
static int cat_path(message *m, const cpb_schema *schema, const cpb_path *path) {
  int status = CLI_OK;
  const cpb_message_type *type = NULL;
  if (m->cli->settings.type && !cli_find_type(m->cli, schema, NULL, &type, &status)) return status;
  status = open_message(m, schema, type, path);
  if (status != CLI_OK) return status;
  const cpb_path *there = cpb_message_file_field(m->file);
  if (!type) type = cpb_guess_message_type(schema, path);
  if (!type) type = guess_type(m, schema);
  if (!type && !cli_find_type(m->cli, schema, cpb_message_file_index(m->file), &type, &status)) return status;
  return find_field(m, type, there ? there : path);
}

static int cat_field_of(message *m) {
  cli *c = m->cli;
  int status = CLI_OK;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  const char *text = c->settings.field;
  cpb_path *path = cpb_path_parse(&c->allocator, text, strlen(text), &error);
  if (!path && error.code == CPB_E_MEMORY) return cli_fail_memory(c);
  if (!path) return cli_usage(c->command, error.message);
  cpb_schema *schema = NULL;
  if (cli_load_any_schema(c, &schema, &status)) status = cat_path(m, schema, path);
  cpb_schema_free(schema);
  cpb_path_free(path);
  return status;
}

static int cat_field(cli *c) {
  message m = {.cli = c};
  int status = cat_field_of(&m);
  cpb_message_file_close(m.file);
  cpb_release(&c->allocator, m.name);
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
  if (selected == CLI_BIT(FIELD)) return cat_field(c);
  int status = CLI_OK;
  source s = {.cli = c, .name = cli_input_name(c->settings.input)};
  s.file = cli_open_input(c, c->settings.input, &status);
  if (s.file) status = cat_to_output(&s);
  cpb_file_close(s.file);
  return status;
}
