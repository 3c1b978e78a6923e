/* An array of ND4J: the content of its FlatArray table, and the place of its values. */
#ifndef CPB_MODEL_SAMEDIFF_ARRAY_H
#define CPB_MODEL_SAMEDIFF_ARRAY_H

#include "base/json_writer.h"
#include "model/formats/flatbuffers/flatbuffers.h"
#include "model/samediff/tables.h"

#define CPB_SD_RANK_MAX 32    /* ND4J's limit */
#define CPB_SD_PREVIEWED 1024 /* largest array, in bytes of values, whose first values are shown */
#define CPB_SD_PERMUTED 'p'   /* without gaps, but in neither order */

typedef struct cpb_sd_array {
  const cpb_sd_dtype *dtype;
  uint32_t rank;
  int64_t shape[CPB_SD_RANK_MAX], strides[CPB_SD_RANK_MAX]; /* strides in elements */
  int64_t extras, ews;
  char order;  /* 'c' or 'f', as stored */
  char layout; /* order of the values in memory: 'c', 'f', or CPB_SD_PERMUTED */
  bool empty, big_endian;
  uint64_t count;  /* number of elements */
  uint64_t values; /* offset of the values in the buffer; 0: it has none */
  uint64_t values_size;
} cpb_sd_array;

/* False in the same cases as the functions of flatbuffers.h. The size of the values follows from the shape and the data
 * type. */
bool cpb_sd_array_read(cpb_flat *flat, const cpb_flat_table *table, cpb_sd_array *array);

/* Opens an object {"dtype", "shape", "order", ...; `offset` is the place of the values in the file, or
 * CPB_NO_OFFSET. */
void cpb_sd_array_open(cpb_json_writer *answer, const char *key, const cpb_sd_array *array, uint64_t offset);

#endif
