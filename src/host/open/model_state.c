#include "host/open/model_state.h"

void cpb_model_file_blame(cpb_model_file *f, unsigned beside, char *path) {
  cpb_release(&f->allocator, f->culprit_path);
  f->culprit = beside;
  f->culprit_path = path;
}

bool cpb_model_file_run(cpb_model_file *f, const cpb_question *question, cpb_error *error) {
  cpb_step step;
  cpb_model_ask(f->model, question);
  while ((step = cpb_model_step(f->model)) == CPB_STEP_NEED) {
    if (cpb_message_file_supply(f->message, cpb_model_input(f->model), error) != CPB_OK) return false;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_model_error(f->model);
  return step == CPB_STEP_DONE;
}
