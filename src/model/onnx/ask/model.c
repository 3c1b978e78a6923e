#include "model/onnx/ask/model.h"

#include "model/onnx/ask/questions.h"
#include "model/onnx/views.h"

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  cpb_onnx_model *m = cpb_alloc_zeroed(a, sizeof *m);
  (void)kind;
  if (!m) return NULL;
  cpb_whole_init(&m->whole, a, meter, options);
  cpb_onnx_brief_init(&m->brief, a, meter);
  cpb_onnx_graphs_init(&m->graphs, a);
  cpb_problems_init(&m->graph_problems, a);
  return m;
}

static void forget_graphs(cpb_onnx_model *m) {
  cpb_onnx_graphs_free(&m->graphs);
  cpb_problems_free(&m->graph_problems);
  m->has_graphs = false;
}

static void forget(cpb_onnx_model *m) {
  forget_graphs(m);
  cpb_part_free(&m->whole.part);
  cpb_onnx_brief_free(&m->brief);
}

static void destroy(void *reader) {
  cpb_onnx_model *m = reader;
  cpb_allocator a = m->whole.allocator;
  forget(m);
  cpb_whole_free(&m->whole);
  cpb_release(&a, m);
}

/* Nodes follow each other: where each request costs time, many are read with one. */
#define BRIEF_AHEAD ((uint64_t)128 << 10)

/* Whether the question is to be answered without the graph's tensors. */
static bool is_brief(const cpb_question *question) {
  switch (question->kind) {
    case CPB_ASK_CONSTANTS:
    case CPB_ASK_LAYERS:
    case CPB_ASK_SCOPES:
    case CPB_ASK_SEARCH: return false;
    default: return question->brief != 0;
  }
}

/* How the model is read, unless it was before. */
static void set_brief(cpb_onnx_model *m, bool brief) {
  m->whole.read_ahead = brief ? BRIEF_AHEAD : 0;
  m->whole.jumps = brief ? &cpb_onnx_brief_jumps : NULL;
  m->whole.jumps_context = &m->brief;
}

static void ask(void *reader, const cpb_question *question) {
  cpb_onnx_model *m = reader;
  const bool brief = is_brief(question), needs_tensors = m->brief.unread.length > 0 && !brief;
  cpb_whole_ask(&m->whole, question);
  if (needs_tensors || !m->whole.part.read) forget(m);
  set_brief(m, brief);
}

static cpb_input *input(void *reader) { return cpb_whole_input(&((cpb_onnx_model *)reader)->whole); }

static void note_damage(void *reader, const char *message) {
  cpb_whole_note_damage(&((cpb_onnx_model *)reader)->whole, message);
}

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return cpb_onnx_find_question(question) != NULL;
}

/* --- Graphs ---------------------------------------------------------------------------- */

static bool build_graphs(cpb_onnx_model *m) {
  if (m->has_graphs) return true;
  m->has_graphs = cpb_onnx_graphs_build(&m->graphs, &m->whole.part, &m->graph_problems, m->whole.meter, m->whole.error);
  if (!m->has_graphs) forget_graphs(m);
  return m->has_graphs;
}

/* --- Damage ------------------------------------------------------------------------------ */

/* Writers put fields in the order of their numbers: what is missing follows from the last one. */
static const char *missing_in(cpb_span model) {
  uint32_t last = 0, in_graph = 0;
  cpb_cursor c = cpb_cursor_of(model);
  while (cpb_cursor_next(&c)) last = c.number;
  if (last < MODEL_GRAPH) return "the graph is missing";
  if (last > MODEL_GRAPH) return "what follows is missing";
  for (c = cpb_cursor_of(cpb_get_bytes(model, MODEL_GRAPH)); cpb_cursor_next(&c);) in_graph = c.number;
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

static const char *lost_of(uint32_t field) {
  switch (field) {
    case MODEL_GRAPH: return "the graph";
    case MODEL_FUNCTION: return "the functions";
    case MODEL_TRAINING: return "what is for training";
    default: return "the model";
  }
}

/* --- Steps -------------------------------------------------------------------------------- */

static void write_problems(cpb_onnx_model *m) {
  cpb_problems damage;
  cpb_problems_init(&damage, &m->whole.allocator);
  cpb_whole_add_damage(&m->whole, &damage, missing_in, lost_of);
  cpb_json_writer_open(m->whole.answer, "problems", '[');
  cpb_problems_write(&damage, m->whole.answer);
  cpb_problems_write(&m->graph_problems, m->whole.answer);
  cpb_problems_write(&m->whole.problems, m->whole.answer);
  cpb_json_writer_close(m->whole.answer, ']');
  cpb_problems_free(&damage);
}

static void write_unread(cpb_onnx_model *m) {
  const cpb_range unread = m->brief.unread;
  if (unread.length == 0) return;
  cpb_json_writer_open(m->whole.answer, "unread", '{');
  cpb_json_writer_unsigned(m->whole.answer, "offset", unread.offset);
  cpb_json_writer_unsigned(m->whole.answer, "size", unread.length);
  cpb_json_writer_close(m->whole.answer, '}');
}

static cpb_step write_answer(cpb_onnx_model *m) {
  cpb_problems_free(&m->whole.problems);
  cpb_json_writer_begin(m->whole.answer);
  cpb_json_writer_open(m->whole.answer, NULL, '{');
  if (!m->graphs.items[0].message.data && m->whole.part.damage.code == CPB_OK)
    cpb_problems_add(&m->whole.problems, CPB_NO_OFFSET, "the model has no graph");
  cpb_onnx_find_question(m->whole.question.kind)(m);
  write_unread(m);
  write_problems(m);
  cpb_json_writer_close(m->whole.answer, '}');
  return m->whole.error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* Up to IR version 3 initializers are among the inputs: without them it is not known what is an input. */
static bool is_too_brief(const cpb_onnx_model *m) {
  return m->brief.unread.length > 0 && cpb_get_number(m->whole.part.message, MODEL_IR_VERSION) < 4;
}

static cpb_step read_enough(cpb_onnx_model *m, cpb_json_writer *answer, cpb_error *error) {
  cpb_step read = cpb_whole_read(&m->whole, &cpb_view_onnx, answer, error);
  if (read != CPB_STEP_DONE || !is_too_brief(m)) return read;
  forget(m);
  set_brief(m, false);
  return cpb_whole_read(&m->whole, &cpb_view_onnx, answer, error);
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_onnx_model *m = reader;
  cpb_step read = read_enough(m, answer, error);
  if (read != CPB_STEP_DONE) return read;
  return build_graphs(m) ? write_answer(m) : CPB_STEP_ERROR;
}

const cpb_model_reader cpb_onnx_reader = {.create = create,
                                          .destroy = destroy,
                                          .ask = ask,
                                          .step = step,
                                          .input = input,
                                          .answers = answers,
                                          .note_damage = note_damage};
