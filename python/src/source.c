/* What is read, as a cpb_file. */
#include <cpb/url.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core.h"

#define BUFFER_WRITE 0x200 /* PyBUF_WRITE, which the limited API has from 3.11 on */

/* --- A Python object with read_at() and size() ------------------------------------------------ */

/* The exception that is set is what will be raised, whatever the engine makes of this. */
static cpb_code stopped(cpb_error *error) {
  snprintf(error->message, sizeof error->message, "the file object has raised an exception");
  return CPB_E_CANCELLED;
}

/* Whoever keeps the view after this, such as a traceback, cannot use it. */
static bool release(PyObject *view) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *released = PyObject_CallMethod(view, "release", NULL);
  Py_XDECREF(released);
  if (type) PyErr_Restore(type, value, trace);
  return released != NULL;
}

/* How many bytes read_at(offset, view) wrote; -1 with an exception. */
static Py_ssize_t read_object(PyObject *object, uint64_t offset, void *out, size_t length) {
  PyObject *view = PyMemoryView_FromMemory(out, (Py_ssize_t)length, BUFFER_WRITE);
  if (!view) return -1;
  PyObject *count = PyObject_CallMethod(object, "read_at", "KO", (unsigned long long)offset, view);
  Py_ssize_t n = count ? PyLong_AsSsize_t(count) : -1;
  if (!release(view)) n = -1;
  Py_XDECREF(count);
  Py_DECREF(view);
  if (!PyErr_Occurred() && (n < 0 || (size_t)n > length))
    py_raise_text(CPB_E_READ, NULL, "a file object says that it read %zd bytes; expected 0 to %zu", n, length);
  return PyErr_Occurred() ? -1 : n;
}

static cpb_code source_read(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_ssize_t n = PyErr_Occurred() ? -1 : read_object(user, offset, out, *length);
  PyGILState_Release(state);
  if (n < 0) return stopped(error);
  *length = (size_t)n;
  return CPB_OK;
}

static cpb_code source_size(void *user, uint64_t *size, cpb_error *error) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *answer = PyErr_Occurred() ? NULL : PyObject_CallMethod(user, "size", NULL);
  bool done = answer != NULL;
  if (done) *size = PyLong_AsUnsignedLongLong(answer);
  if (done && PyErr_Occurred()) done = false;
  Py_XDECREF(answer);
  PyGILState_Release(state);
  return done ? CPB_OK : stopped(error);
}

static cpb_file *open_object(PyObject *object, cpb_error *error) {
  const cpb_source how = {.struct_size = sizeof how, .user = object, .read = source_read, .size = source_size};
  return cpb_file_open_source(NULL, &how, error);
}

/* --- A URL -------------------------------------------------------------------------------------- */

static int cancelled(void *user) { return py_watch_stops(user); }

/* The temporary file of a download: it has no name, and ends with its descriptor. */
static int open_spool(void *user) {
  char path[4096];
  const char *folder = getenv("TMPDIR");
  (void)user;
  int length = snprintf(path, sizeof path, "%s/cpb-XXXXXX", folder && *folder ? folder : "/tmp");
  if (length < 0 || (size_t)length >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = mkstemp(path);
  if (fd >= 0) unlink(path);
  return fd;
}

/* options: (headers as a tuple of bytes, idle_time in ms, min_speed, attempts, max_whole, download, ignore_etag) */
static bool set_url_options(py_source *source, PyObject *options) {
  unsigned long long idle, speed, whole, download;
  unsigned attempts;
  int ignore_etag;
  PyObject *headers;
  if (!PyArg_ParseTuple(options, "O!KKIKKp", &PyTuple_Type, &headers, &idle, &speed, &attempts, &whole, &download,
                        &ignore_etag))
    return false;
  Py_ssize_t count = PyTuple_Size(headers);
  source->urls = calloc(1, sizeof *source->urls);
  source->heads = calloc((size_t)count + 1, sizeof *source->heads);
  if (!source->urls || !source->heads) return PyErr_NoMemory() != NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    source->heads[i] = PyBytes_AsString(PyTuple_GetItem(headers, i));
    if (!source->heads[i]) return false;
  }
  *source->urls = (cpb_url_options){.struct_size = sizeof *source->urls,
                                    .idle_time = idle,
                                    .min_speed = speed,
                                    .attempts = attempts,
                                    .max_whole = whole,
                                    .max_download = download,
                                    .spool = open_spool,
                                    .ignore_etag = ignore_etag,
                                    .headers = source->heads,
                                    .cancelled = cancelled,
                                    .user = &source->watch};
  return true;
}

/* --- Any of them --------------------------------------------------------------------------------- */

static bool open_file(py_source *source, const char *kind, PyObject *object, PyObject *options, cpb_error *error) {
  switch (kind[0]) {
    case 'p': { /* path: bytes */
      const char *path = PyBytes_AsString(object);
      if (path) source->file = cpb_file_open(NULL, path, error);
      break;
    }
    case 'u': { /* url: bytes */
      const char *url = PyBytes_AsString(object);
      if (url && set_url_options(source, options)) source->file = cpb_url_open(NULL, url, source->urls, error);
      break;
    }
    case 'm': /* memory: what has the buffer protocol */
      if (py_buffer_read(&source->memory, object, "the source"))
        source->file = cpb_file_open_memory(NULL, source->memory.data, source->memory.size, error);
      break;
    case 'd': { /* descriptor that can seek: int */
      long fd = PyLong_AsLong(object);
      if (!PyErr_Occurred()) source->file = cpb_file_open_fd(NULL, (int)fd, -1, error);
      break;
    }
    default: /* object */ source->object = object; source->file = open_object(object, error);
  }
  return source->file != NULL;
}

/* (kind, object, name, options) */
static bool take(py_source *source, PyObject *resolved, const char **kind, PyObject **object, PyObject **options) {
  PyObject *name;
  if (!PyArg_ParseTuple(resolved, "sOOO", kind, object, &name, options)) return false;
  Py_INCREF(name);
  Py_INCREF(resolved);
  source->name = name;
  source->kept = resolved;
  return true;
}

bool py_source_open(py_source *source, PyObject *resolved) {
  const char *kind;
  PyObject *object, *options;
  cpb_error error = {.code = CPB_OK};
  if (!take(source, resolved, &kind, &object, &options)) return false;
  if (open_file(source, kind, object, options, &error)) return true;
  py_raise(&error, source->name);
  py_source_close(source);
  return false;
}

bool py_source_has_place(PyObject *resolved) {
  const char *kind;
  PyObject *object, *name, *options;
  if (!PyArg_ParseTuple(resolved, "sOOO", &kind, &object, &name, &options)) return false;
  return kind[0] == 'p' || kind[0] == 'u';
}

const char *py_source_prepare(py_source *source, PyObject *resolved) {
  const char *kind;
  PyObject *object, *options;
  if (!take(source, resolved, &kind, &object, &options)) return NULL;
  if (kind[0] == 'u' && !set_url_options(source, options)) return NULL;
  return PyBytes_AsString(object);
}

/* A Python object may have opened something itself. */
static void close_object(PyObject *object) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *closed = PyObject_CallMethod(object, "close", NULL);
  if (!closed) PyErr_WriteUnraisable(object);
  Py_XDECREF(closed);
  PyErr_Restore(type, value, trace);
}

void py_source_close(py_source *source) {
  cpb_file_close(source->file);
  if (source->object) close_object(source->object);
  py_buffer_free(&source->memory);
  free(source->urls);
  free(source->heads);
  Py_XDECREF(source->kept);
  Py_XDECREF(source->name);
  *source = (py_source){0};
}
