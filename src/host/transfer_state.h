/* The state of a transfer. */
#ifndef CPB_HOST_TRANSFER_STATE_H
#define CPB_HOST_TRANSFER_STATE_H

#include <stdbool.h>

#include "cpb/file.h"
#include "host/progress.h"

typedef struct cpb_transfer {
  cpb_file *in;
  cpb_output *out; /* NULL: the merged message is compared, or only read */
  cpb_file *against;
  cpb_comparison *comparison;
  cpb_file_options options;
  cpb_error *error;
} cpb_transfer;

/* The allowed number of threads. */
static inline unsigned cpb_transfer_threads(const cpb_transfer *t) {
  return t->options.threads < 1 ? 1 : t->options.threads > 256 ? 256 : t->options.threads;
}

/* Reports progress. False with the transfer's error if the host cancels. */
static inline bool cpb_transfer_go_on(cpb_transfer *t, uint64_t done, uint64_t total) {
  return cpb_progress_report(t->options.progress, t->options.user, done, total, t->error);
}

#endif
