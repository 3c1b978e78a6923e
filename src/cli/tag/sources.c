/* cpb tag: the bytes of parts, from files and models. */
#include <string.h>

#include "cli/tag/tag.h"

#define PIECE ((size_t)256 << 10)

void tag_reader_close(tag_reader *r) {
  cpb_file_close(r->file);
  cpb_values_file_close(r->values);
  cpb_model_file_close(r->model);
  *r = (tag_reader){.cli = r->cli};
}

static int open_model(tag_reader *r, const tag_source *s) {
  int status = CLI_OK;
  cpb_error error;
  r->model = cli_open_model(r->cli, s->path, NULL, &status);
  if (!r->model) return status;
  const cpb_values_options how = {
      .struct_size = sizeof how, .scope = (const char *)s->tag.data, .scope_size = s->tag.size, .state = s->state};
  r->values = cpb_model_file_values(r->model, (const char *)s->name.data, s->name.size, &how, &error);
  return r->values ? CLI_OK : cli_fail(r->cli, s->path, &error);
}

int tag_reader_open(tag_reader *r, const tag_source *s) {
  cpb_error error;
  tag_reader_close(r);
  r->source = s;
  if (s->of_model) return open_model(r, s);
  r->file = cpb_file_open(&r->cli->allocator, s->path, &error);
  return r->file ? CLI_OK : cli_fail(r->cli, s->path, &error);
}

static void supply_values(tag_reader *r, cpb_input *input, cpb_error *error) {
  size_t size;
  const uint8_t *data = cpb_values_file_read(r->values, &size, error);
  if (!data) return;
  if (size == 0) cpb_input_end(input, r->given);
  else cpb_input_supply(input, r->given, data, size);
  r->given += size;
}

static void supply_file(tag_reader *r, cpb_input *input, cpb_error *error) {
  cpb_need need;
  cpb_input_need(input, &need);
  size_t length = need.length < PIECE ? need.length : PIECE;
  const uint8_t *data = cpb_file_read(r->file, r->source->begin + need.offset, &length, error);
  if (data && length == 0) cpb_input_end(input, need.offset);
  if (data) cpb_input_supply(input, need.offset, data, length);
}

int tag_reader_supply(tag_reader *r, cpb_input *input) {
  cpb_error error;
  if (r->values) supply_values(r, input, &error);
  else supply_file(r, input, &error);
  return error.code == CPB_OK ? CLI_OK : cli_fail(r->cli, r->source->path, &error);
}
