/* The functions and data that all commands share. */
#ifndef CPB_CLI_CLI_H
#define CPB_CLI_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "cli/options.h"
#include "cpb/base.h"
#include "cpb/file.h"
#include "cpb/message.h"
#include "cpb/open.h"
#include "cpb/url.h"

typedef enum cli_exit {
  CLI_OK = 0,
  CLI_USAGE = 1,
  CLI_INCOMPLETE = 1, /* of inspect: the part before damage is shown */
  CLI_DAMAGED = 2,    /* damaged, or not of this kind */
  CLI_IO = 3,         /* reading or writing failed */
  CLI_LIMIT = 4,
  CLI_UNSUPPORTED = 5 /* this version cannot read it */
} cli_exit;

/* Counts what is allocated, for --memory-limit. Threads may use it at the same time. */
typedef struct cli_memory {
  uint64_t limit; /* UINT64_MAX for none */
  atomic_size_t used;
  atomic_bool refused; /* an allocation would have passed the limit */
} cli_memory;

typedef struct cli_progress {
  bool shown; /* a line is shown that must be cleared */
  const char *doing;
  double start, last;
} cli_progress;

typedef struct cli {
  const cli_command *command;
  cli_settings settings;
  cpb_work work; /* the work of all engines */
  cli_memory memory;
  cpb_allocator allocator;
  cpb_url_options urls;
  char shown[1024]; /* a URL without its secrets */
  cli_progress progress;
  cpb_json_writer json;  /* JSON to be printed */
  cpb_error print_error; /* why printing is no longer possible, or CPB_OK */
} cli;

/* The allocator for --memory-limit (memory.c). */
cpb_allocator cli_memory_allocator(cli_memory *memory);

/* --- Messages on standard error (show/report.c) -------------------------------- */

/* "NAME: byte N: message"; returns the exit code. */
int cli_fail(cli *c, const char *name, const cpb_error *error);

int cli_fail_memory(cli *c);
void *cli_no_memory(cli *c, int *status); /* the same for what returns a pointer: NULL */

/* Prints "NAME: ..." for a problem without a cpb_error. */
void cli_note(cli *c, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

int cli_usage(const cli_command *command, const char *problem);

int cli_exit_code(const cpb_error *error);

/* --- Standard output (show/print.c) ---------------------------------------------- */

void cli_print(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

void cli_print_bytes(cli *c, const void *data, size_t size);

/* An answer in JSON, as a line. */
void cli_print_answer(cli *c, const char *json, size_t size);

/* Prints the content of c->json, which may be continued; or prints its last part, as a line. */
void cli_print_json(cli *c);
void cli_print_json_line(cli *c);
/* A line of JSON about a damaged part of a file. */
void cli_print_skipped(cli *c, const cpb_skipped *skipped);

/* False once a print has failed: the output is no longer read. */
bool cli_can_print(const cli *c);

/* Call it after the last print: CLI_OK, or CLI_IO after the message. */
int cli_end_print(cli *c);

/* --- Progress (show/progress.c) --------------------------------------------------- */

void cli_progress_start(cli *c, const char *doing);
void cli_progress_step(cli *c, uint64_t done, uint64_t total); /* total 0: unknown */
void cli_progress_read(cli *c, cpb_file *file);                /* the bytes that were read from it */
void cli_progress_end(cli *c);

/* --- Inputs (inputs.c) ------------------------------------------------------------- */

/* Each returns NULL after the message; `status` is then the exit code. They open a file, a URL, or standard input for
 * "-"; the index of a file; a reader of its records. */
cpb_file *cli_open_input(cli *c, const char *path, int *status);
/* Names the kind of a file that no command reads, and writes its sentence to `out`, as cpb inspect says it; NULL if the
 * file may be a message or is not known. Rewinds nothing: at the beginning of a pipe. */
const char *cli_foreign(cli *c, const char *path, cpb_file *file, char *out, size_t size);

/* cli_fail() for an input that cannot be parsed from its beginning on: says first what it is, if that is known. */
int cli_fail_input(cli *c, const char *path, cpb_file *file, const cpb_error *error);

/* Opens the file that `path` stands for (cpb_find_and_open); `*found` is its path, which the caller frees. */
cpb_file *cli_find_input(cli *c, const char *path, char **found, int *status);

/* The same for commands that need chunks, like TensorFlow's Merger: takes the .cpb if a folder has both. */
cpb_file *cli_find_chunks(cli *c, const char *path, char **found, int *status);
/* False with the index's error. */
bool cli_read_index(cpb_file *file, cpb_index *index);
cpb_index *cli_open_index(cli *c, const char *path, cpb_file *file, int *status);
cpb_record_reader *cli_open_reader(cli *c, const cpb_record_reader_options *options, int *status);

/* Reads the next bytes of a range of the message in file `name`, and moves the range past them. NULL after the message;
 * it is an error if the message ends before the range. */
const uint8_t *cli_read_range(cli *c, cpb_message_file *message, const char *name, cpb_range *range, size_t *length,
                              int *status);

/* Applies --riegeli-options, and keeps the other members; or CLI_USAGE after the message. */
int cli_riegeli_options(const cli *c, cpb_record_writer_options *options);

/* --- Outputs (outputs.c) ----------------------------------------------------------- */

/* Opens --output, or standard output for "-" or without the option; NULL after the message. With `in_order`, writes
 * come in order. */
cpb_output *cli_open_output(cli *c, const char *path, bool in_order, int *status);

/* Opens a file to add to, locked until it is closed. */
cpb_output *cli_extend_output(cli *c, const char *path, int *status);

/* Write at `*at`, which they advance: bytes, or a range of the message in file `name`. CLI_OK, or the exit code after
 * the message. */
int cli_write(cli *c, cpb_output *output, const char *path, uint64_t *at, const void *data, size_t length);
int cli_write_range(cli *c, cpb_output *output, const char *path, uint64_t *at, cpb_message_file *message,
                    const char *name, cpb_range range);

/* Commits if `status` is CLI_OK, frees, and returns the resulting status. */
int cli_close_output(cli *c, const char *path, cpb_output *output, int status);

/* An output with others beside it. All get their names together, this one last, or none does. */
typedef struct cli_outputs {
  cli *cli;
  const char *path;
  cpb_output *output; /* NULL: not opened */
  bool several;       /* others belong to it, even if none is needed this time */
  struct cli_other_output *others;
  size_t num_others, capacity;
} cli_outputs;

/* Opens the output, or one more beside it, whose path is copied. NULL after the message. */
cpb_output *cli_open_main(cli_outputs *o, const char *path, bool in_order, int *status);
cpb_output *cli_open_other(cli_outputs *o, const char *path, bool in_order, int *status);

/* Like cli_close_output(). */
int cli_close_outputs(cli_outputs *o, int status);

/* Prevents other processes from naming files in the output's folder until `*lock` is closed, so that several files all
 * come from one process. CLI_OK, or CLI_IO after the message. */
int cli_lock_outputs(cli *c, const char *path, int *lock);

/* --- Transfers (transfers.c) -------------------------------------------------------- */

/* Options for cpb_transfer_*: the allocator, and progress as `doing`. */
cpb_file_options cli_transfer_options(cli *c, const char *doing);

/* Returns the exit code of a transfer. */
int cli_transfer_status(cli *c, const char *in, const char *out, const cpb_error *error);

/* Splits a message, which errors call `name`, into a .cpb at `path`, which is opened once the plan is made. */
int cli_split_into(cli *c, cpb_file *in, const char *name, const cpb_split_options *how, const char *path);

/* For the file or URL `path`: the number in --threads; else one for each processor, up to 4, if there are enough bytes
 * (`size`) for them. */
unsigned cli_threads(const cli *c, const char *path, uint64_t size);

/* About the size of all chunks; a chunk of unknown size does not count. */
uint64_t cli_size_of_chunks(const cpb_index *index);

typedef struct cli_comparison {
  cpb_comparison of; /* with its error, of reading `against` */
  cpb_error error;   /* of reading or merging `cpb` */
} cli_comparison;

/* Merges the file `cpb` with this index; `type` may be NULL. Without `against` only the merge is tried. */
cli_comparison cli_compare(cli *c, const cpb_index *index, const cpb_message_type *type, cpb_file *cpb,
                           cpb_file *against);

/* --- Names of files (file_names.c) -------------------------------------------------- */

bool cli_is_dash(const char *path);

/* The name to print for a path that may be "-". */
const char *cli_input_name(const char *path);
/* The same for an answer: a URL without its secrets. */
const char *cli_shown_name(cli *c, const char *path);
const char *cli_output_name(const char *path);

bool cli_ends_with(const char *path, const char *ending);
bool cli_has_ending(const char *path);
const char *cli_last_part(const char *path); /* after the last slash */

/* The caller frees these with cpb_release; they are NULL after the message. */
char *cli_join(cli *c, const char *path, const char *ending, int *status);
/* `name` in the folder of `path`, unless it is an absolute path. */
char *cli_beside(cli *c, const char *path, const char *name, int *status);
/* Notes that a saved_model.cpb next to the file found in the folder `path` was not used. */
void cli_say_passed_over(cli *c, const char *path, const char *found);

/* The model that `path` stands for (cpb_find_model); URLs stay unchanged. */
char *cli_find_model(cli *c, const char *path, int *status);

/* --- Message types for --type and --schema (message_types.c) ------------------------- */

/* The schema in --schema; NULL without the option. False after the message. */
bool cli_load_schema(cli *c, cpb_schema **schema, int *status);

/* The same, or the built-in schema. */
bool cli_load_any_schema(cli *c, cpb_schema **schema, int *status);

/* The type in --type. Without it, the first of TensorFlow's and ONNX's root types in which every chunked field of
 * `index` has a name (`index` NULL: the default type); NULL if no type fits. False after the message. */
bool cli_find_type(cli *c, const cpb_schema *schema, const cpb_index *index, const cpb_message_type **type,
                   int *status);

/* The type in --type, with its schema; both NULL without the option. False after the message. */
bool cli_load_type(cli *c, cpb_schema **schema, const cpb_message_type **type, int *status);

/* The path of `node` from its parent as text, by name as far as `type` extends. Returns the type at its end, NULL if
 * unknown. `type` may be NULL. */
const cpb_message_type *cli_node_path(const cpb_index *index, uint32_t node, const cpb_message_type *type, char *out,
                                      size_t size);

/* --- Models (model.c) ---------------------------------------------------------------- */

/* The model that `path` stands for, of the kind in --type or the recognized one; `how` may be NULL. With
 * `keep_damaged`, to look at what there is, a .cpb may be damaged. NULL after the message; `status` is then the exit
 * code. */
cpb_model_file *cli_open_model(cli *c, const char *path, const cpb_model_options *how, bool keep_damaged, int *status);

/* Prints the message of an error, with the name of the file that caused it; returns the exit code. */
int cli_model_fail(cli *c, const cpb_model_file *file, const cpb_error *error);

/* An option as a 32-bit number; no meta graph or state has a larger number. */
uint32_t cli_number32(uint64_t number);

/* --- Keeping the input's files (keep.c) ------------------------------------------------ */

/* These prevent an output from replacing files of the input other than the one given on the command line, which --force
 * allows: the others could be lost unnoticed. CLI_OK, or CLI_USAGE after the message if the output is ... */

/* ... the file that the input at `in` calls `name`. */
int cli_keep_file(cli *c, const char *out, const char *in, const char *name, size_t length);

/* ... one of those that have chunks of the .cpb file at `in`; other files have none. */
int cli_keep_chunks(cli *c, const char *out, const char *in);

/* ... one of those that have chunks, values or metadata of the model. */
int cli_keep_model(cli *c, const char *out, cpb_model_file *model);

/* --- Help (help.c) ------------------------------------------------------------ */

void cli_help(cli *c);
void cli_help_command(cli *c, const cli_command *command);
void cli_manual(cli *c); /* the man page, as roff */

/* A program for a shell, which completes command lines (completion.c); returns the exit code. */
int cli_completion(cli *c, const char *shell);

/* --- Commands --------------------------------------------------------------- */

/* Repacks the input by the options; `riegeli` counts if --riegeli-options are given. */
int cli_repack_into(cli *c, cpb_file *in, const cpb_record_writer_options *riegeli, cpb_output *out, const char *doing,
                    unsigned threads);

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

/* Other words for the question about tensors, up to a NULL: the names that kinds of models use. */
extern const char *const cli_tensor_words[];

/* The ending of a plural: "%llu chunk%s", count, cli_s(count). */
static inline const char *cli_s(uint64_t count) { return count == 1 ? "" : "s"; }

#endif
