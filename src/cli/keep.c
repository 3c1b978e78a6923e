#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/file_name.h"
#include "base/json_read.h"
#include "cli/os/os.h"

#define DEPTH 1000 /* of an answer, which our own code wrote */

/* Whether the output would replace an existing file that might be one of the input's. */
static bool may_replace(const cli *c, const char *out, const char *in) {
  return c->settings.force && !cli_is_dash(out) && !cli_is_dash(in) && !cpb_is_url(in) && os_is_same(out, out);
}

/* The command itself reports other problems with the input. But when memory or a limit ends the search for the input's
 * files, nobody knows whether the output is one of them. */
static int pass(cli *c, const char *in, const cpb_error *error) {
  const bool is_too_much = error->code == CPB_E_MEMORY || error->code == CPB_E_LIMIT;
  return is_too_much ? cli_fail(c, cli_input_name(in), error) : CLI_OK;
}

static int keep_path(cli *c, const char *out, const char *in, const char *path) {
  if (!path || !os_is_same(path, out)) return CLI_OK;
  cli_note(c, out, "a part of %s is in this file; expected another name for the output", in);
  return CLI_USAGE;
}

int cli_keep_file(cli *c, const char *out, const char *in, const char *name, size_t length) {
  int status = CLI_OK;
  if (!may_replace(c, out, in)) return CLI_OK;
  char *text = cpb_alloc(&c->allocator, length + 1);
  if (!text) return cli_fail_memory(c);
  if (!cpb_file_name_normalize((cpb_span){(const uint8_t *)name, length}, text)) memcpy(text, name, length);
  text[length] = '\0';
  char *path = cpb_is_url(text) ? NULL : cli_beside(c, in, text, &status);
  if (status == CLI_OK) status = keep_path(c, out, in, path);
  cpb_release(&c->allocator, path);
  cpb_release(&c->allocator, text);
  return status;
}

/* --- A .cpb file ---------------------------------------------------------------------------- */

static int keep_files(cli *c, const char *out, const char *in, const cpb_index *index) {
  int status = CLI_OK;
  cpb_other_file other;
  for (uint32_t file = 1; status == CLI_OK && file <= cpb_index_num_files(index); file++)
    if (cpb_index_get_file(index, file, &other) == CPB_OK) status = cli_keep_file(c, out, in, other.name, other.length);
  return status;
}

static int keep_indexed(cli *c, const char *out, const char *in, cpb_file *file) {
  cpb_index *index = cpb_index_new(&c->allocator, &c->settings.limits);
  if (!index) return cli_fail_memory(c);
  const bool is_read = cli_read_index(file, index);
  int status = is_read ? keep_files(c, out, in, index) : pass(c, in, cpb_index_error(index));
  cpb_index_free(index);
  return status;
}

int cli_keep_chunks(cli *c, const char *out, const char *in) {
  cpb_error error = {.code = CPB_OK};
  if (!may_replace(c, out, in)) return CLI_OK;
  cpb_file *file = cpb_file_open(&c->allocator, in, &error);
  int status = file && !cpb_file_is_pipe(file) ? keep_indexed(c, out, in, file) : pass(c, in, &error);
  cpb_file_close(file);
  return status;
}

/* --- A model ---------------------------------------------------------------------------------- */

static int keep_values(cli *c, const char *out, const char *in, yyjson_val *constants) {
  int status = CLI_OK;
  size_t i, count;
  yyjson_val *constant;
  yyjson_arr_foreach(cpb_json_member(constants, "items"), i, count, constant) {
    cpb_span name;
    yyjson_val *tensor = cpb_json_member(constant, "tensor"), *external = cpb_json_member(tensor, "external");
    if (!external) external = cpb_json_member(constant, "external");
    if (status == CLI_OK && cpb_json_text(cpb_json_member(external, "location"), &name))
      status = cli_keep_file(c, out, in, (const char *)name.data, name.size);
  }
  return status;
}

/* Files that the model names. */
static int keep_named(cli *c, const char *out, cpb_model_file *model) {
  const cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_CONSTANTS, .count = UINT64_MAX};
  cpb_error error = {.code = CPB_OK};
  size_t size;
  const char *json = cpb_model_file_ask(model, &question, &size, &error);
  yyjson_doc *doc = json ? cpb_json_read(&c->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error) : NULL;
  yyjson_val *constants = cpb_json_member(yyjson_doc_get_root(doc), "constants");
  int status =
      doc ? keep_values(c, out, cpb_model_file_path(model), constants) : pass(c, cpb_model_file_path(model), &error);
  yyjson_doc_free(doc);
  return status;
}

/* A checkpoint's files: it has no others than the ones it lists. */
static int keep_checkpoint(cli *c, const char *out, cpb_model_file *model) {
  cpb_error error = {.code = CPB_OK};
  cpb_model_file_load(model, CPB_BESIDE_CHECKPOINT, &error);
  int status = pass(c, cpb_model_file_path(model), &error);
  const cpb_checkpoint *checkpoint = cpb_model_file_checkpoint(model);
  unsigned count = checkpoint ? cpb_checkpoint_num_shards(checkpoint) : 0;
  for (unsigned shard = 0; status == CLI_OK && shard < count; shard++) {
    const char *path = cpb_model_file_shard(model, shard);
    status = path ? keep_path(c, out, cpb_model_file_path(model), path) : cli_fail_memory(c);
  }
  return status;
}

static int keep_beside(cli *c, const char *out, cpb_model_file *model) {
  static const char *const names[] = {"keras_metadata.pb", "fingerprint.pb", "variables/variables.index"};
  int status = keep_checkpoint(c, out, model);
  for (size_t i = 0; status == CLI_OK && i < sizeof names / sizeof *names; i++)
    status = cli_keep_file(c, out, cpb_model_file_path(model), names[i], strlen(names[i]));
  return status;
}

int cli_keep_model(cli *c, const char *out, cpb_model_file *model) {
  const char *in = cpb_model_file_path(model);
  if (!may_replace(c, out, in)) return CLI_OK;
  cpb_model_kind kind = cpb_model_file_kind(model);
  int status = cli_keep_chunks(c, out, in);
  if (status != CLI_OK) return status;
  if (kind == CPB_MODEL_SAVED_MODEL) return keep_beside(c, out, model);
  const bool has_checkpoint = kind == CPB_MODEL_CHECKPOINT || kind == CPB_MODEL_META_GRAPH;
  return has_checkpoint ? keep_checkpoint(c, out, model) : keep_named(c, out, model);
}
