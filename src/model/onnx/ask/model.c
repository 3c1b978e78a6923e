#include "model/onnx/ask/model.h"

#include "base/limits.h"
#include "base/status.h"
#include "model/onnx/ask/questions.h"
#include "model/onnx/views.h"

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  cpb_onnx_model *m = cpb_alloc_zeroed(a, sizeof *m);
  (void)kind;
  if (!m) return NULL;
  m->allocator = *a;
  m->meter = meter;
  m->options = *options;
  m->limits = cpb_limits_or_default(options->limits);
  m->options.limits = &m->limits;
  m->damage.offset = CPB_NO_OFFSET;
  cpb_input_init(&m->no_input);
  cpb_onnx_brief_init(&m->brief, &m->allocator, meter);
  cpb_onnx_graphs_init(&m->graphs, a);
  cpb_problems_init(&m->graph_problems, a);
  cpb_problems_init(&m->problems, a);
  return m;
}

static void forget_graphs(cpb_onnx_model *m) {
  cpb_onnx_graphs_free(&m->graphs);
  cpb_problems_free(&m->graph_problems);
  m->has_graphs = false;
}

static void forget(cpb_onnx_model *m) {
  forget_graphs(m);
  cpb_part_free(&m->part);
  cpb_onnx_brief_free(&m->brief);
}

static void destroy(void *reader) {
  cpb_onnx_model *m = reader;
  cpb_allocator a = m->allocator;
  forget(m);
  cpb_problems_free(&m->problems);
  cpb_release(&a, m);
}

/* Whether the question is to be answered without the graph's tensors. */
static bool is_brief(const cpb_onnx_model *m) {
  switch (m->question.kind) {
    case CPB_ASK_CONSTANTS:
    case CPB_ASK_LAYERS:
    case CPB_ASK_SCOPES:
    case CPB_ASK_SEARCH: return false;
    default: return m->question.brief != 0;
  }
}

static void ask(void *reader, const cpb_question *question) {
  cpb_onnx_model *m = reader;
  m->question = *question;
  bool needs_tensors = m->brief.unread.length > 0 && !is_brief(m);
  if (needs_tensors || !m->part.read) forget(m);
}

static cpb_input *input(void *reader) {
  cpb_onnx_model *m = reader;
  return m->part.outline && !m->part.read ? cpb_outline_input(m->part.outline) : &m->no_input;
}

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return cpb_onnx_find_question(question) != NULL;
}

/* --- Reading --------------------------------------------------------------------------- */

/* Nodes follow each other: where each request costs time, many are read with one. */
#define BRIEF_AHEAD ((uint64_t)128 << 10)

static bool begin_model(cpb_onnx_model *m) {
  const cpb_outline_options how = {.max_value = m->options.max_value,
                                   .max_size = m->options.max_memory,
                                   .limits = &m->limits,
                                   .read_ahead = is_brief(m) ? BRIEF_AHEAD : 0};
  if (!cpb_part_begin(&m->part, &m->allocator, &cpb_view_onnx, NULL, 0, &how)) return cpb_onnx_fail_memory(m);
  if (is_brief(m)) cpb_onnx_brief_begin(&m->brief, &m->part);
  return true;
}

static cpb_step read_model(cpb_onnx_model *m) {
  const bool was_read = m->part.read;
  if (!m->part.outline && !begin_model(m)) return CPB_STEP_ERROR;
  cpb_step step = cpb_part_step(&m->part, m->error);
  if (step != CPB_STEP_DONE || was_read) return step;
  if (m->damage.code != CPB_OK) m->part.lacks_some = true;
  bool done = cpb_meter_charge(m->meter, CPB_WORK_WALKED, m->part.message.size, CPB_NO_OFFSET, m->error);
  return done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

static bool build_graphs(cpb_onnx_model *m) {
  if (m->has_graphs) return true;
  m->has_graphs = cpb_onnx_graphs_build(&m->graphs, &m->part, &m->graph_problems, m->meter, m->error);
  if (!m->has_graphs) forget_graphs(m);
  return m->has_graphs;
}

/* --- Damage ------------------------------------------------------------------------------ */

/* Writers put fields in the order of their numbers: what is missing follows from the last one. */
static const char *missing_after(const cpb_onnx_model *m) {
  uint32_t last = 0, in_graph = 0;
  cpb_cursor c = cpb_cursor_of(m->part.message);
  while (cpb_cursor_next(&c)) last = c.number;
  if (last < MODEL_GRAPH) return "the graph is missing";
  if (last > MODEL_GRAPH) return "what follows is missing";
  for (c = cpb_cursor_of(cpb_get_bytes(m->part.message, MODEL_GRAPH)); cpb_cursor_next(&c);) in_graph = c.number;
  switch (in_graph) {
    case 0: return "the graph is missing";
    case GRAPH_NODE: return "the rest of the nodes, and the initializers, inputs and outputs, are missing";
    case GRAPH_NAME: return "the initializers, inputs and outputs are missing";
    case GRAPH_INITIALIZER: return "the rest of the initializers, and the inputs and outputs, are missing";
    case GRAPH_DOC: return "the inputs and outputs are missing";
    case GRAPH_INPUT: return "further inputs, and the outputs, are missing";
    default: return "what follows in the graph is missing";
  }
}

static const char *lost_of(const cpb_onnx_model *m) {
  switch (cpb_outline_lost_in(m->part.outline, 0)) {
    case MODEL_GRAPH: return "the graph";
    case MODEL_FUNCTION: return "the functions";
    case MODEL_TRAINING: return "what is for training";
    default: return "the model";
  }
}

static void note_damage_of(const cpb_onnx_model *m, cpb_problems *problems) {
  char text[192];
  const cpb_part *p = &m->part;
  const cpb_error *damage = p->damage.code != CPB_OK ? &p->damage : &m->damage;
  if (damage->code == CPB_OK) return;
  if (damage == &m->damage) cpb_format(text, sizeof text, "%s: a part of the model is missing", damage->message);
  else if (p->lost == 0) cpb_format(text, sizeof text, "%s: %s", damage->message, missing_after(m));
  else
    cpb_format(text, sizeof text, "%s: at least %llu bytes of %s are missing", damage->message,
               (unsigned long long)p->lost, lost_of(m));
  cpb_problems_add_damage(problems, damage->offset, text);
}

/* --- Steps -------------------------------------------------------------------------------- */

static void write_problems(cpb_onnx_model *m) {
  cpb_problems damage;
  cpb_problems_init(&damage, &m->allocator);
  note_damage_of(m, &damage);
  cpb_json_writer_open(m->answer, "problems", '[');
  cpb_problems_write(&damage, m->answer);
  cpb_problems_write(&m->graph_problems, m->answer);
  cpb_problems_write(&m->problems, m->answer);
  cpb_json_writer_close(m->answer, ']');
  cpb_problems_free(&damage);
}

static void write_unread(cpb_onnx_model *m) {
  const cpb_range unread = m->brief.unread;
  if (unread.length == 0) return;
  cpb_json_writer_open(m->answer, "unread", '{');
  cpb_json_writer_unsigned(m->answer, "offset", unread.offset);
  cpb_json_writer_unsigned(m->answer, "size", unread.length);
  cpb_json_writer_close(m->answer, '}');
}

static cpb_step write_answer(cpb_onnx_model *m) {
  cpb_problems_free(&m->problems);
  cpb_json_writer_begin(m->answer);
  cpb_json_writer_open(m->answer, NULL, '{');
  if (!m->graphs.items[0].message.data && m->part.damage.code == CPB_OK)
    cpb_problems_add(&m->problems, CPB_NO_OFFSET, "the model has no graph");
  cpb_onnx_find_question(m->question.kind)(m);
  write_unread(m);
  write_problems(m);
  cpb_json_writer_close(m->answer, '}');
  return m->error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* Up to IR version 3 initializers are among the inputs: without them it is not known what is an input. */
static bool is_too_brief(const cpb_onnx_model *m) {
  return m->brief.unread.length > 0 && cpb_get_number(m->part.message, MODEL_IR_VERSION) < 4;
}

static cpb_step read_enough(cpb_onnx_model *m) {
  cpb_step step = read_model(m);
  if (step != CPB_STEP_DONE || !is_too_brief(m)) return step;
  forget(m);
  m->question.brief = 0;
  return read_model(m);
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_onnx_model *m = reader;
  m->answer = answer;
  m->error = error;
  cpb_step read = read_enough(m);
  if (read != CPB_STEP_DONE) return read;
  if (m->part.damage.code != CPB_OK && m->part.message.size == 0) *error = m->part.damage;
  if (error->code != CPB_OK || !build_graphs(m)) return CPB_STEP_ERROR;
  return write_answer(m);
}

static void note_damage(void *reader, const char *message) {
  cpb_onnx_model *m = reader;
  cpb_fail(&m->damage, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s", message);
}

const cpb_model_reader cpb_onnx_reader = {.create = create,
                                          .destroy = destroy,
                                          .ask = ask,
                                          .step = step,
                                          .input = input,
                                          .answers = answers,
                                          .note_damage = note_damage};
