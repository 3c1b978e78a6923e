#include <string.h>

#include "base/json_read.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/open/model_file.h"

#define DEPTH 1000 /* of an answer, which our own code wrote */
#define CANDIDATES 1000

struct cpb_values_file {
  cpb_model_file *owner;
  cpb_values *values;
  cpb_step step; /* the next result to return */
};

/* --- Reading ------------------------------------------------------------------------------- */

/* In this case the engine tells which file it was. */
static bool is_of_other(const cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  return need.kind != CPB_NEED_NONE && need.file > 0;
}

static bool supply(cpb_values_file *v, cpb_error *error) {
  cpb_model_file *f = v->owner;
  cpb_input *input = cpb_values_input(v->values);
  const int64_t shard = cpb_values_shard(v->values);
  bool absent;
  if (shard < 0 || cpb_beside_is_within(f))
    return cpb_message_file_supply(f->message, input, error) == CPB_OK || is_of_other(input);
  if (!cpb_beside_use_shard(f, (uint32_t)shard, &absent, error)) return false;
  cpb_file_supply(f->shard, input);
  return true;
}

static void step(cpb_values_file *v, cpb_error *error) {
  while ((v->step = cpb_values_step(v->values)) == CPB_STEP_NEED) {
    if (supply(v, error)) continue;
    v->step = CPB_STEP_ERROR;
    return;
  }
  if (v->step == CPB_STEP_ERROR) *error = *cpb_values_error(v->values);
}

const uint8_t *cpb_values_file_read(cpb_values_file *v, size_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (v->step == CPB_STEP_NEED) step(v, error);
  *size = 0;
  if (v->step == CPB_STEP_DONE) return (const uint8_t *)"";
  if (v->step == CPB_STEP_DATA) {
    v->step = CPB_STEP_NEED;
    return cpb_values_data(v->values, size);
  }
  if (error->code == CPB_OK) *error = *cpb_values_error(v->values);
  return NULL;
}

const cpb_values_info *cpb_values_file_info(const cpb_values_file *v) { return cpb_values_get_info(v->values); }

/* --- Opening ------------------------------------------------------------------------------- */

void cpb_values_file_close(cpb_values_file *v) {
  if (!v) return;
  cpb_allocator a = v->owner->allocator;
  v->owner->reading = false;
  cpb_values_free(v->values);
  cpb_release(&a, v);
}

/* Takes over `values` (NULL: memory was short). Runs until the array is described. */
static cpb_values_file *open_values(cpb_model_file *f, cpb_values *values, cpb_error *error) {
  cpb_values_file *v = values ? cpb_alloc(&f->allocator, sizeof *v) : NULL;
  if (!v) {
    cpb_values_free(values);
    return cpb_fail_memory(error), NULL;
  }
  *v = (cpb_values_file){.owner = f, .values = values};
  step(v, error);
  f->reading = true;
  if (v->step != CPB_STEP_ERROR) return v;
  cpb_values_file_close(v);
  return NULL;
}

static bool begin(cpb_model_file *f, cpb_error *error) {
  cpb_model_file_blame(f, 0, NULL);
  if (f->reading) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "an array of this model is still open; close it first");
  return !f->reading;
}

static void append(cpb_error *error, const char *words, const cpb_error *more) {
  const size_t length = strlen(error->message);
  cpb_format(error->message + length, sizeof error->message - length, "; %s%s", words, more->message);
}

/* --- A variable ----------------------------------------------------------------------------- */

static bool same(cpb_span a, cpb_span b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static bool is_member(yyjson_val *item, const char *member, cpb_span name) {
  cpb_span text;
  return cpb_json_text(cpb_json_member(item, member), &text) && same(text, name);
}

/* Entries with a key, which several may share: the last key, and their number. */
typedef struct keyed {
  cpb_span key;
  uint64_t count;
} keyed;

static void add_key(keyed *k, cpb_span key) {
  if (k->count == 0 || !same(k->key, key)) k->count++;
  k->key = key;
}

/* Resolves a name: the entry with this path or key, or else the only one that is stored. The copy that Keras 3 stores
 * of a weight counts as the same one. */
static keyed find_key(yyjson_val *items, cpb_span name, uint64_t *copies) {
  keyed originals = {{NULL, 0}, 0}, copied = {{NULL, 0}, 0};
  size_t i, count;
  yyjson_val *item;
  *copies = 0;
  yyjson_arr_foreach(items, i, count, item) {
    cpb_span key;
    const bool is_copy = cpb_json_member(item, "copy_of") != NULL;
    *copies += is_copy;
    if (!cpb_json_text(cpb_json_member(item, "key"), &key)) continue;
    if (same(key, name) || is_member(item, "path", name)) return (keyed){key, 1};
    add_key(is_copy ? &copied : &originals, key);
  }
  return originals.count > 0 ? originals : copied;
}

static bool choose_key(yyjson_val *answer, cpb_span name, cpb_span *key, cpb_error *error) {
  uint64_t total = 0, copies;
  char quoted[128];
  yyjson_val *page = cpb_json_member(answer, "variables");
  const keyed found = find_key(cpb_json_member(page, "items"), name, &copies);
  *key = found.key;
  cpb_json_unsigned(cpb_json_member(page, "total"), &total);
  cpb_quote(quoted, sizeof quoted, name.data, name.size);
  if (found.count == 0)
    cpb_fail(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the checkpoint has no values for the variable \"%s\"", quoted);
  if (found.count > 1)
    cpb_fail(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
             "%llu variables are called \"%s\"; expected the path or the key of one",
             (unsigned long long)(copies < total ? total - copies : total), quoted);
  return found.count == 1;
}

static const cpb_stored *find_stored(cpb_model_file *f, const cpb_question *question, cpb_error *error) {
  const cpb_stored *stored = NULL;
  cpb_span key = {NULL, 0}, json, name = {(const uint8_t *)question->name, question->name_size};
  if (!cpb_model_file_run(f, question, error)) return NULL;
  json.data = (const uint8_t *)cpb_model_answer(f->model, &json.size);
  yyjson_doc *answer = cpb_json_read(&f->allocator, json, DEPTH, error);
  if (answer && choose_key(yyjson_doc_get_root(answer), name, &key, error)) {
    stored = cpb_checkpoint_find(f->checkpoint, (const char *)key.data, key.size);
    if (!stored) cpb_fail(error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the checkpoint does not have this variable's key");
  }
  yyjson_doc_free(answer);
  return stored;
}

static bool is_damage(cpb_code code) {
  return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_FORMAT;
}

/* Without the object graph, a variable is still found by its key: `of_graph` says why it could not be read. */
static bool load_checkpoint(cpb_model_file *f, cpb_error *of_graph, cpb_error *error) {
  const bool loaded = cpb_beside_load(f, CPB_BESIDE_CHECKPOINT, error);
  if (!loaded && (!f->checkpoint || !is_damage(error->code))) return false;
  *of_graph = *error;
  cpb_error_begin(error, NULL);
  cpb_model_file_blame(f, 0, NULL);
  if (!f->checkpoint)
    cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET,
             "the model has no checkpoint; expected variables/variables.index beside it");
  return f->checkpoint != NULL;
}

cpb_values_file *cpb_model_file_variable(cpb_model_file *f, const char *name, size_t name_size,
                                         const cpb_values_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_values_options how;
  cpb_options_copy(&how, sizeof how, options);
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = CPB_ASK_VARIABLES,
                                 .name = name,
                                 .name_size = name_size,
                                 .meta_graph = how.meta_graph,
                                 .count = CANDIDATES};
  cpb_error of_graph;
  if (!begin(f, error) || !load_checkpoint(f, &of_graph, error)) return NULL;
  const cpb_stored *stored = find_stored(f, &question, error);
  if (!stored && of_graph.code != CPB_OK && f->kind != CPB_MODEL_CHECKPOINT)
    append(error, "its object graph could not be read: ", &of_graph);
  if (!stored) return NULL;
  how.checkpoint = f->checkpoint;
  return open_values(f, cpb_values_new(&f->allocator, f->kind, stored->key, stored->key_size, &how), error);
}

/* --- An array ----------------------------------------------------------------------------- */

/* The model has nothing with this name, as opposed to a missing file. */
static bool is_unknown(const cpb_error *error) { return error->code == CPB_E_NOT_FOUND && !cpb_is_of_reading(error); }

/* A name that is not a constant of the model may be a variable; `error` then says why it is not. */
static cpb_values_file *open_variable_instead(cpb_model_file *f, const char *name, size_t name_size,
                                              const cpb_values_options *how, cpb_error *error) {
  cpb_error other, first = *error;
  cpb_values_file *v = cpb_model_file_variable(f, name, name_size, how, &other);
  cpb_error_begin(error, NULL);
  if (v) return v;
  *error = other;
  if (!is_unknown(&other) && (other.code != CPB_E_FORMAT || f->checkpoint)) return NULL;
  *error = first;
  if (is_unknown(&other)) append(error, "", &other);
  cpb_model_file_blame(f, 0, NULL);
  return NULL;
}

static bool may_have_variables(const cpb_model_file *f, const cpb_values_options *how) {
  const bool is_saved = f->kind == CPB_MODEL_SAVED_MODEL || f->kind == CPB_MODEL_META_GRAPH;
  return is_saved && !how->scope && how->tensor_size == 0;
}

cpb_values_file *cpb_model_file_values(cpb_model_file *f, const char *name, size_t name_size,
                                       const cpb_values_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_values_options how;
  if (f->kind == CPB_MODEL_CHECKPOINT) return cpb_model_file_variable(f, name, name_size, options, given_error);
  if (!begin(f, error)) return NULL;
  cpb_options_copy(&how, sizeof how, options);
  how.checkpoint = NULL;
  cpb_values_file *v = open_values(f, cpb_values_new(&f->allocator, f->kind, name, name_size, &how), error);
  if (v || !is_unknown(error) || !may_have_variables(f, &how)) return v;
  return open_variable_instead(f, name, name_size, &how, error);
}
