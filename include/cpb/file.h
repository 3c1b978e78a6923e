/* cpb/file.h: the engines on files, for programs that may block.
 *
 * A cpb_file supplies the bytes that an engine needs, a cpb_output takes the bytes
 * that an engine outputs. The loops between the two are the last functions here:
 * one call splits, merges or repacks a file.
 *
 *     cpb_file_options options = {.struct_size = sizeof options, .replace = 1};
 *     cpb_error error;
 *     if (cpb_file_merge("model.cpb", "model.pb", &options, &error) != CPB_OK)
 *       fprintf(stderr, "%s\n", error.message);
 *
 * Any other engine is driven with a cpb_file like this:
 *
 *     cpb_file *file = cpb_file_open(NULL, "model.cpb", &error);
 *     while ((step = cpb_index_step(index)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_index_input(index));
 *
 * These functions do not know any format. A program with I/O of its own does not
 * need them.
 *
 * CPB_E_WRITE concerns the output, every other code the input. The message of an
 * error that the system reported is the system's own text, such as "No such file
 * or directory". */
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

/* A file and a buffer of 256 KiB. Bytes that it lends are valid until it reads
 * again, so it can supply one engine at a time. */
typedef struct cpb_file cpb_file;

struct cpb_url_options; /* cpb/url.h */

/* CPB_E_NOT_FOUND, CPB_E_DENIED; CPB_E_READ for another failure or a directory: each with
 * errno in error->system. CPB_E_READ for a device such as /dev/zero; CPB_E_MEMORY. A pipe is
 * read from front to back; reading elsewhere fails. */
CPB_API cpb_file *cpb_file_open(const cpb_allocator *allocator, const char *path, cpb_error *error);

/* Reads an open descriptor, which the caller closes, after the cpb_file. If it
 * cannot seek, like a pipe, all bytes that are read from it are kept in `spool`:
 * the descriptor of an empty file, open for reading and writing. The cpb_file owns
 * the spool and closes it, even on failure. -1: no spool, and reading any byte
 * again is CPB_E_READ. CPB_E_MEMORY. */
CPB_API cpb_file *cpb_file_open_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *error);

/* Bytes in memory, which are lent to engines in place. They must stay unchanged until the cpb_file
 * is closed and the objects that engines made from them are freed. CPB_E_MEMORY. */
CPB_API cpb_file *cpb_file_open_memory(const cpb_allocator *allocator, const void *data, size_t size, cpb_error *error);

/* A source of bytes that the caller reads: an archive's member, a file object of another language.
 * The thread that uses the cpb_file calls its functions. On failure they return a code and write
 * one line to error->message: CPB_E_CANCELLED ends the operation with that code, any other is
 * CPB_E_READ. */
typedef struct cpb_source {
  /* sizeof(cpb_source) */
  size_t struct_size;

  /* Passed to each of the functions. */
  void *user;

  /* Writes bytes from `offset` on to `out`. `*length` is the room, at least 1 and at most 256 KiB;
   * it becomes the number of written bytes: 0 only at the end. */
  cpb_code (*read)(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error);

  /* Gives the number of bytes. */
  cpb_code (*size)(void *user, uint64_t *size, cpb_error *error);

  /* Called once, when the cpb_file is closed, or cannot be made; or NULL. */
  void (*close)(void *user);
} cpb_source;

/* `source` is copied. CPB_E_MEMORY. */
CPB_API cpb_file *cpb_file_open_source(const cpb_allocator *allocator, const cpb_source *source, cpb_error *error);

CPB_API void cpb_file_close(cpb_file *file);

/* Supplies the bytes or the size that the engine waits for, or calls
 * cpb_input_fail(), which the engine's next step then reports as its own error.
 *
 * If the engine needs another file (cpb_need.file), it is opened if it is in this file's folder:
 * its name must be relative, and lead out of the folder neither by ".." nor by a link. If this
 * file's path is a link, the other file may also be in the folder of the linked file. For a URL,
 * the other file must be below the URL's folder. Otherwise the error is CPB_E_READ. */
CPB_API void cpb_file_supply(cpb_file *file, cpb_input *input);

/* From now on, other files may be anywhere, because this file's writer is trusted. URLs are opened
 * with `urls` (cpb/url.h), which must outlive the file, or if that is NULL with the options of this
 * file; another origin gets no headers. */
CPB_API void cpb_file_allow_references(cpb_file *file, const struct cpb_url_options *urls);

/* Bytes of the file from `offset` on, valid until the next call for this file.
 * `*length` is the wanted number; it becomes the number of bytes returned: at
 * least one, unless the file ends at `offset` or before, and at most 256 KiB.
 * CPB_E_READ. */
CPB_API const uint8_t *cpb_file_read(cpb_file *file, uint64_t offset, size_t *length, cpb_error *error);

/* The smallest range that is requested from a URL. Default 64 KiB, which suits sequential reads;
 * use less for scattered ones. Other files ignore it. */
CPB_API void cpb_file_request_least(cpb_file *file, size_t bytes);

/* The whole file in one block of the file's allocator. The caller releases it there,
 * with free() if that is malloc. CPB_E_LIMIT if there are more than `most` bytes,
 * CPB_E_READ, CPB_E_MEMORY. */
CPB_API uint8_t *cpb_file_read_all(cpb_file *file, uint64_t most, size_t *size, cpb_error *error);

/* The current size of the file. A pipe is read to its end for this. CPB_E_READ. */
CPB_API cpb_code cpb_file_size(cpb_file *file, uint64_t *size, cpb_error *error);

/* For reports of progress: the number of bytes read so far, and whether the size
 * is only known at the end. */
CPB_API uint64_t cpb_file_bytes_read(const cpb_file *file);
CPB_API int cpb_file_is_pipe(const cpb_file *file);

/* --- Output --------------------------------------------------------------- */

typedef struct cpb_output_options {
  /* sizeof(cpb_output_options) */
  size_t struct_size;

  /* Non-zero: an existing file is replaced. Zero: it is CPB_E_WRITE, also when it
   * appears before the commit. */
  int replace;

  /* Non-zero: the bytes are on the disk (fsync) before the file gets its name, and the name is on
   * the disk when the commit returns. If only the folder's fsync fails, the commit fails although
   * the file has its name. */
  int sync;

  /* For cpb_output_extend(): the milliseconds to wait for a file that another
   * process has locked. */
  unsigned wait;
} cpb_output_options;

/* A file that gets its name at the commit, so half-written files are never visible. Until then it
 * has no name if the system can do that (Linux: O_TMPFILE), and otherwise a temporary name in the
 * same folder, NAME.tmp-N, which it also has for an instant when a file is replaced.
 *
 * Nobody else may read it while it is written (mode 0600). Then it gets the mode of the file that
 * it replaces, and its owner and group if that is permitted; a new file gets the mode of the umask.
 * A symbolic link is followed: its target is replaced or created. If the path exists and is not a
 * regular file (a device, a FIFO), it is written in place. */
typedef struct cpb_output cpb_output;

/* CPB_E_WRITE when the file cannot be made; CPB_E_MEMORY. */
CPB_API cpb_output *cpb_output_create(const cpb_allocator *allocator, const char *path,
                                      const cpb_output_options *options, cpb_error *error);

/* Writes to an open descriptor, which the caller closes, after the cpb_output. Without a spool
 * (-1), writes must be in order. With a spool, which the cpb_output owns as a cpb_file does, they
 * may be at any offset, and the descriptor gets all bytes at the commit. CPB_E_MEMORY. */
CPB_API cpb_output *cpb_output_create_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *error);

/* A destination that the caller implements: a file object of another language, a connection. On
 * failure its function returns a code and writes one line to error->message: CPB_E_CANCELLED ends
 * the operation with that code, any other is CPB_E_WRITE. */
typedef struct cpb_sink {
  /* sizeof(cpb_sink) */
  size_t struct_size;

  /* Passed to the function. */
  void *user;

  /* Takes `length` bytes, at least 1, that begin at `offset`. They come in order, unless the engine
   * writes out of order, as with `seekable` of cpb_split_options. The writing thread calls it; if
   * several threads write, as in a merge, one at a time does. */
  cpb_code (*write)(void *user, uint64_t offset, const void *data, size_t length, cpb_error *error);
} cpb_sink;

/* Writes to `sink`, which is copied. Bytes that the sink got cannot be taken back, even after an
 * error. It has all bytes at the commit, and cannot be read back. CPB_E_MEMORY. */
CPB_API cpb_output *cpb_output_create_sink(const cpb_allocator *allocator, const cpb_sink *sink, cpb_error *error);

/* Writes into an existing file, past its end; `replace` has no meaning. Without a
 * commit the file gets its old size back. So an error leaves it unchanged, unless
 * bytes before its old end were overwritten.
 *
 * The file is locked (flock) until cpb_output_commit() or cpb_output_free(): read it only in
 * between. CPB_E_WRITE "in use by another process" if another process holds the lock for longer
 * than `wait`. As not all programs lock, the first write fails with the same error if the file was
 * changed meanwhile, and the commit does if the path no longer leads to it. WASI has no locks.
 * CPB_E_WRITE, CPB_E_MEMORY. */
CPB_API cpb_output *cpb_output_extend(const cpb_allocator *allocator, const char *path,
                                      const cpb_output_options *options, cpb_error *error);

/* Closes the output, and removes the written bytes unless they were committed. */
CPB_API void cpb_output_free(cpb_output *output);

/* These return the code of the output's error: CPB_OK, or, from the first failure
 * on, CPB_E_WRITE; for a sink also CPB_E_CANCELLED. */
CPB_API cpb_code cpb_output_write(cpb_output *output, uint64_t offset, const void *data, size_t length);

/* Passes the written bytes on to the system. */
CPB_API cpb_code cpb_output_flush(cpb_output *output);

/* Opens the bytes written so far for reading; not for a pipe or a sink. Close the cpb_file before
 * any other call for the output. CPB_E_WRITE, CPB_E_READ, CPB_E_MEMORY. */
CPB_API cpb_file *cpb_output_read_back(cpb_output *output, cpb_error *error);

/* Flushes; with `sync` the written bytes are on the disk when it returns. */
CPB_API cpb_code cpb_output_sync(cpb_output *output);

/* Gives the file its name. No writes may follow. */
CPB_API cpb_code cpb_output_commit(cpb_output *output);

/* Removes the written bytes unless they were committed: for a signal handler that ends the program.
 * Only cpb_output_free() may be called afterwards. */
CPB_API void cpb_output_abandon(cpb_output *output);

CPB_API const cpb_error *cpb_output_error(const cpb_output *output);

/* --- From one to the other ------------------------------------------------- */

/* Called from time to time with the processed bytes and all bytes (0: unknown). A
 * result other than 0 ends the operation with CPB_E_CANCELLED. */
typedef int (*cpb_progress)(void *user, uint64_t done, uint64_t total);

typedef struct cpb_file_options {
  /* sizeof(cpb_file_options) */
  size_t struct_size;

  const cpb_allocator *allocator;
  const cpb_limits *limits;

  /* The type of the merged message, as in cpb_merge_options. */
  const cpb_message_type *type;

  /* May be NULL. `user` is passed to it. */
  cpb_progress progress;
  void *user;

  /* As in cpb_output_options, for the functions that take paths. */
  int replace, sync;

  /* The number of threads to use, at most 256; 0 or 1: only the caller's. For a split or repack the
   * others encode, and the caller's thread writes. They call the allocator at the same time, but
   * only the caller's thread calls `progress`. The output, or the error, is the same for any
   * number. */
  unsigned threads;

  /* Not NULL: the input of the functions that take paths may be a URL (cpb/url.h). */
  const struct cpb_url_options *urls;

  /* For a split into several files (cpb_split_options.files): opens the output for a file other
   * than the one with the index, by its name. The caller owns the output, and commits it after the
   * split, before the output with the index. Returns NULL and sets the error on failure.
   * `open_user` is passed to it. */
  cpb_output *(*open_file)(void *user, const char *name, cpb_error *error);
  void *open_user;

  /* Non-zero: cpb_file_allow_references() for the functions that take paths; for a base, see
   * cpb_file_read_base(). */
  int allow_references;

  /* For cpb_file_split(): the path or URL of a .cpb file whose chunks are referred to instead of
   * written (cpb_file_read_base()), or NULL. */
  const char *base;
} cpb_file_options;

/* Each reads the file `in` and makes the file `out`, as a whole or not at all: the
 * message of a .cpb file merged, a message split, a .cpb file repacked. Allocator
 * and limits are those of `options`; those in `how` are ignored. */
CPB_API cpb_code cpb_file_merge(const char *in, const char *out, const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_file_split(const char *in, const char *out, const cpb_split_options *how,
                                const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_file_repack(const char *in, const char *out, const cpb_repack_options *how,
                                 const cpb_file_options *options, cpb_error *error);

/* Finds the chunks of the .cpb file at `base`, a path or (with `urls`) a URL, that `split` may
 * share, for a file that will be at the path `out`. `split` must have its plan. Pass the result to
 * cpb_split_share(), and free it after the split (cpb/split.h, "Against a base").
 *
 * The name of the base is its path relative to out's folder, after links. Readers open only files
 * in or below this folder: a base elsewhere, or a URL, is CPB_E_USAGE unless `allow_references` is
 * set, which every reader then also needs. Also CPB_E_USAGE: `out` is the base, or a file that the
 * base refers to; a URL with a password, query or fragment, as the file would contain it.
 * CPB_E_READ: among others, the size of the base changed meanwhile. */
CPB_API cpb_split_base *cpb_file_read_base(const char *base, const char *out, const cpb_split *split,
                                           const cpb_file_options *options, cpb_error *error);

/* The same between files that the caller has opened, and then commits and closes.
 * `index` must be the complete index of `in`. A split may have its plan already
 * (cpb_split_plan()). */
CPB_API cpb_code cpb_transfer_merge(cpb_file *in, const cpb_index *index, cpb_output *out,
                                    const cpb_file_options *options, cpb_error *error);
CPB_API cpb_code cpb_transfer_split(cpb_file *in, cpb_output *out, cpb_split *split, const cpb_file_options *options,
                                    cpb_error *error);
CPB_API cpb_code cpb_transfer_repack(cpb_file *in, cpb_output *out, cpb_repack *repack, const cpb_file_options *options,
                                     cpb_error *error);

/* The result of comparing a merged message with a file. */
typedef struct cpb_comparison {
  uint64_t size; /* of the merged message; 0 if it could not be planned */
  int same;
  uint64_t differs_at; /* if not the same: the first byte that differs */
  cpb_error error;     /* of reading the file; CPB_OK */
} cpb_comparison;

/* Merges without an output: every chunk is read, and the message compared with the file `against`,
 * if that is not NULL. After a difference, or an error of `against`, the merge still continues to
 * its end. Returns the code of the merge; `*result` has the rest. */
CPB_API cpb_code cpb_transfer_compare(cpb_file *in, const cpb_index *index, cpb_file *against,
                                      const cpb_file_options *options, cpb_comparison *result, cpb_error *error);

/* Receives the results of cpb_transfer_check(), in the order of the file. Each function may be
 * NULL. */
typedef struct cpb_check {
  /* sizeof(cpb_check) */
  size_t struct_size;

  /* Passed to each of the functions. */
  void *user;

  /* A readable record. Any code other than CPB_OK ends the operation with it. */
  cpb_code (*record)(void *user, const cpb_record *record);

  /* A damaged region. */
  void (*skipped)(void *user, const cpb_skipped *skipped);
} cpb_check;

/* Reads all records of a Riegeli file, past damage, and checks all their hashes. Several threads
 * need the file's index, which says where to begin; NULL: one thread. Only the caller's thread
 * calls the functions in `check`. */
CPB_API cpb_code cpb_transfer_check(cpb_file *in, const cpb_index *index, const cpb_check *check,
                                    const cpb_file_options *options, cpb_error *error);

/* Copies the bytes unchanged. */
CPB_API cpb_code cpb_transfer_copy(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error);

#ifdef __cplusplus
}
#endif
#endif
