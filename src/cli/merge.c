/* cpb merge: the message of a .cpb file. */
#include "base/alloc.h"
#include "cli/cli.h"

static int merge(cli *c, const char *path) {
  int status = CLI_OK;
  cpb_file *in = cli_open_input(c, path, &status);
  if (!in) return status;
  const char *out_path = c->settings.output;
  cpb_output *out = cli_open_output(c, out_path, true, &status);
  if (out) {
    bool whole = cli_ends_with(path, ".pb");
    cpb_error error = {.offset = CPB_NO_OFFSET};
    cpb_file_options options = cli_transfer_options(c, whole ? "copying" : "merging");
    if (whole) {
      cpb_transfer_copy(in, out, &options, &error);
    } else {
      cpb_transfer_merge(in, out, &options, &error);
    }
    status = cli_transfer_status(c, path, out_path, &error);
    status = cli_close_output(c, out_path, out, status);
  }
  cpb_file_close(in);
  return status;
}

int cli_merge(cli *c) {
  int status = CLI_OK;
  char *path = cli_find_model(c, c->settings.input, &status);
  if (path) status = merge(c, path);
  cpb_release(&c->allocator, path);
  return status;
}
