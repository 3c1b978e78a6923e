/* Whether a codec would try in vain. */
#ifndef CPB_RIEGELI_CODEC_NOISE_H
#define CPB_RIEGELI_CODEC_NOISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* How many entries the table has that cpb_is_noise() needs: a power of two, some 1/32 of `size`. */
size_t cpb_noise_table(size_t size);

/* Whether less than about 1 % would be gained by compressing `in`, which has at least 64 KiB and less
 * than 4 GiB: all bytes are about equally frequent, and next to nothing is there twice. Takes about a
 * nanosecond for five bytes. What is in `table` does not matter. */
bool cpb_is_noise(cpb_span in, uint32_t *table);

#endif
