/* cpb cut: writes a model with only some of its objects. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/os/os.h"

#define KERAS "keras_metadata.pb"

typedef struct cutting {
  cli *cli;
  cpb_model_file *model;
  cpb_buffer paths; /* one per line */
  char *keras_path; /* of the file for Keras metadata, or NULL */
  int lock;
} cutting;

/* --- What stays ----------------------------------------------------------------------- */

static int join_paths(cutting *t) {
  const cli_settings *s = &t->cli->settings;
  for (size_t i = 0; i < s->num_paths; i++) {
    bool done = cpb_buffer_append(&t->paths, s->paths[i], strlen(s->paths[i])) && cpb_buffer_append(&t->paths, "\n", 1);
    if (!done) return cli_fail_memory(t->cli);
  }
  return CLI_OK;
}

static int decide(cutting *t) {
  size_t size;
  cpb_error error;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = CPB_ASK_CUT,
                                 .meta_graph = cli_number32(t->cli->settings.meta_graph),
                                 .name = (const char *)t->paths.data,
                                 .name_size = t->paths.size,
                                 .count = UINT64_MAX};
  bool decided = cpb_model_file_ask(t->model, &question, &size, &error) != NULL;
  return decided ? CLI_OK : cli_model_fail(t->cli, t->model, &error);
}

/* --- Writing ---------------------------------------------------------------------------- */

static int put(cutting *t, cpb_output *out, const char *path, uint64_t *at, cpb_model_piece piece) {
  if (piece.bytes) return cli_write(t->cli, out, path, at, piece.bytes, (size_t)piece.length);
  return cli_write_range(t->cli, out, path, at, cpb_model_file_message(t->model), cpb_model_file_path(t->model),
                         (cpb_range){piece.offset, piece.length});
}

static int put_pieces(cutting *t, cpb_cut_file file, cpb_output *out, const char *path) {
  uint64_t at = 0;
  int status = CLI_OK;
  size_t count = cpb_model_num_pieces(cpb_model_file_model(t->model), file);
  for (size_t i = 0; i < count && status == CLI_OK; i++) {
    status = put(t, out, path, &at, cpb_model_get_piece(cpb_model_file_model(t->model), file, i));
    cli_progress_step(t->cli, i, count);
  }
  return status;
}

static int write_file(cutting *t, cpb_cut_file file, const char *path) {
  int status = CLI_OK;
  cpb_output *out = cli_open_output(t->cli, path, true, &status);
  if (!out) return status;
  cli_progress_start(t->cli, "writing");
  status = put_pieces(t, file, out, path);
  cli_progress_end(t->cli);
  return cli_close_output(t->cli, path, out, status);
}

/* --- A .cpb file ------------------------------------------------------------------------ */

static int write_spool(cutting *t, int spool, const char *path) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_output *out = cpb_output_create_fd(&t->cli->allocator, spool, -1, &error);
  if (!out) return cli_fail(t->cli, path, &error);
  int status = put_pieces(t, CPB_CUT_SAVED_MODEL, out, path);
  if (status == CLI_OK && cpb_output_commit(out) != CPB_OK) status = cli_fail(t->cli, path, cpb_output_error(out));
  cpb_output_free(out);
  return status;
}

static int split_spool(cutting *t, int spool, const char *path) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  const cpb_split_options how = {.struct_size = sizeof how, .seekable = 1, .limits = &t->cli->settings.limits};
  cpb_file *in = cpb_file_open_fd(&t->cli->allocator, spool, -1, &error);
  int status =
      in ? cli_split_into(t->cli, in, cpb_model_file_path(t->model), &how, path) : cli_fail(t->cli, path, &error);
  cpb_file_close(in);
  return status;
}

/* The message first goes into a file without a name, because splitting reads it twice. */
static int write_chunked(cutting *t, const char *path) {
  int spool = os_spool();
  if (spool < 0) {
    cli_note(t->cli, path, "no temporary file can be made, which a .cpb needs; write a .pb and split it");
    return CLI_IO;
  }
  int status = write_spool(t, spool, path);
  if (status == CLI_OK) status = split_spool(t, spool, path);
  os_close(spool);
  return status;
}

/* --- The command ------------------------------------------------------------------------- */

/* If the model has a separate keras_metadata.pb, the output gets one as well. */
static bool has_keras(const cutting *t) {
  return cpb_model_num_pieces(cpb_model_file_model(t->model), CPB_CUT_KERAS_METADATA) > 0 &&
         !cli_is_dash(t->cli->settings.output);
}

/* Runs before anything is written: neither file may replace an existing one without --force, or a file of the model
 * unless both files are replaced. */
static int check_outputs(cutting *t) {
  cli *c = t->cli;
  const char *in = cpb_model_file_path(t->model), *out = c->settings.output;
  int status = cli_keep_model(c, out, t->model);
  if (status != CLI_OK || !has_keras(t)) return status;
  t->keras_path = cli_beside(c, out, KERAS, &status);
  if (!t->keras_path) return status;
  if (!c->settings.force && os_is_same(t->keras_path, t->keras_path)) {
    cli_note(c, t->keras_path, "exists already; --force replaces it");
    return CLI_IO;
  }
  return os_is_same(in, out) ? CLI_OK : cli_keep_file(c, t->keras_path, in, KERAS, strlen(KERAS));
}

static int write_outputs(cutting *t, const char *out) {
  bool chunked = !cli_is_dash(out) && cli_ends_with(out, ".cpb");
  int status = chunked ? write_chunked(t, out) : write_file(t, CPB_CUT_SAVED_MODEL, out);
  return status == CLI_OK && t->keras_path ? write_file(t, CPB_CUT_KERAS_METADATA, t->keras_path) : status;
}

static void show(cutting *t) {
  size_t size;
  const char *json = cpb_model_answer(cpb_model_file_model(t->model), &size);
  if (t->cli->settings.json && !cli_is_dash(t->cli->settings.output)) cli_print_answer(t->cli, json, size);
}

static int cut(cutting *t) {
  const char *out = t->cli->settings.output;
  int status = join_paths(t);
  if (status == CLI_OK) t->model = cli_open_model(t->cli, t->cli->settings.input, NULL, false, &status);
  if (status == CLI_OK) status = decide(t);
  if (status != CLI_OK) return status;
  status = check_outputs(t);
  if (status == CLI_OK && t->keras_path) status = cli_lock_outputs(t->cli, out, &t->lock);
  if (status == CLI_OK) status = write_outputs(t, out);
  if (status == CLI_OK) show(t);
  return status;
}

int cli_cut(cli *c) {
  if (c->settings.num_paths == 0)
    return cli_usage(c->command, "the objects to keep are missing; expected a PATH such as root.layer");
  cutting t = {.cli = c, .lock = -1};
  cpb_buffer_init(&t.paths, &c->allocator);
  int status = cut(&t);
  os_close(t.lock);
  cpb_release(&c->allocator, t.keras_path);
  cpb_buffer_free(&t.paths);
  cpb_model_file_close(t.model);
  return status;
}
