/* RecordReader. */
#include <cpb/records.h>
#include <stdlib.h>

#include "core.h"

#define BATCH 1024
#define ROOM ((size_t)256 << 10)

typedef struct reader {
  PyObject_HEAD;
  py_work work;
  py_source source;
  cpb_record_reader *engine; /* NULL: closed */
  PyObject *on_skipped;      /* called with (begin, end, reason), or NULL: damage is an error */
  /* A batch, of which `at` records were given out: their bytes go on at `data`. */
  size_t at, count, beyond; /* and so many of the engine's lie beyond the end */
  const uint8_t *data;
  size_t sizes[BATCH];
  bool given;    /* a record, since the last seek */
  uint64_t stop; /* the position at which reading in order ends */
  bool stopped;  /* there; until the next seek */
  uint8_t *room; /* ROOM bytes for records by number, once these are asked for */
} reader;

static PyTypeObject *reader_type;

static void clear(void *object) {
  reader *r = object;
  cpb_record_reader_free(r->engine);
  free(r->room);
  r->engine = NULL;
  r->room = NULL;
  r->at = r->count = 0;
  py_source_close(&r->source);
  Py_CLEAR(r->on_skipped);
}

static bool is_open(const reader *r) {
  return r->engine || py_raise_text(CPB_E_USAGE, r->source.name, "the record reader is closed") != NULL;
}

/* As py_work_begin(), and fails when the reader is closed. */
static bool begin(reader *r) {
  if (!py_work_begin(&r->work, NULL)) return false;
  if (is_open(r)) return true;
  py_work_end(&r->work);
  return false;
}

static int reader_init(reader *r, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"resolved", "on_skipped", "verify", "position", "buffer", "memory", "limits", "fields", NULL};
  PyObject *resolved, *on_skipped, *numbers;
  const char *fields;
  cpb_limits limits;
  int verify;
  unsigned long long position, buffer, memory;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOiKKKOz", names, &resolved, &on_skipped, &verify, &position, &buffer,
                                   &memory, &numbers, &fields))
    return -1;
  if (!py_work_init(&r->work) || !py_limits(&limits, numbers) || !py_source_open(&r->source, resolved)) return -1;
  const cpb_record_reader_options how = {.struct_size = sizeof how,
                                         .recover = on_skipped != Py_None,
                                         .verify = (cpb_verify)verify,
                                         .position = position,
                                         .buffer = (size_t)buffer,
                                         .memory = (size_t)memory,
                                         .limits = &limits,
                                         .fields = fields};
  r->engine = cpb_record_reader_new(NULL, &how);
  if (!r->engine) return PyErr_NoMemory(), -1;
  r->stop = UINT64_MAX;
  if (on_skipped == Py_None) return 0;
  Py_INCREF(on_skipped);
  r->on_skipped = on_skipped;
  return 0;
}

static void reader_dealloc(reader *r) {
  PyObject_GC_UnTrack(r);
  clear(r);
  py_object_free(r, &r->work);
}

static int reader_traverse(reader *r, visitproc visit, void *arg) {
  Py_VISIT(r->on_skipped);
  Py_VISIT(r->source.kept);
  Py_VISIT(Py_TYPE(r));
  return 0;
}

static int reader_clear(reader *r) {
  Py_CLEAR(r->on_skipped);
  return 0;
}

/* --- Steps ---------------------------------------------------------------------------------- */

typedef enum found { FOUND_NOTHING, FOUND_RECORD, FOUND_BATCH, FOUND_DATA, FOUND_SKIPPED, FOUND_END } found;

/* Of the engine's batch, what lies before the end. */
static size_t batch(reader *r) {
  size_t length, count = cpb_record_reader_batch(r->engine, r->sizes, BATCH);
  r->at = r->count = 0;
  if (count == 0) return 0;
  r->data = cpb_record_reader_data(r->engine, &length);
  const uint64_t end = cpb_record_reader_record(r->engine)->position + 1;
  r->beyond = end <= r->stop ? 0 : end - r->stop < count ? (size_t)(end - r->stop) : count;
  r->stopped = r->beyond > 0;
  return r->count = count - r->beyond;
}

/* Steps to what there is to tell, without the GIL. FOUND_NOTHING: an error. */
static found step(reader *r, bool batches) {
  for (;;) {
    if (!r->stopped && batches && batch(r) > 0) return FOUND_BATCH;
    if (r->stopped) return FOUND_END;
    switch (cpb_record_reader_step(r->engine)) {
      case CPB_STEP_NEED:
        if (!py_work_go_on(&r->work, 0, 1)) return FOUND_NOTHING;
        cpb_file_supply(r->source.file, cpb_record_reader_input(r->engine));
        break;
      case CPB_STEP_RECORD:
        r->beyond = 0;
        r->stopped = cpb_record_reader_record(r->engine)->position >= r->stop;
        return r->stopped ? FOUND_END : FOUND_RECORD;
      case CPB_STEP_DATA: return FOUND_DATA;
      case CPB_STEP_SKIPPED: return FOUND_SKIPPED;
      case CPB_STEP_DONE: return FOUND_END;
      default: return FOUND_NOTHING;
    }
  }
}

static found next(reader *r, bool batches) {
  py_work_unlock(&r->work);
  found what = step(r, batches);
  py_work_lock(&r->work);
  if (what == FOUND_NOTHING) py_raise(cpb_record_reader_error(r->engine), r->source.name);
  return what;
}

static bool tell_skipped(reader *r) {
  const cpb_skipped *s = cpb_record_reader_skipped(r->engine);
  PyObject *answer =
      PyObject_CallFunction(r->on_skipped, "KKs", (unsigned long long)s->begin, (unsigned long long)s->end, s->reason);
  Py_XDECREF(answer);
  return answer != NULL;
}

/* The bytes of the record that has begun, as one of the functions above gives them. */
static found copy_data(reader *r, found (*go)(reader *, bool), uint8_t *to, size_t size) {
  found what = FOUND_DATA;
  for (size_t length, done = 0; done < size && (what = go(r, false)) == FOUND_DATA; done += length) {
    const uint8_t *data = cpb_record_reader_data(r->engine, &length);
    memcpy(to + done, data, length);
  }
  return what;
}

/* The bytes of the record that has begun; FOUND_SKIPPED when it turns out to be damaged. */
static found read_record(reader *r, PyObject **out) {
  uint64_t size = cpb_record_reader_record(r->engine)->size;
  *out = py_bytes_new(size);
  if (!*out) return FOUND_NOTHING;
  found what = copy_data(r, next, (uint8_t *)PyBytes_AsString(*out), (size_t)size);
  if (what != FOUND_DATA) Py_CLEAR(*out);
  return what;
}

static PyObject *take(reader *r) {
  size_t size = r->sizes[r->at];
  PyObject *record = PyBytes_FromStringAndSize((const char *)r->data, (Py_ssize_t)size);
  if (!record) return NULL;
  r->data += size;
  r->at++;
  return record;
}

/* Steps until there is a batch or, in `*record`, a record. */
static found fill(reader *r, PyObject **record) {
  for (;;) {
    found what = next(r, true);
    if (what == FOUND_RECORD) what = read_record(r, record);
    if (what == FOUND_SKIPPED && !tell_skipped(r)) return FOUND_NOTHING;
    if (what != FOUND_SKIPPED) return what;
  }
}

/* The next record; NULL without an exception at the end. */
static PyObject *reader_next(reader *r) {
  PyObject *record = NULL;
  if (!begin(r)) return NULL;
  if (r->at < r->count || fill(r, &record) == FOUND_BATCH) record = take(r);
  if (record) r->given = true;
  py_work_end(&r->work);
  return record;
}

/* --- Batches -------------------------------------------------------------------------------- */

/* A view of the bytes: of the source's own memory if they lie there, else of a copy. */
static PyObject *view_of(const reader *r, const uint8_t *data, size_t size) {
  if (py_buffer_has(&r->source.memory, data, size)) return py_buffer_part(&r->source.memory, data, size);
  PyObject *copy = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
  PyObject *view = copy ? PyMemoryView_FromObject(copy) : NULL;
  Py_XDECREF(copy);
  return view;
}

/* Cuts a view of all into a list of views of the records. */
static PyObject *cut(const reader *r, PyObject *all) {
  PyObject *list = all ? PyList_New((Py_ssize_t)(r->count - r->at)) : NULL;
  Py_ssize_t from = 0;
  for (size_t i = r->at; list && i < r->count; i++) {
    Py_ssize_t to = from + (Py_ssize_t)r->sizes[i];
    PyObject *view = PySequence_GetSlice(all, from, to);
    if (!view || PyList_SetItem(list, (Py_ssize_t)(i - r->at), view) < 0) Py_CLEAR(list);
    from = to;
  }
  return list;
}

static PyObject *views(reader *r) {
  size_t size = 0;
  for (size_t i = r->at; i < r->count; i++) size += r->sizes[i];
  PyObject *all = view_of(r, r->data, size);
  PyObject *list = cut(r, all);
  Py_XDECREF(all);
  if (list) r->at = r->count;
  return list;
}

static PyObject *single(PyObject *record) {
  PyObject *list = Py_BuildValue("[N]", PyMemoryView_FromObject(record));
  Py_DECREF(record);
  return list;
}

static PyObject *reader_batch(reader *r, PyObject *Py_UNUSED(none)) {
  PyObject *record = NULL, *list = NULL;
  if (!begin(r)) return NULL;
  if (r->at < r->count) {
    list = views(r);
  } else {
    found what = fill(r, &record);
    if (what == FOUND_BATCH) list = views(r);
    else if (what == FOUND_DATA) list = single(record);
    else if (what == FOUND_END) list = PyList_New(0);
  }
  if (list && PyList_Size(list) > 0) r->given = true;
  py_work_end(&r->work);
  return list;
}

/* --- Positions -------------------------------------------------------------------------------- */

static PyObject *reader_seek(reader *r, PyObject *argument) {
  unsigned long long position = 0;
  bool last = argument == Py_None;
  if (!last) position = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred() || !begin(r)) return NULL;
  r->at = r->count = r->beyond = 0;
  r->given = r->stopped = false;
  if (last) cpb_record_reader_seek_last(r->engine);
  else cpb_record_reader_seek(r->engine, position);
  py_work_end(&r->work);
  Py_RETURN_NONE;
}

/* Reading in order ends at a position. */
static PyObject *reader_stop(reader *r, PyObject *argument) {
  const unsigned long long position = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred()) return NULL;
  r->stop = position;
  Py_RETURN_NONE;
}

/* (position, begin of the Riegeli chunk, index) of the record that was given out last;
 * None if there is none since the last seek, or the engine is past it. */
static PyObject *reader_where(reader *r, PyObject *Py_UNUSED(none)) {
  if (!is_open(r)) return NULL;
  if (!r->given) Py_RETURN_NONE;
  const cpb_record *record = cpb_record_reader_record(r->engine);
  uint64_t later = r->count - r->at + r->beyond;
  if (record->position - later >= r->stop) Py_RETURN_NONE;
  return Py_BuildValue("KKK", (unsigned long long)(record->position - later), (unsigned long long)record->chunk_begin,
                       (unsigned long long)(record->index - later));
}

/* --- Numbers, in a reader that does nothing else ----------------------------------------------- */

/* Records that are read without the GIL: their bytes in the reader's room, one after the other. */
typedef struct taken {
  size_t size, count;
  size_t sizes[BATCH];
} taken;

/* The record that has begun, for which there is room. */
static found take_data(reader *r, taken *t, size_t size) {
  found what = copy_data(r, step, r->room + t->size, size);
  if (what != FOUND_DATA) return what;
  t->size += size;
  t->sizes[t->count++] = size;
  return what;
}

/* FOUND_RECORD: one has begun that there is no room for. What damage leaves out is not told. */
static found take_number(reader *r, taken *t, uint64_t number) {
  cpb_record_reader_seek_number(r->engine, number);
  for (;;) {
    found what = step(r, false);
    if (what == FOUND_RECORD) {
      uint64_t size = cpb_record_reader_record(r->engine)->size;
      if (size > ROOM - t->size) return what;
      what = take_data(r, t, (size_t)size);
    }
    if (what != FOUND_SKIPPED) return what;
  }
}

/* Takes over a record; NULL: there was none. */
static bool add(PyObject *list, PyObject *record) {
  bool added = record && PyList_Append(list, record) == 0;
  Py_XDECREF(record);
  return added;
}

static bool hand_out(const reader *r, const taken *t, PyObject *list) {
  const uint8_t *data = r->room;
  for (size_t i = 0; i < t->count; data += t->sizes[i++])
    if (!add(list, PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)t->sizes[i]))) return false;
  return true;
}

/* A large record, at once where it is to be. */
static bool take_large(reader *r, PyObject *list) {
  PyObject *record = NULL;
  found what = read_record(r, &record);
  while (what == FOUND_SKIPPED || what == FOUND_RECORD)
    what = what == FOUND_RECORD ? read_record(r, &record) : next(r, false);
  return what == FOUND_END || (what == FOUND_DATA && add(list, record));
}

/* Adds the records with these numbers to the list, up to the first that there is not. */
static bool take_all(reader *r, const uint64_t *numbers, size_t count, PyObject *list) {
  taken t;
  found what = FOUND_DATA;
  if (!r->room) r->room = malloc(ROOM);
  if (!r->room) return PyErr_NoMemory() != NULL;
  for (size_t i = 0; i < count && what != FOUND_END;) {
    t.size = t.count = 0;
    what = FOUND_DATA;
    py_work_unlock(&r->work);
    while (i < count && t.count < BATCH && what == FOUND_DATA) {
      what = take_number(r, &t, numbers[i]);
      if (what == FOUND_DATA) i++;
    }
    py_work_lock(&r->work);
    if (what == FOUND_NOTHING) py_raise(cpb_record_reader_error(r->engine), r->source.name);
    if (what == FOUND_NOTHING || !hand_out(r, &t, list)) return false;
    if (what == FOUND_RECORD && (i++, !take_large(r, list))) return false;
  }
  return true;
}

/* A list of the records with the numbers in a list, up to the first that there is not. */
static PyObject *reader_numbered(reader *r, PyObject *given) {
  PyObject *list = NULL;
  Py_ssize_t count = PyList_Size(given);
  if (count < 0) return NULL;
  uint64_t *numbers = calloc((size_t)count + 1, sizeof *numbers);
  if (!numbers) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
    numbers[i] = PyLong_AsUnsignedLongLong(PyList_GetItem(given, i));
  if (!PyErr_Occurred() && begin(r)) {
    r->at = r->count = 0;
    list = PyList_New(0);
    if (list && !take_all(r, numbers, (size_t)count, list)) Py_CLEAR(list);
    py_work_end(&r->work);
  }
  free(numbers);
  return list;
}

/* The position of the record with a number, or None if there is none. */
static PyObject *reader_position_of(reader *r, PyObject *argument) {
  PyObject *position = NULL;
  const unsigned long long number = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred() || !begin(r)) return NULL;
  r->at = r->count = 0;
  cpb_record_reader_seek_number(r->engine, number);
  found what;
  while ((what = next(r, false)) == FOUND_SKIPPED) continue;
  if (what == FOUND_RECORD) position = PyLong_FromUnsignedLongLong(cpb_record_reader_record(r->engine)->position);
  else if (what == FOUND_END) Py_INCREF(position = Py_None);
  py_work_end(&r->work);
  return position;
}

static PyObject *reader_count(reader *r, PyObject *Py_UNUSED(none)) {
  uint64_t count = 0;
  if (!begin(r)) return NULL;
  bool done = cpb_record_reader_count(r->engine, &count);
  if (!done) {
    r->at = r->count = 0;
    cpb_record_reader_seek_number(r->engine, UINT64_MAX);
    found what;
    while ((what = next(r, false)) == FOUND_SKIPPED && tell_skipped(r)) continue;
    done = what == FOUND_END;
    cpb_record_reader_count(r->engine, &count);
  }
  py_work_end(&r->work);
  return done ? PyLong_FromUnsignedLongLong(count) : NULL;
}

static PyObject *reader_metadata(reader *r, PyObject *Py_UNUSED(none)) {
  if (!is_open(r)) return NULL;
  size_t size;
  const uint8_t *data = cpb_record_reader_metadata(r->engine, &size);
  if (!data) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
}

static PyObject *reader_size(reader *r, PyObject *Py_UNUSED(none)) {
  cpb_error error;
  uint64_t size = 0;
  if (!begin(r)) return NULL;
  py_work_unlock(&r->work);
  bool done = cpb_file_size(r->source.file, &size, &error) == CPB_OK;
  py_work_lock(&r->work);
  if (!done) py_raise(&error, r->source.name);
  py_work_end(&r->work);
  return done ? PyLong_FromUnsignedLongLong(size) : NULL;
}

static PyObject *reader_close(reader *r, PyObject *Py_UNUSED(none)) { return py_object_close(r, &r->work, clear); }

static PyObject *itself(PyObject *self) {
  Py_INCREF(self);
  return self;
}

static PyMethodDef methods[] = {
    {"_batch", (PyCFunction)reader_batch, METH_NOARGS, NULL},
    {"_seek", (PyCFunction)reader_seek, METH_O, NULL},
    {"_stop", (PyCFunction)reader_stop, METH_O, NULL},
    {"_numbered", (PyCFunction)reader_numbered, METH_O, NULL},
    {"_position_of", (PyCFunction)reader_position_of, METH_O, NULL},
    {"_count", (PyCFunction)reader_count, METH_NOARGS, NULL},
    {"_where", (PyCFunction)reader_where, METH_NOARGS, NULL},
    {"_metadata", (PyCFunction)reader_metadata, METH_NOARGS, NULL},
    {"_size", (PyCFunction)reader_size, METH_NOARGS, NULL},
    {"close", (PyCFunction)reader_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool py_add_record_reader(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_init, reader_init},
                                {Py_tp_dealloc, reader_dealloc},
                                {Py_tp_traverse, reader_traverse},
                                {Py_tp_clear, reader_clear},
                                {Py_tp_iter, itself},
                                {Py_tp_iternext, reader_next},
                                {Py_tp_methods, (void *)methods},
                                {0, NULL}};
  return py_add_type(module, &reader_type, "libcpb._core.RecordReader", sizeof(reader),
                     Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots);
}
