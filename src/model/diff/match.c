#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/floats.h"
#include "model/diff/diff.h"

/* --- distance --------------------------------------------------------------------------------- */

/* The type is numpy[1], the size numpy[2]. Floats of 2 bytes without a type of NumPy's are bfloat16. */
static bool is_float(const char *numpy) { return numpy[1] == 'f' || (numpy[1] == 'V' && numpy[2] == '2'); }
static bool is_integer(const char *numpy) { return numpy[1] == 'i' || numpy[1] == 'u'; }
static unsigned size_of(const char *numpy) { return (unsigned)(numpy[2] - '0'); }

static uint64_t bits_of(const char *numpy, const uint8_t *element) {
  uint64_t bits = 0;
  for (unsigned i = size_of(numpy); i > 0; i--) bits = bits << 8 | element[i - 1];
  return bits;
}

/* --- Floats -------------------------------------------------------------------------------------- */

static double float_of(const char *numpy, const uint8_t *element) {
  uint64_t bits = bits_of(numpy, element);
  if (numpy[2] == '8') return cpb_double_of(bits);
  if (numpy[2] == '4') return cpb_float_of((uint32_t)bits);
  return numpy[1] == 'V' ? cpb_bfloat16_of((uint32_t)bits) : cpb_half_of((uint32_t)bits);
}

static bool is_nan(double value) { return value != value; }

/* Two that are NaN are the same, whatever their bits; so are two infinities. */
static double between_floats(double x, double y) {
  if (x == y || (is_nan(x) && is_nan(y))) return 0;
  return x > y ? x - y : y - x;
}

/* --- Integers ------------------------------------------------------------------------------------ */

static int64_t extended(const char *numpy, uint64_t bits) {
  uint64_t sign = (uint64_t)1 << (8 * size_of(numpy) - 1);
  return (int64_t)((bits ^ sign) - sign);
}

/* Their difference always has a place in 64 bits without a sign. */
static uint64_t between_integers(const char *numpy, uint64_t x, uint64_t y) {
  if (numpy[1] == 'u') return x > y ? x - y : y - x;
  int64_t a = extended(numpy, x), b = extended(numpy, y);
  return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* --- Both ---------------------------------------------------------------------------------------- */

bool cpb_diff_measure(const char *numpy, const uint8_t *a, const uint8_t *b, cpb_diff_distance *out) {
  if (!numpy || (!is_float(numpy) && !is_integer(numpy)) || numpy[3] != 0) return false;
  *out = (cpb_diff_distance){0, 0};
  if (is_float(numpy)) out->real = between_floats(float_of(numpy, a), float_of(numpy, b));
  else out->integer = between_integers(numpy, bits_of(numpy, a), bits_of(numpy, b));
  return true;
}

bool cpb_diff_is_farther(const char *numpy, const cpb_diff_distance *d, const cpb_diff_distance *than) {
  if (is_integer(numpy)) return d->integer > than->integer;
  return is_nan(d->real) ? !is_nan(than->real) : d->real > than->real;
}

static void write_float(cpb_json_writer *out, const char *key, const char *numpy, double value) {
  if (numpy[2] == '8') cpb_json_writer_double(out, key, value);
  else cpb_json_writer_float(out, key, (float)value);
}

void cpb_diff_write_distance(cpb_json_writer *out, const char *key, const char *numpy, const cpb_diff_distance *d) {
  if (is_float(numpy)) write_float(out, key, numpy, d->real);
  else cpb_json_writer_exact_unsigned(out, key, d->integer);
}

void cpb_diff_write_element(cpb_json_writer *out, const char *key, const char *numpy, const uint8_t *element) {
  uint64_t bits = bits_of(numpy, element);
  if (is_float(numpy)) write_float(out, key, numpy, float_of(numpy, element));
  else if (numpy[1] == 'u') cpb_json_writer_exact_unsigned(out, key, bits);
  else cpb_json_writer_exact(out, key, extended(numpy, bits));
}

/* --- match ------------------------------------------------------------------------------------ */

/* Both sides are sorted and then walked together, so lists of any length are matched in n log n steps. qsort() is
 * not stable: elements with the same key are ordered by their address, which is their order in the list. */

bool cpb_diff_elements_make(cpb_diff_elements *elements, const cpb_allocator *a, size_t count) {
  size_t size;
  *elements = (cpb_diff_elements){NULL, 0};
  if (count == 0) return true;
  if (cpb_mul_size(count, sizeof *elements->list, &size)) elements->list = cpb_alloc_zeroed(a, size);
  if (elements->list) elements->count = count;
  return elements->list != NULL;
}

void cpb_diff_elements_free(cpb_diff_elements *elements, const cpb_allocator *a) {
  cpb_release(a, elements->list);
  *elements = (cpb_diff_elements){NULL, 0};
}

/* Elements with the same key stay in the list's order, which is their order in memory. */
static int by_key(const void *a, const void *b) {
  const cpb_diff_element *x = *(cpb_diff_element *const *)a, *y = *(cpb_diff_element *const *)b;
  int order = cpb_span_compare(x->key, y->key);
  return order != 0 ? order : (x > y) - (x < y);
}

/* Pointers to them, sorted; `to` has room. */
static void sort(cpb_diff_element **to, const cpb_diff_elements *elements) {
  for (size_t i = 0; i < elements->count; i++) to[i] = &elements->list[i];
  if (elements->count > 1) qsort(to, elements->count, sizeof *to, by_key);
}

static void join(cpb_diff_element *const *x, size_t num_x, cpb_diff_element *const *y, size_t num_y) {
  for (size_t i = 0, j = 0; i < num_x && j < num_y;) {
    int order = cpb_span_compare(x[i]->key, y[j]->key);
    if (order == 0) {
      x[i]->other = y[j]->value;
      y[j]->other = x[i]->value;
    }
    i += order <= 0;
    j += order >= 0;
  }
}

bool cpb_diff_match(const cpb_allocator *a, const cpb_diff_elements sides[2]) {
  size_t count, size;
  if (sides[0].count == 0 || sides[1].count == 0) return true;
  bool fits =
      cpb_add_size(sides[0].count, sides[1].count, &count) && cpb_mul_size(count, sizeof(cpb_diff_element *), &size);
  cpb_diff_element **sorted = fits ? cpb_alloc(a, size) : NULL;
  if (!sorted) return false;
  sort(sorted, &sides[0]);
  sort(sorted + sides[0].count, &sides[1]);
  join(sorted, sides[0].count, sorted + sides[0].count, sides[1].count);
  cpb_release(a, sorted);
  return true;
}
