#include "cli/commands/cat_field.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "cli/keep.h"
#include "cli/message_types.h"
#include "cpb/field_json.h"
#include "cpb/find.h"
#include "cpb/model.h"
#include "cpb/open.h"

#define BEGINNING 4096
#define JSON_MAX ((uint64_t)1 << 30) /* largest field that is kept in memory to be written as JSON */

typedef struct message {
  cli *cli;
  char *name;
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

/* --- The command ---------------------------------------------------------------------- */

static int find_field(message *m, const cpb_message_type *type, const cpb_path *path) {
  cpb_error error;
  cpb_find *find = cpb_message_file_find(m->file, type, path, &error);
  if (!find) return cli_fail(m->cli, m->name, &error);
  int status = write_found(m, find);
  cpb_find_free(find);
  return status;
}

/* `type` is the type in --type, or NULL. Offsets, which --omit shows, are those of the whole message. */
static int open_message(message *m, const cpb_schema *schema, const cpb_message_type *type, const cpb_path *path) {
  const bool in_whole = m->cli->settings.given & CLI_BIT(OMIT);
  int status = CLI_OK;
  cpb_error error;
  cpb_file *file = cli_find_input(m->cli, m->cli->settings.input, &m->name, &status);
  if (!file) return status;
  const cpb_message_file_options how = {.struct_size = sizeof how,
                                        .type = type,
                                        .limits = &m->cli->settings.limits,
                                        .plan_late = !in_whole,
                                        .field = in_whole ? NULL : path,
                                        .field_type = type ? type : cpb_guess_message_type(schema, path)};
  m->file = cpb_message_file_on(&m->cli->allocator, file, m->name, &how, &error);
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

int cli_cat_field(cli *c) {
  message m = {.cli = c};
  int status = cat_field_of(&m);
  cpb_message_file_close(m.file);
  cpb_release(&c->allocator, m.name);
  return status;
}
