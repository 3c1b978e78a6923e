#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/file.h"
#include "host/open/lookup.h"
#include "host/open/model_file.h"
#include "host/references.h"
#include "host/url/address.h"

#define TEXT_MOST ((uint64_t)256 << 20) /* its message takes as much again */

/* --- Opening ------------------------------------------------------------------------------ */

/* Opens the file that was found, and keeps its path. */
static cpb_file *find_file(cpb_model_file *f, const char *path, cpb_error *error) {
  size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  f->path = cpb_alloc(&f->allocator, size);
  if (f->path) return cpb_find_and_open(&f->allocator, path, f->urls, f->path, size, error);
  return cpb_fail_memory(error), NULL;
}

static bool keep_path(cpb_model_file *f, const char *path, cpb_error *error) {
  size_t size = strlen(path) + 1;
  f->path = cpb_alloc(&f->allocator, size);
  if (f->path) memcpy(f->path, path, size);
  else cpb_fail_memory(error);
  return f->path != NULL;
}

static bool open_message(cpb_model_file *f, cpb_file *file, const cpb_model_file_options *options, cpb_error *error) {
  const cpb_message_file_options how = {.struct_size = sizeof how,
                                        .limits = options->model ? options->model->limits : NULL,
                                        .progress = options->progress,
                                        .user = options->user,
                                        .keep_damaged = options->keep_damaged,
                                        .urls = f->urls,
                                        .allow_references = options->allow_references};
  f->message = cpb_message_file_on(&f->allocator, file, f->path, &how, error);
  return f->message != NULL;
}

/* Reads bytes of the message from `at` on; one read extends to the end of a chunk. If it fails, `*size` has the number
 * of bytes before. */
static bool read_bytes(cpb_model_file *f, uint64_t at, size_t most, uint8_t *out, size_t *size, cpb_error *error) {
  for (*size = 0; *size < most;) {
    size_t length = most - *size;
    const uint8_t *data = cpb_message_file_read(f->message, at + *size, &length, error);
    if (!data) return false;
    if (length == 0) break;
    memcpy(out + *size, data, length);
    *size += length;
  }
  return true;
}

static bool is_damage(const cpb_error *error) { return error->code == CPB_E_DAMAGED || error->code == CPB_E_TRUNCATED; }

/* Reads the last bytes into `end`; errors are ignored, because the bytes are only evidence. */
static void read_end(cpb_model_file *f, cpb_file_ends *ends, uint8_t *end) {
  cpb_error ignored = {.code = CPB_OK};
  const size_t most = (size_t)cpb_min_u64(ends->size, CPB_END_BYTES);
  if (ends->begin_size < cpb_min_u64(ends->size, CPB_BEGIN_BYTES)) return;
  if (!read_bytes(f, ends->size - most, most, end, &ends->end_size, &ignored) || ends->end_size < most)
    ends->end_size = 0;
  ends->end = end;
}

/* Reads the whole message into one block. */
static uint8_t *read_whole(cpb_model_file *f, size_t size, cpb_error *error) {
  size_t got = 0;
  uint8_t *whole = cpb_alloc(&f->allocator, size);
  if (!whole) return cpb_fail_memory(error), NULL;
  if (read_bytes(f, 0, size, whole, &got, error) && got == size) return whole;
  cpb_fail(error, CPB_E_READ, got, "the file became shorter");
  cpb_release(&f->allocator, whole);
  return NULL;
}

/* For a model in protobuf's text format: the parsed message replaces the file. */
static bool read_text(cpb_model_file *f, uint64_t length, const cpb_model_file_options *options, cpb_error *error) {
  size_t size = 0;
  if (length > TEXT_MOST)
    return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET, "a text of %llu bytes; at most %llu are read",
                     (unsigned long long)length, (unsigned long long)TEXT_MOST);
  uint8_t *text = read_whole(f, (size_t)length, error);
  const cpb_text_options how = {.struct_size = sizeof how,
                                .allocator = &f->allocator,
                                .limits = &f->limits,
                                .keep_damaged = options->keep_damaged};
  if (text) f->made = cpb_model_from_text(f->kind, text, (size_t)length, &how, &size, error);
  cpb_release(&f->allocator, text);
  if (!f->made) return false;
  if (error->code != CPB_OK) f->torn = *error;
  cpb_error_begin(error, NULL);
  cpb_message_file_close(f->message);
  f->message = NULL;
  cpb_file *file = cpb_file_open_memory(&f->allocator, f->made, size, error);
  cpb_open_beside *open = cpb_archive_is_path(f->path) ? cpb_archive_open : NULL;
  if (file && !cpb_file_stand_for(file, f->path, f->urls, open))
    return cpb_file_close(file), cpb_fail_memory(error) == CPB_OK;
  return file && open_message(f, file, options, error);
}

/* Says what the file is, or why no model was found in the archive: advice to unpack it would not help then. */
static void fail_foreign(const cpb_model_file *f, const cpb_file_ends *ends, cpb_error *error) {
  char what[sizeof error->message], name[80];
  const char *kind = cpb_foreign_describe(ends, what, sizeof what);
  const char *within = f->is_within ? strstr(f->path, CPB_ARCHIVE_MARK) + strlen(CPB_ARCHIVE_MARK) : NULL;
  if (f->zip.code != CPB_OK && kind && strncmp(kind, "zip", 3) == 0) *error = f->zip;
  else if (within)
    cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "%s in it: %s",
             cpb_quote(name, sizeof name, within, cpb_path_length(f->path) - (size_t)(within - f->path)), what);
  else cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "%s", what);
}

/* Judges by the first bytes, and by the last ones if these are not enough. */
static bool guess_kind(cpb_model_file *f, cpb_file_ends *ends, uint8_t *end, const cpb_model_file_options *options,
                       cpb_error *error) {
  f->kind = cpb_model_guess(ends);
  if (!f->kind) {
    read_end(f, ends, end);
    f->kind = cpb_model_guess(ends);
  }
  cpb_error_begin(error, NULL);
  if (f->kind) return true;
  f->kind = cpb_model_guess_text(&f->allocator, ends->begin, ends->begin_size, error);
  if (f->kind) return read_text(f, ends->size, options, error);
  if (error->code != CPB_OK) return false;
  fail_foreign(f, ends, error);
  return false;
}

static bool find_kind(cpb_model_file *f, const cpb_model_file_options *options, cpb_error *error) {
  uint8_t begin[CPB_BEGIN_BYTES];
  cpb_file_ends ends = {
      .struct_size = sizeof ends, .begin = begin, .name = f->path, .name_size = cpb_path_length(f->path)};
  f->kind = options->kind;
  if (cpb_message_file_size(f->message, &ends.size, error) != CPB_OK) return false;
  if (f->kind && ends.size > 0) return true;
  if (!read_bytes(f, 0, sizeof begin, begin, &ends.begin_size, error) && !(options->keep_damaged && is_damage(error)))
    return false;
  uint8_t *end = cpb_alloc(&f->allocator, CPB_END_BYTES);
  if (!end) return cpb_fail_memory(error) == CPB_OK;
  const bool found = guess_kind(f, &ends, end, options, error);
  cpb_release(&f->allocator, end);
  return found;
}

/* The files that are not searched next to the model. */
static unsigned settled_of(const cpb_model_file *f, const cpb_model_file_options *options) {
  if (f->kind == CPB_MODEL_SAVED_MODEL) return options->leave_out;
  if (f->kind == CPB_MODEL_CHECKPOINT && f->is_alone) return CPB_BESIDE_ALL & ~(unsigned)CPB_BESIDE_CHECKPOINT;
  if (f->kind == CPB_MODEL_CHECKPOINT || (f->kind == CPB_MODEL_META_GRAPH && cpb_path_ends_with(f->path, ".meta")))
    return options->leave_out | (CPB_BESIDE_ALL & ~(unsigned)CPB_BESIDE_CHECKPOINT);
  return CPB_BESIDE_ALL;
}

/* Replaces a zip archive that contains a model by that model. A file named .cpb or .pb stays as it is. */
static cpb_file *unpack(cpb_model_file *f, cpb_file *file, cpb_error *error) {
  if (cpb_path_ends_with(f->path, ".cpb") || cpb_path_ends_with(f->path, ".pb") || !cpb_archive_is_zip(file))
    return file;
  cpb_file *model = cpb_archive_open_model(&f->allocator, file, &f->path, f->urls, &f->limits, &f->zip, error);
  f->is_within = model != NULL;
  if (!model && error->code != CPB_OK) cpb_file_close(file);
  if (model) cpb_file_size(model, &f->sizes[0], NULL);
  return model || error->code != CPB_OK ? model : file;
}

/* Takes `file` over. */
static bool open_model(cpb_model_file *f, cpb_file *file, const cpb_model_file_options *options, cpb_error *error) {
  if (!options->kind) file = unpack(f, file, error);
  if (!file || !open_message(f, file, options, error) || !find_kind(f, options, error)) return false;
  f->settled = settled_of(f, options);
  f->model = cpb_model_new(&f->allocator, f->kind, options->model);
  if (!f->model) return cpb_fail_memory(error) == CPB_OK;
  const char *damage = cpb_message_file_damage(f->message);
  if (damage) cpb_model_note_damage(f->model, damage);
  if (f->torn.code != CPB_OK) cpb_model_note_damage(f->model, f->torn.message);
  return true;
}

/* Opens nothing yet. */
static cpb_model_file *make(const cpb_allocator *given, const cpb_model_file_options *options, cpb_error *error) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_model_file *f = cpb_alloc_zeroed(&a, sizeof *f);
  if (!f) return cpb_fail_memory(error), NULL;
  f->allocator = a;
  f->urls = options->urls;
  f->limits = cpb_limits_or_default(options->model ? options->model->limits : NULL);
  cpb_buffer_init(&f->answer, &a);
  return f;
}

cpb_model_file *cpb_model_file_open(const cpb_allocator *given, const char *path, const cpb_model_file_options *options,
                                    cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_model_file_options ours;
  cpb_options_copy(&ours, sizeof ours, options);
  cpb_model_file *f = make(given, &ours, error);
  cpb_file *file = f ? find_file(f, path, error) : NULL;
  if (file) cpb_file_size(file, &f->sizes[0], NULL);
  if (file && open_model(f, file, &ours, error)) return f;
  cpb_model_file_close(f);
  return NULL;
}

cpb_model_file *cpb_model_file_on(const cpb_allocator *given, cpb_file *file, const char *path,
                                  const cpb_model_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_model_file_options ours;
  cpb_options_copy(&ours, sizeof ours, options);
  ours.leave_out = CPB_BESIDE_ALL;
  ours.urls = NULL;
  cpb_model_file *f = make(given, &ours, error);
  bool named = f && keep_path(f, path, error);
  if (f) f->is_alone = true;
  if (!named) cpb_file_close(file);
  if (named && open_model(f, file, &ours, error)) return f;
  cpb_model_file_close(f);
  return NULL;
}

void cpb_model_file_close(cpb_model_file *f) {
  if (!f) return;
  cpb_allocator a = f->allocator;
  cpb_model_free(f->model);
  cpb_checkpoint_free(f->checkpoint);
  cpb_file_close(f->shard);
  cpb_message_file_close(f->message);
  cpb_release(&a, f->made);
  cpb_buffer_free(&f->answer);
  cpb_release(&a, f->culprit_path);
  cpb_release(&a, f->path);
  cpb_release(&a, f);
}

/* --- For the files that share it ------------------------------------------------------------ */

void cpb_model_file_blame(cpb_model_file *f, unsigned beside, char *path) {
  cpb_release(&f->allocator, f->culprit_path);
  f->culprit = beside;
  f->culprit_path = path;
}

bool cpb_model_file_run(cpb_model_file *f, const cpb_question *question, cpb_error *error) {
  cpb_step step;
  cpb_model_ask(f->model, question);
  while ((step = cpb_model_step(f->model)) == CPB_STEP_NEED)
    if (cpb_message_file_supply(f->message, cpb_model_input(f->model), error) != CPB_OK) return false;
  if (step == CPB_STEP_ERROR) *error = *cpb_model_error(f->model);
  return step == CPB_STEP_DONE;
}

/* --- Questions ---------------------------------------------------------------------------- */

/* A checkpoint as the model is read from its own file, but its object graph is in a file next to it. */
static unsigned needed_for(const cpb_model_file *f, cpb_question_kind kind) {
  if (f->kind == CPB_MODEL_CHECKPOINT) return CPB_BESIDE_CHECKPOINT;
  switch (kind) {
    case CPB_ASK_LAYERS:
    case CPB_ASK_LOAD:
    case CPB_ASK_CUT:
    case CPB_ASK_SEARCH: return CPB_BESIDE_KERAS_METADATA;
    case CPB_ASK_VARIABLES: return CPB_BESIDE_KERAS_METADATA | CPB_BESIDE_CHECKPOINT;
    case CPB_ASK_OVERVIEW: return CPB_BESIDE_KERAS_METADATA | CPB_BESIDE_CHECKPOINT | CPB_BESIDE_FINGERPRINT;
    default: return 0;
  }
}

const char *cpb_model_file_ask(cpb_model_file *f, const cpb_question *question, size_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_model_file_blame(f, 0, NULL);
  if (f->reading) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "an array of this model is still open; close it first");
  if (f->reading || !cpb_beside_load(f, needed_for(f, question->kind), error)) return NULL;
  if (!cpb_model_file_run(f, question, error)) return NULL;
  return cpb_model_answer(f->model, size);
}

cpb_code cpb_model_file_load(cpb_model_file *f, unsigned beside, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_model_file_blame(f, 0, NULL);
  cpb_beside_load(f, beside, error);
  return error->code;
}

void cpb_model_file_leave_out(cpb_model_file *f, unsigned beside) { f->settled |= beside; }

unsigned cpb_model_file_culprit(const cpb_model_file *f, const char **path) {
  *path = f->culprit_path ? f->culprit_path : f->path;
  return f->culprit;
}

/* --- Supplying ---------------------------------------------------------------------------- */

/* A missing shard is noticed only once. */
cpb_code cpb_model_file_supply(cpb_model_file *f, int64_t shard, cpb_input *input, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  bool absent = false;
  cpb_model_file_blame(f, 0, NULL);
  if (shard < 0 || cpb_beside_is_within(f)) return cpb_message_file_supply(f->message, input, error);
  if (!f->checkpoint || (f->shard_number == (uint64_t)shard + 1 && !f->shard)) absent = true;
  else if (cpb_beside_use_shard(f, (uint32_t)shard, &absent, error)) cpb_file_supply(f->shard, input);
  else if (!absent) cpb_input_fail_with(input, error);
  if (!absent) return error->code;
  cpb_error_begin(error, NULL);
  cpb_input_fail(input, CPB_E_NOT_FOUND, "this file of the checkpoint is not there");
  return CPB_OK;
}

/* --- Parts -------------------------------------------------------------------------------- */

const char *cpb_model_file_path(const cpb_model_file *f) { return f->path; }
cpb_model_kind cpb_model_file_kind(const cpb_model_file *f) { return f->kind; }
cpb_message_file *cpb_model_file_message(cpb_model_file *f) { return f->message; }
cpb_model *cpb_model_file_model(cpb_model_file *f) { return f->model; }
const cpb_checkpoint *cpb_model_file_checkpoint(const cpb_model_file *f) { return f->checkpoint; }

const char *cpb_model_file_shard(cpb_model_file *f, uint32_t shard) {
  cpb_error ignored;
  return f->checkpoint ? cpb_beside_shard_path(f, shard, cpb_error_begin(&ignored, NULL)) : NULL;
}

/* --- Two models --------------------------------------------------------------------------- */

/* False if the file changed in between, or has no ETag. */
static bool is_same_state(const cpb_model_file *a, const cpb_model_file *b) {
  const cpb_validators *x = cpb_message_file_validators(a->message), *y = cpb_message_file_validators(b->message);
  return x && y && x->known && y->known && *x->etag && strcmp(x->etag, y->etag) == 0 &&
         strcmp(x->last_modified, y->last_modified) == 0 && x->size == y->size;
}

/* The folder of `path`, which the caller releases; NULL if memory is short. */
static char *folder_of(const cpb_allocator *a, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  size_t size = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = cpb_alloc(a, size + 2);
  *name = path + size;
  if (!folder) return NULL;
  memcpy(folder, path, size);
  memcpy(folder + size, ".", 2);
  return folder;
}

/* Files that it refers to are found from the folder, so the folder must be the same as well. */
static bool is_same_place(const cpb_model_file *a, const cpb_model_file *b) {
  const char *x, *y;
  char *first = folder_of(&a->allocator, a->path, &x), *second = folder_of(&a->allocator, b->path, &y);
  bool same = first && second && strcmp(x, y) == 0 && cpb_reference_is_same(first, second) &&
              cpb_reference_is_same(a->path, b->path);
  cpb_release(&a->allocator, first);
  cpb_release(&a->allocator, second);
  return same;
}

int cpb_model_file_is_same(const cpb_model_file *a, const cpb_model_file *b) {
  if (!a->path || !b->path || a->kind != b->kind) return false;
  if (cpb_message_file_validators(a->message)) return strcmp(a->path, b->path) == 0 && is_same_state(a, b);
  return is_same_place(a, b);
}

/* --- Sizes -------------------------------------------------------------------------------- */

uint64_t cpb_model_file_size(const cpb_model_file *f, unsigned beside) {
  return beside < CPB_BESIDE_ALL ? f->sizes[beside] : 0;
}
