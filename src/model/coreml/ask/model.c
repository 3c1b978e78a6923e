#include "model/coreml/ask/model.h"

#include "model/coreml/ask/questions.h"
#include "model/coreml/views.h"

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  cpb_coreml_model *m = cpb_alloc_zeroed(a, sizeof *m);
  (void)kind;
  if (!m) return NULL;
  cpb_whole_init(&m->whole, a, meter, options);
  cpb_coreml_graphs_init(&m->graphs, a);
  cpb_problems_init(&m->graph_problems, a);
  return m;
}

static void forget_graphs(cpb_coreml_model *m) {
  cpb_coreml_graphs_free(&m->graphs);
  cpb_problems_free(&m->graph_problems);
  m->has_graphs = false;
}

static void destroy(void *reader) {
  cpb_coreml_model *m = reader;
  cpb_allocator a = m->whole.allocator;
  forget_graphs(m);
  cpb_whole_free(&m->whole);
  cpb_release(&a, m);
}

static void ask(void *reader, const cpb_question *question) {
  cpb_whole_ask(&((cpb_coreml_model *)reader)->whole, question);
}

static cpb_input *input(void *reader) { return cpb_whole_input(&((cpb_coreml_model *)reader)->whole); }

static void note_damage(void *reader, const char *message) {
  cpb_whole_note_damage(&((cpb_coreml_model *)reader)->whole, message);
}

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return cpb_coreml_find_question(question) != NULL;
}

/* --- Damage ------------------------------------------------------------------------------ */

static const char *missing_in(cpb_span model) {
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(model, &content);
  switch (type) {
    case 0: return "the model itself is missing";
    case TYPE_PROGRAM: return "what follows in the program is missing";
    case TYPE_NETWORK:
    case TYPE_NETWORK_CLASSIFIER:
    case TYPE_NETWORK_REGRESSOR: return "the rest of the layers is missing";
    default: return "what follows is missing";
  }
}

static const char *lost_of(uint32_t field) {
  return field == MODEL_DESCRIPTION ? "the description" : field == TYPE_PROGRAM ? "the program" : "the model";
}

/* --- Steps -------------------------------------------------------------------------------- */

static bool build_graphs(cpb_coreml_model *m) {
  cpb_span content;
  if (m->has_graphs) return true;
  m->has_type = cpb_coreml_type_of(m->whole.part.message, &content) != 0;
  m->has_graphs =
      cpb_coreml_graphs_build(&m->graphs, &m->whole.part, &m->graph_problems, m->whole.meter, m->whole.error);
  if (!m->has_graphs) forget_graphs(m);
  return m->has_graphs;
}

static void write_problems(cpb_coreml_model *m) {
  cpb_problems damage;
  cpb_json_writer *a = m->whole.answer;
  cpb_problems_init(&damage, &m->whole.allocator);
  cpb_whole_add_damage(&m->whole, &damage, missing_in, lost_of);
  cpb_json_writer_open(a, "problems", '[');
  cpb_problems_write(&damage, a);
  cpb_problems_write(&m->graph_problems, a);
  cpb_problems_write(&m->whole.problems, a);
  cpb_json_writer_close(a, ']');
  cpb_problems_free(&damage);
}

static cpb_step write_answer(cpb_coreml_model *m) {
  cpb_json_writer *a = m->whole.answer;
  cpb_problems_free(&m->whole.problems);
  cpb_json_writer_begin(a);
  cpb_json_writer_open(a, NULL, '{');
  if (!m->has_type && m->whole.part.damage.code == CPB_OK)
    cpb_problems_add(&m->whole.problems, CPB_NO_OFFSET, "the model has no type: only a description");
  cpb_coreml_find_question(m->whole.question.kind)(m);
  write_problems(m);
  cpb_json_writer_close(a, '}');
  return m->whole.error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_coreml_model *m = reader;
  cpb_step read = cpb_whole_read(&m->whole, &cpb_view_coreml, answer, error);
  if (read != CPB_STEP_DONE) return read;
  return build_graphs(m) ? write_answer(m) : CPB_STEP_ERROR;
}

const cpb_model_reader cpb_coreml_reader = {.create = create,
                                            .destroy = destroy,
                                            .ask = ask,
                                            .step = step,
                                            .input = input,
                                            .answers = answers,
                                            .note_damage = note_damage};
