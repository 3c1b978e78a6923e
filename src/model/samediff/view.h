/* A tag, or a graph file, as all questions see it (model/view): operations are nodes, placeholders go in, and what no
 * operation takes comes out; all other variables that nodes do not make are tensors. */
#ifndef CPB_MODEL_SAMEDIFF_VIEW_H
#define CPB_MODEL_SAMEDIFF_VIEW_H

#include "model/samediff/reply.h"
#include "model/view/view.h"

extern const cpb_view_kind cpb_sd_view; /* its `own` is a cpb_sd_own */

/* Members of an object: the tensor of a line of params.txt or params_maps.txt, and where that is. */
void cpb_sd_write_line(cpb_sd_reply *reply, const cpb_sd_lines *lines, size_t line);
/* What a file of the zip takes, and where it is. */
void cpb_sd_write_entry(cpb_json_writer *answer, const cpb_sd_reference *reference);

#endif
