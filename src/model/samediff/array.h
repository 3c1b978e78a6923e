/* An array of ND4J: what the FlatArray table says of it, and where its values lie. */
#ifndef CPB_MODEL_SAMEDIFF_ARRAY_H
#define CPB_MODEL_SAMEDIFF_ARRAY_H

#include "base/json_writer.h"
#include "model/formats/flatbuffers/flatbuffers.h"
#include "model/samediff/tables.h"

#define CPB_SD_RANK_MAX 32    /* ND4J's own */
#define CPB_SD_PREVIEWED 1024 /* bytes of values at most, of an array of which the first are shown */
#define CPB_SD_PERMUTED 'p'   /* without gaps, but in the order of neither */

typedef struct cpb_sd_array {
  const cpb_sd_dtype *dtype;
  uint32_t rank;
  int64_t shape[CPB_SD_RANK_MAX], strides[CPB_SD_RANK_MAX]; /* strides in elements */
  int64_t extras, ews;
  char order;  /* 'c' or 'f', as stored */
  char layout; /* how the values lie: 'c', 'f', or CPB_SD_PERMUTED */
  bool empty, big_endian;
  uint64_t count;  /* of elements */
  uint64_t values; /* where they lie in the buffer; 0: there are none */
  uint64_t values_size;
} cpb_sd_array;

/* False as for the functions of flatbuffers.h. The size of the values is that
 * of the shape and the data type. */
bool cpb_sd_array_read(cpb_flat *flat, const cpb_flat_table *table, cpb_sd_array *array);

/* Opens an object {"dtype", "shape", "order", ...; `offset` is that of the values in the file, or
 * CPB_NO_OFFSET. */
void cpb_sd_array_open(cpb_json_writer *answer, const char *key, const cpb_sd_array *array, uint64_t offset);

#endif
