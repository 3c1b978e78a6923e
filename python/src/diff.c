/* diff(): what differs between two models. */
#include <cpb/diff.h>

#include "model.h"

typedef struct comparison {
  py_model *sides[2];
  cpb_diff_options options;
  cpb_diff *diff;
  py_model *about; /* whom the error is about, or NULL */
  cpb_error error;
} comparison;

/* --- Without the GIL ---------------------------------------------------------------------------- */

static bool load(comparison *d) {
  for (int i = 0; i < 2; i++) {
    d->about = d->sides[i];
    cpb_code code = cpb_model_file_load(d->about->file, CPB_BESIDE_KERAS_METADATA | CPB_BESIDE_CHECKPOINT, &d->error);
    if (code != CPB_OK) return false;
  }
  d->about = NULL;
  return true;
}

static bool compare(comparison *d) {
  cpb_step step;
  cpb_need need;
  for (int i = 0; i < 2; i++) d->options.checkpoints[i] = cpb_model_file_checkpoint(d->sides[i]->file);
  d->diff =
      cpb_diff_new(NULL, cpb_model_file_model(d->sides[0]->file), cpb_model_file_model(d->sides[1]->file), &d->options);
  if (!d->diff) return d->error.code = CPB_E_MEMORY, false;
  while ((step = cpb_diff_step(d->diff)) == CPB_STEP_NEED) {
    d->about = d->sides[cpb_diff_side(d->diff)];
    if (!py_work_go_on(&d->sides[0]->work, 0, 1)) return false;
    cpb_input *input = cpb_diff_input(d->diff);
    cpb_input_need(input, &need);
    /* Of another file the engine says which one it is. */
    if (cpb_model_file_supply(d->about->file, cpb_diff_shard(d->diff), input, &d->error) != CPB_OK && need.file == 0)
      return false;
  }
  if (step == CPB_STEP_DONE) return true;
  int side = cpb_diff_side(d->diff);
  d->about = side < 0 ? NULL : d->sides[side];
  d->error = *cpb_diff_error(d->diff);
  return false;
}

/* --- With it -------------------------------------------------------------------------------------- */

/* Within both models. */
static PyObject *run(comparison *d) {
  py_work *work = &d->sides[0]->work, *other = &d->sides[1]->work;
  size_t size = 0;
  PyObject *out = NULL;
  py_work_unlock(work);
  other->state = work->state; /* of the same thread */
  bool done = load(d) && compare(d);
  other->state = NULL;
  py_work_lock(work);
  const char *json = done ? cpb_diff_result(d->diff, &size) : NULL;
  if (json) out = PyUnicode_DecodeUTF8(json, (Py_ssize_t)size, "strict");
  else if (d->about) py_model_raise(d->about, &d->error);
  else py_raise(&d->error, NULL);
  cpb_diff_free(d->diff);
  return out;
}

/* Both are entered, in one order whatever theirs is, so that two threads cannot wait for each other. */
static PyObject *enter(comparison *d) {
  bool swapped = (uintptr_t)d->sides[0] > (uintptr_t)d->sides[1];
  py_model *first = d->sides[swapped], *second = d->sides[!swapped];
  PyObject *out = NULL;
  if (!py_model_begin(first, NULL)) return NULL;
  if (py_model_begin(second, NULL)) {
    out = run(d);
    py_work_end(&second->work);
  }
  py_work_end(&first->work);
  return out;
}

/* (a, b, max_differences, skip_values, limits) */
PyObject *py_diff(PyObject *Py_UNUSED(module), PyObject *args) {
  PyObject *a, *b, *numbers;
  cpb_limits limits;
  unsigned long long most;
  comparison d = {.options = {.struct_size = sizeof d.options, .limits = &limits},
                  .error = {.code = CPB_OK, .offset = CPB_NO_OFFSET}};
  if (!PyArg_ParseTuple(args, "OOKpO", &a, &b, &most, &d.options.skip_values, &numbers) ||
      !py_limits(&limits, numbers) || !(d.sides[0] = py_model_of(a)) || !(d.sides[1] = py_model_of(b)))
    return NULL;
  if (a == b) return py_raise_text(CPB_E_USAGE, NULL, "both models are the same object; expected two");
  d.options.max_differences = most;
  return enter(&d);
}
