/* The zip that tags are added to. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_BASE_H
#define CPB_MODEL_SAMEDIFF_WRITE_BASE_H

#include "model/samediff/write/state.h"

/* These return what the functions of zip.h do. */

/* Reads its directory and its tags. */
cpb_have cpb_sd_write_open_base(cpb_samediff_writer *w);
/* Finds what new parts share with it. */
cpb_have cpb_sd_write_share_with_base(cpb_samediff_writer *w);

#endif
