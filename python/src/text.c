/* Texts with their sizes, as arguments. A format's "#" is no way to get them: 3.13 has given up the
 * symbols by which older Pythons know that sizes are Py_ssize_t, and what is compiled by its headers
 * fails there. PyUnicode_AsUTF8AndSize() came to the limited API with 3.10. */
#include "core.h"

void py_text_free(py_text *text) {
  Py_CLEAR(text->bytes);
  *text = (py_text){0};
}

void py_text_lend(const py_text *text, const char **data, size_t *size) {
  *data = text->data;
  *size = text->size;
}

static PyObject *bytes_of(PyObject *object) {
  if (PyUnicode_Check(object)) return PyUnicode_AsUTF8String(object);
  if (!PyBytes_Check(object)) return py_raise_type("a text", object, "str or bytes");
  Py_INCREF(object);
  return object;
}

int py_text_read(PyObject *object, void *to) {
  py_text *text = to;
  char *data = NULL;
  Py_ssize_t size = 0;
  if (!object) return py_text_free(text), 0; /* an argument after this one is wrong */
  *text = (py_text){.bytes = bytes_of(object)};
  if (!text->bytes) return 0;
  if (PyBytes_AsStringAndSize(text->bytes, &data, &size) < 0) return py_text_free(text), 0;
  text->data = data;
  text->size = (size_t)size;
  return Py_CLEANUP_SUPPORTED;
}

int py_text_read_if_any(PyObject *object, void *to) {
  if (object != Py_None) return py_text_read(object, to);
  *(py_text *)to = (py_text){0};
  return 1;
}
