/* Model._cut(): a model with nothing but some of its objects. */
#include <cpb/split.h>

#include "model.h"

typedef struct cutting {
  py_model *model;
  py_sink sinks[2];       /* by cpb_cut_file */
  int spool;              /* a descriptor of an empty file, for the message of a .cpb; or -1 */
  const py_sink *written; /* what the error is about; NULL: what is read */
  cpb_error error;
} cutting;

/* --- Without the GIL ---------------------------------------------------------------------------- */

static bool write_output(cutting *t, cpb_cut_file file, cpb_output *out, uint64_t at, const uint8_t *data,
                         size_t length) {
  if (cpb_output_write(out, at, data, length) == CPB_OK) return true;
  t->error = *cpb_output_error(out);
  t->written = &t->sinks[file];
  return false;
}

static bool copy_range(cutting *t, cpb_cut_file file, cpb_output *out, uint64_t at, uint64_t offset, uint64_t length) {
  cpb_message_file *message = cpb_model_file_message(t->model->file);
  for (uint64_t done = 0; done < length;) {
    size_t n = length - done < (1u << 20) ? (size_t)(length - done) : (1u << 20);
    const uint8_t *data = cpb_message_file_read(message, offset + done, &n, &t->error);
    if (data && n == 0) t->error = (cpb_error){.code = CPB_E_TRUNCATED, .offset = offset + done};
    if (!data || n == 0 || !write_output(t, file, out, at + done, data, n)) return false;
    done += n;
  }
  return true;
}

static bool put_pieces(cutting *t, cpb_cut_file file, cpb_output *out) {
  const cpb_model *model = cpb_model_file_model(t->model->file);
  uint64_t at = 0;
  size_t count = cpb_model_num_pieces(model, file);
  for (size_t i = 0; i < count; i++) {
    cpb_model_piece piece = cpb_model_get_piece(model, file, i);
    bool put = piece.bytes ? write_output(t, file, out, at, piece.bytes, (size_t)piece.length)
                           : copy_range(t, file, out, at, piece.offset, piece.length);
    if (!put) return false;
    at += piece.length;
  }
  return true;
}

static bool write_spool(cutting *t) {
  cpb_output *out = cpb_output_create_fd(NULL, t->spool, -1, &t->error);
  bool done = out && put_pieces(t, CPB_CUT_SAVED_MODEL, out);
  if (done && cpb_output_commit(out) != CPB_OK) {
    t->error = *cpb_output_error(out);
    t->written = &t->sinks[0];
    done = false;
  }
  cpb_output_free(out);
  return done;
}

static bool split_spool(cutting *t) {
  const cpb_split_options how = {.struct_size = sizeof how, .seekable = 1, .limits = &t->model->limits};
  const cpb_file_options options = {.struct_size = sizeof options,
                                    .limits = &t->model->limits,
                                    .progress = py_work_progress,
                                    .user = &t->model->work};
  cpb_file *in = cpb_file_open_fd(NULL, t->spool, -1, &t->error);
  cpb_split *split = in ? cpb_split_new(NULL, &how) : NULL;
  if (in && !split) t->error.code = CPB_E_MEMORY;
  bool done = split && cpb_transfer_split(in, t->sinks[0].output, split, &options, &t->error) == CPB_OK;
  if (t->error.code == CPB_E_WRITE) t->written = &t->sinks[0];
  cpb_split_free(split);
  cpb_file_close(in);
  return done;
}

/* All is written before anything gets its name. */
static bool write_all(cutting *t) {
  bool done = t->spool < 0 ? put_pieces(t, CPB_CUT_SAVED_MODEL, t->sinks[0].output) : write_spool(t) && split_spool(t);
  if (done && t->sinks[1].output) done = put_pieces(t, CPB_CUT_KERAS_METADATA, t->sinks[1].output);
  for (int i = 0; i < 2 && done; i++) {
    if (t->sinks[i].output) done = py_sink_commit(&t->sinks[i], &t->error);
    if (!done) t->written = &t->sinks[i];
  }
  return done;
}

/* --- With it -------------------------------------------------------------------------------------- */

static bool write_files(cutting *t) {
  t->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  py_work_unlock(&t->model->work);
  bool done = write_all(t);
  py_work_lock(&t->model->work);
  if (!done && t->written) py_raise(&t->error, t->written->name);
  else if (!done) py_model_raise(t->model, &t->error);
  return done;
}

/* The answer to the question what stays, once all is written. */
static PyObject *cut(cutting *t, const cpb_question *question, PyObject *target, PyObject *keras, bool replace,
                     bool sync) {
  size_t size = 0;
  if (!py_model_is_whole(t->model, &t->error)) return py_model_raise(t->model, &t->error);
  py_work_unlock(&t->model->work);
  const char *answer = cpb_model_file_ask(t->model->file, question, &size, &t->error);
  py_work_lock(&t->model->work);
  if (!answer) return py_model_raise(t->model, &t->error);
  bool beside = cpb_model_num_pieces(cpb_model_file_model(t->model->file), CPB_CUT_KERAS_METADATA) > 0;
  if (!py_sink_open(&t->sinks[0], target, replace, sync)) return NULL;
  if (beside && !py_sink_open(&t->sinks[1], keras, replace, sync)) return NULL;
  return write_files(t) ? PyUnicode_DecodeUTF8(answer, (Py_ssize_t)size, "strict") : NULL;
}

/* (paths, one a line; meta graph; target; that of keras_metadata.pb; descriptor of the spool or -1; replace; sync;
 * progress) */
PyObject *py_model_cut(py_model *m, PyObject *args) {
  PyObject *target, *keras, *progress, *out = NULL;
  py_text paths = {0};
  int replace, sync;
  cutting t = {.model = m};
  cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_CUT, .count = UINT64_MAX};
  if (PyArg_ParseTuple(args, "O&IOOippO", py_text_read, &paths, &question.meta_graph, &target, &keras, &t.spool,
                       &replace, &sync, &progress) &&
      py_model_begin(m, progress)) {
    py_text_lend(&paths, &question.name, &question.name_size);
    out = cut(&t, &question, target, keras, replace, sync);
    for (int i = 0; i < 2; i++) py_sink_close(&t.sinks[i]);
    py_work_end(&m->work);
  }
  py_text_free(&paths);
  return out;
}
