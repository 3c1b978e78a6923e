/* Recognizes data that no codec can compress. */
#ifndef CPB_RIEGELI_CODEC_NOISE_H
#define CPB_RIEGELI_CODEC_NOISE_H

#include <stdbool.h>

#include "base/bytes.h"

/* The number of entries of the table for cpb_is_noise(): a power of two, about 1/32 of `size`. */
size_t cpb_noise_table(size_t size);

/* Whether compressing `in`, which has at least 64 KiB and less than 4 GiB, would gain less than about 1 %: all bytes
 * are about equally frequent, and hardly anything is repeated. Takes about a nanosecond for five bytes. `table` need
 * not be initialized. */
bool cpb_is_noise(cpb_span in, uint32_t *table);

#endif
