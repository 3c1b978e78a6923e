/* The elements of an array in row-major order whose dimensions were permuted. */
#ifndef CPB_MODEL_SAMEDIFF_ROWS_H
#define CPB_MODEL_SAMEDIFF_ROWS_H

#include "base/alloc.h"
#include "model/samediff/array.h"

typedef struct cpb_sd_rows {
  cpb_buffer values;               /* all of them, as they lie; little-endian */
  uint64_t given;                  /* elements */
  uint64_t at;                     /* the next one's index in `values` ... */
  uint64_t place[CPB_SD_RANK_MAX]; /* ... and in the array */
} cpb_sd_rows;

/* Writes the next elements to `out`, as many whole ones as are left and fit; returns their bytes. */
size_t cpb_sd_rows_next(cpb_sd_rows *rows, const cpb_sd_array *array, uint8_t *out, size_t capacity);

#endif
