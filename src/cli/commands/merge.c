/* cpb merge: the message of a .cpb file. */
#include <limits.h>

#include "base/checked.h"
#include "cli/cli.h"
#include "cli/message_types.h"
#include "cli/os/os.h"

/* Threads that are used unasked, each for at least so many bytes. */
#define THREADS_DEFAULT 4u
#define THREAD_WORTH ((uint64_t)4 << 20)

typedef struct merging {
  cli *cli;
  char *path;
  cpb_file *in;
  cpb_index *index; /* NULL: the file is the message */
  cpb_schema *schema;
  const cpb_message_type *type; /* NULL when --type was not given */
} merging;

/* About the message's size: a chunk whose size is not said counts nothing. */
static uint64_t size_of_chunks(const cpb_index *index) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info chunk;
    bool fits = cpb_index_get_chunk(index, i, &chunk) == CPB_OK && cpb_add_u64(sum, chunk.size, &sum);
    if (!fits) return UINT64_MAX;
  }
  return sum;
}

/* What is stored as it is, is copied, and the kernel lets one thread at a time write to a
 * file: more would be in each other's way. */
static bool is_copied(const merging *m, uint64_t size) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  uint64_t stored;
  return cpb_file_size(m->in, &stored, &error) != CPB_OK || stored >= size - size / 64;
}

/* Of a URL each thread has a request under way, for which it waits, and not for a processor. */
static unsigned threads_for(const merging *m) {
  uint64_t asked = m->cli->settings.threads;
  if (asked > 0) return (unsigned)cpb_min_u64(asked, UINT_MAX);
  bool waits = cpb_is_url(m->path);
  uint64_t size = size_of_chunks(m->index), worth = !waits && is_copied(m, size) ? 1 : size / THREAD_WORTH;
  return (unsigned)cpb_min_u64(cpb_min_u64(waits ? THREADS_DEFAULT : os_processors(), THREADS_DEFAULT), worth);
}

static int write_output(merging *m) {
  cli *c = m->cli;
  int status = CLI_OK;
  const char *out_path = c->settings.output;
  cpb_output *out = cli_open_output(c, out_path, true, &status);
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
  m->in = cli_find_input(c, c->settings.input, &m->path, status);
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
