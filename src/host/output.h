/* An output that is written by several threads. */
#ifndef CPB_HOST_OUTPUT_H
#define CPB_HOST_OUTPUT_H

#include <stdbool.h>

#include "cpb/file.h"

/* Another view of an output, at any offset; flush it when it is done. NULL if memory is short, or if the output must be
 * written in order; `output` must outlive it. */
cpb_output *cpb_output_share(const cpb_output *output);
bool cpb_output_can_share(const cpb_output *output);

#endif
