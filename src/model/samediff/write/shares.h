/* Parts that use the file of another one. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_SHARES_H
#define CPB_MODEL_SAMEDIFF_WRITE_SHARES_H

#include "model/samediff/write/state.h"

/* Each is false with the error set. */

/* The names of each tag's parts. */
bool cpb_sd_write_index(cpb_samediff_writer *w);
/* tags.txt: the base's tags and the new ones. */
bool cpb_sd_write_tags(cpb_samediff_writer *w);
/* Finds what new tags share with each other. */
bool cpb_sd_write_share(cpb_samediff_writer *w);

/* The new tag of this name, or NULL. After cpb_sd_write_tags(). */
const cpb_sd_new_tag *cpb_sd_find_new_tag(const cpb_samediff_writer *w, cpb_span name);

#endif
