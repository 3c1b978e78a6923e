/* An array of ND4J: the content of its FlatArray table, and the place of its values. */
#ifndef CPB_MODEL_SAMEDIFF_ARRAY_H
#define CPB_MODEL_SAMEDIFF_ARRAY_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
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

/* --- byte order ------------------------------------------------------------------------------- */

/* Values in the file's byte order to little-endian ones, in pieces. */

#define CPB_SD_SWAP_OUT ((size_t)32 << 10)

typedef struct cpb_sd_swap {
  unsigned size; /* of an element; 1: nothing changes */
  uint8_t *out;  /* CPB_SD_SWAP_OUT bytes */
  size_t kept;   /* bytes of an incomplete element */
} cpb_sd_swap;

/* Consumes bytes from the front of `in`; returns whole elements, perhaps none. */
cpb_span cpb_sd_swap_next(cpb_sd_swap *swap, cpb_span *in);

/* --- numbers ---------------------------------------------------------------------------------- */

/* Numbers of ND4J's arrays as JSON. */

void cpb_sd_format_long(char *out, size_t size, int64_t value);

/* The member "values" of an object, in the order in which they are stored, when
 * there are at most 16 that are numbers. False as for flatbuffers.h. */
bool cpb_sd_write_values(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array);

/* The member "preview": the first numbers in row-major order, at most 8, of an array of no more than
 * CPB_SD_PREVIEWED bytes, with "preview_more": true if there are others. */
bool cpb_sd_write_preview(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array);

/* --- rows ------------------------------------------------------------------------------------- */

/* The elements of an array in row-major order whose dimensions were permuted. */

typedef struct cpb_sd_rows {
  cpb_buffer values;               /* all of them, as they lie; little-endian */
  uint64_t given;                  /* elements */
  uint64_t at;                     /* the next one's index in `values` ... */
  uint64_t place[CPB_SD_RANK_MAX]; /* ... and in the array */
} cpb_sd_rows;

/* Writes the next elements to `out`, as many whole ones as are left and fit; returns their bytes. */
size_t cpb_sd_rows_next(cpb_sd_rows *rows, const cpb_sd_array *array, uint8_t *out, size_t capacity);

#endif
