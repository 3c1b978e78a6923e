#include "host/open/model_file.h"

#include <string.h>

#include "base/status.h"
#include "host/open/lookup.h"
#include "host/url/address.h"

/* The names of a checkpoint's files begin with a prefix: this one in a SavedModel's folder; next to model.meta, and
 * with the index model.index, it is "model". A checkpoint of version 1 is a single file with the prefix as its name. */
#define PREFIX "variables/variables"
#define INDEX ".index"
#define SHARD ".data-%05u-of-%05u"
#define META ".meta"
#define MOST ((uint64_t)64 << 20)             /* of a file that is read whole */
#define FINGERPRINT_MOST ((uint64_t)64 << 10) /* it has some hundred bytes */

/* --- Paths ----------------------------------------------------------------------------- */

/* The ending in the model's path that the endings of the checkpoint's files replace; NULL: the files are in a folder
 * next to the model. */
static const char *ending_of(const cpb_model_file *f) {
  if (f->kind == CPB_MODEL_META_GRAPH && cpb_path_ends_with(f->path, META)) return META;
  if (f->kind != CPB_MODEL_CHECKPOINT) return NULL;
  return cpb_path_ends_with(f->path, INDEX) ? INDEX : "";
}

/* The length of the model's path that the path of a file next to it begins with: the folder, or the prefix. */
static size_t kept(const cpb_model_file *f, unsigned beside) {
  size_t folder = cpb_path_length(f->path);
  const char *ending = beside == CPB_BESIDE_CHECKPOINT ? ending_of(f) : NULL;
  if (ending) return folder - strlen(ending);
  while (folder > 0 && f->path[folder - 1] != '/') folder--;
  return folder;
}

/* The path of the file with this name, or this ending, in the model's folder; from now on errors name that file. */
static const char *path_of(cpb_model_file *f, unsigned beside, const char *name, cpb_error *error) {
  size_t folder = kept(f, beside);
  char *path = cpb_alloc(&f->allocator, strlen(f->path) + strlen(name) + 1);
  if (!path) return cpb_fail_memory(error), NULL;
  cpb_path_replace(f->path, folder, name, path);
  cpb_model_file_blame(f, beside, path);
  return path;
}

const char *cpb_beside_shard_path(cpb_model_file *f, uint32_t shard, cpb_error *error) {
  char name[64];
  const char *prefix = ending_of(f) ? "" : PREFIX;
  unsigned count = cpb_checkpoint_num_shards(f->checkpoint);
  if (cpb_checkpoint_version(f->checkpoint) == 1) cpb_format(name, sizeof name, "%s", prefix);
  else cpb_format(name, sizeof name, "%s" SHARD, prefix, (unsigned)shard, count);
  return path_of(f, CPB_BESIDE_CHECKPOINT, name, error);
}

static cpb_file *open_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error) {
  *absent = f->is_alone;
  if (f->is_alone)
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
             "the values are in a data file beside the checkpoint's index; expected a path or URL, not an open file");
  const char *path = f->is_alone ? NULL : cpb_beside_shard_path(f, shard, error);
  return path ? cpb_lookup_open(&f->allocator, path, f->urls, absent, error) : NULL;
}

bool cpb_beside_use_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error) {
  *absent = false;
  if (f->shard && f->shard_number == (uint64_t)shard + 1) return true;
  cpb_file_close(f->shard);
  f->shard = open_shard(f, shard, absent, error);
  f->shard_number = f->shard || *absent ? (uint64_t)shard + 1 : 0;
  return f->shard != NULL;
}

bool cpb_beside_is_within(const cpb_model_file *f) {
  return f->kind == CPB_MODEL_CHECKPOINT && f->checkpoint && cpb_checkpoint_version(f->checkpoint) == 1;
}

/* --- Reading ----------------------------------------------------------------------------- */

static bool load_whole(cpb_model_file *f, cpb_file *file, uint64_t most,
                       int (*set)(cpb_model *model, const void *data, size_t size), cpb_error *error) {
  size_t size;
  uint8_t *data = cpb_file_read_all(file, most, &size, error);
  if (data && !set(f->model, data, size)) cpb_fail_memory(error);
  cpb_release(&f->allocator, data);
  return error->code == CPB_OK;
}

static bool load_keras(cpb_model_file *f, cpb_file *file, cpb_error *error) {
  return load_whole(f, file, MOST, cpb_model_set_keras_metadata, error);
}

static bool load_fingerprint(cpb_model_file *f, cpb_file *file, cpb_error *error) {
  return load_whole(f, file, FINGERPRINT_MOST, cpb_model_set_fingerprint, error);
}

/* --- The checkpoint ---------------------------------------------------------------------- */

static cpb_step step_values(cpb_values *values, cpb_file *file) {
  cpb_step step;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED) cpb_file_supply(file, cpb_values_input(values));
  return step;
}

/* The object graph: the only string in its tensor, after the length in 8 bytes. */
static bool read_graph(cpb_model_file *f, cpb_file *file, cpb_buffer *out, cpb_error *error) {
  const cpb_values_options how = {
      .struct_size = sizeof how, .checkpoint = f->checkpoint, .max_memory = MOST, .exact_texts = 1};
  const char *key = CPB_CHECKPOINT_GRAPH;
  cpb_values *values = cpb_values_new(&f->allocator, f->kind, key, strlen(key), &how);
  cpb_step step = values ? CPB_STEP_DATA : CPB_STEP_ERROR;
  while (step == CPB_STEP_DATA && (step = step_values(values, file)) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (!cpb_buffer_append(out, data, size)) step = CPB_STEP_ERROR;
  }
  if (step == CPB_STEP_ERROR && values) *error = *cpb_values_error(values);
  if (step == CPB_STEP_ERROR) cpb_fail_memory(error);
  cpb_values_free(values);
  return step == CPB_STEP_DONE;
}

/* If the object graph or its file is missing, the model reports the consequences. */
static bool find_graph(cpb_model_file *f, cpb_buffer *out, cpb_error *error) {
  const cpb_stored *stored = cpb_checkpoint_find(f->checkpoint, CPB_CHECKPOINT_GRAPH, strlen(CPB_CHECKPOINT_GRAPH));
  if (!stored || stored->size > MOST) return true;
  bool absent;
  cpb_file *file = open_shard(f, stored->shard, &absent, error);
  if (absent) cpb_error_begin(error, NULL);
  if (absent) return true;
  bool read = file && read_graph(f, file, out, error);
  cpb_file_close(file);
  return read;
}

/* A checkpoint without its object graph is better than none. */
static bool set_checkpoint(cpb_model_file *f, cpb_error *error) {
  const size_t length = sizeof(uint64_t);
  cpb_buffer graph;
  cpb_buffer_init(&graph, &f->allocator);
  bool has = find_graph(f, &graph, error) && graph.size >= length;
  const uint8_t *text = has ? graph.data + length : NULL;
  if (!cpb_model_set_checkpoint(f->model, f->checkpoint, text, has ? graph.size - length : 0)) cpb_fail_memory(error);
  cpb_buffer_free(&graph);
  return error->code == CPB_OK;
}

/* Reads from the model itself if `file` is NULL. */
static bool read_checkpoint(cpb_model_file *f, cpb_file *file, cpb_error *error) {
  const cpb_checkpoint_options how = {.struct_size = sizeof how, .limits = &f->limits};
  cpb_step step = CPB_STEP_ERROR;
  f->checkpoint = cpb_checkpoint_new(&f->allocator, &how);
  while (f->checkpoint && (step = cpb_checkpoint_step(f->checkpoint)) == CPB_STEP_NEED) {
    cpb_input *input = cpb_checkpoint_input(f->checkpoint);
    if (file) cpb_file_supply(file, input);
    else if (cpb_message_file_supply(f->message, input, error) != CPB_OK) break;
  }
  if (step == CPB_STEP_DONE) return true;
  if (f->checkpoint && error->code == CPB_OK) *error = *cpb_checkpoint_error(f->checkpoint);
  if (error->code == CPB_OK) cpb_fail_memory(error);
  cpb_checkpoint_free(f->checkpoint);
  f->checkpoint = NULL;
  return false;
}

static bool load_checkpoint(cpb_model_file *f, cpb_file *file, cpb_error *error) {
  cpb_model_set_checkpoint(f->model, NULL, NULL, 0);
  cpb_checkpoint_free(f->checkpoint);
  f->checkpoint = NULL;
  return read_checkpoint(f, file, error) && set_checkpoint(f, error);
}

/* --- All of them --------------------------------------------------------------------------- */

/* The name "" means the model's name without its ending, as for a checkpoint of version 1. */
static const struct {
  cpb_beside bit;
  const char *name, *of_prefix;
  bool (*load)(cpb_model_file *f, cpb_file *file, cpb_error *error);
} files[] = {{CPB_BESIDE_KERAS_METADATA, "keras_metadata.pb", NULL, load_keras},
             {CPB_BESIDE_CHECKPOINT, PREFIX INDEX, INDEX, load_checkpoint},
             {CPB_BESIDE_CHECKPOINT, NULL, "", load_checkpoint},
             {CPB_BESIDE_FINGERPRINT, "fingerprint.pb", NULL, load_fingerprint}};

static bool load_named(cpb_model_file *f, size_t i, const char *name, cpb_error *error) {
  const char *path = path_of(f, files[i].bit, name, error);
  bool absent = false;
  cpb_file *file = path ? cpb_lookup_open(&f->allocator, path, f->urls, &absent, error) : NULL;
  if (absent) cpb_error_begin(error, NULL);
  bool loaded = absent || (file && files[i].load(f, file, error));
  if (loaded && file) cpb_file_size(file, &f->sizes[files[i].bit], NULL);
  cpb_file_close(file);
  return loaded;
}

static bool load(cpb_model_file *f, size_t i, cpb_error *error) {
  const bool has_prefix = files[i].bit == CPB_BESIDE_CHECKPOINT && ending_of(f);
  const char *name = has_prefix ? files[i].of_prefix : files[i].name;
  if (f->kind == CPB_MODEL_CHECKPOINT) return f->checkpoint || load_checkpoint(f, NULL, error);
  return !name || (files[i].bit == CPB_BESIDE_CHECKPOINT && f->checkpoint) || load_named(f, i, name, error);
}

bool cpb_beside_load(cpb_model_file *f, unsigned beside, cpb_error *error) {
  const unsigned wanted = beside & ~f->settled;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!(wanted & files[i].bit)) continue;
    if (!load(f, i, error)) return false;
    f->settled |= files[i].bit;
  }
  cpb_model_file_blame(f, 0, NULL);
  return true;
}
