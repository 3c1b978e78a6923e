#include <string.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "model/kinds.h"

/* What a reader has read stays for the next question; `held` counts it for the limits. The texts of a question are
 * copied, because the host's need not outlive cpb_model_ask(). An error stays until the next question. */

#define MAX_VALUE 1024
#define PAGE 100

typedef enum model_state {
  MODEL_IDLE, /* no question yet */
  MODEL_ASKED,
  MODEL_DONE
} model_state;

struct cpb_model {
  cpb_allocator allocator; /* for the answer and the cpb_model itself */
  cpb_meter meter;
  cpb_allocator held; /* for everything else */
  cpb_model_kind kind;
  const cpb_model_reader *reader; /* NULL: no such kind */
  void *state_of_reader;
  model_state state;
  cpb_question question;
  char *name, *scope, *to; /* copies of the question's texts */
  uint8_t *operators;      /* a copy of the host's table, or NULL */
  cpb_json_writer answer;
  cpb_error error;
  cpb_error limit;    /* the limit that the answer exceeded */
  cpb_input no_input; /* for a model without a reader */
};

/* --- Creation -------------------------------------------------------------- */

static cpb_model_options with_defaults(const cpb_model_options *given) {
  cpb_model_options options;
  cpb_options_copy(&options, sizeof options, given);
  if (options.max_value == 0) options.max_value = MAX_VALUE;
  options.max_memory = cpb_max_memory_or_default(options.max_memory);
  return options;
}

cpb_model *cpb_model_new(const cpb_allocator *given, cpb_model_kind kind, const cpb_model_options *given_options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_model *m = cpb_alloc_zeroed(&a, sizeof *m);
  if (!m) return NULL;
  m->allocator = a;
  m->kind = kind;
  const cpb_kind *known = cpb_kind_find(kind);
  m->reader = known ? known->reader : NULL;
  cpb_input_init(&m->no_input);
  cpb_buffer_init(&m->answer.out, &a);
  cpb_model_options options = with_defaults(given_options);
  cpb_meter_init(&m->meter, &a, options.limits, NULL);
  m->held = cpb_meter_allocator(&m->meter);
  m->answer.meter = &m->meter;
  m->answer.limit = &m->limit;
  if (m->reader) m->state_of_reader = m->reader->create(&m->held, &m->meter, kind, &options);
  if (!m->reader || m->state_of_reader) return m;
  cpb_model_free(m);
  return NULL;
}

static void forget_question(cpb_model *m) {
  cpb_release(&m->allocator, m->name);
  cpb_release(&m->allocator, m->scope);
  cpb_release(&m->allocator, m->to);
  m->name = m->scope = m->to = NULL;
}

void cpb_model_free(cpb_model *m) {
  if (!m) return;
  cpb_allocator a = m->allocator;
  if (m->state_of_reader) m->reader->destroy(m->state_of_reader);
  cpb_release(&m->held, m->operators);
  cpb_buffer_free(&m->answer.out);
  forget_question(m);
  cpb_meter_free(&m->meter);
  cpb_release(&a, m);
}

cpb_model_kind cpb_model_get_kind(const cpb_model *m) { return m->kind; }

int cpb_model_set_keras_metadata(cpb_model *m, const void *data, size_t size) {
  return m->reader && m->reader->set_keras_metadata && m->reader->set_keras_metadata(m->state_of_reader, data, size);
}

int cpb_model_set_fingerprint(cpb_model *m, const void *data, size_t size) {
  return m->reader && m->reader->set_fingerprint && m->reader->set_fingerprint(m->state_of_reader, data, size);
}

int cpb_model_set_checkpoint(cpb_model *m, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size) {
  return m->reader && m->reader->set_checkpoint &&
         m->reader->set_checkpoint(m->state_of_reader, checkpoint, object_graph, size);
}

int cpb_model_set_operators(cpb_model *m, const void *data, size_t size) {
  if (!m->reader || !m->reader->set_operators) return 0;
  uint8_t *copy = size > 0 ? cpb_alloc(&m->held, size) : NULL, *old = m->operators;
  if (size > 0 && !copy) return 0;
  if (size > 0) memcpy(copy, data, size);
  const bool taken = m->reader->set_operators(m->state_of_reader, (cpb_span){copy, size});
  if (taken) m->operators = copy;
  cpb_release(&m->held, taken ? old : copy);
  return taken;
}

void cpb_model_note_damage(cpb_model *m, const char *message) {
  if (m->reader && m->reader->note_damage) m->reader->note_damage(m->state_of_reader, message);
}

/* --- Asking ---------------------------------------------------------------- */

static bool copy_text(cpb_model *m, const char *text, size_t size, char **copy) {
  if (!text) return true;
  *copy = cpb_alloc(&m->allocator, size);
  if (*copy && size > 0) memcpy(*copy, text, size);
  if (!*copy) cpb_fail_memory(&m->error);
  return *copy != NULL;
}

int cpb_model_kind_answers(cpb_model_kind kind, cpb_question_kind question) {
  const cpb_kind *known = cpb_kind_find(kind);
  return known && cpb_question_name(question) && known->reader->answers(kind, question);
}

/* Lists the questions that are possible instead. */
static void fail_unsupported(cpb_model *m) {
  char known[sizeof m->error.message] = "";
  size_t size = 0;
  for (cpb_question_kind kind = 1; cpb_question_name(kind); kind++)
    if (cpb_model_kind_answers(m->kind, kind))
      size += cpb_format(known + size, sizeof known - size, "%s%s", size > 0 ? ", " : "", cpb_question_name(kind));
  cpb_fail(&m->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
           "question \"%s\" is not supported for models of the kind %s; expected one of %s",
           cpb_question_name(m->question.kind), cpb_model_kind_label(m->kind), known);
}

static bool check_question(cpb_model *m) {
  const cpb_question *q = &m->question;
  if (!m->reader)
    cpb_fail(&m->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "unknown kind of model; expected a cpb_model_kind");
  else if (!cpb_question_name(q->kind))
    cpb_fail(&m->error, CPB_E_USAGE, CPB_NO_OFFSET, "question is %d; expected one of CPB_QUESTIONS", (int)q->kind);
  else if ((!q->name && q->name_size > 0) || (!q->scope && q->scope_size > 0) || (!q->to && q->to_size > 0))
    cpb_fail(&m->error, CPB_E_USAGE, CPB_NO_OFFSET, "name, scope or to is NULL, but its size is not 0");
  else if (!cpb_model_kind_answers(m->kind, q->kind)) fail_unsupported(m);
  return m->error.code == CPB_OK;
}

void cpb_model_ask(cpb_model *m, const cpb_question *question) {
  cpb_question *q = &m->question;
  forget_question(m);
  cpb_json_writer_begin(&m->answer);
  m->error = m->limit = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  m->state = MODEL_ASKED;
  cpb_meter_renew(&m->meter);
  cpb_options_copy(q, sizeof *q, question);
  if (q->count == 0) q->count = PAGE;
  if (!check_question(m) || !copy_text(m, q->name, q->name_size, &m->name) ||
      !copy_text(m, q->scope, q->scope_size, &m->scope) || !copy_text(m, q->to, q->to_size, &m->to))
    return;
  q->name = m->name;
  q->scope = m->scope;
  q->to = m->to;
  m->reader->ask(m->state_of_reader, q);
}

/* --- Steps ----------------------------------------------------------------- */

/* The writer of the answer stops at a limit as it does when memory is short, and most code need not distinguish the
 * two. fail() does: `limit` has the error of a limit. */

cpb_input *cpb_model_input(cpb_model *m) { return m->reader ? m->reader->input(m->state_of_reader) : &m->no_input; }

/* The size of the input is known once a part of it is being read. */
static void update_meter(cpb_model *m) {
  m->meter.input = cpb_model_input(m);
  cpb_meter_update(&m->meter);
}

static cpb_step fail(cpb_model *m) {
  if (m->limit.code != CPB_OK) m->error = m->limit;
  cpb_meter_explain(&m->meter, &m->error);
  return CPB_STEP_ERROR;
}

static cpb_step finish(cpb_model *m) {
  if (!cpb_json_writer_ok(&m->answer)) {
    cpb_fail_memory(&m->error);
    return fail(m);
  }
  m->state = MODEL_DONE;
  return CPB_STEP_DONE;
}

cpb_step cpb_model_step(cpb_model *m) {
  if (m->state == MODEL_IDLE)
    cpb_fail(&m->error, CPB_E_USAGE, CPB_NO_OFFSET, "no question was asked; expected cpb_model_ask() first");
  if (m->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (m->state == MODEL_DONE) return CPB_STEP_DONE;
  update_meter(m);
  cpb_step step = m->reader->step(m->state_of_reader, &m->answer, &m->error);
  if (step == CPB_STEP_ERROR) return fail(m);
  return step == CPB_STEP_DONE ? finish(m) : step;
}

const cpb_error *cpb_model_error(const cpb_model *m) { return &m->error; }

cpb_work cpb_model_get_work(const cpb_model *m) { return cpb_meter_work(&m->meter); }

const char *cpb_model_answer(const cpb_model *m, size_t *size) {
  bool done = m->state == MODEL_DONE;
  *size = done ? m->answer.out.size : 0;
  return done ? (const char *)m->answer.out.data : NULL;
}

/* --- What is cut out ---------------------------------------------------------- */

static const cpb_pieces *find_pieces(const cpb_model *m, cpb_cut_file file) {
  bool done = m->state == MODEL_DONE && m->reader->pieces;
  return done ? m->reader->pieces(m->state_of_reader, file) : NULL;
}

size_t cpb_model_num_pieces(const cpb_model *m, cpb_cut_file file) {
  const cpb_pieces *pieces = find_pieces(m, file);
  return pieces ? pieces->count : 0;
}

cpb_model_piece cpb_model_get_piece(const cpb_model *m, cpb_cut_file file, size_t i) {
  const cpb_pieces *pieces = find_pieces(m, file);
  bool there = pieces && i < pieces->count;
  return there ? cpb_pieces_get(pieces, i) : (cpb_model_piece){.offset = CPB_NO_OFFSET};
}
