/* What the files of the type Model share. */
#ifndef CPB_PYTHON_MODEL_H
#define CPB_PYTHON_MODEL_H

#include <cpb/open.h>

#include "core.h"

typedef struct py_model {
  PyObject_HEAD;
  py_work work;
  cpb_model_file *file; /* NULL: closed */
  cpb_limits limits;
  py_source source; /* without its cpb_file, which is the model file's */
} py_model;

/* As py_work_begin(), and fails when it is closed. */
bool py_model_begin(py_model *model, PyObject *progress);

/* Raises the error, which may be about a file beside the model. Returns NULL. */
PyObject *py_model_raise(py_model *model, const cpb_error *error);

/* Whether no damaged chunk had a part of the message; else false with the error. */
bool py_model_is_whole(py_model *model, cpb_error *error);

/* cut.c: a method of the type. */
PyObject *py_model_cut(py_model *model, PyObject *args);

/* NULL with a TypeError if the object is no Model. */
py_model *py_model_of(PyObject *object);

#endif
