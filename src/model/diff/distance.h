/* How far two elements of arrays are apart, where they are numbers. */
#ifndef CPB_MODEL_DIFF_DISTANCE_H
#define CPB_MODEL_DIFF_DISTANCE_H

#include "base/json_writer.h"

#define CPB_DIFF_ELEMENT 16 /* bytes of the largest */

typedef struct cpb_diff_distance {
  uint64_t integer; /* of integers */
  double real;      /* of floats; NaN where one of the two is NaN */
} cpb_diff_distance;

/* `numpy` is the type as in cpb_values_info, or NULL. False: it has no distances, because it is neither an integer nor
 * a float of 2, 4 or 8 bytes. */
bool cpb_diff_measure(const char *numpy, const uint8_t *a, const uint8_t *b, cpb_diff_distance *out);

/* A distance that is NaN is larger than all others. */
bool cpb_diff_is_farther(const char *numpy, const cpb_diff_distance *d, const cpb_diff_distance *than);

/* As numbers that read back the same: strings where JSON has no such number. */
void cpb_diff_write_distance(cpb_json_writer *out, const char *key, const char *numpy, const cpb_diff_distance *d);
void cpb_diff_write_element(cpb_json_writer *out, const char *key, const char *numpy, const uint8_t *element);

#endif
