/* What C's names stand for, as dicts: kinds of models, questions, codecs. */
#include <cpb/model.h>
#include <cpb/records.h>

#include "core.h"

static const char *kind_name(int number) { return cpb_model_kind_name((cpb_model_kind)number); }
static const char *question_name(int number) { return cpb_question_name((cpb_question_kind)number); }
static const char *codec_name(int number) { return cpb_codec_name((cpb_codec)number); }

static PyObject *number_of(int number) { return PyLong_FromLong(number); }

/* Of a codec also its least and its highest level, which are None where it has none. */
static PyObject *codec_of(int number) {
  int least, most;
  if (!cpb_codec_levels((cpb_codec)number, &least, &most)) return Py_BuildValue("(iOO)", number, Py_None, Py_None);
  return Py_BuildValue("(iii)", number, least, most);
}

static bool add(PyObject *module, const char *what, const char *(*name)(int), PyObject *(*value)(int)) {
  PyObject *names = PyDict_New();
  bool done = names != NULL;
  for (int number = 1; done && name(number); number++) {
    PyObject *one = value(number);
    done = one && PyDict_SetItemString(names, name(number), one) == 0;
    Py_XDECREF(one);
  }
  done = done && PyModule_AddObject(module, what, names) == 0;
  if (!done) Py_XDECREF(names);
  return done;
}

bool py_add_names(PyObject *module) {
  return add(module, "kinds", kind_name, number_of) && add(module, "questions", question_name, number_of) &&
         add(module, "codecs", codec_name, codec_of);
}
