/* cpb repack: a .cpb file in another layout. */
#include "cpb/repack.h"
#include "cli/cli.h"

static int repack_to(cli *c, cpb_file *in, cpb_output *out) {
  cpb_repack_options how = {.struct_size = sizeof how,
                            .limits = &c->settings.limits,
                            .layout = (cpb_layout)c->settings.layout,
                            .codec = c->settings.codec,
                            .for_memory = c->settings.for_memory,
                            .seekable = 1};
  cpb_repack *repack = cpb_repack_new(&c->allocator, &how);
  if (!repack) return cli_fail_memory(c);
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file_options options = cli_transfer_options(c, "repacking");
  cpb_transfer_repack(in, out, repack, &options, &error);
  cpb_repack_free(repack);
  return cli_transfer_status(c, c->settings.input, c->settings.output, &error);
}

int cli_repack(cli *c) {
  int status = CLI_OK;
  cpb_file *in = cli_open_input(c, c->settings.input, &status);
  if (!in) return status;
  cpb_output *out = cli_open_output(c, c->settings.output, false, &status);
  if (out) {
    status = repack_to(c, in, out);
    status = cli_close_output(c, c->settings.output, out, status);
  }
  cpb_file_close(in);
  return status;
}
