/* Message: a message of any size, read by ranges. */
#include "message.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *message_type;

static void clear(void *object) {
  py_message *m = object;
  cpb_chunk_reader_free(m->chunks);
  cpb_opened_free(m->opened);
  for (size_t i = 0; i < m->num_bytes; i++) py_buffer_free(&m->buffers[i]);
  free(m->buffers);
  free(m->bytes);
  py_source_close(&m->source);
  m->chunks = NULL;
  m->opened = NULL;
  m->index = NULL;
  m->num_bytes = 0;
  m->buffers = NULL;
  m->bytes = NULL;
  m->open = false;
}

static bool is_open(const py_message *m) {
  return m->open || py_raise_text(CPB_E_USAGE, NULL, "the message is closed") != NULL;
}

bool py_message_begin(py_message *m) {
  if (!py_work_begin(&m->work, NULL)) return false;
  if (is_open(m)) return true;
  py_work_end(&m->work);
  return false;
}

/* --- Opening, without the GIL ------------------------------------------------------------------ */

/* Carries out the opening, or what was requested. */
static cpb_step run(py_message *m, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_opened_step(m->opened)) == CPB_STEP_NEED) {
    cpb_input *input = cpb_opened_input(m->opened);
    if (py_work_go_on(&m->work, 0, 1)) cpb_file_supply(m->source.file, input);
    else cpb_input_fail(input, CPB_E_CANCELLED, "stopped");
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_opened_error(m->opened);
  return step;
}

static bool read_size(py_message *m, cpb_error *error) {
  m->index = cpb_opened_index(m->opened);
  m->size = cpb_opened_size(m->opened);
  return m->index || cpb_file_size(m->source.file, &m->size, error) == CPB_OK;
}

static bool open_message(py_message *m) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  py_work_unlock(&m->work);
  bool done = run(m, &error) == CPB_STEP_DONE && read_size(m, &error);
  py_work_lock(&m->work);
  return done || py_raise(&error, m->source.name) != NULL;
}

/* A sequence of (bytes-like, type). */
static bool take_chunks(py_message *m, PyObject *chunks) {
  Py_ssize_t count = PySequence_Size(chunks);
  if (count < 0) return false;
  m->buffers = calloc((size_t)count + 1, sizeof *m->buffers);
  m->bytes = calloc((size_t)count + 1, sizeof *m->bytes);
  if (!m->buffers || !m->bytes) return PyErr_NoMemory() != NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *pair = PySequence_GetItem(chunks, i), *chunk;
    unsigned type;
    bool taken =
        pair && PyArg_ParseTuple(pair, "OI", &chunk, &type) && py_buffer_read(&m->buffers[i], chunk, "a chunk");
    Py_XDECREF(pair);
    if (!taken) return false;
    m->num_bytes++;
    m->bytes[i] = (cpb_chunk_bytes){.data = m->buffers[i].data, .size = m->buffers[i].size, .type = type};
  }
  return true;
}

/* `tree`: the index of chunks in memory, which says where they belong. */
static bool open_chunks(py_message *m, PyObject *chunks, PyObject *tree, const cpb_opened_options *how) {
  cpb_error error;
  py_buffer where;
  if (!take_chunks(m, chunks) || !py_buffer_read(&where, tree, "the chunked message")) return false;
  cpb_index *index = cpb_index_from_message(NULL, &m->limits, where.data, where.size, &error);
  py_buffer_free(&where);
  if (!index) return py_raise(&error, NULL) != NULL;
  m->opened = cpb_opened_from_chunks(NULL, index, m->bytes, m->num_bytes, how);
  return m->opened || PyErr_NoMemory() != NULL;
}

static bool open_source(py_message *m, PyObject *resolved, const cpb_opened_options *how) {
  if (!py_source_open(&m->source, resolved)) return false;
  m->opened = cpb_opened_new(NULL, how);
  return m->opened || PyErr_NoMemory() != NULL;
}

static bool set_type(py_message *m, PyObject *set, const char *name) {
  m->schema = py_schema_of(set);
  if (!m->schema || !name) return m->schema != NULL;
  m->type = py_schema_find(m->schema, name);
  return m->type != NULL;
}

/* Either of what is read, or of chunks in memory and their index. */
static int message_init(py_message *m, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"schema", "type_name", "limits", "resolved", "form", "progress", "chunks", "tree", NULL};
  PyObject *schema, *limits, *resolved = Py_None, *progress = NULL, *chunks = NULL, *tree = Py_None;
  int form = 0;
  const char *name;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OzO|OiOOO", names, &schema, &name, &limits, &resolved, &form,
                                   &progress, &chunks, &tree))
    return -1;
  if (!py_work_init(&m->work) || !py_limits(&m->limits, limits) || !set_type(m, schema, name)) return -1;
  const cpb_opened_options how = {
      .struct_size = sizeof how, .form = (cpb_opened_form)form, .limits = &m->limits, .type = m->type};
  bool made = chunks ? open_chunks(m, chunks, tree, &how) : open_source(m, resolved, &how);
  if (!made || !py_work_begin(&m->work, progress)) return -1;
  m->open = open_message(m);
  if (!m->open) clear(m);
  py_work_end(&m->work);
  return m->open ? 0 : -1;
}

static void message_dealloc(py_message *m) {
  clear(m);
  Py_XDECREF(m->schema);
  py_object_free(m, &m->work);
}

/* --- Ranges ------------------------------------------------------------------------------------- */

/* Without the GIL. Bytes [offset, offset + length) of the message, which must be there, into `out`.
 * False: `error` says why, or an exception is set. */
static bool copy(py_message *m, uint64_t offset, uint8_t *out, size_t length, cpb_error *error) {
  size_t n, done = 0;
  cpb_step step;
  cpb_opened_read(m->opened, offset, length);
  while ((step = run(m, error)) == CPB_STEP_DATA) {
    const uint8_t *data = cpb_opened_data(m->opened, &n);
    memcpy(out + done, data, n);
    done += n;
    if (!py_work_go_on(&m->work, done, length)) return false;
  }
  if (step == CPB_STEP_DONE && done < length) *error = (cpb_error){.code = CPB_E_TRUNCATED, .offset = offset + done};
  return step == CPB_STEP_DONE && done == length;
}

void py_message_supply(py_message *m, cpb_input *input, cpb_error *error) {
  if (!py_work_go_on(&m->work, 0, 1)) {
    cpb_input_fail(input, CPB_E_CANCELLED, "stopped");
    return;
  }
  cpb_opened_answer(m->opened, input);
  run(m, error);
}

/* What read(offset, length) returns. */
static PyObject *read_bytes(py_message *m, uint64_t offset, uint64_t length) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (offset > m->size) offset = m->size;
  if (length > m->size - offset) length = m->size - offset;
  PyObject *out = py_bytes_new(length);
  uint8_t *to = out ? (uint8_t *)PyBytes_AsString(out) : NULL;
  if (!out) return NULL;
  py_work_unlock(&m->work);
  bool copied = copy(m, offset, to, (size_t)length, &error);
  py_work_lock(&m->work);
  if (copied) return out;
  Py_DECREF(out);
  return py_raise(&error, m->source.name);
}

static PyObject *message_read(py_message *m, PyObject *args) {
  unsigned long long offset, length;
  if (!PyArg_ParseTuple(args, "KK", &offset, &length) || !py_message_begin(m)) return NULL;
  PyObject *out = read_bytes(m, offset, length);
  py_work_end(&m->work);
  return out;
}

static bool read_into(py_message *m, const py_buffer *to, uint64_t offset, size_t *n) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (offset > m->size) offset = m->size;
  *n = m->size - offset < to->size ? (size_t)(m->size - offset) : to->size;
  py_work_unlock(&m->work);
  bool copied = copy(m, offset, to->data, *n, &error);
  py_work_lock(&m->work);
  return copied || py_raise(&error, m->source.name) != NULL;
}

static PyObject *message_readinto(py_message *m, PyObject *args) {
  PyObject *object;
  py_buffer to;
  size_t n = 0;
  unsigned long long offset;
  if (!PyArg_ParseTuple(args, "OK", &object, &offset) || !py_buffer_write(&to, object, "the buffer")) return NULL;
  bool done = py_message_begin(m);
  if (done) {
    done = read_into(m, &to, offset, &n);
    py_work_end(&m->work);
  }
  py_buffer_free(&to);
  return done ? PyLong_FromSize_t(n) : NULL;
}

/* --- Chunks --------------------------------------------------------------------------------------- */

static uint64_t num_chunks(const py_message *m) {
  return m->bytes ? m->num_bytes : m->index ? cpb_index_num_chunks(m->index) : 0;
}

static PyObject *get_num_chunks(py_message *m, void *Py_UNUSED(closure)) {
  return is_open(m) ? PyLong_FromUnsignedLongLong(num_chunks(m)) : NULL;
}

static bool has_chunk(const py_message *m, unsigned long long i) {
  const unsigned long long count = num_chunks(m);
  return i < count ||
         py_raise_text(CPB_E_NOT_FOUND, m->source.name, "there is no chunk %llu; there are %llu", i, count) != NULL;
}

/* (type, size, position) of a chunk. */
static PyObject *message_chunk(py_message *m, PyObject *args) {
  unsigned long long i;
  cpb_chunk_info info = {0};
  if (!PyArg_ParseTuple(args, "K", &i) || !is_open(m) || !has_chunk(m, i)) return NULL;
  if (m->bytes) info = (cpb_chunk_info){.type = m->bytes[i].type, .size = m->bytes[i].size};
  else cpb_index_get_chunk(m->index, i, &info);
  return Py_BuildValue("IKK", (unsigned)info.type, (unsigned long long)info.size, (unsigned long long)info.position);
}

static cpb_step run_chunk(py_message *m) {
  cpb_step step;
  while ((step = cpb_chunk_reader_step(m->chunks)) == CPB_STEP_NEED) {
    if (!py_work_go_on(&m->work, 0, 1)) return CPB_STEP_ERROR;
    cpb_file_supply(m->source.file, cpb_chunk_reader_input(m->chunks));
  }
  return step;
}

/* Makes `*out` when the chunk's size is known, and fills it. */
static cpb_step take_chunk(py_message *m, uint64_t offset, uint64_t length, PyObject **out) {
  size_t done = 0;
  for (;;) {
    py_work_unlock(&m->work);
    cpb_step step = run_chunk(m);
    py_work_lock(&m->work);
    if (step == CPB_STEP_ERROR) return step;
    uint64_t size = cpb_chunk_reader_stored(m->chunks)->size, whole = offset < size ? size - offset : 0;
    if (!*out) *out = py_bytes_new(whole < length ? whole : length);
    if (!*out || step == CPB_STEP_DONE) return *out ? step : CPB_STEP_ERROR;
    size_t n;
    const uint8_t *data = cpb_chunk_reader_data(m->chunks, &n);
    memcpy(PyBytes_AsString(*out) + done, data, n);
    done += n;
  }
}

static PyObject *read_stored(py_message *m, uint64_t i, uint64_t offset, uint64_t length) {
  PyObject *out = NULL;
  const cpb_chunk_reader_options how = {.struct_size = sizeof how, .limits = &m->limits};
  if (!m->chunks) m->chunks = cpb_chunk_reader_new(NULL, m->index, &how);
  if (!m->chunks) return PyErr_NoMemory();
  cpb_chunk_reader_read(m->chunks, i, offset, length);
  if (take_chunk(m, offset, length, &out) == CPB_STEP_DONE) return out;
  py_raise(cpb_chunk_reader_error(m->chunks), m->source.name);
  cpb_chunk_reader_free(m->chunks); /* its error would stay */
  m->chunks = NULL;
  Py_XDECREF(out);
  return NULL;
}

static PyObject *read_given(const py_message *m, uint64_t i, uint64_t offset, uint64_t length) {
  uint64_t size = m->bytes[i].size;
  if (offset > size) offset = size;
  if (length > size - offset) length = size - offset;
  return PyBytes_FromStringAndSize((const char *)m->bytes[i].data + offset, (Py_ssize_t)length);
}

static PyObject *message_read_chunk(py_message *m, PyObject *args) {
  unsigned long long i, offset, length;
  PyObject *out = NULL;
  if (!PyArg_ParseTuple(args, "KKK", &i, &offset, &length) || !py_work_begin(&m->work, NULL)) return NULL;
  if (is_open(m) && has_chunk(m, i))
    out = m->bytes ? read_given(m, i, offset, length) : read_stored(m, i, offset, length);
  py_work_end(&m->work);
  return out;
}

/* --- The rest --------------------------------------------------------------------------------------- */

static PyObject *get_size(py_message *m, void *Py_UNUSED(closure)) {
  return is_open(m) ? PyLong_FromUnsignedLongLong(m->size) : NULL;
}

static PyObject *get_chunked(py_message *m, void *Py_UNUSED(closure)) { return PyBool_FromLong(m->index != NULL); }

/* (splitter, join, bad consumers), or None. */
static PyObject *get_version(py_message *m, void *Py_UNUSED(closure)) {
  cpb_index_version v;
  if (!is_open(m)) return NULL;
  if (!m->index) Py_RETURN_NONE;
  cpb_index_get_version(m->index, &v);
  PyObject *bad = PyTuple_New((Py_ssize_t)v.num_bad_consumers);
  for (size_t i = 0; bad && i < v.num_bad_consumers; i++) {
    PyObject *number = PyLong_FromLong(v.bad_consumers[i]);
    if (!number || PyTuple_SetItem(bad, (Py_ssize_t)i, number) < 0) Py_CLEAR(bad);
  }
  return bad ? Py_BuildValue("iiN", (int)v.splitter, (int)v.join, bad) : NULL;
}

static PyObject *message_close(py_message *m, PyObject *Py_UNUSED(none)) { return py_object_close(m, &m->work, clear); }

static PyMethodDef methods[] = {
    {"_read", (PyCFunction)message_read, METH_VARARGS, NULL},
    {"_readinto", (PyCFunction)message_readinto, METH_VARARGS, NULL},
    {"_chunk", (PyCFunction)message_chunk, METH_VARARGS, NULL},
    {"_read_chunk", (PyCFunction)message_read_chunk, METH_VARARGS, NULL},
    {"_find", (PyCFunction)py_message_find, METH_VARARGS, NULL},
    {"_json", (PyCFunction)py_message_json, METH_VARARGS, NULL},
    {"close", (PyCFunction)message_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"size", (getter)get_size, NULL, "Bytes of the message; of a chunked one, merged.", NULL},
    {"chunked", (getter)get_chunked, NULL, "Whether it is in chunks.", NULL},
    {"num_chunks", (getter)get_num_chunks, NULL, "How many chunks it has; 0 when it is not in chunks.", NULL},
    {"_version", (getter)get_version, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool py_add_message(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_init, message_init},
                                {Py_tp_dealloc, message_dealloc},
                                {Py_tp_methods, (void *)methods},
                                {Py_tp_getset, (void *)getters},
                                {0, NULL}};
  return py_add_type(module, &message_type, "libcpb._core.Message", sizeof(py_message), Py_TPFLAGS_BASETYPE, slots);
}
