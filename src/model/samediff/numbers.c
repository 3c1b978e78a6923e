#include "model/samediff/numbers.h"

#include "base/floats.h"
#include "base/status.h"

#define VALUES_MAX 16
#define PREVIEW_MAX 8

void cpb_sd_format_long(char *out, size_t size, int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  cpb_format(out, size, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

static void write_value(cpb_json_writer *answer, const char *numpy, uint64_t bits, int64_t extended) {
  switch (numpy[1]) {
    case 'b': cpb_json_writer_bool(answer, NULL, bits != 0); break;
    case 'f':
      if (numpy[2] == '2') cpb_json_writer_double(answer, NULL, cpb_half_of((uint32_t)bits));
      if (numpy[2] == '4') cpb_json_writer_float(answer, NULL, cpb_float_of((uint32_t)bits));
      if (numpy[2] == '8') cpb_json_writer_double(answer, NULL, cpb_double_of(bits));
      break;
    case 'V': cpb_json_writer_float(answer, NULL, (float)cpb_bfloat16_of((uint32_t)bits)); break; /* bfloat16 */
    case 'u': cpb_json_writer_exact_unsigned(answer, NULL, bits); break;
    default: cpb_json_writer_exact(answer, NULL, extended);
  }
}

/* Byte by byte, because they may be unaligned. */
static bool load_value(cpb_flat *flat, const cpb_sd_array *array, uint64_t i, uint64_t *bits, int64_t *extended) {
  unsigned size = array->dtype->size;
  cpb_flat_vector bytes = {array->values + i * size, size};
  *bits = 0;
  for (uint32_t k = 0; k < size; k++) {
    int64_t byte;
    if (!cpb_flat_element(flat, &bytes, array->big_endian ? k : size - 1 - k, 1, &byte)) return false;
    *bits = *bits << 8 | (uint64_t)(byte & 0xff);
  }
  uint64_t sign = (uint64_t)1 << (8 * size - 1);
  *extended = (int64_t)((*bits ^ sign) - sign);
  return true;
}

static bool write_stored(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array, uint64_t i) {
  uint64_t bits;
  int64_t extended;
  if (!load_value(flat, array, i, &bits, &extended)) return false;
  write_value(answer, array->dtype->numpy, bits, extended);
  return true;
}

bool cpb_sd_write_values(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array) {
  if (!array->dtype->numpy || array->count > VALUES_MAX) return true;
  cpb_json_writer_open(answer, "values", '[');
  for (uint64_t i = 0; i < array->count; i++) {
    if (!write_stored(flat, answer, array, i)) return false;
  }
  cpb_json_writer_close(answer, ']');
  return true;
}

/* Where the i-th element in row-major order is stored. There is one, so that no dimension is 0; the strides were
 * found to leave no gaps. */
static uint64_t place_of(const cpb_sd_array *array, uint64_t i) {
  uint64_t place = 0;
  for (uint32_t k = array->rank; k-- > 0;) {
    uint64_t size = (uint64_t)array->shape[k];
    if (size > 1) place += i % size * (uint64_t)array->strides[k];
    i /= size;
  }
  return place;
}

bool cpb_sd_write_preview(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array) {
  if (!array->dtype->numpy || array->values_size > CPB_SD_PREVIEWED) return true;
  cpb_json_writer_open(answer, "preview", '[');
  for (uint64_t i = 0; i < array->count && i < PREVIEW_MAX; i++) {
    if (!write_stored(flat, answer, array, place_of(array, i))) return false;
  }
  cpb_json_writer_close(answer, ']');
  if (array->count > PREVIEW_MAX) cpb_json_writer_bool(answer, "preview_more", true);
  return true;
}
