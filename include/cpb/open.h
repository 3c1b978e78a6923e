/* cpb/open.h: a message or a model opened from whatever file it is in, for programs that
 * may block.
 *
 * A message may be a file of its own (.pb) or be chunked (.cpb), and a model may have files
 * beside it: a SavedModel's directory holds
 *
 *     saved_model.pb or saved_model.cpb   the message
 *     keras_metadata.pb                   what Keras knows of its layers
 *     variables/variables.index           the checkpoint: which variable is stored where
 *     variables/variables.data-...        and the values
 *     fingerprint.pb                      hashes of the message's parts
 *
 * These functions find them, and put the engines of cpb/chunked.h, cpb/model.h,
 * cpb/checkpoint.h and cpb/values.h together:
 *
 *     cpb_model_file *model = cpb_model_file_open(NULL, "model/", NULL, &error);
 *     cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
 *     const char *json = cpb_model_file_ask(model, &question, &size, &error);
 *
 * Of a .cpb file only the chunks that are looked into are read, so it does not matter how
 * large it is. An object belongs to one thread at a time. */
#ifndef CPB_OPEN_H
#define CPB_OPEN_H

#include "cpb/base.h"
#include "cpb/checkpoint.h"
#include "cpb/chunked.h"
#include "cpb/file.h"
#include "cpb/model.h"
#include "cpb/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room that cpb_find_model needs beside the path itself. */
#define CPB_FIND_MODEL_ROOM 17

/* The file that `path` stands for: of a directory its saved_model.cpb or else its
 * saved_model.pb; of a name that is no file NAME.cpb or else NAME.pb; and `path` itself
 * where there is none of these. Written to `out` as a string; false (0) when `size` is less
 * than strlen(path) + CPB_FIND_MODEL_ROOM. */
CPB_API int cpb_find_model(const char *path, char *out, size_t size);

/* --- A message -------------------------------------------------------------- */

/* A message in a file, chunked or not: an input for engines that read messages (cpb_find,
 * cpb_outline, cpb_model, cpb_values). */
typedef struct cpb_message_file cpb_message_file;

typedef struct cpb_message_file_options {
  /* sizeof(cpb_message_file_options) */
  size_t struct_size;

  /* Copied. */
  const cpb_limits *limits;

  /* Of the message, as in cpb_merge_options. Must outlive the cpb_message_file. */
  const cpb_message_type *type;

  /* Called before each read with the bytes that were read of the file so far, and its size (0:
   * not known). When it returns non-zero, what is under way ends with CPB_E_CANCELLED. */
  cpb_progress progress;
  void *user;
} cpb_message_file_options;

/* Opens the file `path`. It is chunked when its name ends in .cpb, or when it begins as a file
 * of records does and has an index; whatever its name, a .pb is the message itself. Of a
 * chunked one the index is read, and the chunks that others are put into. `options` may be
 * NULL. */
CPB_API cpb_message_file *cpb_message_file_open(const cpb_allocator *allocator, const char *path,
                                                const cpb_message_file_options *options, cpb_error *error);

/* The same with a file that is open already and goes by the name `path`. `file` becomes the
 * cpb_message_file's, and is closed on failure, too. */
CPB_API cpb_message_file *cpb_message_file_on(const cpb_allocator *allocator, cpb_file *file, const char *path,
                                              const cpb_message_file_options *options, cpb_error *error);
CPB_API void cpb_message_file_close(cpb_message_file *message);

/* The index of a chunked file; NULL when the file is the message itself. */
CPB_API const cpb_index *cpb_message_file_index(const cpb_message_file *message);

/* How many bytes the message has. A pipe is read to its end for it. */
CPB_API cpb_code cpb_message_file_size(cpb_message_file *message, uint64_t *size, cpb_error *error);

/* Bytes of the message from `offset` on, valid until the next call: `*length` in is how many
 * are wanted, out how many there are (0 at the end). An error's offset is one in the file. */
CPB_API const uint8_t *cpb_message_file_read(cpb_message_file *message, uint64_t offset, size_t *length,
                                             cpb_error *error);

/* Lends an engine what it waits for, until the next call. On failure the engine's next step
 * fails, too, but `error` says more: the code, and where in the file. */
CPB_API cpb_code cpb_message_file_supply(cpb_message_file *message, cpb_input *input, cpb_error *error);

/* --- A model ---------------------------------------------------------------- */

/* A model in a file, and what lies beside it. */
typedef struct cpb_model_file cpb_model_file;

/* Files beside a SavedModel. Each is read when a question first needs it, if it is there. */
typedef enum cpb_beside {
  CPB_BESIDE_KERAS_METADATA = 1, /* for LAYERS, LOAD, CUT, OVERVIEW and SEARCH */
  CPB_BESIDE_CHECKPOINT = 2,     /* for VARIABLES and OVERVIEW */
  CPB_BESIDE_FINGERPRINT = 4,    /* the member "fingerprint" of OVERVIEW */
  CPB_BESIDE_ALL = 7
} cpb_beside;

typedef struct cpb_model_file_options {
  /* sizeof(cpb_model_file_options) */
  size_t struct_size;

  /* Default: what the message begins like, as cpb_model_guess() says. */
  cpb_model_kind kind;

  /* As for cpb_model_new(); copied. */
  const cpb_model_options *model;

  /* CPB_BESIDE_... bits of the files that are not to be looked for. */
  unsigned leave_out;

  /* As in cpb_message_file_options. */
  cpb_progress progress;
  void *user;
} cpb_model_file_options;

/* Opens the model that `path` stands for (cpb_find_model); `options` may be NULL.
 * CPB_E_FORMAT when the file is no model of a known kind. */
CPB_API cpb_model_file *cpb_model_file_open(const cpb_allocator *allocator, const char *path,
                                            const cpb_model_file_options *options, cpb_error *error);
CPB_API void cpb_model_file_close(cpb_model_file *file);

/* The answer to a question (cpb/model.h), a JSON object in UTF-8 without a terminating NUL;
 * valid until the next call for this file. A file beside the model that is there but cannot
 * be read is an error: cpb_model_file_leave_out and asking again gets the answer without it. */
CPB_API const char *cpb_model_file_ask(cpb_model_file *file, const cpb_question *question, size_t *size,
                                       cpb_error *error);

/* Reads now those of the files beside the model (CPB_BESIDE_... bits) that are there. */
CPB_API cpb_code cpb_model_file_load(cpb_model_file *file, unsigned beside, cpb_error *error);

/* Goes on without those of them that were not read yet; what could be read stays. */
CPB_API void cpb_model_file_leave_out(cpb_model_file *file, unsigned beside);

/* Which file the last failure was about: 0 for the model's own, else its CPB_BESIDE_... bit.
 * `*path` is valid until the next call for this file. */
CPB_API unsigned cpb_model_file_culprit(const cpb_model_file *file, const char **path);

/* What it consists of, for what this header has no function for; all are the file's. The
 * checkpoint is NULL before it was loaded, and when there is none. */
CPB_API const char *cpb_model_file_path(const cpb_model_file *file);
CPB_API cpb_model_kind cpb_model_file_kind(const cpb_model_file *file);
CPB_API cpb_message_file *cpb_model_file_message(cpb_model_file *file);
CPB_API cpb_model *cpb_model_file_model(cpb_model_file *file);
CPB_API const cpb_checkpoint *cpb_model_file_checkpoint(const cpb_model_file *file);

/* --- An array of a model ----------------------------------------------------- */

/* The values of an array, read from front to back. */
typedef struct cpb_values_file cpb_values_file;

/* The array `name`, as for cpb_values_new; `options` may be NULL, their checkpoint is not used.
 * Until it is closed the model file answers no question and opens no other array
 * (CPB_E_USAGE). */
CPB_API cpb_values_file *cpb_model_file_values(cpb_model_file *file, const char *name, size_t name_size,
                                               const cpb_values_options *options, cpb_error *error);

/* The variable of a SavedModel that has `name` for its path, its name or its key in the
 * checkpoint (as VARIABLES lists them), in the meta graph of that number: its values are in a
 * data file of the checkpoint. CPB_E_NOT_FOUND when there is no such variable, or more than
 * one; CPB_E_FORMAT when the model has no checkpoint. */
CPB_API cpb_values_file *cpb_model_file_variable(cpb_model_file *file, const char *name, size_t name_size,
                                                 uint32_t meta_graph, cpb_error *error);
CPB_API void cpb_values_file_close(cpb_values_file *values);

/* What the array is (cpb/values.h). Never NULL. */
CPB_API const cpb_values_info *cpb_values_file_info(const cpb_values_file *values);

/* The next bytes, as cpb_values_data gives them, valid until the next call; `*size` is 0 at
 * the end. Where a checksum is stored it is checked there. */
CPB_API const uint8_t *cpb_values_file_read(cpb_values_file *values, size_t *size, cpb_error *error);

#ifdef __cplusplus
}
#endif
#endif
