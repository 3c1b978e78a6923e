#include "cpb/values.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/kinds.h"

/* Creation fails only if memory is short. All other problems, even an unknown kind, are the error of the first step,
 * so hosts handle them in one place. `error` is for kinds without a reader; the other readers have their own. */

struct cpb_values {
  cpb_allocator allocator;
  cpb_meter meter;
  cpb_allocator held; /* the meter's, for the reader */
  cpb_values_options options;
  cpb_limits limits;
  char *name, *scope;              /* ours */
  const cpb_values_reader *reader; /* NULL: no such kind */
  void *state_of_reader;
  cpb_input no_input;   /* of a kind without a reader */
  cpb_error error;      /* as well */
  cpb_values_info info; /* its struct_size is 0 until it is known */
  cpb_span data;
};

/* --- Creation -------------------------------------------------------------------- */

static char *copy_text(const cpb_allocator *a, const char *text, size_t size) {
  char *copy = cpb_alloc(a, size);
  if (copy && size > 0) memcpy(copy, text, size);
  return copy;
}

/* The caller's options with defaults, and nothing of the caller's in them. */
static bool copy_options(cpb_values *v, const cpb_values_options *given) {
  cpb_values_options *o = &v->options;
  cpb_options_copy(o, sizeof *o, given);
  v->limits = cpb_limits_or_default(o->limits);
  o->limits = &v->limits;
  o->max_memory = cpb_max_memory_or_default(o->max_memory);
  if (!o->scope) return true;
  o->scope = v->scope = copy_text(&v->allocator, o->scope, o->scope_size);
  return v->scope != NULL;
}

static bool create_reader(cpb_values *v, cpb_model_kind kind, size_t name_size) {
  v->reader = cpb_kind_values(kind, &v->options);
  cpb_meter_init(&v->meter, &v->allocator, &v->limits, NULL);
  v->held = cpb_meter_allocator(&v->meter);
  if (!v->reader) {
    const char *label = cpb_model_kind_label(kind);
    cpb_fail(&v->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "reading values is not supported for models of %s%s",
             label ? "the kind " : "this kind", label ? label : "");
    return true;
  }
  const cpb_span name = {(const uint8_t *)v->name, name_size};
  v->state_of_reader = v->reader->create(&v->held, &v->meter, kind, name, &v->options);
  return v->state_of_reader != NULL;
}

cpb_values *cpb_values_new(const cpb_allocator *given, cpb_model_kind kind, const char *name, size_t name_size,
                           const cpb_values_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_values *v = cpb_alloc_zeroed(&a, sizeof *v);
  if (!v) return NULL;
  v->allocator = a;
  v->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&v->no_input);
  v->name = copy_text(&a, name, name_size);
  if (v->name && copy_options(v, options) && create_reader(v, kind, name_size)) return v;
  cpb_values_free(v);
  return NULL;
}

void cpb_values_free(cpb_values *v) {
  if (!v) return;
  cpb_allocator a = v->allocator;
  if (v->state_of_reader) v->reader->destroy(v->state_of_reader);
  /* not set if the creation failed before the meter was made */
  if (v->held.user) cpb_meter_free(&v->meter);
  cpb_release(&a, v->name);
  cpb_release(&a, v->scope);
  cpb_release(&a, v);
}

/* --- Steps ----------------------------------------------------------------------- */

cpb_input *cpb_values_input(cpb_values *v) { return v->reader ? v->reader->input(v->state_of_reader) : &v->no_input; }

int64_t cpb_values_shard(const cpb_values *v) {
  return v->reader == &cpb_stored_values ? (int64_t)cpb_stored_values_shard(v->state_of_reader) : -1;
}

const cpb_error *cpb_values_error(const cpb_values *v) {
  return v->reader ? v->reader->error(v->state_of_reader) : &v->error;
}

const cpb_values_info *cpb_values_get_info(const cpb_values *v) { return v->info.struct_size != 0 ? &v->info : NULL; }

const uint8_t *cpb_values_data(const cpb_values *v, size_t *size) {
  *size = v->data.size;
  return v->data.data;
}

cpb_step cpb_values_step(cpb_values *v) {
  v->data = (cpb_span){NULL, 0};
  if (cpb_values_error(v)->code != CPB_OK) return CPB_STEP_ERROR;
  v->meter.input = cpb_values_input(v);
  cpb_meter_update(&v->meter);
  cpb_values_info info = {.struct_size = 0};
  cpb_have have = v->reader->next(v->state_of_reader, &info, &v->data);
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  info.struct_size = sizeof info;
  if (have == CPB_HAVE) v->info = info;
  if (have == CPB_HAVE && v->data.size > 0) return CPB_STEP_DATA;
  cpb_input_let_go(cpb_values_input(v));
  if (have == CPB_HAVE) return CPB_STEP_DONE;
  cpb_meter_explain(&v->meter, v->reader->error(v->state_of_reader));
  return CPB_STEP_ERROR;
}
