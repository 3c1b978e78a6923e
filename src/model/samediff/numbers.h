/* Numbers of ND4J's arrays as JSON. */
#ifndef CPB_MODEL_SAMEDIFF_NUMBERS_H
#define CPB_MODEL_SAMEDIFF_NUMBERS_H

#include "model/samediff/array.h"

void cpb_sd_format_long(char *out, size_t size, int64_t value);

/* The member "values" of an object, in the order in which they are stored, when
 * there are at most 16 that are numbers. False as for flatbuffers.h. */
bool cpb_sd_write_values(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array);

/* The member "preview": the first numbers in row-major order, at most 8, of an array of no more than
 * CPB_SD_PREVIEWED bytes, with "preview_more": true if there are others. */
bool cpb_sd_write_preview(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array);

#endif
