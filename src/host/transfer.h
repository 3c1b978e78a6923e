/* What a transfer works with. */
#ifndef CPB_HOST_TRANSFER_H
#define CPB_HOST_TRANSFER_H

#include <stdbool.h>

#include "cpb/file.h"

typedef struct cpb_transfer {
  cpb_file *in;
  cpb_output *out;
  cpb_file_options options;
  cpb_error *error;
} cpb_transfer;

/* Reports progress. False with the transfer's error when the host cancels. */
bool cpb_transfer_go_on(cpb_transfer *t, uint64_t done, uint64_t total);

/* Another view of a file, for one more thread: it reads the same descriptor without
 * moving it. NULL when memory is short or not everything can be read at any offset;
 * `file` must outlive it. */
cpb_file *cpb_file_share(cpb_file *file);

/* Another way into an output, at any offset, to be flushed when it is done. NULL when
 * memory is short or what is written has to come in order; `output` must outlive it. */
cpb_output *cpb_output_share(const cpb_output *output);
bool cpb_output_can_share(const cpb_output *output);

#endif
