/* Progress reports, in which a program may end the operation. */
#ifndef CPB_HOST_PROGRESS_H
#define CPB_HOST_PROGRESS_H

#include <stdbool.h>

#include "base/status.h"
#include "cpb/file.h"

/* False with the error set when the program cancels; `progress` may be NULL. */
static inline bool cpb_progress_report(cpb_progress progress, void *user, uint64_t done, uint64_t total,
                                       cpb_error *error) {
  if (!progress || progress(user, done, total) == 0) return true;
  cpb_fail(error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
  return false;
}

#endif
