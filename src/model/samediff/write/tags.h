/* Each new tag: its graph and parts are checked, and the lines of its texts written. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_TAGS_H
#define CPB_MODEL_SAMEDIFF_WRITE_TAGS_H

#include "model/samediff/write/state.h"

/* False with the error set. */
bool cpb_sd_write_lines(cpb_samediff_writer *w);

#endif
