/* merge(), split() and repack(): from what is read to a file. */
#include <cpb/chunked.h>
#include <cpb/repack.h>
#include <cpb/split.h>

#include <stddef.h>

#include "core.h"

/* What a caller of Python says. All objects and texts are those of its dict. */
typedef struct settings {
  int seekable; /* the target can be written at any offset */
  int replace, sync;
  uint64_t threads;
  cpb_limits limits;
  PyObject *progress, *schema;
  const char *type_name;
  uint64_t max_chunk_size, inline_max, for_memory;
  int layout, transpose;
  cpb_codec_options codec;
  const char *riegeli;
  PyObject *base; /* (paths of base and target, the base's name), or NULL or None */
} settings;

#define AT(member) offsetof(settings, member)
/* Of these libcpb._transfers lets each function have its own. */
static const py_option table[] = {
    {"seekable", PY_FLAG, AT(seekable), 0},
    {"replace", PY_FLAG, AT(replace), 0},
    {"sync", PY_FLAG, AT(sync), 0},
    {"threads", PY_COUNT, AT(threads), 256},
    {"limits", PY_LIMITS, AT(limits), 0},
    {"progress", PY_OBJECT, AT(progress), 0},
    {"schema", PY_OBJECT, AT(schema), 0},
    {"type_name", PY_TEXT, AT(type_name), 0},
    {"max_chunk_size", PY_COUNT, AT(max_chunk_size), 0},
    {"inline_max", PY_COUNT, AT(inline_max), 0},
    {"for_memory", PY_COUNT, AT(for_memory), 0},
    {"layout", PY_LAYOUT, AT(layout), 0},
    {"transpose", PY_FLAG, AT(transpose), 0},
    {"codec", PY_CODEC, AT(codec), 0},
    {"level", PY_LEVEL, AT(codec), 0},
    {"window_log", PY_INT, AT(codec.window_log), 31},
    {"riegeli_options", PY_TEXT, AT(riegeli), 0},
    {"base", PY_OBJECT, AT(base), 0},
    {NULL, PY_COUNT, 0, 0},
};

typedef struct transfer {
  settings how;
  py_source source;
  py_sink sink;
  PyObject *schema;
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

/* (resolved source, resolved target, options by name), of which the last outlives the transfer. */
static bool begin(transfer *t, PyObject *args) {
  PyObject *source, *target, *given;
  *t = (transfer){.how = {.replace = 1, .threads = 1, .limits.struct_size = sizeof t->how.limits}};
  if (!PyArg_ParseTuple(args, "OOO", &source, &target, &given) || !py_options_read(&t->how, table, given)) return false;
  t->allocator = py_watch_allocator(&t->watch);
  t->options = (cpb_file_options){.struct_size = sizeof t->options,
                                  .limits = &t->how.limits,
                                  .threads = (unsigned)t->how.threads,
                                  .allocator = &t->allocator,
                                  .progress = progress,
                                  .user = t};
  return (t->schema = py_schema_of(t->how.schema ? t->how.schema : Py_None)) && py_source_open(&t->source, source) &&
         py_sink_open(&t->sink, target, t->how.replace, t->how.sync);
}

/* Runs and commits, or raises; closes the transfer. */
static PyObject *finish(transfer *t) {
  py_work work = py_work_alone(t->how.progress);
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  bool done = false;
  if (!t->index && !t->split && !t->repack) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
  } else {
    t->work = &work;
    py_work_unlock(&work);
    done = run(t, &work, &error) == CPB_OK && py_sink_commit(&t->sink, &error);
    py_work_lock(&work);
    PyObject *name = t->base_fails ? t->base_name : error.code == CPB_E_WRITE ? t->sink.name : t->source.name;
    if (!done) py_sink_raise(&t->sink, &error, name);
  }
  close_transfer(t);
  return done ? Py_BuildValue("") : NULL;
}

PyObject *py_merge(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t;
  bool ready = begin(&t, args);
  const char *type = t.how.type_name;
  if (ready && (!type || (t.options.type = py_schema_find(t.schema, type))))
    t.index = cpb_index_new(&t.allocator, &t.how.limits);
  return finish(&t);
}

PyObject *py_split(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t;
  bool ready = begin(&t, args);
  const settings *how = &t.how;
  PyObject *base = how->base;
  if (ready && base && base != Py_None) ready = PyArg_ParseTuple(base, "yyO", &t.base_path, &t.out_path, &t.base_name);
  if (ready) {
    const cpb_split_options options = {.struct_size = sizeof options,
                                       .limits = &how->limits,
                                       .type_name = how->type_name,
                                       .schema = py_schema_get(t.schema),
                                       .max_chunk_size = how->max_chunk_size,
                                       .inline_max = how->inline_max,
                                       .seekable = how->seekable,
                                       .buffer = how->seekable ? 0 : SIZE_MAX / 2,
                                       .layout = (cpb_layout)how->layout,
                                       .codec = how->codec,
                                       .for_memory = how->for_memory,
                                       .transpose = how->transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER};
    t.split = cpb_split_new(&t.allocator, &options);
  }
  return finish(&t);
}

PyObject *py_repack(PyObject *Py_UNUSED(module), PyObject *args) {
  transfer t;
  bool ready = begin(&t, args);
  const settings *how = &t.how;
  cpb_record_writer_options riegeli = {.struct_size = sizeof riegeli};
  if (ready && (!how->riegeli || py_riegeli_options(&riegeli, how->riegeli))) {
    const cpb_repack_options options = {.struct_size = sizeof options,
                                        .limits = &how->limits,
                                        .seekable = how->seekable,
                                        .buffer = how->seekable ? 0 : SIZE_MAX / 2,
                                        .layout = (cpb_layout)how->layout,
                                        .codec = how->codec,
                                        .for_memory = how->for_memory,
                                        .transpose = how->transpose ? CPB_TRANSPOSE_IF_SMALLER : CPB_TRANSPOSE_NEVER,
                                        .riegeli = how->riegeli ? &riegeli : NULL};
    t.repack = cpb_repack_new(&t.allocator, &options);
  }
  return finish(&t);
}
