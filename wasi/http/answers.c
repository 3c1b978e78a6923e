/* Questions about a model: the answers of `cpb inspect`. */
#include <string.h>

#include "base/status.h"
#include "job.h"

/* The question in a request's query. */
typedef struct asked {
  cpb_question question;
  char name[NAME_MAX_LENGTH], scope[NAME_MAX_LENGTH], to[NAME_MAX_LENGTH];
} asked;

static bool read_question(job *j, cpb_question_kind kind, asked *a) {
  uint64_t graph;
  cpb_question *q = &a->question;
  *q = (cpb_question){.struct_size = sizeof *q, .kind = kind};
  if (job_parameter(j, "name", a->name, sizeof a->name, &q->name_size)) q->name = a->name;
  if (job_parameter(j, "scope", a->scope, sizeof a->scope, &q->scope_size)) q->scope = a->scope;
  if (job_parameter(j, "to", a->to, sizeof a->to, &q->to_size)) q->to = a->to;
  bool done = j->error.code == CPB_OK && job_number(j, "first", UINT64_MAX, 0, &q->first) &&
              job_number(j, "count", 10000, 100, &q->count) && job_number(j, "meta_graph", UINT32_MAX, 0, &graph) &&
              job_number(j, "distance", UINT64_MAX, 0, &q->distance);
  if (done) q->meta_graph = (uint32_t)graph;
  return done;
}

static void write_left_out(cpb_json_writer *w, unsigned beside, const cpb_error *error) {
  const char *file = beside & CPB_BESIDE_CHECKPOINT ? "variables/variables.index" : "fingerprint.pb";
  cpb_json_writer_open(w, NULL, '{');
  cpb_json_writer_text(w, "file", file);
  cpb_json_writer_text(w, "code", cpb_code_name(error->code));
  cpb_json_writer_text(w, "error", error->message);
  cpb_json_writer_close(w, '}');
}

/* If the checkpoint or the fingerprint next to the model cannot be read, the answer leaves out its facts and says
 * so. */
static const char *ask(job *j, cpb_model_file *model, const cpb_question *question, cpb_json_writer *w, size_t *size) {
  const char *json, *path;
  bool open = false;
  while (!(json = cpb_model_file_ask(model, question, size, &j->error))) {
    unsigned beside = cpb_model_file_culprit(model, &path) & (CPB_BESIDE_CHECKPOINT | CPB_BESIDE_FINGERPRINT);
    if (!beside) break;
    if (!open) cpb_json_writer_open(w, "left_out", '[');
    open = true;
    write_left_out(w, beside, &j->error);
    cpb_model_file_leave_out(model, beside);
  }
  if (open) cpb_json_writer_close(w, ']');
  j->is_partial = open;
  return json;
}

void answer_question(job *j, cpb_question_kind kind) {
  asked *a = cpb_alloc(&j->allocator, sizeof *a);
  const cpb_model_file_options how = {.struct_size = sizeof how, .urls = &j->urls};
  cpb_model_file *model = NULL;
  size_t size;
  cpb_json_writer w;
  if (!a) cpb_fail_memory(&j->error);
  reply_begin(j, &w);
  if (a && read_question(j, kind, a)) {
    model = cpb_model_file_open(&j->allocator, j->url, &how, &j->error);
    job_opened(j);
  }
  const char *json = model ? ask(j, model, &a->question, &w, &size) : NULL;
  if (json) cpb_json_writer_raw(&w, cpb_question_name(kind), (cpb_span){(const uint8_t *)json, size});
  cpb_model_file_close(model);
  cpb_release(&j->allocator, a);
  reply_json(j, &w);
}
