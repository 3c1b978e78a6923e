/* Schema: message types. */
#include <cpb/message.h>

#include "core.h"

struct py_schema {
  PyObject_HEAD;
  cpb_schema *schema;
};

static PyTypeObject *schema_type;

static PyObject *new_schema(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"descriptor_set", "limits", NULL};
  PyObject *set = Py_None, *given = Py_None;
  cpb_limits limits;
  py_buffer bytes = {0};
  cpb_error error;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O", names, &set, &given) || !py_limits(&limits, given))
    return NULL;
  if (set != Py_None && !py_buffer_read(&bytes, set, "descriptor_set")) return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  py_schema *self = (py_schema *)allocate(type, 0);
  if (self) {
    self->schema = set == Py_None ? cpb_schema_new_builtin(NULL, &error)
                                  : cpb_schema_new(NULL, bytes.data, bytes.size, &limits, &error);
    if (!self->schema) py_raise(&error, NULL);
    if (!self->schema) Py_CLEAR(self);
  }
  py_buffer_free(&bytes);
  return (PyObject *)self;
}

static void dealloc(py_schema *self) {
  cpb_schema_free(self->schema);
  py_object_free(self, NULL);
}

PyObject *py_schema_of(PyObject *set) {
  if (Py_TYPE(set) != schema_type) return PyObject_CallFunctionObjArgs((PyObject *)schema_type, set, NULL);
  Py_INCREF(set);
  return set;
}

const cpb_schema *py_schema_get(PyObject *schema) { return ((py_schema *)schema)->schema; }

const cpb_message_type *py_schema_find(PyObject *schema, const char *name) {
  const cpb_message_type *type = cpb_schema_find_message(py_schema_get(schema), name);
  if (!type) py_raise_text(CPB_E_NOT_FOUND, NULL, "no message type \"%.120s\" in the schema", name);
  return type;
}

static PyObject *get_names(py_schema *self, void *Py_UNUSED(closure)) {
  size_t count = cpb_schema_num_messages(self->schema);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *name = PyUnicode_FromString(cpb_schema_get_message(self->schema, i)->name);
    if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *schema_repr(py_schema *self) {
  return PyUnicode_FromFormat("<libcpb.Schema of %zd message types>",
                              (Py_ssize_t)cpb_schema_num_messages(self->schema));
}

/* The numbers of fields, as text: (names, schema, name of the type), of which the last two may be None. */
PyObject *py_field_numbers(PyObject *Py_UNUSED(module), PyObject *args) {
  const char *names, *type_name;
  PyObject *set;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (!PyArg_ParseTuple(args, "sOz", &names, &set, &type_name)) return NULL;
  PyObject *schema = type_name ? py_schema_of(set) : NULL;
  const cpb_message_type *type = schema ? py_schema_find(schema, type_name) : NULL;
  PyObject *numbers = NULL;
  if (!type_name || type) {
    const size_t room = 10 * strlen(names) + 1;
    char *out = PyMem_Malloc(room);
    if (!out) PyErr_NoMemory();
    else if (cpb_message_field_numbers(NULL, type, names, out, room, &error) != CPB_OK) py_raise(&error, NULL);
    else numbers = PyUnicode_FromString(out);
    PyMem_Free(out);
  }
  Py_XDECREF(schema);
  return numbers;
}

bool py_add_schema(PyObject *module) {
  static PyGetSetDef getters[] = {
      {"message_names", (getter)get_names, NULL, "Full names of all message types, in their order.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {
      {Py_tp_new, new_schema},
      {Py_tp_dealloc, dealloc},
      {Py_tp_repr, schema_repr},
      {Py_tp_getset, getters},
      {Py_tp_doc,
       "Schema(descriptor_set=None, *, limits=None)\n--\n\n"
       "Message types: those of a serialized ``FileDescriptorSet``, or, for None, those that a\n"
       "TensorFlow SavedModel is made of. It never changes and may be shared by threads. `limits`:\n"
       "what a set that is given may take."},
      {0, NULL}};
  return py_add_type(module, &schema_type, "libcpb.Schema", sizeof(py_schema), 0, slots);
}
