/* cpb tag: the bytes of parts, from files and models. */
#include <string.h>

#include "cli/tag/tag.h"

#define PIECE ((size_t)256 << 10)

void tag_reader_close(tag_reader *r) {
  cpb_file_close(r->file);
  cpb_values_free(r->values);
  cli_model_close(&r->model);
  *r = (tag_reader){.cli = r->cli};
}

static int open_model(tag_reader *r, const tag_source *s) {
  int status = cli_model_open(&r->model, r->cli, s->path);
  if (status != CLI_OK) return status;
  const cpb_values_options how = {
      .struct_size = sizeof how, .scope = (const char *)s->tag.data, .scope_size = s->tag.size, .state = s->state};
  r->values = cpb_values_new(&r->cli->allocator, r->model.kind, (const char *)s->name.data, s->name.size, &how);
  return r->values ? CLI_OK : cli_fail_memory(r->cli);
}

int tag_reader_open(tag_reader *r, const tag_source *s) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  tag_reader_close(r);
  r->source = s;
  if (s->of_model) return open_model(r, s);
  r->file = cpb_file_open(&r->cli->allocator, s->path, &error);
  return r->file ? CLI_OK : cli_fail(r->cli, s->path, &error);
}

/* --- Values of a model ------------------------------------------------------------- */

int tag_reader_info(tag_reader *r, const cpb_values_info **info) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (cli_model_values(&r->model, r->values, &error) == CPB_STEP_ERROR)
    return cli_fail(r->cli, r->source->path, &error);
  *info = cpb_values_get_info(r->values);
  return CLI_OK;
}

static void answer_values(tag_reader *r, cpb_input *input, cpb_error *error) {
  cpb_step step = cli_model_values(&r->model, r->values, error);
  if (step == CPB_STEP_DONE) cpb_input_end(input, r->given);
  if (step != CPB_STEP_DATA) return;
  size_t size;
  const uint8_t *data = cpb_values_data(r->values, &size);
  cpb_input_supply(input, r->given, data, size);
  r->given += size;
}

/* --- Answers ------------------------------------------------------------------------ */

static void answer_file(tag_reader *r, cpb_input *input, cpb_error *error) {
  cpb_need need;
  cpb_input_need(input, &need);
  size_t length = need.length < PIECE ? need.length : PIECE;
  const uint8_t *data = cpb_file_read(r->file, r->source->begin + need.offset, &length, error);
  if (data && length == 0) cpb_input_end(input, need.offset);
  if (data) cpb_input_supply(input, need.offset, data, length);
}

int tag_reader_answer(tag_reader *r, cpb_input *input) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (r->values) answer_values(r, input, &error);
  else answer_file(r, input, &error);
  return error.code == CPB_OK ? CLI_OK : cli_fail(r->cli, r->source->path, &error);
}
