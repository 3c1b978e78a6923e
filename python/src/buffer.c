/* The bytes of other objects. The limited API of 3.9 has no Py_buffer: a memoryview holds the
 * bytes where they are, and says where that is to the functions of the old buffer protocol, which
 * are part of the stable ABI for good, though newer headers no longer declare them. */
#include "core.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
PyAPI_FUNC(int) PyObject_AsReadBuffer(PyObject *object, const void **data, Py_ssize_t *size);
PyAPI_FUNC(int) PyObject_AsWriteBuffer(PyObject *object, void **data, Py_ssize_t *size);

static bool hold(py_buffer *buffer, PyObject *object, const char *what) {
  *buffer = (py_buffer){.view = PyMemoryView_FromObject(object)};
  if (buffer->view) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyErr_Clear();
  return py_raise_type(what, object, "bytes, or what has the buffer protocol") != NULL;
}

bool py_buffer_read(py_buffer *buffer, PyObject *object, const char *what) {
  const void *data;
  Py_ssize_t size;
  if (!hold(buffer, object, what)) return false;
  bool done = PyObject_AsReadBuffer(buffer->view, &data, &size) == 0;
  if (done) buffer->data = (uint8_t *)(uintptr_t)data;
  if (done) buffer->size = (size_t)size;
  else py_buffer_free(buffer);
  return done;
}

bool py_buffer_write(py_buffer *buffer, PyObject *object, const char *what) {
  void *data;
  Py_ssize_t size;
  if (!hold(buffer, object, what)) return false;
  bool done = PyObject_AsWriteBuffer(buffer->view, &data, &size) == 0;
  if (done) buffer->data = data;
  if (done) buffer->size = (size_t)size;
  else py_buffer_free(buffer);
  return done;
}

void py_buffer_free(py_buffer *buffer) {
  Py_XDECREF(buffer->view);
  *buffer = (py_buffer){0};
}

bool py_buffer_has(const py_buffer *buffer, const uint8_t *data, uint64_t size) {
  const uintptr_t begin = (uintptr_t)buffer->data, at = (uintptr_t)data;
  return buffer->view && at >= begin && at <= begin + buffer->size && size <= begin + buffer->size - at;
}

PyObject *py_buffer_part(const py_buffer *buffer, const uint8_t *data, uint64_t size) {
  const Py_ssize_t from = data - buffer->data;
  PyObject *bytes = PyObject_CallMethod(buffer->view, "cast", "s", "B");
  PyObject *flat = bytes ? PyObject_CallMethod(bytes, "toreadonly", NULL) : NULL;
  PyObject *part = flat ? PySequence_GetSlice(flat, from, from + (Py_ssize_t)size) : NULL;
  Py_XDECREF(bytes);
  Py_XDECREF(flat);
  return part;
}

PyObject *py_bytes_new(uint64_t size) {
  if (size > (uint64_t)PY_SSIZE_T_MAX - 64) return PyErr_NoMemory();
  return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
}
