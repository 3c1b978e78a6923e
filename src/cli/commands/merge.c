/* cpb merge: the message of a .cpb file. */
#include "cli/cli.h"

typedef struct merging {
  cli *cli;
  char *path;
  cpb_file *in;
  cpb_index *index; /* NULL: the file is the message */
  cpb_schema *schema;
  const cpb_message_type *type; /* NULL without --type */
} merging;

/* Data stored uncompressed is copied. The kernel lets only one thread at a time write to a file, so two are enough: one
 * reads and verifies while the other writes. */
#define COPY_THREADS 2u

static bool is_copied(const merging *m, uint64_t size) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  uint64_t stored;
  return cpb_file_size(m->in, &stored, &error) != CPB_OK || stored >= size - size / 64;
}

static unsigned threads_for(const merging *m) {
  uint64_t size = cli_size_of_chunks(m->index);
  unsigned threads = cli_threads(m->cli, m->path, size);
  bool capped = m->cli->settings.threads == 0 && !cpb_is_url(m->path) && is_copied(m, size);
  return capped && threads > COPY_THREADS ? COPY_THREADS : threads;
}

static int write_output(merging *m) {
  cli *c = m->cli;
  int status = CLI_OK;
  const char *out_path = c->settings.output;
  if (m->index) status = cli_keep_chunks(c, out_path, m->path);
  cpb_output *out = status == CLI_OK ? cli_open_output(c, out_path, true, &status) : NULL;
  if (!out) return status;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file_options options = cli_transfer_options(c, m->index ? "merging" : "copying");
  options.type = m->type;
  if (m->index) {
    options.threads = threads_for(m);
    cpb_transfer_merge(m->in, m->index, out, &options, &error);
  } else {
    cpb_transfer_copy(m->in, out, &options, &error);
  }
  status = cli_transfer_status(c, m->path, out_path, &error);
  return cli_close_output(c, out_path, out, status);
}

static bool open_input(merging *m, int *status) {
  cli *c = m->cli;
  m->in = cli_find_chunks(c, c->settings.input, &m->path, status);
  if (!m->in) return false;
  if (cli_ends_with(m->path, ".pb")) return true;
  m->index = cli_open_index(c, m->path, m->in, status);
  return m->index && cli_load_type(c, &m->schema, &m->type, status);
}

int cli_merge(cli *c) {
  int status = CLI_OK;
  merging m = {.cli = c};
  if (open_input(&m, &status)) status = write_output(&m);
  cpb_index_free(m.index);
  cpb_schema_free(m.schema);
  cpb_file_close(m.in);
  cpb_release(&c->allocator, m.path);
  return status;
}
