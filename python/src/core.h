/* The extension libcpb._core: Python objects over the public headers of libcpb, on the limited
 * API of Python 3.9.
 *
 * Each type has a py_work, as an engine belongs to one thread at a time, and does its work without
 * the GIL:
 *
 *     if (!py_work_begin(&self->work, progress)) return NULL;
 *     py_work_unlock(&self->work);
 *     while (...steps of the engine...) if (!py_work_go_on(&self->work, done, total)) break;
 *     py_work_lock(&self->work);
 *     ...results, or py_raise()...
 *     py_work_end(&self->work);
 *
 * Functions that return a PyObject * return a new reference, or NULL with an exception set; those
 * that return bool, false with an exception set. */
#ifndef CPB_PYTHON_CORE_H
#define CPB_PYTHON_CORE_H

#define Py_LIMITED_API 0x03090000 /* and no PY_SSIZE_T_CLEAN: text.c says why */
#include <Python.h>
#include <cpb/file.h>
#include <stdbool.h>

/* --- errors.c ----------------------------------------------------------------------------- */

/* Finds libcpb.CpbError. */
bool py_errors_init(void);

/* Raises CpbError, unless an exception is set already, as by a callback, which then stays.
 * `name` says what was read or written, in the exception's `source`; it may be NULL. Returns NULL. */
PyObject *py_raise(const cpb_error *error, PyObject *name);

/* The same with a text, as of printf's. */
PyObject *py_raise_text(cpb_code code, PyObject *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* TypeError: `what` is of the object's type, and not what is expected. Returns NULL. */
PyObject *py_raise_type(const char *what, PyObject *object, const char *expected);

/* --- work.c ------------------------------------------------------------------------------- */

/* Lets one thread at a time use an object. */
typedef struct py_work {
  PyThread_type_lock lock;
  unsigned long owner; /* the thread that is inside, or 0 */
  /* The call that is under way. */
  PyThreadState *state; /* while the GIL is released */
  PyObject *progress;   /* borrowed: called with bytes done and in all; or NULL, or None */
  uint64_t next;        /* when Python is asked again, in milliseconds of cpb_url_clock() */
} py_work;

/* In tp_init; TypeError for an object that has one. py_object_free() frees it. */
bool py_work_init(py_work *work);

/* Waits until no other thread is inside, without the GIL. CpbError USAGE when this thread is inside already: a file
 * object or a callback has called the object that it works for. TypeError without __init__(). */
bool py_work_begin(py_work *work, PyObject *progress);
void py_work_end(py_work *work);

/* The same for a function, which works for no object: nobody waits, and there is no end. */
py_work py_work_alone(PyObject *progress);

/* Releases the GIL, and takes it again. */
void py_work_unlock(py_work *work);
void py_work_lock(py_work *work);

/* To be called often, without the GIL: from time to time runs what signals and `progress` want.
 * False when one of them has raised an exception, which is then set. */
bool py_work_go_on(py_work *work, uint64_t done, uint64_t total);

/* The same as a cpb_progress, whose `user` is the py_work. */
int py_work_progress(void *work, uint64_t done, uint64_t total);

/* Looks at signals from within what the library does, by any thread, with the GIL or without. */
typedef struct py_watch {
  _Atomic uint64_t next; /* when to look again, as in py_work */
  _Atomic bool stopped;  /* to be set where all threads are to stop */
} py_watch;

/* True when a signal has raised an exception, which is then set. */
bool py_watch_stops(py_watch *watch);

/* malloc, which refuses once the watch says so: what takes long within one step of an engine ends by that. */
cpb_allocator py_watch_allocator(py_watch *watch);

/* --- buffer.c ----------------------------------------------------------------------------- */

/* The bytes of an object that has the buffer protocol, in one piece, held until py_buffer_free(). */
typedef struct py_buffer {
  PyObject *view; /* a memoryview, or NULL */
  uint8_t *data;
  size_t size;
} py_buffer;

/* TypeError, which names `what`; BufferError. */
bool py_buffer_read(py_buffer *buffer, PyObject *object, const char *what);
bool py_buffer_write(py_buffer *buffer, PyObject *object, const char *what);
void py_buffer_free(py_buffer *buffer);

/* Whether these bytes lie in it; and a read-only view of them, if so. */
bool py_buffer_has(const py_buffer *buffer, const uint8_t *data, uint64_t size);
PyObject *py_buffer_part(const py_buffer *buffer, const uint8_t *data, uint64_t size);

/* A bytes object to be filled. What a file claims its size to be takes no memory before the bytes
 * come: of so large a block the system gives pages when they are written. */
PyObject *py_bytes_new(uint64_t size);

/* --- text.c ------------------------------------------------------------------------------- */

/* A str as UTF-8, or bytes, held until py_text_free(). All zero: none. */
typedef struct py_text {
  PyObject *bytes;
  const char *data;
  size_t size;
} py_text;

/* For "O&" in a format of PyArg_ParseTuple(), with a py_text that is all zero: after that, whatever
 * came of it, py_text_free() is to be called. TypeError. The second takes None for none. */
int py_text_read(PyObject *object, void *text);
int py_text_read_if_any(PyObject *object, void *text);
void py_text_free(py_text *text);

/* Lends it to two members of a struct of libcpb. */
void py_text_lend(const py_text *text, const char **data, size_t *size);

/* --- options.c ---------------------------------------------------------------------------- */

/* What a value may be, and what it is in C. */
typedef enum py_option_kind {
  PY_COUNT,  /* an int from 0 to `most`, or to 2^64 - 1 if that is 0: uint64_t */
  PY_INT,    /* the same: int */
  PY_FLAG,   /* anything that is true or false: int */
  PY_LAYOUT, /* its name: int */
  PY_CODEC,  /* its name: the first member of cpb_codec_options */
  PY_LEVEL,  /* an int or None: cpb_codec_options, whose codec an option before it gives */
  PY_TEXT,   /* a str, which must live on, or None: const char * */
  PY_LIMITS, /* None or a mapping: cpb_limits */
  PY_OBJECT  /* anything, which is borrowed: PyObject * */
} py_option_kind;

/* An option by name, and where it goes in a struct. The name NULL ends a table. */
typedef struct py_option {
  const char *name;
  py_option_kind kind;
  size_t at;
  uint64_t most;
} py_option;

/* Fills `to` by a dict of names and values. What it does not have stays as it is. CpbError USAGE and TypeError name the
 * option. Any name that the table lacks is a TypeError. */
bool py_options_read(void *to, const py_option *table, PyObject *given);

/* Limits from None or a mapping, as in libcpb.Limits. */
bool py_limits(cpb_limits *limits, PyObject *given);

/* Options of Riegeli's writer in its own words. CpbError USAGE, which says where in the text. */
bool py_riegeli_options(struct cpb_record_writer_options *options, const char *text);

/* --- source.c ----------------------------------------------------------------------------- */

/* What is read: a file, a URL, memory or a Python object. */
typedef struct py_source {
  cpb_file *file;
  PyObject *name;     /* for errors; a str, or None */
  py_buffer memory;   /* if it lies there */
  PyObject *kept;     /* what must live as long as the file */
  PyObject *object;   /* what reads it, if that is Python's to do; in `kept` */
  const char **heads; /* of a URL: headers, which lie in `kept` */
  struct cpb_url_options *urls;
  py_watch watch; /* while a server is waited for, perhaps by several threads */
} py_source;

/* Opens what libcpb._sources.resolve() has returned: (kind, object, name, options). */
bool py_source_open(py_source *source, PyObject *resolved);

/* Whether it is a path or URL, of which other files may lie beside. */
bool py_source_has_place(PyObject *resolved);

/* Takes only name and options of a path or URL, and returns it, for what opens it by itself. */
const char *py_source_prepare(py_source *source, PyObject *resolved);
void py_source_close(py_source *source);

/* --- sink.c ------------------------------------------------------------------------------- */

/* What is written: a file, which appears when it is committed, or a Python object. */
typedef struct py_sink {
  cpb_output *output;
  PyObject *name;                 /* for errors; a str, or None */
  PyObject *object;               /* with write_at(offset, bytes); NULL for a file */
  PyObject *type, *value, *trace; /* the exception of write_at(), which any thread may have called */
  uint64_t begin;                 /* the size of a file that is extended */
} py_sink;

/* Opens what libcpb._sources.target() has returned: (kind, object, name). The kind "extend" is a path of a file that
 * there is, of which the bytes stay. */
bool py_sink_open(py_sink *sink, PyObject *resolved, bool replace, bool sync);

/* Without the GIL. False: `error` says why, or an exception is set. */
bool py_sink_write(py_sink *sink, uint64_t offset, const uint8_t *data, size_t length, cpb_error *error);
bool py_sink_flush(py_sink *sink, cpb_error *error);
bool py_sink_commit(py_sink *sink, cpb_error *error);

/* As py_raise(), once the GIL is there again; an exception of write_at() comes through as it is. */
PyObject *py_sink_raise(py_sink *sink, const cpb_error *error, PyObject *name);

/* Removes a file that was not committed. With the GIL. */
void py_sink_close(py_sink *sink);

/* --- tensor.c ------------------------------------------------------------------------------ */

/* (dtype, NumPy's type or None, item size, shape, whether column-major, the values), of which the last is given. */
struct cpb_values_info;
PyObject *py_values_of(const struct cpb_values_info *info, PyObject *data);

/* --- the types ------------------------------------------------------------------------------ */

/* Each adds to the module the type of its file, or dicts. */
bool py_add_record_reader(PyObject *module);
bool py_add_record_writer(PyObject *module);
bool py_add_schema(PyObject *module);
bool py_add_message(PyObject *module);
bool py_add_model(PyObject *module);
bool py_add_names(PyObject *module);

/* Adds a type, once made, under its name. `*type` is kept: it is NULL, or from another module
 * object of the same extension. `flags` come on top of the default ones. */
bool py_add_type(PyObject *module, PyTypeObject **type, const char *name, size_t size, unsigned long flags,
                 PyType_Slot *slots);

/* close() and the like: clears the object while no other thread is inside. Nothing without __init__(). */
PyObject *py_object_close(void *object, py_work *work, void (*clear)(void *object));

/* The end of a tp_dealloc: releases what py_work_init() made, the memory, and the type. `work` may be NULL. */
void py_object_free(void *object, py_work *work);

/* Functions of the module. */
PyObject *py_merge(PyObject *module, PyObject *args);
PyObject *py_split(PyObject *module, PyObject *args);
PyObject *py_repack(PyObject *module, PyObject *args);
PyObject *py_tensor(PyObject *module, PyObject *args);
PyObject *py_write_samediff(PyObject *module, PyObject *args);
PyObject *py_diff(PyObject *module, PyObject *args);
PyObject *py_field_numbers(PyObject *module, PyObject *args);

/* --- schema.c --------------------------------------------------------------------------------- */

/* Message types: those of a descriptor set, or those that are built in. Frees with the object. */
typedef struct py_schema py_schema;

/* `set`: a serialized FileDescriptorSet (anything with bytes), a Schema, or None for what is built in. */
PyObject *py_schema_of(PyObject *set);

/* NULL with CpbError NOT_FOUND. Lives as long as the schema. */
const cpb_message_type *py_schema_find(PyObject *schema, const char *name);
const cpb_schema *py_schema_get(PyObject *schema);

#endif
