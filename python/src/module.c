/* The module libcpb._core. */
#include "core.h"

bool py_add_type(PyObject *module, PyTypeObject **type, PyType_Spec *spec) {
  if (!*type) *type = (PyTypeObject *)PyType_FromSpec(spec);
  if (!*type) return false;
  Py_INCREF(*type);
  if (PyModule_AddObject(module, strrchr(spec->name, '.') + 1, (PyObject *)*type) == 0) return true;
  Py_DECREF(*type);
  return false;
}

void py_object_free(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
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
                 py_add_transfers(module) && py_add_tensor(module) && py_add_samediff(module) && py_add_diff(module) &&
                 py_add_names(module) && PyModule_AddStringConstant(module, "version", cpb_version()) == 0
             ? 0
             : -1;
}

PyMODINIT_FUNC PyInit__core(void) {
  static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
  static PyModuleDef definition = {
      .m_base = PyModuleDef_HEAD_INIT, .m_name = "libcpb._core", .m_doc = "What libcpb does in C.", .m_slots = slots};
  return PyModuleDef_Init(&definition);
}
