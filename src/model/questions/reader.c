#include "model/questions/reader.h"

#include "base/limits.h"
#include "base/status.h"

/* The message is read for the first question, and kept. It is read anew only if a question needs more of it, which the
 * kind decides. All spans of the view point into the part, so the graphs are forgotten before the part is freed. */

typedef cpb_viewed_message message;

/* --- Creation ------------------------------------------------------------------------ */

void *cpb_viewed_create(const cpb_allocator *a, cpb_meter *meter, const cpb_viewed_kind *kind,
                        const cpb_model_options *options) {
  message *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return NULL;
  m->kind = kind;
  m->options = *options;
  m->limits = cpb_limits_or_default(options->limits);
  m->options.limits = &m->limits;
  m->damage.offset = CPB_NO_OFFSET;
  cpb_input_init(&m->no_input);
  cpb_problems_init(&m->graph_problems, a);
  cpb_viewed_init(&m->viewed, a, meter, kind->view, &m->part);
  if (!kind->create || (m->viewed.view.own = kind->create(m)) != NULL) return m;
  cpb_viewed_destroy(m);
  return NULL;
}

static void forget_graphs(message *m) {
  cpb_viewed_forget(&m->viewed);
  cpb_problems_free(&m->graph_problems);
  m->has_graphs = false;
}

static void forget(message *m) {
  forget_graphs(m);
  if (m->kind->forget && m->viewed.view.own) m->kind->forget(m);
  cpb_part_free(&m->part);
}

void cpb_viewed_destroy(void *reader) {
  message *m = reader;
  cpb_allocator a = m->viewed.allocator;
  forget(m);
  if (m->kind->destroy && m->viewed.view.own) m->kind->destroy(m);
  cpb_problems_free(&m->viewed.problems);
  cpb_release(&a, m);
}

/* --- Asking --------------------------------------------------------------------------- */

void cpb_viewed_ask(void *reader, const cpb_question *question) {
  message *m = reader;
  m->viewed.question = *question;
  const bool anew = m->kind->prepare && m->kind->prepare(m, question);
  if (anew || !m->part.read) forget(m);
}

cpb_input *cpb_viewed_input(void *reader) {
  message *m = reader;
  return m->part.outline && !m->part.read ? cpb_outline_input(m->part.outline) : &m->no_input;
}

void cpb_viewed_note_damage(void *reader, const char *text) {
  cpb_fail(&((message *)reader)->damage, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s", text);
}

bool cpb_viewed_set_operators(void *reader, cpb_span table) {
  cpb_view *view = &((message *)reader)->viewed.view;
  if (view->kind->operators) view->operators = table;
  return view->kind->operators != NULL;
}

bool cpb_viewed_answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return question == CPB_ASK_OVERVIEW || cpb_question_find(question) != NULL;
}

/* --- Reading --------------------------------------------------------------------------- */

static bool begin_message(message *m) {
  const cpb_outline_options how = {.max_value = m->options.max_value,
                                   .max_size = m->options.max_memory,
                                   .limits = &m->limits,
                                   .read_ahead = m->read_ahead};
  if (!cpb_part_begin(&m->part, &m->viewed.allocator, m->kind->type, NULL, 0, &how))
    return cpb_viewed_fail_memory(&m->viewed);
  if (m->jumps) cpb_part_set_jumps(&m->part, m->jumps, m->jumps_context);
  return true;
}

static cpb_step step_message(message *m) {
  const bool was_read = m->part.read;
  if (!m->part.outline && !begin_message(m)) return CPB_STEP_ERROR;
  cpb_step step = cpb_part_step(&m->part, m->viewed.error);
  if (step != CPB_STEP_DONE || was_read) return step;
  if (m->damage.code != CPB_OK) m->part.lacks_some = true;
  bool done = cpb_meter_charge(m->viewed.meter, CPB_WORK_WALKED, m->part.message.size, CPB_NO_OFFSET, m->viewed.error);
  return done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* Reads the message: CPB_STEP_DONE when it is complete, perhaps up to damage. */
static cpb_step read_message(message *m) {
  cpb_step step = step_message(m);
  if (step != CPB_STEP_DONE) return step;
  if (m->part.damage.code != CPB_OK && m->part.message.size == 0) *m->viewed.error = m->part.damage;
  return m->viewed.error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* The second reading skips nothing, so needs_more() is false after it. */
static cpb_step read_enough(message *m) {
  cpb_step read = read_message(m);
  if (read != CPB_STEP_DONE || !m->kind->needs_more || !m->kind->needs_more(m)) return read;
  forget(m);
  return read_message(m);
}

static bool build_graphs(message *m) {
  if (m->has_graphs) return true;
  m->has_graphs = m->kind->build(m);
  m->empty = m->has_graphs ? m->kind->empty(&m->viewed) : NULL;
  if (!m->has_graphs) forget_graphs(m);
  return m->has_graphs;
}

/* --- Damage ------------------------------------------------------------------------------ */

/* One problem tells all that is known about the damage: the host's report, bytes lost from named fields, or the
 * fields that usually follow the last one that was read. */

static const cpb_error *damage_of(const message *m) {
  if (m->part.damage.code != CPB_OK) return &m->part.damage;
  return m->damage.code != CPB_OK ? &m->damage : NULL;
}

/* Adds the input's problem, if it has one. */
static void add_damage(message *m, cpb_problems *problems) {
  char text[192];
  cpb_part *p = &m->part;
  const cpb_error *damage = damage_of(m);
  if (!damage) return;
  if (damage == &m->damage) cpb_format(text, sizeof text, "%s: a part of the model is missing", damage->message);
  else if (p->lost == 0) {
    if (!p->missing) p->missing = m->kind->missing(p->message);
    cpb_format(text, sizeof text, "%s: %s", damage->message, p->missing);
  } else
    cpb_format(text, sizeof text, "%s: at least %llu bytes of %s are missing", damage->message,
               (unsigned long long)p->lost, m->kind->lost_of(cpb_outline_lost_in(p->outline, 0)));
  cpb_problems_add_damage(problems, damage->offset, text);
}

static void write_problems(message *m) {
  cpb_problems damage;
  cpb_json_writer *a = m->viewed.answer;
  cpb_problems_init(&damage, &m->viewed.allocator);
  add_damage(m, &damage);
  cpb_json_writer_open(a, "problems", '[');
  cpb_problems_write(&damage, a);
  cpb_problems_write(&m->graph_problems, a);
  cpb_problems_write(&m->viewed.problems, a);
  cpb_json_writer_close(a, ']');
  cpb_problems_free(&damage);
}

/* --- Answers ------------------------------------------------------------------------------- */

static cpb_step write_answer(message *m) {
  cpb_viewed *v = &m->viewed;
  cpb_problems_free(&v->problems);
  cpb_json_writer_begin(v->answer);
  cpb_json_writer_open(v->answer, NULL, '{');
  if (m->empty && m->part.damage.code == CPB_OK) cpb_problems_add(&v->problems, CPB_NO_OFFSET, m->empty);
  if (v->question.kind == CPB_ASK_OVERVIEW) m->kind->write_overview(v);
  else cpb_question_find(v->question.kind)(v);
  if (m->kind->write_end) m->kind->write_end(v);
  write_problems(m);
  cpb_json_writer_close(v->answer, '}');
  return v->error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

cpb_step cpb_viewed_step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  message *m = reader;
  m->viewed.answer = m->viewed.view.answer = answer;
  m->viewed.error = error;
  cpb_step read = read_enough(m);
  if (read != CPB_STEP_DONE) return read;
  m->viewed.damage = damage_of(m);
  return build_graphs(m) ? write_answer(m) : CPB_STEP_ERROR;
}
