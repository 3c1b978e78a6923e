/* What every command works with. */
#ifndef CPB_CLI_CLI_H
#define CPB_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cpb/base.h"
#include "cpb/file.h"
#include "cpb/open.h"
#include "cpb/url.h"

typedef enum cli_exit {
  CLI_OK = 0,
  CLI_USAGE = 1,
  CLI_INCOMPLETE = 1, /* of inspect: what precedes damage is shown */
  CLI_DAMAGED = 2,    /* damaged, or not of this kind */
  CLI_IO = 3,         /* reading or writing failed */
  CLI_LIMIT = 4,
  CLI_UNSUPPORTED = 5 /* this version cannot read it */
} cli_exit;

typedef struct cli_progress {
  bool shown; /* there is a line to clear */
  const char *doing;
  double start, last;
} cli_progress;

typedef struct cli {
  const cli_command *command;
  cli_settings settings;
  cpb_work work; /* what all engines have done */
  cli_memory memory;
  cpb_allocator allocator;
  cpb_url_options urls;
  char shown[1024]; /* what may be shown of a URL */
  cli_progress progress;
  cpb_json_writer json;  /* what is to be printed as JSON */
  cpb_error print_error; /* why nothing more can be printed, or CPB_OK */
} cli;

/* --- Messages on standard error (show/report.c) -------------------------------- */

/* "NAME: byte N: message"; returns the exit code. */
int cli_fail(cli *c, const char *name, const cpb_error *error);

int cli_fail_memory(cli *c);

/* "NAME: ..." for what is no cpb_error. */
void cli_note(cli *c, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

int cli_usage(const cli_command *command, const char *problem);

int cli_exit_code(const cpb_error *error);

/* --- Standard output (show/print.c) ---------------------------------------------- */

void cli_print(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

void cli_print_bytes(cli *c, const void *data, size_t size);

/* What c->json holds so far, of which more may follow; or the last of it, as a line. */
void cli_print_json(cli *c);
void cli_print_json_line(cli *c);

/* False once a print has failed: nobody listens any more. */
bool cli_can_print(const cli *c);

/* After the last print: CLI_OK or the message and CLI_IO. */
int cli_end_print(cli *c);

/* --- Progress (show/progress.c) --------------------------------------------------- */

void cli_progress_start(cli *c, const char *doing);
void cli_progress_step(cli *c, uint64_t done, uint64_t total); /* total 0: unknown */
void cli_progress_read(cli *c, cpb_file *file);                /* what was read of it */
void cli_progress_end(cli *c);

/* --- Inputs (inputs.c) ------------------------------------------------------------- */

/* Each is NULL after the message; `status` is then the exit code. A file, a URL, or standard input for
 * "-"; the index of a file; a reader of its records. */
cpb_file *cli_open_input(cli *c, const char *path, int *status);
/* The file that `path` stands for (cpb_find_and_open); `*found` is its path, to be freed. */
cpb_file *cli_find_input(cli *c, const char *path, char **found, int *status);

/* The same for who wants chunks, as TensorFlow's Merger does: in a folder that has both, its .cpb. */
cpb_file *cli_find_chunks(cli *c, const char *path, char **found, int *status);
cpb_index *cli_open_index(cli *c, const char *path, cpb_file *file, int *status);
cpb_record_reader *cli_open_reader(cli *c, const cpb_record_reader_options *options, int *status);

/* The next bytes of a range, which is then what follows them, of the message in the file `name`.
 * NULL after the message; an end of the message before that of the range is an error. */
const uint8_t *cli_read_range(cli *c, cpb_message_file *message, const char *name, cpb_range *range, size_t *length,
                              int *status);

/* --riegeli-options, of which the rest is as it was; or CLI_USAGE after the message. */
int cli_riegeli_options(const cli *c, cpb_record_writer_options *options);

/* --- Outputs (outputs.c) ----------------------------------------------------------- */

/* --output, or standard output for "-" and when it was not given; NULL after the message. With
 * `in_order`, what is written comes in order. */
cpb_output *cli_open_output(cli *c, const char *path, bool in_order, int *status);

/* A file that is added to, locked until it is closed. */
cpb_output *cli_extend_output(cli *c, const char *path, int *status);

/* Write at `*at`, which they move on: bytes, or a range of the message in the file `name`.
 * CLI_OK, or the exit code after the message. */
int cli_write(cli *c, cpb_output *output, const char *path, uint64_t *at, const void *data, size_t length);
int cli_write_range(cli *c, cpb_output *output, const char *path, uint64_t *at, cpb_message_file *message,
                    const char *name, cpb_range range);

/* Commits if `status` is CLI_OK, frees, and returns what became of it. */
int cli_close_output(cli *c, const char *path, cpb_output *output, int status);

/* Lets no other process name files in the output's folder until `*lock` is closed, so that several files become those
 * of one process. CLI_OK, or CLI_IO after the message. */
int cli_lock_outputs(cli *c, const char *path, int *lock);

/* Options for cpb_transfer_*: the allocator, and progress as `doing`. */
cpb_file_options cli_transfer_options(cli *c, const char *doing);

/* After a transfer: what it came to. */
int cli_transfer_status(cli *c, const char *in, const char *out, const cpb_error *error);

/* --- Names of files (file_names.c) -------------------------------------------------- */

bool cli_is_dash(const char *path);

/* The name to print for a path that may be "-". */
const char *cli_input_name(const char *path);
/* The same for an answer: of a URL without what is secret. */
const char *cli_shown_name(cli *c, const char *path);
const char *cli_output_name(const char *path);

bool cli_ends_with(const char *path, const char *ending);
bool cli_has_ending(const char *path);

/* These are to be freed with cpb_release, and are NULL after the message. */
char *cli_join(cli *c, const char *path, const char *ending, int *status);
/* `name`, unless it is an absolute path, in the folder that `path` is in. */
char *cli_beside(cli *c, const char *path, const char *name, int *status);
/* Notes that a saved_model.cpb beside what was found in the folder `path` was not taken. */
void cli_say_passed_over(cli *c, const char *path, const char *found);

/* What `path` stands for (cpb_find_model); - and URLs are left as they are. */
char *cli_find_model(cli *c, const char *path, int *status);

/* --- Help (help.c) ------------------------------------------------------------ */

void cli_help(cli *c);
void cli_help_command(cli *c, const cli_command *command);
void cli_manual(cli *c); /* the man page, as roff */

/* A program for a shell, which completes command lines (completion.c); returns the exit code. */
int cli_completion(cli *c, const char *shell);

/* --- Commands --------------------------------------------------------------- */

int cli_split(cli *c);
int cli_merge(cli *c);
int cli_repack(cli *c);
int cli_info(cli *c);
int cli_inspect(cli *c);
int cli_extract(cli *c);
int cli_convert(cli *c);
int cli_cut(cli *c);
int cli_tag(cli *c);
int cli_diff(cli *c);
int cli_cat(cli *c);
int cli_verify(cli *c);
int cli_records(cli *c);
int cli_recover(cli *c);

/* Other words for the question about tensors, up to a NULL: what kinds of models call them. */
extern const char *const cli_tensor_words[];

#endif
