#include "model/common/whole.h"

#include "base/limits.h"
#include "base/status.h"

void cpb_whole_init(cpb_whole *w, const cpb_allocator *a, cpb_meter *meter, const cpb_model_options *options) {
  w->allocator = *a;
  w->meter = meter;
  w->options = *options;
  w->limits = cpb_limits_or_default(options->limits);
  w->options.limits = &w->limits;
  w->damage.offset = CPB_NO_OFFSET;
  cpb_input_init(&w->no_input);
  cpb_problems_init(&w->problems, a);
}

void cpb_whole_free(cpb_whole *w) {
  cpb_part_free(&w->part);
  cpb_problems_free(&w->problems);
}

void cpb_whole_ask(cpb_whole *w, const cpb_question *question) {
  w->question = *question;
  if (w->part.outline && !w->part.read) cpb_part_free(&w->part);
}

cpb_input *cpb_whole_input(cpb_whole *w) {
  return w->part.outline && !w->part.read ? cpb_outline_input(w->part.outline) : &w->no_input;
}

void cpb_whole_note_damage(cpb_whole *w, const char *message) {
  cpb_fail(&w->damage, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s", message);
}

/* --- Reading --------------------------------------------------------------------------- */

static bool begin_message(cpb_whole *w, const cpb_message_type *type) {
  const cpb_outline_options how = {.max_value = w->options.max_value,
                                   .max_size = w->options.max_memory,
                                   .limits = &w->limits,
                                   .read_ahead = w->read_ahead};
  if (!cpb_part_begin(&w->part, &w->allocator, type, NULL, 0, &how)) return cpb_whole_fail_memory(w);
  if (w->jumps) cpb_part_set_jumps(&w->part, w->jumps, w->jumps_context);
  return true;
}

static cpb_step read_message(cpb_whole *w, const cpb_message_type *type) {
  const bool was_read = w->part.read;
  if (!w->part.outline && !begin_message(w, type)) return CPB_STEP_ERROR;
  cpb_step step = cpb_part_step(&w->part, w->error);
  if (step != CPB_STEP_DONE || was_read) return step;
  if (w->damage.code != CPB_OK) w->part.lacks_some = true;
  bool done = cpb_meter_charge(w->meter, CPB_WORK_WALKED, w->part.message.size, CPB_NO_OFFSET, w->error);
  return done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

cpb_step cpb_whole_read(cpb_whole *w, const cpb_message_type *type, cpb_json_writer *answer, cpb_error *error) {
  w->answer = answer;
  w->error = error;
  cpb_step step = read_message(w, type);
  if (step != CPB_STEP_DONE) return step;
  if (w->part.damage.code != CPB_OK && w->part.message.size == 0) *error = w->part.damage;
  return error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* --- Damage ------------------------------------------------------------------------------ */

void cpb_whole_add_damage(cpb_whole *w, cpb_problems *problems, const char *(*missing_in)(cpb_span message),
                          const char *(*lost_of)(uint32_t field)) {
  char text[192];
  cpb_part *p = &w->part;
  const cpb_error *damage = p->damage.code != CPB_OK ? &p->damage : &w->damage;
  if (damage->code == CPB_OK) return;
  if (damage == &w->damage) cpb_format(text, sizeof text, "%s: a part of the model is missing", damage->message);
  else if (p->lost == 0) {
    if (!p->missing) p->missing = missing_in(p->message);
    cpb_format(text, sizeof text, "%s: %s", damage->message, p->missing);
  } else
    cpb_format(text, sizeof text, "%s: at least %llu bytes of %s are missing", damage->message,
               (unsigned long long)p->lost, lost_of(cpb_outline_lost_in(p->outline, 0)));
  cpb_problems_add_damage(problems, damage->offset, text);
}

bool cpb_whole_fail_memory(cpb_whole *w) {
  cpb_fail_memory(w->error);
  return false;
}

bool cpb_whole_not_found(cpb_whole *w, const char *what, cpb_span name) {
  char text[128];
  const cpb_error *damage = w->part.damage.code != CPB_OK ? &w->part.damage : &w->damage;
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  cpb_fail(w->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"%s%s", what, text,
           damage->code != CPB_OK ? " in what can be read of the model: " : "",
           damage->code != CPB_OK ? damage->message : "");
  return false;
}
