#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/os/os.h"

enum { STDOUT = 1 };

/* Milliseconds. Adding a tag takes less, unless its arrays are large. */
#define LOCK_WAIT 10000

static void abandon(void *output) { cpb_output_abandon(output); }

static cpb_output *guard(cpb_output *output) {
  if (output) os_guard(abandon, output);
  os_let_signals();
  return output;
}

static cpb_output *open_path(cli *c, const char *path, cpb_error *error) {
  cpb_output_options options = {.struct_size = sizeof options, .replace = c->settings.force, .sync = c->settings.sync};
  os_hold_signals();
  return guard(cpb_output_create(&c->allocator, path, &options, error));
}

static cpb_output *open_stdout(cli *c, bool in_order, cpb_error *error) {
  int spool = in_order ? -1 : os_spool();
  if (in_order || spool >= 0) return cpb_output_create_fd(&c->allocator, STDOUT, spool, error);
  error->code = CPB_E_WRITE;
  snprintf(error->message, sizeof error->message, "no temporary file: %s", os_spool_problem());
  return NULL;
}

cpb_output *cli_open_output(cli *c, const char *path, bool in_order, int *status) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (path && cpb_is_url(path)) {
    cli_note(c, path, "an output cannot be a URL; write a file, and upload it");
    *status = CLI_USAGE;
    return NULL;
  }
  cpb_output *output = cli_is_dash(path) ? open_stdout(c, in_order, &error) : open_path(c, path, &error);
  if (output) return output;
  bool exists = error.code == CPB_E_WRITE && !c->settings.force && strcmp(error.message, strerror(EEXIST)) == 0;
  if (exists) snprintf(error.message, sizeof error.message, "exists already; --force replaces it");
  *status = cli_fail(c, cli_output_name(path), &error);
  return NULL;
}

/* While waiting for the lock, there is nothing to undo. */
cpb_output *cli_extend_output(cli *c, const char *path, int *status) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  const cpb_output_options options = {.struct_size = sizeof options, .sync = c->settings.sync, .wait = LOCK_WAIT};
  cpb_output *output = cpb_output_extend(&c->allocator, path, &options, &error);
  if (!output) *status = cli_fail(c, path, &error);
  os_hold_signals();
  return guard(output);
}

int cli_close_output(cli *c, const char *path, cpb_output *output, int status) {
  if (status == CLI_OK && cpb_output_commit(output) != CPB_OK)
    status = cli_fail(c, cli_output_name(path), cpb_output_error(output));
  os_hold_signals();
  cpb_output_free(output);
  os_guard(NULL, NULL);
  os_let_signals();
  return status;
}

int cli_lock_outputs(cli *c, const char *path, int *lock) {
  if (os_lock_folder(path, LOCK_WAIT, lock)) return CLI_OK;
  cli_note(c, path, "another process is writing several files into the same folder");
  return CLI_IO;
}

/* --- Several outputs ---------------------------------------------------------- */

struct cli_other_output {
  char *path;
  cpb_output *output;
  bool named; /* it has been given its name */
};

static void abandon_all(void *user) {
  const cli_outputs *o = user;
  if (o->output) cpb_output_abandon(o->output);
  for (size_t i = 0; i < o->num_others; i++) cpb_output_abandon(o->others[i].output);
}

cpb_output *cli_open_main(cli_outputs *o, const char *path, bool in_order, int *status) {
  cpb_output *output = cli_open_output(o->cli, path, in_order, status);
  os_hold_signals();
  o->path = path;
  o->output = output;
  if (output) os_guard(abandon_all, o);
  os_let_signals();
  return output;
}

cpb_output *cli_open_other(cli_outputs *o, const char *path, bool in_order, int *status) {
  cli *c = o->cli;
  if (!CPB_RESERVE(&c->allocator, &o->others, &o->capacity, o->num_others + 1)) return cli_no_memory(c, status);
  char *copy = cli_join(c, path, "", status);
  cpb_output *output = copy ? cli_open_output(c, path, in_order, status) : NULL;
  os_hold_signals();
  o->several = true;
  if (output) o->others[o->num_others++] = (struct cli_other_output){copy, output, false};
  else cpb_release(&c->allocator, copy);
  os_guard(abandon_all, o);
  os_let_signals();
  return output;
}

static int commit(cli *c, cpb_output *output, const char *path) {
  return cpb_output_commit(output) == CPB_OK ? CLI_OK : cli_fail(c, cli_output_name(path), cpb_output_error(output));
}

int cli_close_outputs(cli_outputs *o, int status) {
  cli *c = o->cli;
  int lock = -1;
  if (status == CLI_OK && o->several) status = cli_lock_outputs(c, o->path, &lock);
  os_hold_signals();
  for (size_t i = 0; status == CLI_OK && i < o->num_others; i++) {
    status = commit(c, o->others[i].output, o->others[i].path);
    o->others[i].named = status == CLI_OK;
  }
  if (status == CLI_OK) status = commit(c, o->output, o->path);
  for (size_t i = 0; i < o->num_others; i++) {
    if (status != CLI_OK && o->others[i].named) unlink(o->others[i].path);
    cpb_output_free(o->others[i].output);
    cpb_release(&c->allocator, o->others[i].path);
  }
  cpb_release(&c->allocator, o->others);
  cpb_output_free(o->output);
  os_guard(NULL, NULL);
  os_let_signals();
  os_close(lock);
  return status;
}

/* --- Writing ------------------------------------------------------------------ */

int cli_write(cli *c, cpb_output *output, const char *path, uint64_t *at, const void *data, size_t length) {
  if (cpb_output_write(output, *at, data, length) != CPB_OK)
    return cli_fail(c, cli_output_name(path), cpb_output_error(output));
  *at += length;
  return CLI_OK;
}

int cli_write_range(cli *c, cpb_output *output, const char *path, uint64_t *at, cpb_message_file *message,
                    const char *name, cpb_range range) {
  int status = CLI_OK;
  while (range.length > 0 && status == CLI_OK) {
    size_t length;
    const uint8_t *data = cli_read_range(c, message, name, &range, &length, &status);
    if (data) status = cli_write(c, output, path, at, data, length);
  }
  return status;
}
