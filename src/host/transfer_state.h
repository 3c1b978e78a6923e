/* What a transfer works with. */
#ifndef CPB_HOST_TRANSFER_STATE_H
#define CPB_HOST_TRANSFER_STATE_H

#include <stdbool.h>

#include "base/status.h"
#include "cpb/file.h"

typedef struct cpb_transfer {
  cpb_file *in;
  cpb_output *out;
  cpb_file_options options;
  cpb_error *error;
} cpb_transfer;

/* Reports progress. False with the transfer's error when the host cancels. */
static inline bool cpb_transfer_go_on(cpb_transfer *t, uint64_t done, uint64_t total) {
  if (!t->options.progress || t->options.progress(t->options.user, done, total) == 0) return true;
  cpb_fail(t->error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
  return false;
}

#endif
