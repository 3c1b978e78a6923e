/* merge(), split() and repack(): from what is read to a file. */
#include <cpb/chunked.h>
#include <cpb/repack.h>
#include <cpb/split.h>

#include "core.h"

typedef struct transfer {
  py_source source;
  py_sink sink;
  PyObject *schema;
  bool seekable; /* it can be written at any offset */
  cpb_limits limits;
  py_work *work;
  py_watch watch;
  cpb_allocator allocator;
  cpb_file_options options;
  cpb_index *index;
  cpb_split *split;
  const char *base_path, *out_path; /* of a split against a base; NULL: without */
  PyObject *base_name;              /* for errors */
  cpb_split_base *base;
  bool base_fails; /* what is wrong is about the base */
  cpb_repack *repack;
} transfer;

static void close_transfer(transfer *t) {
  cpb_index_free(t->index);
  cpb_split_free(t->split);
  cpb_split_base_free(t->base);
  cpb_repack_free(t->repack);
  py_sink_close(&t->sink);
  py_source_close(&t->source);
  Py_XDECREF(t->schema);
}

/* --- Without the GIL ---------------------------------------------------------------------------- */

static cpb_code merge(transfer *t, py_work *work, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_index_step(t->index)) == CPB_STEP_NEED) {
    if (!py_work_go_on(work, 0, 1)) return CPB_E_CANCELLED;
    cpb_file_supply(t->source.file, cpb_index_input(t->index));
  }
  if (step == CPB_STEP_DONE) return cpb_transfer_merge(t->source.file, t->index, t->sink.output, &t->options, error);
  *error = *cpb_index_error(t->index);
  return error->code;
}

static cpb_code plan(transfer *t, py_work *work, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_split_plan(t->split)) == CPB_STEP_NEED) {
    if (!py_work_go_on(work, 0, 1)) return CPB_E_CANCELLED;
    cpb_file_supply(t->source.file, cpb_split_input(t->split));
  }
  *error = *cpb_split_error(t->split);
  return error->code;
}

static cpb_code split(transfer *t, py_work *work, cpb_error *error) {
  if (t->base_path) {
    if (plan(t, work, error) != CPB_OK) return error->code;
    t->base = cpb_file_read_base(t->base_path, t->out_path, t->split, &t->options, error);
    t->base_fails = t->base == NULL;
    if (t->base && cpb_split_share(t->split, t->base) != CPB_OK) *error = *cpb_split_error(t->split);
    if (error->code != CPB_OK) return error->code;
  }
  return cpb_transfer_split(t->source.file, t->sink.output, t->split, &t->options, error);
}

static cpb_code run(transfer *t, py_work *work, cpb_error *error) {
  if (t->index) return merge(t, work, error);
  if (t->split) return split(t, work, error);
  return cpb_transfer_repack(t->source.file, t->sink.output, t->repack, &t->options, error);
}

/* Brotli takes a minute for a large chunk: threads that are in one end by the allocator. */
static int progress(void *user, uint64_t done, uint64_t total) {
  transfer *t = user;
  if (py_work_go_on(t->work, done, total)) return 0;
  t->watch.stopped = true;
  return 1;
}

/* --- With it -------------------------------------------------------------------------------------- */

/* What all take first: (resolved source, resolved target, whether it can seek, replace, sync, progress, limits). */
static bool open_both(transfer *t, PyObject *common, PyObject **callback) {
  PyObject *source, *target, *limits;
  int seekable, replace, sync;
  if (!PyArg_ParseTuple(common, "OOpppOO", &source, &target, &seekable, &replace, &sync, callback, &limits))
    return false;
  t->seekable = seekable;
  t->allocator = py_watch_allocator(&t->watch);
  t->options.allocator = &t->allocator;
  return py_limits(&t->limits, limits) && py_source_open(&t->source, source) &&
         py_sink_open(&t->sink, target, replace, sync);
}

/* Runs and commits, or raises; closes the transfer. */
static PyObject *finish(transfer *t, PyObject *callback) {
  py_gate gate = {0};
  py_work work;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  bool done = false;
  if (!t->index && !t->split && !t->repack) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
  } else if (py_gate_init(&gate) && py_work_begin(&work, &gate, callback)) {
    t->options.struct_size = sizeof t->options;
    t->options.limits = &t->limits;
    t->options.progress = progress;
    t->options.user = t;
    t->work = &work;
    py_work_unlock(&work);
    done = run(t, &work, &error) == CPB_OK && py_sink_commit(&t->sink, &error);
    py_work_lock(&work);
    py_work_end(&work);
    PyObject *name = t->base_fails ? t->base_name : error.code == CPB_E_WRITE ? t->sink.name : t->source.name;
    if (!done) py_sink_raise(&t->sink, &error, name);
  }
  py_gate_free(&gate);
  close_transfer(t);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

/* (common, threads, schema, type or None) */
static PyObject *core_merge(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t = {0};
  PyObject *common, *schema, *callback = NULL;
  const char *type;
  bool ready = PyArg_ParseTuple(args, "OIOz", &common, &t.options.threads, &schema, &type) &&
               (t.schema = py_schema_of(schema)) && (!type || (t.options.type = py_schema_find(t.schema, type))) &&
               open_both(&t, common, &callback);
  if (ready) t.index = cpb_index_new(&t.allocator, &t.limits);
  return finish(&t, callback);
}

/* (common, threads, schema, type, max_chunk_size, inline_max, layout, codec, level, window_log, for_memory,
 * transpose, paths of base and target with the base's name, or None) */
static PyObject *core_split(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t = {0};
  PyObject *common, *schema, *against, *callback = NULL;
  unsigned long long chunk, within, memory;
  int layout, codec, transpose;
  cpb_split_options how = {.struct_size = sizeof how, .limits = &t.limits};
  bool ready =
      PyArg_ParseTuple(args, "OIOzKKiiiiKpO", &common, &t.options.threads, &schema, &how.type_name, &chunk, &within,
                       &layout, &codec, &how.codec.level, &how.codec.window_log, &memory, &transpose, &against) &&
      (against == Py_None || PyArg_ParseTuple(against, "yyO", &t.base_path, &t.out_path, &t.base_name)) &&
      (t.schema = py_schema_of(schema)) && open_both(&t, common, &callback);
  if (ready) {
    how.schema = py_schema_get(t.schema);
    how.max_chunk_size = chunk;
    how.inline_max = within;
    how.seekable = t.seekable;
    how.buffer = t.seekable ? 0 : SIZE_MAX / 2;
    how.layout = (cpb_layout)layout;
    how.codec.codec = (cpb_codec)codec;
    how.for_memory = memory;
    how.transpose = transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER;
    t.split = cpb_split_new(&t.allocator, &how);
  }
  return finish(&t, callback);
}

/* (common, threads, layout, codec, level, window_log, for_memory, transpose, Riegeli's text or None) */
static PyObject *core_repack(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t = {0};
  PyObject *common, *callback = NULL;
  unsigned long long memory;
  int layout, codec, transpose;
  const char *text;
  cpb_record_writer_options riegeli = {.struct_size = sizeof riegeli};
  cpb_repack_options how = {.struct_size = sizeof how, .limits = &t.limits};
  bool ready = PyArg_ParseTuple(args, "OIiiiiKpz", &common, &t.options.threads, &layout, &codec, &how.codec.level,
                                &how.codec.window_log, &memory, &transpose, &text) &&
               (!text || py_riegeli_options(&riegeli, text)) && open_both(&t, common, &callback);
  if (ready) {
    how.seekable = t.seekable;
    how.buffer = t.seekable ? 0 : SIZE_MAX / 2;
    how.layout = (cpb_layout)layout;
    how.codec.codec = (cpb_codec)codec;
    how.for_memory = memory;
    how.transpose = transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER;
    how.riegeli = text ? &riegeli : NULL;
    t.repack = cpb_repack_new(&t.allocator, &how);
  }
  return finish(&t, callback);
}

bool py_add_transfers(PyObject *module) {
  static PyMethodDef functions[] = {
      {"merge", core_merge, METH_VARARGS, NULL},
      {"split", core_split, METH_VARARGS, NULL},
      {"repack", core_repack, METH_VARARGS, NULL},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions) == 0;
}
