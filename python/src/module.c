/* The module libcpb._core. */
#include "core.h"

bool py_add_type(PyObject *module, PyTypeObject **type, const char *name, size_t size, unsigned long flags,
                 PyType_Slot *slots) {
  PyType_Spec spec = {
      .name = name, .basicsize = (int)size, .flags = (unsigned)(Py_TPFLAGS_DEFAULT | flags), .slots = slots};
  if (!*type) *type = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!*type) return false;
  Py_INCREF(*type);
  if (PyModule_AddObject(module, strrchr(name, '.') + 1, (PyObject *)*type) == 0) return true;
  Py_DECREF(*type);
  return false;
}

PyObject *py_object_close(void *object, py_work *work, void (*clear)(void *object)) {
  if (!work->lock) Py_RETURN_NONE;
  if (!py_work_begin(work, NULL)) return NULL;
  clear(object);
  py_work_end(work);
  Py_RETURN_NONE;
}

void py_object_free(void *object, py_work *work) {
  PyTypeObject *type = Py_TYPE(object);
  if (work && work->lock) PyThread_free_lock(work->lock);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

/* Types and the GIL's functions are those of the main interpreter. */
static bool is_main_interpreter(void) {
  int64_t id = PyInterpreterState_GetID(PyInterpreterState_Get());
  if (id == 0) return true;
  if (id > 0)
    PyErr_SetString(PyExc_ImportError, "libcpb can be imported in the main interpreter only, not in sub-interpreters");
  return false;
}

static int execute(PyObject *module) {
  return is_main_interpreter() && py_errors_init() && py_add_schema(module) && py_add_record_reader(module) &&
                 py_add_record_writer(module) && py_add_message(module) && py_add_model(module) &&
                 py_add_names(module) && PyModule_AddStringConstant(module, "version", cpb_version()) == 0
             ? 0
             : -1;
}

PyMODINIT_FUNC PyInit__core(void) {
  static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
  static PyMethodDef functions[] = {
      {"merge", py_merge, METH_VARARGS, NULL},
      {"split", py_split, METH_VARARGS, NULL},
      {"repack", py_repack, METH_VARARGS, NULL},
      {"tensor", py_tensor, METH_VARARGS, NULL},
      {"write_samediff", py_write_samediff, METH_VARARGS, NULL},
      {"diff", py_diff, METH_VARARGS, NULL},
      {"field_numbers", py_field_numbers, METH_VARARGS, NULL},
      {NULL, NULL, 0, NULL},
  };
  static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                   .m_name = "libcpb._core",
                                   .m_doc = "What libcpb does in C.",
                                   .m_methods = functions,
                                   .m_slots = slots};
  return PyModuleDef_Init(&definition);
}
