/* cpb/file.h: the engines on files, for programs that may block.
 *
 * Nothing here knows a format: a cpb_file answers what an engine needs, a
 * cpb_output takes what an engine puts out, and the functions at the end are
 * the loops between the two. A program with I/O of its own leaves this header
 * out.
 *
 * Offsets and sizes have 64 bits everywhere. An error's message has no file
 * name; CPB_E_WRITE concerns the output, every other code the input. */
#ifndef CPB_FILE_H
#define CPB_FILE_H

#include "cpb/base.h"
#include "cpb/chunked.h"
#include "cpb/repack.h"
#include "cpb/split.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Input ---------------------------------------------------------------- */

/* A file that is read by one engine at a time: the bytes it lends are valid
 * until it is asked again. */
typedef struct cpb_file cpb_file;

/* CPB_E_READ when the file cannot be opened or read, or is a directory. */
CPB_API cpb_file *cpb_file_open(const cpb_allocator *allocator, const char *path, cpb_error *error);

/* Reads an open descriptor, which stays the caller's. If it cannot seek, what
 * is read from it is kept in `spool`, a descriptor of an empty file open for
 * reading and writing, which becomes the cpb_file's (and is closed on failure,
 * too); -1 for none: going back is then CPB_E_READ. */
CPB_API cpb_file *cpb_file_open_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *error);
CPB_API void cpb_file_close(cpb_file *file);

/* Answers what the engine waits for, by its bytes, by the end of the file or by
 * cpb_input_fail: a failure comes out of the engine as its own error. */
CPB_API void cpb_file_answer(cpb_file *file, cpb_input *input);

/* Bytes of the file from `offset` on, valid until the next call: `*length` in
 * is how many are wanted, out how many there are (0 at the end). CPB_E_READ. */
CPB_API const uint8_t *cpb_file_read(cpb_file *file, uint64_t offset, size_t *length, cpb_error *error);

/* The size of the file; of a pipe once it has been read to its end. */
CPB_API cpb_code cpb_file_size(cpb_file *file, uint64_t *size, cpb_error *error);

/* For progress reports: the bytes read so far, and whether the size is known
 * without reading to the end. */
CPB_API uint64_t cpb_file_bytes_read(const cpb_file *file);
CPB_API int cpb_file_is_pipe(const cpb_file *file);

/* --- Output --------------------------------------------------------------- */

typedef struct cpb_output_options {
  size_t struct_size; /* sizeof(cpb_output_options) */
  int replace;        /* non-zero: an existing file is replaced; zero: it is an
                         error, also when it appears meanwhile */
  int sync;           /* non-zero: the bytes are on the disk before the name is */
} cpb_output_options;

/* A file that is written beside its final name and renamed by
 * cpb_output_commit: no half-written file ever stands under that name. What is
 * there already and is not a regular file (a device, a FIFO) is written in
 * place. */
typedef struct cpb_output cpb_output;

CPB_API cpb_output *cpb_output_create(const cpb_allocator *allocator, const char *path,
                                      const cpb_output_options *options, cpb_error *error);

/* Writes to an open descriptor, which stays the caller's. With `spool` (as for
 * cpb_file_open_fd) any offset can be written and the descriptor gets it all at
 * the commit; with -1 only what follows in order. */
CPB_API cpb_output *cpb_output_create_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *error);

/* Writes into the file that is there, behind its end; `replace` has no meaning. Without
 * a commit the file gets its old size back: an error or a cancellation leaves it as it
 * was, as long as nothing before its end was written. */
CPB_API cpb_output *cpb_output_extend(const cpb_allocator *allocator, const char *path,
                                      const cpb_output_options *options, cpb_error *error);

/* Removes what was written unless it was committed. */
CPB_API void cpb_output_free(cpb_output *output);

/* All return the output's error code, CPB_OK or CPB_E_WRITE for ever after. A
 * flush makes what was written readable under the temporary name. */
CPB_API cpb_code cpb_output_write(cpb_output *output, uint64_t offset, const void *data, size_t length);
CPB_API cpb_code cpb_output_flush(cpb_output *output);
CPB_API cpb_code cpb_output_commit(cpb_output *output);

/* A flush, and with `sync` what was written is then on the disk. */
CPB_API cpb_code cpb_output_settle(cpb_output *output);

/* The name of the file that exists until the commit, for a program that must
 * remove it in a signal handler; NULL when there is none. */
CPB_API const char *cpb_output_temporary(const cpb_output *output);

CPB_API const cpb_error *cpb_output_error(const cpb_output *output);

/* --- From one to the other ------------------------------------------------- */

/* Called now and then; not 0 ends the operation with CPB_E_CANCELLED. */
typedef int (*cpb_progress)(void *user, uint64_t done, uint64_t total);

typedef struct cpb_file_options {
  size_t struct_size; /* sizeof(cpb_file_options) */
  const cpb_allocator *allocator;
  const cpb_limits *limits;
  const cpb_message_type *type; /* of what is merged, as in cpb_merge_options */
  cpb_progress progress;        /* NULL for none */
  void *user;                   /* for progress */
  int replace, sync;            /* as in cpb_output_options, where paths are given */
  unsigned threads;             /* a merge uses up to so many (256 at most), which call the
                                   allocator at the same time; 0 or 1: only the caller's.
                                   `progress` is called by the caller's alone. What comes
                                   out, and what an error says, is always the same */
} cpb_file_options;

/* Each reads the one file and makes the other whole, or leaves no trace:
 * a .cpb merged to the message, a message split, a .cpb laid out anew.
 * `options` may be NULL, so may `how`; both name an allocator and limits, of
 * which `options` count. */
CPB_API cpb_code cpb_file_merge(const char *in, const char *out, const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_file_split(const char *in, const char *out, const cpb_split_options *how,
                                const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_file_repack(const char *in, const char *out, const cpb_repack_options *how,
                                 const cpb_file_options *options, cpb_error *error);

/* The same on what the caller has opened; the output is not committed. `index`
 * is that of `in`, done. A split that was planned before (cpb_split_plan) goes
 * on from there. */
CPB_API cpb_code cpb_transfer_merge(cpb_file *in, const cpb_index *index, cpb_output *out,
                                    const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_transfer_split(cpb_file *in, cpb_output *out, cpb_split *split, const cpb_file_options *options,
                                    cpb_error *error);
CPB_API cpb_code cpb_transfer_repack(cpb_file *in, cpb_output *out, cpb_repack *repack, const cpb_file_options *options,
                                     cpb_error *error);
/* The bytes as they are. */
CPB_API cpb_code cpb_transfer_copy(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error);

#ifdef __cplusplus
}
#endif
#endif
