/* tensor(): the values of one serialized TensorProto. */
#include <cpb/values.h>

#include "core.h"

static PyObject *shape_of(const cpb_values_info *info) {
  PyObject *shape = PyTuple_New((Py_ssize_t)info->rank);
  for (uint32_t i = 0; shape && i < info->rank; i++) {
    PyObject *size = PyLong_FromUnsignedLongLong(info->shape[i]);
    if (!size || PyTuple_SetItem(shape, (Py_ssize_t)i, size) < 0) Py_CLEAR(shape);
  }
  return shape;
}

PyObject *py_values_of(const struct cpb_values_info *info, PyObject *data) {
  PyObject *shape = shape_of(info);
  PyObject *out = shape ? Py_BuildValue("szIOOO", info->dtype, info->numpy, (unsigned)info->item_size, shape,
                                        info->fortran_order ? Py_True : Py_False, data)
                        : NULL;
  Py_XDECREF(shape);
  return out;
}

/* The next bytes of the values, without the GIL; NULL at the end, or with an error. */
static const uint8_t *next(cpb_values *values, cpb_file *file, py_work *work, size_t *size, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED) {
    if (!py_work_go_on(work, 0, 1)) return error->code = CPB_E_CANCELLED, NULL;
    cpb_file_supply(file, cpb_values_input(values));
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_values_error(values);
  return step == CPB_STEP_DATA ? cpb_values_data(values, size) : NULL;
}

/* Values that lie in the tensor as they are to be lie there in one piece: then that is *where, and `to` stays
 * empty. Otherwise they are in `to`, a bytearray, which has room for all. */
static bool copy(cpb_values *values, const py_source *source, py_work *work, PyObject **to, const uint8_t **where,
                 uint64_t most, cpb_error *error) {
  size_t size = 0, done = 0;
  py_work_unlock(work);
  const uint8_t *data = next(values, source->file, work, &size, error);
  py_work_lock(work);
  const cpb_values_info *info = cpb_values_get_info(values);
  if (error->code != CPB_OK || !info) return false;
  if (info->size > most)
    return py_raise_text(CPB_E_LIMIT, NULL, "the array has %llu bytes; max_size allows %llu",
                         (unsigned long long)info->size, (unsigned long long)most) != NULL;
  if (data && size == info->size && py_buffer_has(&source->memory, data, size)) return *where = data, true;
  *to = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)info->size);
  uint8_t *out = *to ? (uint8_t *)PyByteArray_AsString(*to) : NULL;
  py_work_unlock(work);
  while (out && data && size <= info->size - done) {
    memcpy(out + done, data, size);
    done += size;
    data = next(values, source->file, work, &size, error);
  }
  py_work_lock(work);
  return out && !data && error->code == CPB_OK;
}

/* (source in memory, resolved; most bytes) */
PyObject *py_tensor(PyObject *Py_UNUSED(module), PyObject *args) {
  PyObject *resolved, *to = NULL, *out = NULL;
  unsigned long long most;
  const uint8_t *where = NULL;
  py_source source = {0};
  py_work work = py_work_alone(NULL);
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (!PyArg_ParseTuple(args, "OK", &resolved, &most) || !py_source_open(&source, resolved)) return NULL;
  const cpb_values_options how = {.struct_size = sizeof how, .tensor_size = source.memory.size, .exact_texts = 1};
  cpb_values *values = cpb_values_new(NULL, CPB_MODEL_GRAPH_DEF, "tensor", 6, &how);
  if (!values) PyErr_NoMemory();
  else {
    const bool done = copy(values, &source, &work, &to, &where, most, &error);
    const cpb_values_info *info = cpb_values_get_info(values);
    if (done && !to) to = py_buffer_part(&source.memory, where, info->size);
    if (done && to) out = py_values_of(info, to);
    else py_raise(&error, NULL);
  }
  Py_XDECREF(to);
  cpb_values_free(values);
  py_source_close(&source);
  return out;
}
