/* write_samediff(): a SameDiff zip from arrays in memory. */
#include <cpb/samediff.h>
#include <stdlib.h>

#include "core.h"

typedef struct zip {
  cpb_samediff_writer *writer;
  py_source base; /* without a file: a new zip */
  py_sink sink;
  py_buffer *buffers; /* of graphs and parts; a part's source is its number here */
  size_t num_buffers, room;
} zip;

static void close_zip(zip *z) {
  cpb_samediff_writer_free(z->writer);
  for (size_t i = 0; i < z->num_buffers; i++) py_buffer_free(&z->buffers[i]);
  free(z->buffers);
  py_sink_close(&z->sink);
  py_source_close(&z->base);
}

/* --- Parts, with the GIL ----------------------------------------------------------------------- */

/* Holds the bytes of an object until the end; NULL with an exception. */
static const py_buffer *hold(zip *z, PyObject *object, const char *what) {
  if (z->num_buffers == z->room) {
    size_t room = z->room ? 2 * z->room : 64;
    py_buffer *grown = realloc(z->buffers, room * sizeof *grown);
    if (!grown) return PyErr_NoMemory(), NULL;
    z->buffers = grown;
    z->room = room;
  }
  if (!py_buffer_read(&z->buffers[z->num_buffers], object, what)) return NULL;
  return &z->buffers[z->num_buffers++];
}

static bool taken(const zip *z, cpb_code code) {
  return code == CPB_OK || py_raise(cpb_samediff_writer_error(z->writer), z->sink.name) != NULL;
}

static bool take_shape(PyObject *tuple, uint64_t *shape, cpb_samediff_part *part) {
  Py_ssize_t rank = PyTuple_Size(tuple);
  if (rank < 0) return false;
  if (rank > 32)
    return py_raise_text(CPB_E_USAGE, NULL, "an array has %zd dimensions; expected at most 32", rank) != NULL;
  for (Py_ssize_t i = 0; i < rank; i++) shape[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, i));
  part->shape = shape;
  part->rank = (uint32_t)rank;
  return !PyErr_Occurred();
}

/* The texts of a part or a tag; the writer copies them. */
typedef struct texts {
  py_text name, tag, of, training;
} texts;

static void free_texts(texts *t) {
  py_text_free(&t->name);
  py_text_free(&t->tag);
  py_text_free(&t->of);
  py_text_free(&t->training);
}

/* (what, name, dtype, shape, fortran order, big-endian, empty, kind, tag, name there, state, bytes) */
static bool read_part(zip *z, PyObject *tuple, texts *t) {
  cpb_samediff_part part = {.struct_size = sizeof part};
  int what;
  PyObject *shape, *bytes;
  uint64_t sizes[32];
  if (!PyArg_ParseTuple(tuple, "iO&zOpppzO&O&IO", &what, py_text_read, &t->name, &part.dtype, &shape,
                        &part.fortran_order, &part.big_endian, &part.empty, &part.kind, py_text_read_if_any, &t->tag,
                        py_text_read_if_any, &t->of, &part.state, &bytes) ||
      !take_shape(shape, sizes, &part))
    return false;
  part.what = (cpb_samediff_what)what;
  py_text_lend(&t->name, &part.name, &part.name_size);
  py_text_lend(&t->tag, &part.tag, &part.tag_size);
  py_text_lend(&t->of, &part.of, &part.of_size);
  if (bytes != Py_None) {
    part.source = z->num_buffers;
    const py_buffer *held = hold(z, bytes, "the array");
    if (!held) return false;
    part.size = held->size;
  }
  return taken(z, cpb_samediff_writer_add(z->writer, &part));
}

static bool add_part(zip *z, PyObject *tuple) {
  texts t = {0};
  bool done = read_part(z, tuple, &t);
  free_texts(&t);
  return done;
}

/* (name, graph, training configuration, parts) */
static bool read_tag(zip *z, PyObject *tuple, texts *t, PyObject **parts) {
  cpb_samediff_tag tag = {.struct_size = sizeof tag};
  PyObject *graph;
  if (!PyArg_ParseTuple(tuple, "O&OO&O!", py_text_read, &t->name, &graph, py_text_read_if_any, &t->training,
                        &PyList_Type, parts))
    return false;
  const py_buffer *held = hold(z, graph, "the graph");
  if (!held) return false;
  py_text_lend(&t->name, &tag.name, &tag.name_size);
  py_text_lend(&t->training, &tag.training, &tag.training_size);
  tag.graph = held->data;
  tag.graph_size = held->size;
  return taken(z, cpb_samediff_writer_tag(z->writer, &tag));
}

static bool add_tag(zip *z, PyObject *tuple) {
  texts t = {0};
  PyObject *parts = NULL;
  bool done = read_tag(z, tuple, &t, &parts);
  free_texts(&t);
  for (Py_ssize_t i = 0; done && i < PyList_Size(parts); i++) done = add_part(z, PyList_GetItem(parts, i));
  return done;
}

/* --- Writing, without ----------------------------------------------------------------------------- */

static void supply(zip *z) {
  cpb_input *input = cpb_samediff_writer_input(z->writer);
  uint64_t number = cpb_samediff_writer_source(z->writer);
  if (number == CPB_SAMEDIFF_BASE) {
    cpb_file_supply(z->base.file, input);
  } else {
    const py_buffer *part = &z->buffers[number];
    cpb_need need;
    cpb_input_need(input, &need);
    if (need.kind == CPB_NEED_RANGE && need.offset < part->size) cpb_input_supply(input, 0, part->data, part->size);
    else cpb_input_end(input, part->size);
  }
}

/* Reports nothing: what is copied is no part of what is told of writing. */
static int goes_on(void *work, uint64_t done, uint64_t total) {
  (void)done, (void)total;
  return py_work_go_on(work, 0, 1) ? 0 : 1;
}

/* The base as it is: what is added comes after it. */
static bool copy_base(zip *z, py_work *work, cpb_error *error) {
  const cpb_file_options how = {.struct_size = sizeof how, .progress = goes_on, .user = work};
  return !z->base.file || cpb_transfer_copy(z->base.file, z->sink.output, &how, error) == CPB_OK;
}

static bool write_zip(zip *z, py_work *work, cpb_error *error) {
  if (!copy_base(z, work, error)) return false;
  for (;;) {
    uint64_t done, total, offset;
    size_t length;
    cpb_step step = cpb_samediff_writer_step(z->writer);
    if (step == CPB_STEP_NEED) supply(z);
    if (step == CPB_STEP_OUTPUT) {
      const uint8_t *data = cpb_samediff_writer_output(z->writer, &offset, &length);
      if (!py_sink_write(&z->sink, offset, data, length, error)) return false;
    }
    if (step == CPB_STEP_DONE) return py_sink_commit(&z->sink, error);
    if (step == CPB_STEP_ERROR) return *error = *cpb_samediff_writer_error(z->writer), false;
    cpb_samediff_writer_progress(z->writer, &done, &total);
    if (!py_work_go_on(work, done, total)) return false;
  }
}

static bool run(zip *z, PyObject *progress) {
  py_work work = py_work_alone(progress);
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  py_work_unlock(&work);
  bool done = write_zip(z, &work, &error);
  py_work_lock(&work);
  return done || py_sink_raise(&z->sink, &error, z->sink.name) != NULL;
}

/* (resolved base or None, resolved target, replace, sync, in order, deflate, tags, progress, limits) */
PyObject *py_write_samediff(PyObject *Py_UNUSED(module), PyObject *args) {
  zip z = {0};
  PyObject *base, *target, *tags, *progress, *numbers;
  cpb_limits limits;
  int replace, sync;
  cpb_samediff_options how = {.struct_size = sizeof how};
  if (!PyArg_ParseTuple(args, "OOppppO!OO", &base, &target, &replace, &sync, &how.in_order, &how.deflate, &PyList_Type,
                        &tags, &progress, &numbers) ||
      !py_limits(&limits, numbers))
    return NULL;
  how.limits = &limits;
  how.append = base != Py_None;
  bool done = (base == Py_None || py_source_open(&z.base, base)) && py_sink_open(&z.sink, target, replace, sync);
  if (done) z.writer = cpb_samediff_writer_new(NULL, &how);
  if (done && !z.writer) done = PyErr_NoMemory() != NULL;
  for (Py_ssize_t i = 0; done && i < PyList_Size(tags); i++) done = add_tag(&z, PyList_GetItem(tags, i));
  done = done && run(&z, progress);
  close_zip(&z);
  return done ? Py_BuildValue("") : NULL;
}
