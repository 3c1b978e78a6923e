#include "model/statistics/numbers.h"

#include <math.h>
#include <string.h>

#include "base/floats.h"
#include "model/common/tensor/tensor.h"

/* --- histogram -------------------------------------------------------------------------------- */

/* The width of a bar is a power of two, and bars begin at its multiples. Two bars therefore become one exactly,
 * without the numbers, and numbers may arrive in any order. */

#define DIGITS 52           /* a finer bar than this part of the largest number tells nothing apart */
#define EXPONENT_LEAST -900 /* so that 2^-exponent is a double */

/* The bar that has the number. */
static int64_t bar_of(double number, double scale) {
  const double place = number * scale;
  const int64_t bar = (int64_t)place;
  return bar - ((double)bar > place);
}

static int64_t half_of(int64_t bar) { return bar >= 0 ? bar / 2 : (bar - 1) / 2; }

double cpb_histogram_step(const cpb_histogram *h) { return ldexp(1, h->exponent); }

static int64_t first_bar(const cpb_histogram *h) { return bar_of(h->minimum, ldexp(1, -h->exponent)); }
static int64_t last_bar(const cpb_histogram *h) { return bar_of(h->maximum, ldexp(1, -h->exponent)); }

size_t cpb_histogram_bars(const cpb_histogram *h) { return h->begun ? (size_t)(last_bar(h) - h->low) + 1 : 0; }

/* --- Wider bars ------------------------------------------------------------------------------ */

static void join_pairs(cpb_histogram *h) {
  uint64_t joined[CPB_STATISTICS_BARS] = {0};
  const int64_t low = half_of(h->low);
  for (int64_t i = 0; i < CPB_STATISTICS_BARS; i++) joined[half_of(h->low + i) - low] += h->counts[i];
  memcpy(h->counts, joined, sizeof joined);
  h->low = low;
  h->exponent++;
}

/* Bars of which the numbers are whole multiples already, or nearly. */
static int least_exponent(const cpb_histogram *h, bool whole) {
  int exponent = EXPONENT_LEAST;
  const double largest = -h->minimum > h->maximum ? -h->minimum : h->maximum;
  if (largest > 0) frexp(largest, &exponent), exponent -= DIGITS;
  if (exponent < EXPONENT_LEAST) exponent = EXPONENT_LEAST;
  return whole && exponent < 0 ? 0 : exponent;
}

static void widen(cpb_histogram *h, bool whole) {
  const int least = least_exponent(h, whole);
  while (h->exponent < least || last_bar(h) - first_bar(h) >= CPB_STATISTICS_BARS) join_pairs(h);
}

/* Makes room for bars before the first one. */
static void move_down(cpb_histogram *h) {
  const int64_t first = first_bar(h);
  const size_t by = (size_t)(h->low - first);
  if (first >= h->low) return;
  memmove(h->counts + by, h->counts, (CPB_STATISTICS_BARS - by) * sizeof *h->counts);
  memset(h->counts, 0, by * sizeof *h->counts);
  h->low = first;
}

static void begin(cpb_histogram *h, double number, bool whole) {
  *h = (cpb_histogram){.begun = true, .minimum = number, .maximum = number};
  h->exponent = least_exponent(h, whole);
  h->low = first_bar(h);
}

void cpb_histogram_add(cpb_histogram *h, const double *numbers, size_t count, bool whole) {
  if (count > 0 && !h->begun) begin(h, numbers[0], whole);
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] < h->minimum) h->minimum = numbers[i];
    if (numbers[i] > h->maximum) h->maximum = numbers[i];
  }
  if (count == 0) return;
  widen(h, whole);
  move_down(h);
  const double scale = ldexp(1, -h->exponent);
  for (size_t i = 0; i < count; i++) h->counts[bar_of(numbers[i], scale) - h->low]++;
}

/* --- numbers ---------------------------------------------------------------------------------- */

#define DTYPES 64 /* of TensorFlow, at most */
#define NEWTON 7  /* steps from 1 to the root of a number of 0.5 to 2, with all digits */

/* --- Floats of a byte or less ----------------------------------------------------------------- */

static double exponent_alone(uint32_t bits) { return bits == 255 ? (double)NAN : ldexp(1, (int)bits - 127); }
static double float6_e2m3(uint32_t bits) { return cpb_small_float(2, 3, 1, bits); }
static double float6_e3m2(uint32_t bits) { return cpb_small_float(3, 2, 3, bits); }

/* TensorFlow's number of the type with this name, or 0. */
static uint64_t dtype_of(const char *name) {
  char text[CPB_DTYPE_NAME];
  for (uint64_t dtype = 1; dtype < DTYPES; dtype++) {
    cpb_dtype_name(dtype, text, sizeof text);
    if (strcmp(text, name) == 0) return dtype;
  }
  return 0;
}

static void fill_table(const char *name, cpb_number_type *out) {
  static const struct {
    const char *name;
    double (*decode)(uint32_t bits);
  } others[] = {{"float8_e8m0fnu", exponent_alone}, {"float6_e2m3fn", float6_e2m3}, {"float6_e3m2fn", float6_e3m2}};
  const uint64_t dtype = dtype_of(name);
  bool known = true;
  for (uint32_t byte = 0; byte < 256 && known; byte++) known = cpb_small_float_of(dtype, byte, &out->values[byte]);
  for (size_t i = 0; i < sizeof others / sizeof *others && !known; i++) {
    if (strcmp(name, others[i].name) != 0) continue;
    for (uint32_t byte = 0; byte < 256; byte++) out->values[byte] = others[i].decode(byte);
    known = true;
  }
  out->class = known ? 't' : 0;
}

/* --- All --------------------------------------------------------------------------------------- */

void cpb_number_type_of(const cpb_values_info *info, cpb_number_type *out) {
  *out = (cpb_number_type){.class = info->numpy ? info->numpy[1] : '\0', .size = info->item_size};
  const bool fits = out->size > 0 && out->size <= CPB_NUMBER_MOST;
  if (!fits || !out->class || !strchr("iubfcV", out->class)) out->class = 0;
  else if (out->class == 'V' && out->size == 2) out->class = 'h';
  else if (out->class == 'V') fill_table(info->dtype, out);
}

static uint64_t bits_of(const uint8_t *bytes, unsigned size) {
  uint64_t bits = 0;
  for (unsigned i = size; i > 0; i--) bits = bits << 8 | bytes[i - 1];
  return bits;
}

static double signed_of(uint64_t bits, unsigned size) {
  const uint64_t sign = (uint64_t)1 << (8 * size - 1);
  return (double)(int64_t)((bits ^ sign) - sign);
}

static double float_of(uint64_t bits, unsigned size) {
  if (size == 4) return (double)cpb_float_of((uint32_t)bits);
  return size == 8 ? cpb_double_of(bits) : cpb_half_of((uint32_t)bits);
}

double cpb_root_of(double number) {
  int exponent;
  double root = 1;
  if (!(number > 0) || isinf(number)) return number;
  double part = frexp(number, &exponent);
  if (exponent % 2 != 0) part *= 2, exponent--;
  for (int i = 0; i < NEWTON; i++) root = (root + part / root) / 2;
  return ldexp(root, exponent / 2);
}

/* Without squares that are too large for a double. */
static double magnitude_of(const uint8_t *element, unsigned size) {
  const double real = fabs(float_of(bits_of(element, size / 2), size / 2));
  const double imaginary = fabs(float_of(bits_of(element + size / 2, size / 2), size / 2));
  const double large = real > imaginary ? real : imaginary, small = real > imaginary ? imaginary : real;
  if (isinf(real) || isinf(imaginary)) return INFINITY;
  return large > 0 ? large * cpb_root_of(1 + small / large * (small / large)) : large;
}

double cpb_number_at(const cpb_number_type *type, const uint8_t *element) {
  switch (type->class) {
    case 't': return type->values[element[0]];
    case 'c': return magnitude_of(element, type->size);
    case 'f': return float_of(bits_of(element, type->size), type->size);
    case 'h': return cpb_bfloat16_of((uint32_t)bits_of(element, 2));
    case 'i': return signed_of(bits_of(element, type->size), type->size);
    default: return (double)bits_of(element, type->size);
  }
}

static bool complete_piece(cpb_numbers *n, const uint8_t **data, size_t *size, double *number) {
  while (*size > 0 && n->piece_size < n->type.size) {
    n->piece[n->piece_size++] = *(*data)++;
    --*size;
  }
  if (n->piece_size < n->type.size) return false;
  n->piece_size = 0;
  *number = cpb_number_at(&n->type, n->piece);
  return true;
}

bool cpb_numbers_next(cpb_numbers *n, const uint8_t **data, size_t *size, double *number) {
  const size_t whole = n->type.size;
  if (!n->type.class) *size = 0;
  if (*size == 0) return false;
  if (n->piece_size > 0 || *size < whole) return complete_piece(n, data, size, number);
  *number = cpb_number_at(&n->type, *data);
  *data += whole, *size -= whole;
  return true;
}
