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

static bool compare(comparison *d, py_work *work) {
  cpb_step step;
  cpb_need need;
  for (int i = 0; i < 2; i++) d->options.checkpoints[i] = cpb_model_file_checkpoint(d->sides[i]->file);
  d->diff =
      cpb_diff_new(NULL, cpb_model_file_model(d->sides[0]->file), cpb_model_file_model(d->sides[1]->file), &d->options);
  if (!d->diff) return d->error.code = CPB_E_MEMORY, false;
  while ((step = cpb_diff_step(d->diff)) == CPB_STEP_NEED) {
    d->about = d->sides[cpb_diff_side(d->diff)];
    if (!py_work_go_on(work, 0, 1)) return false;
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
static PyObject *run(comparison *d, py_work *work) {
  size_t size = 0;
  PyObject *out = NULL;
  if (!py_model_is_open(d->sides[0]) || !py_model_is_open(d->sides[1])) return NULL;
  py_work_unlock(work);
  bool done = load(d) && compare(d, work);
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
  py_work works[2];
  bool swapped = (uintptr_t)d->sides[0] > (uintptr_t)d->sides[1];
  py_model *first = d->sides[swapped], *second = d->sides[!swapped];
  PyObject *out = NULL;
  if (!py_model_begin(first, &works[0], NULL)) return NULL;
  if (py_model_begin(second, &works[1], NULL)) {
    second->work = &works[0]; /* which is the one that has released the GIL */
    out = run(d, &works[0]);
    py_work_end(&works[1]);
  }
  py_work_end(&works[0]);
  return out;
}

/* (a, b, max_differences, skip_values, limits) */
static PyObject *core_diff(PyObject *Py_UNUSED(module), PyObject *args) {
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

bool py_add_diff(PyObject *module) {
  static PyMethodDef functions[] = {{"diff", core_diff, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
  return PyModule_AddFunctions(module, functions) == 0;
}
