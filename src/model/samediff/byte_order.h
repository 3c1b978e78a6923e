/* Values in the file's byte order to little-endian ones, in pieces. */
#ifndef CPB_MODEL_SAMEDIFF_BYTE_ORDER_H
#define CPB_MODEL_SAMEDIFF_BYTE_ORDER_H

#include <stdbool.h>

#include "base/bytes.h"

#define CPB_SD_SWAP_OUT ((size_t)32 << 10)

typedef struct cpb_sd_swap {
  unsigned size; /* of an element; 1: nothing changes */
  uint8_t *out;  /* CPB_SD_SWAP_OUT bytes */
  size_t kept;   /* bytes of an incomplete element */
} cpb_sd_swap;

/* Consumes bytes from the front of `in`; returns whole elements, perhaps none. */
cpb_span cpb_sd_swap_next(cpb_sd_swap *swap, cpb_span *in);

#endif
