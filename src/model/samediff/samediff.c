#include "model/samediff/samediff.h"

#include "base/status.h"
#include "model/common/kind.h"
#include "model/samediff/questions.h"
#include "model/samediff/steps.h"
#include "model/samediff/view.h"

typedef struct reader {
  cpb_meter *meter;
  uint64_t spent; /* what of the graph's reads was charged for this question */
  size_t entries; /* and of its variables and operations */
  cpb_sd_model model;
  cpb_sd_reply reply;
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->meter = meter;
  cpb_sd_model_init(&r->model, a, meter, kind == CPB_MODEL_SAMEDIFF_ZIP, options);
  cpb_sd_model_keep_damaged(&r->model);
  cpb_sd_reply_init(&r->reply, &r->model, &cpb_sd_view);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->model.allocator;
  cpb_sd_reply_free(&r->reply);
  cpb_sd_model_free(&r->model);
  cpb_release(&a, r);
}

static void ask(void *state, const cpb_question *question) {
  reader *r = state;
  cpb_sd_model_reset(&r->model);
  r->spent = 0;
  r->entries = 0;
  cpb_sd_reply_begin(&r->reply, question);
}

/* What has become more since the last time. The count of reads begins anew with an answer. */
static bool charge(reader *r) {
  const cpb_sd_graph *g = &r->model.graph;
  uint64_t spent = r->model.graph_begun ? g->flat.spent : 0;
  size_t entries = r->model.graph_begun ? g->num_variables + g->num_nodes + g->num_links : 0;
  uint64_t walked = spent >= r->spent ? spent - r->spent : spent;
  size_t made = entries >= r->entries ? entries - r->entries : entries;
  r->spent = spent;
  r->entries = entries;
  return cpb_meter_charge(r->meter, CPB_WORK_WALKED, walked, CPB_NO_OFFSET, &r->model.error) &&
         cpb_meter_charge(r->meter, CPB_WORK_ENTRIES, made, CPB_NO_OFFSET, &r->model.error);
}

static cpb_step step(void *state, cpb_json_writer *answer, cpb_error *error) {
  reader *r = state;
  cpb_have have = cpb_sd_go_on(&r->reply, answer);
  if (have != CPB_FAILED && !charge(r)) have = CPB_FAILED;
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  cpb_input_let_go(&r->model.input);
  if (have == CPB_HAVE) return CPB_STEP_DONE;
  *error = r->model.error;
  return CPB_STEP_ERROR;
}

static cpb_input *input(void *state) { return &((reader *)state)->model.input; }

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return cpb_sd_answers(question);
}

const cpb_model_reader cpb_samediff_reader = {
    .create = create, .destroy = destroy, .ask = ask, .step = step, .input = input, .answers = answers};
