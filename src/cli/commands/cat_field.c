#include "cli/commands/cat_field.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "cli/keep.h"
#include "cli/message_types.h"
#include "cpb/find.h"
#include "cpb/model.h"
#include "cpb/open.h"
#include "cpb/outline.h"

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

#define HEAD_MAX (2 * CPB_VARINT_MAX)

/* Writes the header of a value that becomes a field of its parent again. */
static size_t put_head(uint8_t *head, const cpb_found *found, uint64_t length) {
  uint8_t *end = cpb_varint_write(head, (uint64_t)found->number << 3 | found->wire_type);
  if (found->wire_type == 2) end = cpb_varint_write(end, length);
  return (size_t)(end - head);
}

static bool append_head(cpb_buffer *bytes, const cpb_found *found, uint64_t length) {
  uint8_t head[HEAD_MAX];
  return cpb_buffer_append(bytes, head, put_head(head, found, length));
}

/* Gathers the bytes to write as JSON: a message, or a parent that has only the fields found. */
static int gather(message *m, const cpb_find *find, bool with_heads, cpb_buffer *bytes) {
  const cpb_found *found = cpb_find_found(find);
  for (size_t i = 0; i < cpb_find_num_ranges(find); i++) {
    cpb_range range = cpb_find_get_range(find, i);
    if (range.length > JSON_MAX - cpb_min_u64(bytes->size, JSON_MAX)) {
      cli_note(m->cli, m->name, "the field is too large for JSON: more than %llu bytes", (unsigned long long)JSON_MAX);
      return CLI_LIMIT;
    }
    if (with_heads && !append_head(bytes, found, range.length)) return cli_fail_memory(m->cli);
    while (range.length > 0) {
      int status = CLI_OK;
      size_t length;
      const uint8_t *data = cli_read_range(m->cli, m->file, m->name, &range, &length, &status);
      if (!data) return status;
      if (!cpb_buffer_append(bytes, data, length)) return cli_fail_memory(m->cli);
    }
  }
  return CLI_OK;
}

/* A message to show as JSON, perhaps without its large values. */
typedef struct shown {
  const cpb_message_type *type;
  cpb_span bytes;
  const cpb_omitted *omitted;
  size_t num_omitted;
} shown;

static int print_json(message *m, const shown *what, cpb_output *out) {
  cli *c = m->cli;
  cpb_json_options how = {.struct_size = sizeof how,
                          .limits = &c->settings.limits,
                          .original_names = 1,
                          .indent = 2,
                          .omitted = what->omitted,
                          .num_omitted = what->num_omitted};
  cpb_json *json = cpb_json_new(&c->allocator, what->type, what->bytes.data, what->bytes.size, &how);
  if (!json) return cli_fail_memory(c);
  uint64_t written = 0;
  int status = CLI_OK;
  cpb_step step = CPB_STEP_OUTPUT;
  while (status == CLI_OK && (step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    status = cli_write(c, out, c->settings.output, &written, text, length);
  }
  if (step == CPB_STEP_ERROR) status = cli_fail(c, m->name, cpb_json_error(json));
  if (status == CLI_OK) status = cli_write(c, out, c->settings.output, &written, "\n", 1);
  cpb_json_free(json);
  return status;
}

static int print_whole(message *m, const cpb_find *find, const cpb_message_type *type, bool with_heads,
                       cpb_output *out) {
  cpb_buffer bytes;
  cpb_buffer_init(&bytes, &m->cli->allocator);
  int status = gather(m, find, with_heads, &bytes);
  shown what = {.type = type, .bytes = {bytes.data, bytes.size}};
  if (status == CLI_OK) status = print_json(m, &what, out);
  cpb_buffer_free(&bytes);
  return status;
}

static int run_outline(message *m, cpb_outline *outline) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_step step;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(m->file, cpb_outline_input(outline), &error) != CPB_OK)
      return cli_fail(m->cli, m->name, &error);
  }
  return step == CPB_STEP_DONE ? CLI_OK : cli_fail(m->cli, m->name, cpb_outline_error(outline));
}

/* `ranges` has room for those of `find`. */
static cpb_outline *new_outline(message *m, const cpb_find *find, const cpb_message_type *type, cpb_range *ranges) {
  size_t count = cpb_find_num_ranges(find);
  for (size_t i = 0; i < count; i++) ranges[i] = cpb_find_get_range(find, i);
  cpb_outline_options how = {.struct_size = sizeof how,
                             .max_value = m->cli->settings.omit,
                             .max_size = JSON_MAX,
                             .limits = &m->cli->settings.limits};
  return cpb_outline_new(&m->cli->allocator, type, ranges, count, &how);
}

static int print_outline(message *m, const cpb_find *find, const cpb_message_type *type, cpb_output *out) {
  const cpb_allocator *a = &m->cli->allocator;
  cpb_range *ranges = cpb_alloc(a, cpb_find_num_ranges(find) * sizeof *ranges);
  cpb_outline *outline = ranges ? new_outline(m, find, type, ranges) : NULL;
  int status = outline ? run_outline(m, outline) : cli_fail_memory(m->cli);
  if (status == CLI_OK) {
    shown what = {.type = type};
    what.bytes.data = cpb_outline_message(outline, &what.bytes.size);
    what.omitted = cpb_outline_omitted(outline, &what.num_omitted);
    status = print_json(m, &what, out);
  }
  cpb_outline_free(outline);
  cpb_release(a, ranges);
  return status;
}

/* Prints a string or bytes field that is left out, as the only field of its parent. */
static int print_omitted(message *m, const cpb_find *find, const cpb_message_type *type, cpb_output *out) {
  const cpb_found *found = cpb_find_found(find);
  cpb_range range = cpb_find_get_range(find, 0);
  uint8_t bytes[HEAD_MAX];
  size_t size = put_head(bytes, found, 0);
  cpb_omitted omitted = {range.offset, range.length, size, found->number};
  return print_json(m, &(shown){type, {bytes, size}, &omitted, 1}, out);
}

static int write_json(message *m, const cpb_find *find, cpb_output *out) {
  const cpb_found *found = cpb_find_found(find);
  bool as_message = found->message && !found->fields;
  const cpb_message_type *type = as_message ? found->message : found->parent;
  if (!type) {
    cli_note(m->cli, m->name,
             "--json needs the type of the message; expected --type, and --schema unless the type is built in");
    return CLI_USAGE;
  }
  bool is_value = !as_message && !found->fields;
  bool omits = m->cli->settings.given & CLI_BIT(OMIT);
  if (omits && !is_value) return print_outline(m, find, type, out);
  if (omits && cpb_find_get_range(find, 0).length > m->cli->settings.omit && found->wire_type == 2)
    return print_omitted(m, find, type, out);
  return print_whole(m, find, type, is_value, out);
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
