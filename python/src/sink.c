/* What is written, to a file or to a Python object. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define ROOM ((size_t)1 << 20) /* bytes that are gathered for a Python object */

bool py_sink_open(py_sink *sink, PyObject *resolved, bool replace, bool sync) {
  const char *kind;
  PyObject *object;
  cpb_error error;
  const cpb_output_options how = {.struct_size = sizeof how, .replace = replace, .sync = sync};
  if (!PyArg_ParseTuple(resolved, "sOO", &kind, &object, &sink->name)) {
    sink->name = NULL;
    return false;
  }
  Py_INCREF(sink->name);
  if (kind[0] == 'p') {
    const char *path = PyBytes_AsString(object);
    if (!path) return false;
    sink->output = cpb_output_create(NULL, path, &how, &error);
    return sink->output || py_raise(&error, sink->name) != NULL;
  }
  Py_INCREF(object);
  sink->object = object;
  sink->held = malloc(ROOM);
  return sink->held || PyErr_NoMemory() != NULL;
}

static bool pass_on(py_sink *sink) {
  if (sink->length == 0) return true;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *bytes = PyBytes_FromStringAndSize((const char *)sink->held, (Py_ssize_t)sink->length);
  PyObject *done =
      bytes ? PyObject_CallMethod(sink->object, "write_at", "KO", (unsigned long long)sink->begin, bytes) : NULL;
  bool passed = done != NULL;
  Py_XDECREF(bytes);
  Py_XDECREF(done);
  PyGILState_Release(state);
  sink->begin += sink->length;
  sink->length = 0;
  return passed;
}

static bool gather(py_sink *sink, uint64_t offset, const uint8_t *data, size_t length) {
  if (offset != sink->begin + sink->length && !pass_on(sink)) return false;
  if (sink->length == 0) sink->begin = offset;
  while (length > 0) {
    size_t n = ROOM - sink->length < length ? ROOM - sink->length : length;
    memcpy(sink->held + sink->length, data, n);
    sink->length += n;
    data += n;
    length -= n;
    if (sink->length == ROOM && !pass_on(sink)) return false;
  }
  return true;
}

bool py_sink_write(py_sink *sink, uint64_t offset, const uint8_t *data, size_t length, cpb_error *error) {
  if (sink->object) return gather(sink, offset, data, length);
  if (cpb_output_write(sink->output, offset, data, length) == CPB_OK) return true;
  *error = *cpb_output_error(sink->output);
  return false;
}

bool py_sink_commit(py_sink *sink, cpb_error *error) {
  if (sink->object) return pass_on(sink);
  if (cpb_output_commit(sink->output) == CPB_OK) return true;
  *error = *cpb_output_error(sink->output);
  return false;
}

void py_sink_close(py_sink *sink) {
  cpb_output_free(sink->output);
  free(sink->held);
  Py_XDECREF(sink->object);
  Py_XDECREF(sink->name);
  *sink = (py_sink){0};
}
