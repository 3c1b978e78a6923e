/* Chooses options that fit the memory of a device (cpb_device_memory in cpb/pager.h). */
#ifndef CPB_CHUNKED_READ_DEVICE_H
#define CPB_CHUNKED_READ_DEVICE_H

#include <stdbool.h>

#include "cpb/split.h"

/* Chooses the window, or no compression, so that a device with this much memory can read the output. Errors: LIMIT, if
 * nothing fits, or not the given options; USAGE. */
bool cpb_device_choose(uint64_t memory, cpb_layout layout, cpb_transpose transpose, uint64_t index_pages,
                       cpb_codec_options *codec, cpb_error *error);

#endif
