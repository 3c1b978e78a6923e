#include "chunked/opened/opened_step.h"

#include "base/status.h"

cpb_step cpb_opened_need(cpb_opened *o, cpb_input *input) {
  o->waits = input;
  return CPB_STEP_NEED;
}

cpb_step cpb_opened_fail(cpb_opened *o, const cpb_error *error) {
  o->error = *error;
  return CPB_STEP_ERROR;
}

cpb_step cpb_opened_fail_memory(cpb_opened *o) {
  cpb_fail_memory(&o->error);
  return CPB_STEP_ERROR;
}

void cpb_opened_describe(char *text, const cpb_error *damage) {
  size_t length = cpb_format(text, CPB_OPENED_DAMAGE, "%s", damage->message);
  if (damage->offset == CPB_NO_OFFSET) return;
  cpb_format(text + length, CPB_OPENED_DAMAGE - length, ", at byte %llu of the file",
             (unsigned long long)damage->offset);
}
