/* cpb repack: a .cpb file in another layout. */
#include "cpb/repack.h"
#include "cli/cli.h"

/* The file is decoded and encoded again, so its stored size is a measure of the work. */
static unsigned threads_for(const cli *c, cpb_file *in) {
  cpb_error ignored;
  uint64_t size = 0;
  if (!cpb_file_is_pipe(in)) cpb_file_size(in, &size, &ignored);
  return cli_threads(c, c->settings.input, size);
}

int cli_repack_into(cli *c, cpb_file *in, const cpb_record_writer_options *riegeli, cpb_output *out, const char *doing,
                    unsigned threads) {
  const cpb_repack_options how = {.struct_size = sizeof how,
                                  .limits = &c->settings.limits,
                                  .layout = (cpb_layout)c->settings.layout,
                                  .codec = c->settings.codec,
                                  .for_memory = c->settings.for_memory,
                                  .transpose = c->settings.transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER,
                                  .index_pages = c->settings.index_pages ? CPB_INDEX_PAGES : 0,
                                  .riegeli = c->settings.riegeli_options ? riegeli : NULL,
                                  .seekable = 1};
  cpb_repack *repack = cpb_repack_new(&c->allocator, &how);
  if (!repack) return cli_fail_memory(c);
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file_options options = cli_transfer_options(c, doing);
  options.threads = threads;
  cpb_transfer_repack(in, out, repack, &options, &error);
  cpb_repack_free(repack);
  if (error.code == CPB_E_FORMAT) return cli_fail_input(c, c->settings.input, in, &error);
  return cli_transfer_status(c, c->settings.input, c->settings.output, &error);
}

int cli_repack(cli *c) {
  cpb_record_writer_options riegeli = {.struct_size = sizeof riegeli};
  int status = cli_riegeli_options(c, &riegeli);
  if (status != CLI_OK) return status;
  cpb_file *in = cli_open_input(c, c->settings.input, &status);
  if (!in) return status;
  status = cli_keep_chunks(c, c->settings.output, c->settings.input);
  cpb_output *out = status == CLI_OK ? cli_open_output(c, c->settings.output, false, &status) : NULL;
  if (out) {
    status = cli_repack_into(c, in, &riegeli, out, "repacking", threads_for(c, in));
    status = cli_close_output(c, c->settings.output, out, status);
  }
  cpb_file_close(in);
  return status;
}
