/* An output that is written by several threads. */
#ifndef CPB_HOST_OUTPUT_H
#define CPB_HOST_OUTPUT_H

#include <stdbool.h>

#include "cpb/file.h"

/* Another way into an output, at any offset, to be flushed when it is done. NULL when
 * memory is short or what is written has to come in order; `output` must outlive it. */
cpb_output *cpb_output_share(const cpb_output *output);
bool cpb_output_can_share(const cpb_output *output);

#endif
