/* cpb_error as libcpb.CpbError. */
#include <stdarg.h>
#include <stdio.h>

#include "core.h"

static PyObject *exception; /* the class */

bool py_errors_init(void) {
  if (exception) return true;
  PyObject *module = PyImport_ImportModule("libcpb._errors");
  if (module) exception = PyObject_GetAttrString(module, "CpbError");
  Py_XDECREF(module);
  return exception != NULL;
}

PyObject *py_raise(const cpb_error *error, PyObject *name) {
  if (PyErr_Occurred()) return NULL;
  const bool placed = error->offset != CPB_NO_OFFSET;
  PyObject *offset = Py_BuildValue(placed ? "K" : "", (unsigned long long)error->offset);
  if (!offset) return NULL;
  const char *text = error->message[0] ? error->message : cpb_code_text(error->code);
  PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  PyObject *made = message ? PyObject_CallFunction(exception, "OsOOhh", message, cpb_code_name(error->code), offset,
                                                   name ? name : Py_None, error->system, error->status)
                           : NULL;
  if (made) PyErr_SetObject(exception, made);
  Py_XDECREF(made);
  Py_XDECREF(message);
  Py_DECREF(offset);
  return NULL;
}

PyObject *py_raise_text(cpb_code code, PyObject *name, const char *format, ...) {
  cpb_error error = {.code = code, .offset = CPB_NO_OFFSET};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error.message, sizeof error.message, format, arguments);
  va_end(arguments);
  return py_raise(&error, name);
}

PyObject *py_raise_type(const char *what, PyObject *object, const char *expected) {
  PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  if (type) PyErr_Format(PyExc_TypeError, "%s is %U; expected %s", what, type, expected);
  Py_XDECREF(type);
  return NULL;
}
