/* What is written, to a file or to a Python object. */
#include <stdio.h>

#include "core.h"

/* The exception stays with the sink: this thread may end before the call that it works for. */
static cpb_code stopped(py_sink *sink, cpb_error *error) {
  if (!sink->type) PyErr_Fetch(&sink->type, &sink->value, &sink->trace);
  PyErr_Clear();
  snprintf(error->message, sizeof error->message, "the file object has raised an exception");
  return CPB_E_CANCELLED;
}

static cpb_code pass_on(void *user, uint64_t offset, const void *data, size_t length, cpb_error *error) {
  py_sink *sink = user;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)length);
  PyObject *done =
      bytes ? PyObject_CallMethod(sink->object, "write_at", "KO", (unsigned long long)offset, bytes) : NULL;
  cpb_code code = done ? CPB_OK : stopped(sink, error);
  Py_XDECREF(bytes);
  Py_XDECREF(done);
  PyGILState_Release(state);
  return code;
}

static bool extend(py_sink *sink, const char *path, const cpb_output_options *how) {
  cpb_error error;
  sink->output = cpb_output_extend(NULL, path, how, &error);
  cpb_file *file = sink->output ? cpb_output_read_back(sink->output, &error) : NULL;
  bool done = file && cpb_file_size(file, &sink->begin, &error) == CPB_OK;
  cpb_file_close(file);
  return done || py_raise(&error, sink->name) != NULL;
}

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
  if (kind[0] == 'p' || kind[0] == 'e') {
    const char *path = PyBytes_AsString(object);
    if (!path || kind[0] == 'e') return path && extend(sink, path, &how);
    sink->output = cpb_output_create(NULL, path, &how, &error);
    return sink->output || py_raise(&error, sink->name) != NULL;
  }
  Py_INCREF(object);
  sink->object = object;
  const cpb_sink to = {.struct_size = sizeof to, .user = sink, .write = pass_on};
  sink->output = cpb_output_create_sink(NULL, &to, &error);
  return sink->output || py_raise(&error, sink->name) != NULL;
}

static bool succeeds(const py_sink *sink, cpb_code code, cpb_error *error) {
  if (code != CPB_OK) *error = *cpb_output_error(sink->output);
  return code == CPB_OK;
}

bool py_sink_write(py_sink *sink, uint64_t offset, const uint8_t *data, size_t length, cpb_error *error) {
  return succeeds(sink, cpb_output_write(sink->output, offset, data, length), error);
}

bool py_sink_flush(py_sink *sink, cpb_error *error) { return succeeds(sink, cpb_output_flush(sink->output), error); }

bool py_sink_commit(py_sink *sink, cpb_error *error) { return succeeds(sink, cpb_output_commit(sink->output), error); }

PyObject *py_sink_raise(py_sink *sink, const cpb_error *error, PyObject *name) {
  if (sink->type && !PyErr_Occurred()) {
    PyErr_Restore(sink->type, sink->value, sink->trace);
    sink->type = sink->value = sink->trace = NULL;
  }
  return py_raise(error, name);
}

void py_sink_close(py_sink *sink) {
  cpb_output_free(sink->output);
  Py_XDECREF(sink->type);
  Py_XDECREF(sink->value);
  Py_XDECREF(sink->trace);
  Py_XDECREF(sink->object);
  Py_XDECREF(sink->name);
  *sink = (py_sink){0};
}
