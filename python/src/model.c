/* Model: what is inside a model, and its arrays. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

static PyTypeObject *model_type;

static void clear(void *object) {
  py_model *m = object;
  cpb_model_file_close(m->file);
  m->file = NULL;
  py_source_close(&m->source);
}

static bool is_open(const py_model *m) {
  return m->file || py_raise_text(CPB_E_USAGE, m->source.name, "the model is closed") != NULL;
}

bool py_model_begin(py_model *m, PyObject *progress) {
  if (!py_work_begin(&m->work, progress)) return false;
  if (is_open(m)) return true;
  py_work_end(&m->work);
  return false;
}

PyObject *py_model_raise(py_model *m, const cpb_error *error) {
  const char *path = NULL;
  PyObject *name = NULL;
  if (PyErr_Occurred()) return NULL;
  if (m->file && cpb_model_file_culprit(m->file, &path) && path) name = PyUnicode_DecodeFSDefault(path);
  if (!name) PyErr_Clear();
  py_raise(error, name ? name : m->source.name);
  Py_XDECREF(name);
  return NULL;
}

/* A path or URL, beside which other files may lie. */
static cpb_model_file *open_place(py_model *m, PyObject *resolved, cpb_model_file_options *how, cpb_error *error) {
  const char *path = py_source_prepare(&m->source, resolved);
  if (!path) return NULL;
  how->urls = m->source.urls;
  py_work_unlock(&m->work);
  cpb_model_file *file = cpb_model_file_open(NULL, path, how, error);
  py_work_lock(&m->work);
  return file;
}

/* Whatever else can be read. Its name is looked at for its ending. */
static cpb_model_file *open_source(py_model *m, PyObject *resolved, const cpb_model_file_options *how,
                                   cpb_error *error) {
  if (!py_source_open(&m->source, resolved)) return NULL;
  PyObject *name = m->source.name == Py_None ? PyBytes_FromString("") : PyUnicode_EncodeFSDefault(m->source.name);
  if (!name) return NULL;
  cpb_file *file = m->source.file;
  const char *path = PyBytes_AsString(name);
  m->source.file = NULL;
  py_work_unlock(&m->work);
  cpb_model_file *made = cpb_model_file_on(NULL, file, path, how, error);
  py_work_lock(&m->work);
  Py_DECREF(name);
  return made;
}

/* (resolved source, kind, max_value, max_memory, leave_out, progress) */
static int model_init(py_model *m, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"resolved", "kind", "max_value", "max_memory", "leave_out", "progress", "limits", NULL};
  PyObject *resolved, *progress, *numbers;
  int kind;
  unsigned leave_out;
  unsigned long long max_value, max_memory;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OiKKIOO", names, &resolved, &kind, &max_value, &max_memory,
                                   &leave_out, &progress, &numbers))
    return -1;
  if (!py_work_init(&m->work) || !py_limits(&m->limits, numbers) || !py_work_begin(&m->work, progress)) return -1;
  const cpb_model_options inside = {
      .struct_size = sizeof inside, .max_value = max_value, .max_memory = max_memory, .limits = &m->limits};
  cpb_model_file_options how = {.struct_size = sizeof how,
                                .kind = (cpb_model_kind)kind,
                                .model = &inside,
                                .leave_out = leave_out,
                                .progress = py_work_progress,
                                .user = &m->work,
                                .keep_damaged = 1};
  m->file =
      py_source_has_place(resolved) ? open_place(m, resolved, &how, &error) : open_source(m, resolved, &how, &error);
  if (!m->file) {
    py_raise(&error, m->source.name);
    clear(m);
  }
  py_work_end(&m->work);
  return m->file ? 0 : -1;
}

static void model_dealloc(py_model *m) {
  clear(m);
  py_object_free(m, &m->work);
}

/* --- Questions ---------------------------------------------------------------------------------------- */

static PyObject *ask(py_model *m, const cpb_question *question) {
  size_t size = 0;
  cpb_error error;
  py_work_unlock(&m->work);
  const char *answer = cpb_model_file_ask(m->file, question, &size, &error);
  py_work_lock(&m->work);
  return answer ? PyUnicode_DecodeUTF8(answer, (Py_ssize_t)size, "strict") : py_model_raise(m, &error);
}

/* (question, name, scope, to, distance, meta graph, first, count, brief, progress) */
static PyObject *model_ask(py_model *m, PyObject *args) {
  int kind;
  PyObject *progress, *out = NULL;
  py_text name = {0}, scope = {0}, to = {0};
  unsigned long long first, count, distance;
  cpb_question question = {.struct_size = sizeof question};
  if (PyArg_ParseTuple(args, "iO&O&O&KIKKpO", &kind, py_text_read_if_any, &name, py_text_read_if_any, &scope,
                       py_text_read_if_any, &to, &distance, &question.meta_graph, &first, &count, &question.brief,
                       &progress) &&
      py_model_begin(m, progress)) {
    question.kind = (cpb_question_kind)kind;
    py_text_lend(&name, &question.name, &question.name_size);
    py_text_lend(&scope, &question.scope, &question.scope_size);
    py_text_lend(&to, &question.to, &question.to_size);
    question.distance = distance;
    question.first = first;
    question.count = count;
    out = ask(m, &question);
    py_work_end(&m->work);
  }
  py_text_free(&name);
  py_text_free(&scope);
  py_text_free(&to);
  return out;
}

/* --- Arrays -------------------------------------------------------------------------------------------- */

/* Without the GIL. */
static bool fill(py_model *m, cpb_values_file *values, uint8_t *to, uint64_t room, cpb_error *error) {
  for (uint64_t done = 0;;) {
    size_t size;
    const uint8_t *data = cpb_values_file_read(values, &size, error);
    if (!data) return false;
    if (size == 0) return true;
    if (size > room - done) return error->code = CPB_E_DAMAGED, false;
    memcpy(to + done, data, size);
    done += size;
    if (!py_work_go_on(&m->work, done, room)) return false;
  }
}

static PyObject *take_values(py_model *m, cpb_values_file *values, uint64_t most) {
  const cpb_values_info *info = cpb_values_file_info(values);
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (info->size > most)
    return py_raise_text(CPB_E_LIMIT, m->source.name, "the array has %llu bytes; max_size allows %llu",
                         (unsigned long long)info->size, (unsigned long long)most);
  if (info->size > (uint64_t)PY_SSIZE_T_MAX - 64) return PyErr_NoMemory();
  PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)info->size);
  if (!bytes) return NULL;
  uint8_t *to = (uint8_t *)PyByteArray_AsString(bytes);
  py_work_unlock(&m->work);
  bool done = fill(m, values, to, info->size, &error);
  py_work_lock(&m->work);
  PyObject *out = done ? py_values_of(info, bytes) : py_model_raise(m, &error);
  Py_DECREF(bytes);
  return out;
}

/* What is made of a model whose message lacks what damaged chunks had would be another: that is refused. */
bool py_model_is_whole(py_model *m, cpb_error *error) {
  cpb_message_file *message = m->file ? cpb_model_file_message(m->file) : NULL;
  const char *damage = message ? cpb_message_file_damage(message) : NULL;
  *error = (cpb_error){.code = damage ? CPB_E_DAMAGED : CPB_OK, .offset = CPB_NO_OFFSET};
  if (damage) snprintf(error->message, sizeof error->message, "%s", damage);
  return !damage;
}

/* What is asked about an array. */
typedef struct array_question {
  py_text name, scope;
  cpb_values_options values;
  int variable;
  unsigned long long number; /* the most bytes; or the axis from 1, or 0 */
  PyObject *progress;
} array_question;

static PyObject *read_values(py_model *m, const array_question *q) {
  cpb_error error;
  py_work_unlock(&m->work);
  cpb_values_file *values = (q->variable ? cpb_model_file_variable : cpb_model_file_values)(
      m->file, q->name.data, q->name.size, &q->values, &error);
  py_work_lock(&m->work);
  PyObject *out = values ? take_values(m, values, q->number) : py_model_raise(m, &error);
  cpb_values_file_close(values);
  return out;
}

static PyObject *read_statistics(py_model *m, const array_question *q) {
  size_t size;
  cpb_error error;
  const cpb_model_statistics_options how = {
      .struct_size = sizeof how, .values = &q->values, .variable = q->variable, .axis = (uint32_t)q->number};
  py_work_unlock(&m->work);
  const char *json = cpb_model_file_statistics(m->file, q->name.data, q->name.size, &how, &size, &error);
  py_work_lock(&m->work);
  return json ? PyUnicode_DecodeUTF8(json, (Py_ssize_t)size, NULL) : py_model_raise(m, &error);
}

/* (name, whether of a variable, scope, state, meta graph, number, progress) */
static PyObject *ask_array(py_model *m, PyObject *args, PyObject *(*read)(py_model *, const array_question *)) {
  cpb_error error;
  PyObject *out = NULL;
  array_question q = {.values.struct_size = sizeof q.values};
  if (PyArg_ParseTuple(args, "O&pO&IIKO", py_text_read, &q.name, &q.variable, py_text_read_if_any, &q.scope,
                       &q.values.state, &q.values.meta_graph, &q.number, &q.progress) &&
      py_model_begin(m, q.progress)) {
    py_text_lend(&q.scope, &q.values.scope, &q.values.scope_size);
    const bool whole = q.variable || py_model_is_whole(m, &error);
    out = whole ? read(m, &q) : py_model_raise(m, &error);
    py_work_end(&m->work);
  }
  py_text_free(&q.name);
  py_text_free(&q.scope);
  return out;
}

/* ask_array()'s number: the most bytes. */
static PyObject *model_values(py_model *m, PyObject *args) { return ask_array(m, args, read_values); }

/* ask_array()'s number: the axis from 1, or 0. */
static PyObject *model_statistics(py_model *m, PyObject *args) { return ask_array(m, args, read_statistics); }

/* --- The rest --------------------------------------------------------------------------------------------- */

/* Without the GIL. */
static bool copy(cpb_message_file *message, uint64_t offset, uint8_t *to, size_t length, cpb_error *error) {
  for (size_t done = 0; done < length;) {
    size_t n = length - done;
    const uint8_t *data = cpb_message_file_read(message, offset + done, &n, error);
    if (!data || n == 0) return false;
    memcpy(to + done, data, n);
    done += n;
  }
  return true;
}

static PyObject *read_range(py_model *m, uint64_t offset, uint64_t length) {
  cpb_message_file *message = cpb_model_file_message(m->file);
  uint64_t size = 0;
  cpb_error error;
  if (!message) return NULL;
  if (cpb_message_file_size(message, &size, &error) != CPB_OK) return py_model_raise(m, &error);
  if (offset > size) offset = size;
  if (length > size - offset) length = size - offset;
  PyObject *out = py_bytes_new(length);
  uint8_t *to = out ? (uint8_t *)PyBytes_AsString(out) : NULL;
  if (!out) return NULL;
  py_work_unlock(&m->work);
  bool copied = copy(message, offset, to, (size_t)length, &error);
  py_work_lock(&m->work);
  if (copied) return out;
  Py_DECREF(out);
  return py_model_raise(m, &error);
}

/* Bytes [offset, offset + length) of the model's message, as answers say where things are. */
static PyObject *model_read(py_model *m, PyObject *args) {
  unsigned long long offset, length;
  if (!PyArg_ParseTuple(args, "KK", &offset, &length) || !py_model_begin(m, NULL)) return NULL;
  PyObject *out = read_range(m, offset, length);
  py_work_end(&m->work);
  return out;
}

static PyObject *get_kind(py_model *m, void *Py_UNUSED(closure)) {
  return is_open(m) ? PyLong_FromLong(cpb_model_file_kind(m->file)) : NULL;
}

static PyObject *get_path(py_model *m, void *Py_UNUSED(closure)) {
  if (!is_open(m)) return NULL;
  const char *path = cpb_model_file_path(m->file);
  if (!path[0]) Py_RETURN_NONE;
  return PyUnicode_DecodeFSDefault(path);
}

static PyObject *model_close(py_model *m, PyObject *Py_UNUSED(none)) { return py_object_close(m, &m->work, clear); }

static PyMethodDef methods[] = {
    {"_ask", (PyCFunction)model_ask, METH_VARARGS, NULL},
    {"_values", (PyCFunction)model_values, METH_VARARGS, NULL},
    {"_statistics", (PyCFunction)model_statistics, METH_VARARGS, NULL},
    {"_read", (PyCFunction)model_read, METH_VARARGS, NULL},
    {"_cut", (PyCFunction)py_model_cut, METH_VARARGS, NULL},
    {"close", (PyCFunction)model_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"_kind", (getter)get_kind, NULL, NULL, NULL},
    {"path", (getter)get_path, NULL,
     "The path or URL of the model's own file, or the name of a file object; None if it has none.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

py_model *py_model_of(PyObject *object) {
  if (PyObject_TypeCheck(object, model_type)) return (py_model *)object;
  PyErr_SetString(PyExc_TypeError, "expected a Model");
  return NULL;
}

bool py_add_model(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_init, model_init},
                                {Py_tp_dealloc, model_dealloc},
                                {Py_tp_methods, (void *)methods},
                                {Py_tp_getset, (void *)getters},
                                {0, NULL}};
  return py_add_type(module, &model_type, "libcpb._core.Model", sizeof(py_model), Py_TPFLAGS_BASETYPE, slots);
}
