/* RecordWriter. */
#include <cpb/records.h>

#include <stddef.h>

#include "core.h"

typedef struct writer {
  PyObject_HEAD;
  py_work work;
  py_sink sink;
  py_watch watch;
  cpb_record_writer *engine; /* NULL: closed */
  py_buffer metadata;
  uint64_t chunk_size; /* about when a Riegeli chunk is closed */
  uint64_t open;       /* bytes in the one that is open */
  bool failed;         /* nothing may be committed */
} writer;

static PyTypeObject *writer_type;

static void clear(void *object) {
  writer *w = object;
  cpb_record_writer_free(w->engine);
  w->engine = NULL;
  py_sink_close(&w->sink);
  py_buffer_free(&w->metadata);
}

static bool is_open(const writer *w) {
  if (!w->engine) return py_raise_text(CPB_E_USAGE, w->sink.name, "the record writer is closed") != NULL;
  return !w->failed || py_raise_text(CPB_E_USAGE, w->sink.name, "the record writer has failed before") != NULL;
}

/* As py_work_begin(), and fails when nothing can be written. */
static bool begin(writer *w) {
  if (!py_work_begin(&w->work, NULL)) return false;
  if (is_open(w)) return true;
  py_work_end(&w->work);
  return false;
}

/* What a caller of Python says. */
typedef struct settings {
  int replace, sync, single, seekable, transpose;
  cpb_codec_options codec;
  uint64_t chunk_size, padding;
  PyObject *metadata;
  const char *riegeli;
  cpb_limits limits;
} settings;

#define AT(member) offsetof(settings, member)
static const py_option table[] = {
    {"replace", PY_FLAG, AT(replace), 0},
    {"sync", PY_FLAG, AT(sync), 0},
    {"codec", PY_CODEC, AT(codec), 0},
    {"level", PY_LEVEL, AT(codec), 0},
    {"window_log", PY_INT, AT(codec.window_log), 31},
    {"chunk_size", PY_COUNT, AT(chunk_size), 0},
    {"record_per_chunk", PY_FLAG, AT(single), 0},
    {"seekable", PY_FLAG, AT(seekable), 0},
    {"padding", PY_COUNT, AT(padding), 0},
    {"metadata", PY_OBJECT, AT(metadata), 0},
    {"transpose", PY_FLAG, AT(transpose), 0},
    {"riegeli_options", PY_TEXT, AT(riegeli), 0},
    {"limits", PY_LIMITS, AT(limits), 0},
    {NULL, PY_COUNT, 0, 0},
};

static cpb_record_writer *engine_of(writer *w, const settings *given) {
  cpb_record_writer_options how = {
      .struct_size = sizeof how,
      .codec = given->codec,
      .limits = &given->limits,
      .chunk_size = given->chunk_size,
      .record_per_chunk = given->single,
      .seekable = given->seekable,
      .buffer = given->seekable ? 0 : SIZE_MAX / 2,
      .final_padding = given->padding,
      .transpose = given->transpose ? CPB_TRANSPOSE_ALWAYS : CPB_TRANSPOSE_NEVER,
      .metadata = w->metadata.data,
      .metadata_size = w->metadata.size,
      .append_at = w->sink.begin,
  };
  if (given->riegeli && !py_riegeli_options(&how, given->riegeli)) return NULL;
  const uint64_t usual = how.codec.codec == CPB_CODEC_NONE ? 4096 : 1 << 20;
  w->chunk_size = how.record_per_chunk ? 1 : how.chunk_size ? how.chunk_size : usual;
  const cpb_allocator allocator = py_watch_allocator(&w->watch);
  cpb_record_writer *engine = cpb_record_writer_new(&allocator, &how);
  if (!engine) PyErr_NoMemory();
  return engine;
}

/* (resolved target, options by name) */
static int writer_init(writer *w, PyObject *args, PyObject *Py_UNUSED(kwargs)) {
  PyObject *resolved, *given;
  settings how = {.replace = 1, .limits.struct_size = sizeof how.limits};
  if (!PyArg_ParseTuple(args, "OO", &resolved, &given) || !py_work_init(&w->work) ||
      !py_options_read(&how, table, given))
    return -1;
  const bool metadata = how.metadata && how.metadata != Py_None;
  if (metadata && !py_buffer_read(&w->metadata, how.metadata, "metadata")) return -1;
  if (!py_sink_open(&w->sink, resolved, how.replace, how.sync)) return -1;
  w->engine = engine_of(w, &how);
  return w->engine ? 0 : -1;
}

/* A writer that nobody has closed leaves nothing behind, as after an exception. */
static void warn(void) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (PyErr_ResourceWarning(NULL, 1, "a record writer was never closed, so the file does not appear") < 0)
    PyErr_WriteUnraisable(NULL);
  PyErr_Restore(type, value, trace);
}

static void writer_dealloc(writer *w) {
  if (w->engine) warn();
  clear(w);
  py_object_free(w, &w->work);
}

/* Writes what the engine puts out. */
static bool put_out(writer *w, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w->engine)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w->engine, &offset, &length);
    if (!py_sink_write(&w->sink, offset, data, length, error)) return false;
    if (w->work.state && !py_work_go_on(&w->work, 0, 1)) return false;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_record_writer_error(w->engine);
  return step != CPB_STEP_ERROR;
}

/* Without the GIL only where enough is to be done for another thread. */
static bool write_record(writer *w, const py_buffer *record) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  w->open += record->size + 8;
  bool much = w->open >= w->chunk_size;
  if (much) py_work_unlock(&w->work);
  cpb_record_writer_record(w->engine, record->data, record->size);
  bool done = put_out(w, &error);
  if (much) py_work_lock(&w->work);
  if (much) w->open = 0;
  if (!done) w->failed = true;
  return done || py_sink_raise(&w->sink, &error, w->sink.name) != NULL;
}

static PyObject *writer_write(writer *w, PyObject *object) {
  py_buffer record;
  if (!py_buffer_read(&record, object, "the record")) return NULL;
  bool done = begin(w);
  uint64_t position = 0;
  if (done) {
    done = write_record(w, &record);
    if (done) position = cpb_record_writer_position(w->engine);
    py_work_end(&w->work);
  }
  py_buffer_free(&record);
  return done ? PyLong_FromUnsignedLongLong(position) : NULL;
}

/* Closes the Riegeli chunk; after the last record also pads, and commits. */
static bool finish(writer *w, bool last) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  py_work_unlock(&w->work);
  if (last) cpb_record_writer_finish(w->engine);
  else cpb_record_writer_flush(w->engine, NULL);
  bool done = put_out(w, &error) && (last ? py_sink_commit : py_sink_flush)(&w->sink, &error);
  py_work_lock(&w->work);
  w->open = 0;
  if (!done) w->failed = true;
  return done || py_sink_raise(&w->sink, &error, w->sink.name) != NULL;
}

static PyObject *writer_flush(writer *w, PyObject *Py_UNUSED(none)) {
  if (!begin(w)) return NULL;
  bool done = finish(w, false);
  py_work_end(&w->work);
  return done ? Py_BuildValue("") : NULL;
}

static PyObject *writer_close(writer *w, PyObject *Py_UNUSED(none)) {
  if (!w->work.lock) Py_RETURN_NONE;
  if (!py_work_begin(&w->work, NULL)) return NULL;
  bool done = !w->engine || (is_open(w) && finish(w, true));
  clear(w);
  py_work_end(&w->work);
  return done ? Py_BuildValue("") : NULL;
}

static PyObject *writer_discard(writer *w, PyObject *Py_UNUSED(none)) { return py_object_close(w, &w->work, clear); }

static PyMethodDef methods[] = {
    {"write", (PyCFunction)writer_write, METH_O, NULL},
    {"flush", (PyCFunction)writer_flush, METH_NOARGS,
     "flush($self)\n--\n\nCloses the Riegeli chunk, so that the records so far are passed on."},
    {"close", (PyCFunction)writer_close, METH_NOARGS, "close($self)\n--\n\nEnds the file, which then appears."},
    {"discard", (PyCFunction)writer_discard, METH_NOARGS,
     "discard($self)\n--\n\nEnds writing without making the file."},
    {NULL, NULL, 0, NULL},
};

bool py_add_record_writer(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_init, writer_init}, {Py_tp_dealloc, writer_dealloc}, {Py_tp_methods, (void *)methods}, {0, NULL}};
  return py_add_type(module, &writer_type, "libcpb._core.RecordWriter", sizeof(writer), Py_TPFLAGS_BASETYPE, slots);
}
