/* cpb/open.h: opens a message or a model from a file of any supported kind, for programs that may
 * block.
 *
 * A message may be a file of its own (.pb) or chunked (.cpb), and a model may have further files
 * next to its own. A SavedModel's directory holds
 *
 *     saved_model.pb or saved_model.cpb   the message
 *     keras_metadata.pb                   Keras's description of its layers
 *     variables/variables.index           the checkpoint's index: which variable is stored where
 *     variables/variables.data-...        its shards: the values
 *     fingerprint.pb                      hashes that identify the model
 *
 * A checkpoint by itself is opened by its index, model.ckpt.index, by its prefix, model.ckpt, or by
 * its folder; its shards are in the same folder.
 *
 * These functions find those files, and drive the engines of cpb/chunked.h, cpb/model.h,
 * cpb/checkpoint.h and cpb/values.h:
 *
 *     cpb_model_file *model = cpb_model_file_open(NULL, "model/", NULL, &error);
 *     cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
 *     const char *json = cpb_model_file_ask(model, &question, &size, &error);
 *     if (json) fwrite(json, 1, size, stdout);
 *     cpb_model_file_close(model);
 *
 * Only the index and the needed chunks of a .cpb file are read, so its size does not matter. Files
 * are opened for reading only. The object that was asked owns the texts that it returns; paths that
 * are passed in are copied. Functions that return a cpb_code return that of `error`; the others
 * return NULL on failure. */
#ifndef CPB_OPEN_H
#define CPB_OPEN_H

#include "cpb/base.h"
#include "cpb/checkpoint.h"
#include "cpb/chunked.h"
#include "cpb/file.h"
#include "cpb/find.h"
#include "cpb/message.h"
#include "cpb/model.h"
#include "cpb/onnx.h"
#include "cpb/statistics.h"
#include "cpb/url.h"
#include "cpb/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that cpb_find_model() needs in `out` in addition to strlen(path): two slashes, the longest names that
 * it appends, and a NUL. */
#define CPB_FIND_MODEL_ROOM 516

/* Finds the file that `path` stands for. For a directory, this is the first of: its saved_model.pb;
 * its saved_model.pbtxt, as in TensorFlow's loaders; its saved_model.cpb; in a package of Core ML,
 * the root model that its Manifest.json names; the checkpoint that its file `checkpoint` names; if
 * it has folders named by numbers, as for TensorFlow Serving, the model in the highest
 * (N/saved_model.pb, N/saved_model.cpb or N/model.onnx); the only model in it, by the endings
 * .onnx, .mlmodel, .mlpackage, .meta, .pb, .cpb, .fb and .zip, or in a folder with a
 * saved_model.pb; its only *.index. For a name without a file: NAME.cpb, else NAME.pb, else
 * NAME.index. If these do not exist, or the directory has several models: `path` itself. Writes the
 * result to `out` as a NUL-terminated string. Returns 0, and writes nothing, when `size` is less
 * than strlen(path) + CPB_FIND_MODEL_ROOM; else non-zero. */
CPB_API int cpb_find_model(const char *path, char *out, size_t size);

/* The number of versions in a directory, if cpb_find_model() takes the highest of them; otherwise
 * 0. */
CPB_API size_t cpb_count_versions(const char *path);

/* Whether a saved_model.cpb is next to the saved_model.pb or .pbtxt that cpb_find_model() found:
 * one of the two may be older than the other. Writes its path to `out`; `size` must be at least
 * strlen(found) + 2. */
CPB_API int cpb_find_passed_over(const char *found, char *out, size_t size);

/* Like cpb_find_model(), and opens that file. With `urls`, `path` may be a URL. The URL of a
 * directory ends in a slash: only saved_model.pb, .pbtxt and .cpb, Manifest.json and checkpoint are
 * looked for in it. Files that the server answers with 404, 410 or 403 count as missing: some
 * stores return 403 for missing files. Errors as from cpb_file_open(), for URLs as from
 * cpb_url_open(); also if the directory, or its Manifest.json or checkpoint, cannot be read.
 * CPB_E_USAGE: `size` is too small, or the directory has several models, which the message names. */
CPB_API cpb_file *cpb_find_and_open(const cpb_allocator *allocator, const char *path, const cpb_url_options *urls,
                                    char *out, size_t size, cpb_error *error);

/* --- A message -------------------------------------------------------------- */

/* A message in a file, chunked or not. It supplies engines that read messages: cpb_find,
 * cpb_outline, cpb_model, cpb_values. At most 256 KiB of the message are held at once. A chunked
 * message takes more: its index, the merge plan, and the chunks that a merge decodes
 * (cpb_merge_options). */
typedef struct cpb_message_file cpb_message_file;

typedef struct cpb_message_file_options {
  /* sizeof(cpb_message_file_options) */
  size_t struct_size;

  /* Copied. */
  const cpb_limits *limits;

  /* The message's type, as in cpb_merge_options, or NULL. Must outlive the cpb_message_file. */
  const cpb_message_type *type;

  /* Called before each read, with the number of bytes read from the file so far and its size, or 0
   * if the size is unknown. If it returns non-zero, the call fails with CPB_E_CANCELLED. */
  cpb_progress progress;
  void *user;

  /* Not NULL: `path` may be a URL, and these are its options, which must outlive the cpb_message_file. */
  const cpb_url_options *urls;

  /* Non-zero, for showing the intact parts of a message: chunks of a chunked file may be damaged
   * (cpb_merge_keep_damaged), and engines that are supplied lose unreadable bytes (cpb_input_lose).
   * The index must be intact. */
  int keep_damaged;

  /* Non-zero: cpb_file_allow_references(). */
  int allow_references;

  /* Non-zero: opening a chunked message only reads the index. cpb_message_file_find() then plans
   * the merge for one field; reading before that plans all. Not with keep_damaged. */
  int plan_late;

  /* Not NULL: the caller only reads this field, of a message of the type `field_type`. From an
   * index in pages, perhaps only the pages that it needs are read (cpb_index_want). Both must
   * outlive the cpb_message_file. */
  const cpb_path *field;
  const cpb_message_type *field_type;
} cpb_message_file_options;

/* Opens the file `path`. It is chunked if its name ends in .cpb. A file whose name ends in .pb is
 * never chunked: it is the message itself. Any other file is chunked if it begins like a Riegeli
 * file and its last record is an index. Opening a chunked file reads the index, and the chunks that
 * other chunks are merged into. `options` may be NULL. CPB_E_FORMAT: the file is named .cpb but is
 * not chunked; CPB_E_READ; CPB_E_DAMAGED, CPB_E_LIMIT and others as from cpb_index_step() and
 * cpb_merge_step(). */
CPB_API cpb_message_file *cpb_message_file_open(const cpb_allocator *allocator, const char *path,
                                                const cpb_message_file_options *options, cpb_error *error);

/* The same for an open file with the name `path`, of which only the ending counts. Takes over `file`: it
 * is closed with the cpb_message_file, or at once on failure. */
CPB_API cpb_message_file *cpb_message_file_on(const cpb_allocator *allocator, cpb_file *file, const char *path,
                                              const cpb_message_file_options *options, cpb_error *error);
CPB_API void cpb_message_file_close(cpb_message_file *message);

/* The index of a chunked file; NULL when the file is the message itself. */
CPB_API const cpb_index *cpb_message_file_index(const cpb_message_file *message);

/* With options.field: the path to the field in the opened message, which may be smaller than the
 * message of the file (cpb_index_wanted); NULL without. */
CPB_API const cpb_path *cpb_message_file_field(const cpb_message_file *message);

/* With keep_damaged: why, and where in the file, a chunk that others are merged into could not be
 * read, so that the message lacks some of them (cpb_merge_damage). NULL if all such chunks are
 * intact. */
CPB_API const char *cpb_message_file_damage(const cpb_message_file *message);

/* The size of the message in bytes; for a chunked one, merged. A pipe is read to its end for this. */
CPB_API cpb_code cpb_message_file_size(cpb_message_file *message, uint64_t *size, cpb_error *error);

/* Bytes of the message from `offset` on, valid until the next call for this object. On entry
 * `*length` is the wanted number; on return, the number of bytes: perhaps fewer, and 0 only at the
 * end. NULL on failure; the error's offset is in the file. */
CPB_API const uint8_t *cpb_message_file_read(cpb_message_file *message, uint64_t offset, size_t *length,
                                             cpb_error *error);

/* Finds a field. Returns a finished search (cpb/find.h), which the caller frees. `type` is that of
 * the message, or NULL; it and `path` must outlive the result. If the message was opened with
 * plan_late, and not read yet, the merge is only planned for this field (cpb_merge_plan_for): then
 * only the found ranges of the message may be read, and other fields cannot be looked for. NULL: as
 * from cpb_message_file_read(), cpb_find_new() and cpb_find_step(). */
CPB_API cpb_find *cpb_message_file_find(cpb_message_file *message, const cpb_message_type *type, const cpb_path *path,
                                        cpb_error *error);

/* Supplies an engine whose step has returned CPB_STEP_NEED. The lent bytes stay valid until the
 * next call for this object. On failure the engine's next step fails as after
 * cpb_input_fail_with(), and `error` has the cause: its own code, and an offset in the file. */
CPB_API cpb_code cpb_message_file_supply(cpb_message_file *message, cpb_input *input, cpb_error *error);

/* --- A field of a message ------------------------------------------------------ */

typedef struct cpb_field_options {
  /* sizeof(cpb_field_options) */
  size_t struct_size;

  /* Allocates all memory, also that of the result. NULL: malloc. */
  const cpb_allocator *allocator;

  /* Limits for each engine; `answer` is for the bytes of the result. */
  const cpb_limits *limits;

  /* The type of the message. NULL: the only built-in model type that has the path's names as
   * fields, else the type recognized by the first bytes of the message. If both fail, the path must
   * have numbers. */
  const cpb_message_type *type;

  /* The form of the JSON; its `limits` and `omitted` are ignored. NULL: defaults. */
  const cpb_json_options *json;

  /* Not 0: strings, bytes and packed fields of more bytes are not read for JSON, which has
   * {"@omitted": {"offset": N, "size": N}} in their place. */
  uint64_t omit;

  /* As in cpb_message_file_options; `urls` NULL: a URL is read with the defaults. */
  cpb_progress progress;
  void *user;
  const cpb_url_options *urls;
  int allow_references;
} cpb_field_options;

/* The serialized value of one field. Only the way to the field is read, and its
 * value:
 *
 *     const char *path = "graph.initializer[0].raw_data";
 *     uint8_t *weights = cpb_read_field("https://host/model.onnx", path, NULL, &size, &error);
 *     ...
 *     free(weights);
 *
 * `location` is a file, a model's folder or a URL (cpb_find_and_open), chunked or not; `path` as in
 * cpb/message.h. If a message occurs several times, or the path ends at a repeated field without an
 * index, the result is the concatenation of the ranges from cpb_find. `options` may be NULL.
 *
 * Returns `*size` bytes, and a NUL after them that does not count, in a block of options.allocator,
 * which the caller releases there: with free() if it is malloc. NULL on failure: CPB_E_NOT_FOUND:
 * the file (then with error->system or error->status), field, element or key does not exist;
 * CPB_E_USAGE: the text is not a path, or does not fit the type; CPB_E_LIMIT; CPB_E_MEMORY; others
 * as from cpb_find_and_open() and cpb_message_file_on(). */
CPB_API uint8_t *cpb_read_field(const char *location, const char *path, const cpb_field_options *options, size_t *size,
                                cpb_error *error);

/* The same as JSON (cpb/message.h): an object for a message or a map, an array for a repeated
 * field, else a number, string, true or false. Also CPB_E_USAGE: the type of the field is unknown. */
CPB_API char *cpb_read_field_json(const char *location, const char *path, const cpb_field_options *options,
                                  size_t *size, cpb_error *error);

/* A field that was found (cpb/find.h). The creator of the struct owns the ranges. */
typedef struct cpb_found_field {
  cpb_found found;
  const cpb_range *ranges;
  size_t num_ranges;
} cpb_found_field;

/* cpb_read_field_json() for a field that was found in an opened message. Only `allocator`,
 * `limits`, `json` and `omit` of `options` count. */
CPB_API char *cpb_message_file_json(cpb_message_file *message, const cpb_found_field *place,
                                    const cpb_field_options *options, size_t *size, cpb_error *error);

/* The only type of a model's message in `schema` that has the names of the path as fields. NULL: no
 * type or several types have them, or the path has a number. */
CPB_API const cpb_message_type *cpb_guess_message_type(const cpb_schema *schema, const cpb_path *path);

/* --- A model ---------------------------------------------------------------- */

/* A model in a file, with the files next to it. */
typedef struct cpb_model_file cpb_model_file;

/* The files next to a SavedModel. Each is read when a question first needs it, if it exists. */
typedef enum cpb_beside {
  CPB_BESIDE_KERAS_METADATA = 1, /* for LAYERS, LOAD, CUT, OVERVIEW, SEARCH and VARIABLES */
  CPB_BESIDE_CHECKPOINT = 2,     /* for VARIABLES and OVERVIEW; for all questions about a checkpoint */
  CPB_BESIDE_FINGERPRINT = 4,    /* the member "fingerprint" of OVERVIEW */
  CPB_BESIDE_ALL = 7
} cpb_beside;

typedef struct cpb_model_file_options {
  /* sizeof(cpb_model_file_options) */
  size_t struct_size;

  /* The kind of model. Default: guessed from the message's first bytes, by cpb_model_guess(). */
  cpb_model_kind kind;

  /* Options for cpb_model_new(); copied. */
  const cpb_model_options *model;

  /* The files to ignore: CPB_BESIDE_... values, combined with |. */
  unsigned leave_out;

  /* As in cpb_message_file_options. Files next to a URL have URLs with the same query. */
  cpb_progress progress;
  void *user;
  const cpb_url_options *urls;

  /* As in cpb_message_file_options: questions are answered from the intact parts of the model. Not
   * for cutting it or reading arrays, as these would give wrong results. */
  int keep_damaged;

  /* As in cpb_message_file_options. */
  int allow_references;
} cpb_model_file_options;

/* Opens the model that `path` stands for (cpb_find_model, cpb_find_and_open). `options` may be NULL. CPB_E_FORMAT: the
 * file is not a model of a known kind; others as from cpb_message_file_open(). */
CPB_API cpb_model_file *cpb_model_file_open(const cpb_allocator *allocator, const char *path,
                                            const cpb_model_file_options *options, cpb_error *error);

/* The same for an open file with the name `path`, of which only the ending counts. Other files are
 * not looked for; `leave_out` and `urls` of the options are ignored. Takes over `file`: it is
 * closed with the cpb_model_file, or at once on failure. */
CPB_API cpb_model_file *cpb_model_file_on(const cpb_allocator *allocator, cpb_file *file, const char *path,
                                          const cpb_model_file_options *options, cpb_error *error);
CPB_API void cpb_model_file_close(cpb_model_file *file);

/* The answer to a question (cpb/model.h): a JSON object in UTF-8, `*size` bytes without a
 * terminating NUL, valid until the next call for this object. NULL on failure. If a file next to
 * the model exists but cannot be read, this is an error: cpb_model_file_culprit() returns this
 * file; after cpb_model_file_leave_out() the same question is answered without it. */
CPB_API const char *cpb_model_file_ask(cpb_model_file *file, const cpb_question *question, size_t *size,
                                       cpb_error *error);

/* Reads files next to the model now (CPB_BESIDE_... values, combined with |), if they exist. */
CPB_API cpb_code cpb_model_file_load(cpb_model_file *file, unsigned beside, cpb_error *error);

/* Ignores these files from now on, unless they were already read. */
CPB_API void cpb_model_file_leave_out(cpb_model_file *file, unsigned beside);

/* The file of the last failure: 0 for the model's own, else its CPB_BESIDE_... value. `*path` is
 * valid until the next call for this object. */
CPB_API unsigned cpb_model_file_culprit(const cpb_model_file *file, const char **path);

/* The objects that a model file consists of, for uses that this header has no function for. The
 * model file owns them. The checkpoint is NULL before it is read, and if the model has no
 * checkpoint. */
CPB_API const char *cpb_model_file_path(const cpb_model_file *file);
CPB_API cpb_model_kind cpb_model_file_kind(const cpb_model_file *file);
CPB_API cpb_message_file *cpb_model_file_message(cpb_model_file *file);
CPB_API cpb_model *cpb_model_file_model(cpb_model_file *file);
CPB_API const cpb_checkpoint *cpb_model_file_checkpoint(const cpb_model_file *file);

/* The path of a shard of the model's checkpoint, which must have been read; the shard need not
 * exist. For version 1, the path of its only file. Valid until the next call for this object; NULL
 * without a checkpoint, or when memory is short. */
CPB_API const char *cpb_model_file_shard(cpb_model_file *file, uint32_t shard);

/* Non-zero: both were opened from the same file in the same state, so they do not differ: by the
 * same name in the same folder, or by the same URL with the same ETag (cpb_diff_options.same_file). */
CPB_API int cpb_model_file_is_same(const cpb_model_file *a, const cpb_model_file *b);

/* Supplies an engine whose step has returned CPB_STEP_NEED, from the model's message, as
 * cpb_message_file_supply() does, or from a shard of its checkpoint if `shard` is not negative
 * (cpb_diff_shard). A missing shard is only a failure for the engine: its next step fails with
 * CPB_E_NOT_FOUND. */
CPB_API cpb_code cpb_model_file_supply(cpb_model_file *file, int64_t shard, cpb_input *input, cpb_error *error);

/* The size in bytes of the model's own file (`beside` is 0), or of a file next to it that was read
 * (a CPB_BESIDE_... value; for the checkpoint, its index). 0 if it is unknown. */
CPB_API uint64_t cpb_model_file_size(const cpb_model_file *file, unsigned beside);

/* --- An array of a model ----------------------------------------------------- */

/* The values of one array, read from front to back. */
typedef struct cpb_values_file cpb_values_file;

/* Opens the array `name`, as cpb_values_new() does. For a checkpoint by itself, or if a SavedModel
 * or MetaGraphDef does not have this constant and `scope` is not given, this is
 * cpb_model_file_variable(). `options` may be NULL; their `checkpoint` is ignored. Only one array
 * of a model file may be open at a time; other calls for arrays and questions meanwhile fail with
 * CPB_E_USAGE. Close it before the model file. */
CPB_API cpb_values_file *cpb_model_file_values(cpb_model_file *file, const char *name, size_t name_size,
                                               const cpb_values_options *options, cpb_error *error);

/* Opens a variable of a SavedModel, or a tensor of a checkpoint, whose values are in shards of the
 * checkpoint. `name` is its path, its name or its checkpoint key, as CPB_ASK_VARIABLES lists them.
 * `options` may be NULL; only their `meta_graph`, `exact_texts`, `max_memory` and `limits` count. A
 * copy that Keras 3 stores is the same variable. CPB_E_NOT_FOUND: no variable, or more than one,
 * has this name; CPB_E_FORMAT: the model has no checkpoint; CPB_E_USAGE as above. */
CPB_API cpb_values_file *cpb_model_file_variable(cpb_model_file *file, const char *name, size_t name_size,
                                                 const cpb_values_options *options, cpb_error *error);
CPB_API void cpb_values_file_close(cpb_values_file *values);

/* Type, shape and size of the array (cpb/values.h). Never NULL. */
CPB_API const cpb_values_info *cpb_values_file_info(const cpb_values_file *values);

/* The next bytes, as cpb_values_data() gives them, valid until the next call for this object; `*size`
 * is 0 at the end. If a checksum is stored, it is checked at the end: a mismatch is CPB_E_DAMAGED
 * then, after all values have been given. NULL on failure. */
CPB_API const uint8_t *cpb_values_file_read(cpb_values_file *values, size_t *size, cpb_error *error);

typedef struct cpb_model_statistics_options {
  /* sizeof(cpb_model_statistics_options) */
  size_t struct_size;

  /* Non-zero: the array is a variable's. */
  int variable;

  /* As in cpb_statistics_options; 0: none, or for quantized numbers that of their scales. */
  uint32_t axis;

  /* As for cpb_model_file_values() and cpb_model_file_variable(). */
  const cpb_values_options *values;
} cpb_model_statistics_options;

/* Statistics of the array `name` (cpb/statistics.h), as JSON: reads all of its values once, from front
 * to back. The name is as for cpb_model_file_values() or, with options.variable, as for
 * cpb_model_file_variable(). `options` may be NULL. If a node of an ONNX or Core ML model takes the
 * array as quantized numbers, the statistics are those of the real ones. `listed` is the item of the
 * array in the list of constants or variables. Valid until the next call for this object. NULL on
 * failure, such as CPB_E_USAGE for a dimension that the array does not have, and CPB_E_LIMIT for one
 * of more than CPB_STATISTICS_PARTS. */
CPB_API const char *cpb_model_file_statistics(cpb_model_file *file, const char *name, size_t name_size,
                                              const cpb_model_statistics_options *options, size_t *size,
                                              cpb_error *error);

/* --- An ONNX model, rewritten ----------------------------------------------- */

/* Opens a file that a rewrite (cpb/onnx.h) of the message has planned. Its bytes are read from the
 * message, and from the files that this names, which are opened as by cpb_file_supply(). Use it
 * with cpb_transfer_copy(), cpb_transfer_split() and any other function that takes a file. The
 * message, the rewrite and this file belong to one thread at a time, and the first two must stay
 * unchanged until the file is closed. CPB_E_MEMORY. */
CPB_API cpb_file *cpb_onnx_rewrite_open(const cpb_allocator *allocator, cpb_message_file *message,
                                        const cpb_onnx_rewrite *rewrite, cpb_onnx_file file, cpb_error *error);

#ifdef __cplusplus
}
#endif
#endif
