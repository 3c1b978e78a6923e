/* A graph without its arrays, as a zip has it: they are files of their own there. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_STRIP_H
#define CPB_MODEL_SAMEDIFF_WRITE_STRIP_H

#include "model/samediff/graph.h"

/* Whether any variable of the loaded graph has its array in the graph. */
bool cpb_sd_has_arrays(const cpb_sd_graph *graph);

/* Appends the same graph to `out`, without variables' arrays (but with their shapes), the
 * updater's state and sequence items. False with the graph's error set. */
bool cpb_sd_strip(cpb_sd_graph *graph, cpb_buffer *out);

#endif
