/* cpb convert: writes an ONNX model with the values of its tensors in another place: in the model, in another file, in
 * a .cpb. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/cli.h"
#include "cli/os/os.h"
#include "cpb/onnx.h"

#define MESSAGE_MOST ((uint64_t)INT32_MAX) /* protobuf's libraries parse no larger message */

typedef struct conversion {
  cli *cli;
  cpb_model_file *model;
  cpb_onnx_rewrite *rewrite;
  char *path;        /* of the output, if that option is a folder; else NULL */
  char *values_path; /* of the file for values, or NULL */
  cli_outputs outputs;
} conversion;

/* --- The plan ---------------------------------------------------------------------------- */

/* Plans the output with the values at `location`. */
static int plan(conversion *v, const char *location) {
  cli *c = v->cli;
  const cpb_onnx_rewrite_options how = {.struct_size = sizeof how,
                                        .location = location,
                                        .threshold = c->settings.threshold,
                                        .limits = &c->settings.limits};
  cpb_step step;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_onnx_rewrite_free(v->rewrite);
  v->rewrite = cpb_onnx_rewrite_new(&c->allocator, &how);
  if (!v->rewrite) return cli_fail_memory(c);
  cli_progress_start(c, "planning");
  while ((step = cpb_onnx_rewrite_step(v->rewrite)) == CPB_STEP_NEED)
    cpb_message_file_supply(cpb_model_file_message(v->model), cpb_onnx_rewrite_input(v->rewrite), &error);
  cli_progress_end(c);
  if (step == CPB_STEP_DONE) return CLI_OK;
  return cli_fail(c, cpb_model_file_path(v->model), cpb_onnx_rewrite_error(v->rewrite));
}

static cpb_file *open_planned(conversion *v, cpb_onnx_file which, int *status) {
  cpb_error error;
  cpb_file *file =
      cpb_onnx_rewrite_open(&v->cli->allocator, cpb_model_file_message(v->model), v->rewrite, which, &error);
  if (!file) *status = cli_fail(v->cli, cpb_model_file_path(v->model), &error);
  return file;
}

/* Neither output may replace a file from which values are copied, and the values may not replace the model. */
static int keep_inputs(const conversion *v, const char *path) {
  const char *in = cpb_model_file_path(v->model), *outs[] = {path, v->values_path};
  int status = CLI_OK;
  for (size_t i = 0; i < 2 && outs[i] && status == CLI_OK; i++) {
    status = cli_keep_chunks(v->cli, outs[i], in);
    for (int which = CPB_ONNX_MODEL; which <= CPB_ONNX_VALUES && status == CLI_OK; which++) {
      const size_t count = cpb_onnx_rewrite_num_pieces(v->rewrite, (cpb_onnx_file)which);
      for (size_t k = 0; k < count && status == CLI_OK; k++) {
        const cpb_onnx_piece piece = cpb_onnx_rewrite_piece(v->rewrite, (cpb_onnx_file)which, k);
        if (piece.other.length > 0) status = cli_keep_file(v->cli, outs[i], in, piece.other.name, piece.other.length);
      }
    }
  }
  if (status == CLI_OK && v->values_path)
    status = cli_keep_file(v->cli, v->values_path, in, cli_last_part(in), strlen(cli_last_part(in)));
  return status;
}

/* --- A .cpb --------------------------------------------------------------------------------- */

static int write_chunked(conversion *v, const char *path) {
  const cli_settings *s = &v->cli->settings;
  int status = CLI_OK;
  const cpb_split_options how = {.struct_size = sizeof how,
                                 .type_name = "onnx.ModelProto",
                                 .max_chunk_size = s->max_chunk_size,
                                 .codec = s->codec,
                                 .limits = &s->limits,
                                 .seekable = 1};
  cpb_file *in = open_planned(v, CPB_ONNX_MODEL, &status);
  if (in) status = cli_split_into(v->cli, in, cpb_model_file_path(v->model), &how, path);
  cpb_file_close(in);
  return status;
}

/* --- An .onnx, with its values -------------------------------------------------------------------- */

static int copy(conversion *v, cpb_onnx_file which, const char *path) {
  cli *c = v->cli;
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_file *in = open_planned(v, which, &status);
  cpb_output *out = NULL;
  if (in && which == CPB_ONNX_MODEL) out = cli_open_main(&v->outputs, path, true, &status);
  else if (in) out = cli_open_other(&v->outputs, path, true, &status);
  if (out) {
    cpb_file_options options = cli_transfer_options(c, "copying");
    cpb_transfer_copy(in, out, &options, &error);
    status = cli_transfer_status(c, cpb_model_file_path(v->model), path, &error);
  }
  cpb_file_close(in);
  return status;
}

static int write_model(conversion *v, const char *path) {
  int status = CLI_OK;
  if (cpb_onnx_rewrite_size(v->rewrite, CPB_ONNX_VALUES) > 0) status = copy(v, CPB_ONNX_VALUES, v->values_path);
  if (status == CLI_OK) status = copy(v, CPB_ONNX_MODEL, path);
  return cli_close_outputs(&v->outputs, status);
}

static bool is_too_large(const conversion *v) {
  return cpb_onnx_rewrite_size(v->rewrite, CPB_ONNX_MODEL) > MESSAGE_MOST;
}

static int refuse_too_large(const conversion *v, const char *path, const char *what, const char *expected) {
  cli_note(v->cli, path, "%s the model has %llu bytes, and no program parses one beyond 2 GiB; expected %s", what,
           (unsigned long long)cpb_onnx_rewrite_size(v->rewrite, CPB_ONNX_MODEL), expected);
  return CLI_UNSUPPORTED;
}

static int plan_apart(conversion *v, const char *path) {
  int status = CLI_OK;
  v->values_path = cli_join(v->cli, path, ".data", &status);
  if (v->values_path) status = plan(v, cli_last_part(v->values_path));
  if (status != CLI_OK || !is_too_large(v)) return status;
  return refuse_too_large(v, path, "without the values in a second file", "a lower --threshold, or a .cpb as output");
}

/* Writes everything into one file if possible; if that would be too large, the values go into a file next to the
 * model. */
static int convert_to_onnx(conversion *v, const char *path) {
  cli *c = v->cli;
  const bool is_pipe = cli_is_dash(path) || os_is_special(path), asked = c->settings.external_data;
  if (asked && is_pipe)
    return cli_usage(c->command, "values go into a second file beside the output; expected a file, not a pipe");
  int status = asked ? CLI_OK : plan(v, NULL);
  if (status == CLI_OK && (asked || is_too_large(v))) {
    if (is_pipe) return refuse_too_large(v, path, "in one piece", "a file, which can have a second one beside it");
    status = plan_apart(v, path);
  }
  if (status == CLI_OK) status = keep_inputs(v, path);
  return status == CLI_OK ? write_model(v, path) : status;
}

/* --- The command ------------------------------------------------------------------------------------- */

static void summarize(const conversion *v, const char *path) {
  const cli_settings *s = &v->cli->settings;
  const uint64_t values = cpb_onnx_rewrite_size(v->rewrite, CPB_ONNX_VALUES);
  if (s->quiet || cli_is_dash(path)) return;
  if (values > 0)
    cli_note(v->cli, path, "%llu bytes of values are in %s", (unsigned long long)values, cli_last_part(v->values_path));
  else if (s->external_data)
    cli_note(v->cli, path, "nothing is beside it: no tensor has %llu bytes of values or more (--threshold)",
             (unsigned long long)(s->threshold ? s->threshold : CPB_ONNX_THRESHOLD));
}

/* In a folder the model keeps its name. */
static const char *output_of(conversion *v, int *status) {
  cli *c = v->cli;
  const char *out = c->settings.output, *in = cpb_model_file_path(v->model), *name = cli_last_part(in);
  const size_t length = strlen(out);
  if (cli_is_dash(out) || !(os_is_folder(out) || cli_ends_with(out, "/"))) return out;
  if (cli_is_dash(in) || cpb_is_url(in) || !*name) {
    *status =
        cli_usage(c->command, "the output is a folder, and the model has no name for a file in it; expected a file");
    return NULL;
  }
  const size_t kept = strlen(name) - (cli_ends_with(name, ".cpb") ? strlen(".cpb") : 0);
  const char *ending = kept < strlen(name) && !(kept > 5 && memcmp(name + kept - 5, ".onnx", 5) == 0) ? ".onnx" : "";
  const size_t room = length + strlen(name) + sizeof "/.onnx";
  v->path = cpb_alloc(&c->allocator, room);
  if (v->path) snprintf(v->path, room, "%s%s%.*s%s", out, cli_ends_with(out, "/") ? "" : "/", (int)kept, name, ending);
  else *status = cli_fail_memory(c);
  return v->path;
}

static int convert(conversion *v) {
  cli *c = v->cli;
  int status = CLI_OK;
  if (cpb_model_file_kind(v->model) != CPB_MODEL_ONNX) {
    cli_note(c, cpb_model_file_path(v->model), "not an ONNX model; expected one, also as a .cpb");
    return CLI_DAMAGED;
  }
  const char *out = output_of(v, &status);
  const bool chunked = out && cli_ends_with(out, ".cpb");
  if (!out) return status;
  if (chunked && c->settings.external_data)
    return cli_usage(c->command,
                     "a .cpb has all values inside; expected no --external-data, or an output that ends in .onnx");
  status = chunked ? plan(v, NULL) : convert_to_onnx(v, out);
  if (status == CLI_OK && chunked) status = keep_inputs(v, out);
  if (status == CLI_OK && chunked) status = write_chunked(v, out);
  if (status == CLI_OK) summarize(v, out);
  return status;
}

int cli_convert(cli *c) {
  int status = CLI_OK;
  conversion v = {.cli = c, .outputs.cli = c};
  v.model = cli_open_model(c, c->settings.input, NULL, false, &status);
  if (v.model) status = convert(&v);
  cpb_onnx_rewrite_free(v.rewrite);
  cpb_release(&c->allocator, v.path);
  cpb_release(&c->allocator, v.values_path);
  cpb_model_file_close(v.model);
  return status;
}
