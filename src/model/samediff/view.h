/* The view (model/view) of a tag or a graph file: operations are nodes, placeholders are inputs, values without
 * consumers are outputs, and all other variables that no operation makes are tensors. */
#ifndef CPB_MODEL_SAMEDIFF_VIEW_H
#define CPB_MODEL_SAMEDIFF_VIEW_H

#include "model/samediff/reply.h"
#include "model/view/view.h"

extern const cpb_view_kind cpb_sd_view; /* its `own` is a cpb_sd_own */

/* Writes members of an object: the tensor of a line of params.txt or params_maps.txt, and its place. */
void cpb_sd_write_line(cpb_sd_reply *reply, const cpb_sd_lines *lines, size_t line);
/* Writes the size and place of a file in the zip. */
void cpb_sd_write_entry(cpb_json_writer *answer, const cpb_sd_reference *reference);

#endif
