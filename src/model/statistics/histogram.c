#include "model/statistics/numbers.h"

#include <math.h>
#include <string.h>

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
