/* The shortest digits that read back as the same number, by Steele and White, "How to
 * Print Floating-Point Numbers Accurately" (1990), in the form of Burger and Dybvig,
 * "Printing Floating-Point Numbers Quickly and Accurately" (1996), section 3: exact,
 * with big integers. */
#include "base/decimal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

/* --- Big integers --------------------------------------------------------- */

/* 1216 bits: room for 2^1076, the largest denominator, and for a numerator ten times that. */
#define LIMBS 38

typedef struct {
  uint32_t limb[LIMBS]; /* little-endian; those from `size` on are not set */
  size_t size;          /* the highest limb is not 0 */
} big;

static void add_limb(big *b, uint64_t limb) {
  if (limb > 0) b->limb[b->size++] = (uint32_t)limb;
}

static void trim(big *b) {
  while (b->size > 0 && b->limb[b->size - 1] == 0) b->size--;
}

static void multiply(big *b, uint32_t factor) {
  uint64_t carry = 0;
  for (size_t i = 0; i < b->size; i++) {
    carry += (uint64_t)b->limb[i] * factor;
    b->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  add_limb(b, carry);
}

static void multiply_pow(big *b, uint32_t base, unsigned power) {
  uint32_t fourth = base * base * base * base;
  for (; power >= 8; power -= 8) multiply(b, fourth * fourth); /* base is 10 at most */
  for (; power > 0; power--) multiply(b, base);
}

static big shifted(uint64_t value, unsigned bits) {
  big b = {.size = bits / 32 + 3};
  size_t at = bits / 32;
  unsigned shift = bits % 32;
  memset(b.limb, 0, at * sizeof *b.limb);
  b.limb[at] = (uint32_t)(value << shift);
  b.limb[at + 1] = (uint32_t)(value << shift >> 32);
  b.limb[at + 2] = shift > 0 ? (uint32_t)(value >> (64 - shift)) : 0;
  trim(&b);
  return b;
}

static int compare(const big *a, const big *b) {
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  for (size_t i = a->size; i-- > 0;)
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

/* a + b compared with c. */
static int compare_sum(const big *a, const big *b, const big *c) {
  const big *longer = a->size >= b->size ? a : b, *shorter = longer == a ? b : a;
  big out = {.size = longer->size};
  uint64_t carry = 0;
  if (longer->size + 1 < c->size) return -1;
  for (size_t i = 0; i < longer->size; i++) {
    carry += (uint64_t)longer->limb[i] + (i < shorter->size ? shorter->limb[i] : 0);
    out.limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  add_limb(&out, carry);
  return compare(&out, c);
}

/* `b` is not larger than `a`. */
static void subtract(big *a, const big *b) {
  int64_t borrow = 0;
  for (size_t i = 0; i < a->size; i++) {
    borrow += (int64_t)a->limb[i] - (i < b->size ? b->limb[i] : 0);
    a->limb[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  trim(a);
}

/* --- Digits --------------------------------------------------------------- */

/* value = 0.d1 d2 d3 ... * 10^point */
typedef struct {
  char digit[20];
  int count, point;
} digits;

/* The number is r/s. All numbers between (r - below)/s and (r + above)/s read back as
 * it; the ends do if the mantissa is even, as readers round to even. */
typedef struct {
  big r, s, above, below;
  bool even;
} ratio;

/* `tens` is a power of ten that it is divided by, or multiplied if negative: then with as many
 * fives, and the twos are left out of the denominator, which has more. */
static ratio ratio_of(uint64_t mantissa, int exponent, bool power_of_two, int tens) {
  unsigned extra = power_of_two ? 2 : 1; /* the next number below is half as far away as the one above */
  unsigned up = exponent > 0 ? (unsigned)exponent : 0, down = exponent < 0 ? (unsigned)-exponent : 0;
  unsigned fives = tens < 0 ? (unsigned)-tens : 0;
  ratio q = {shifted(mantissa, up + extra), shifted(1, down + extra - fives), shifted(1, up + extra - 1),
             shifted(1, up), mantissa % 2 == 0};
  multiply_pow(&q.r, 5, fives);
  multiply_pow(&q.above, 5, fives);
  multiply_pow(&q.below, 5, fives);
  if (tens > 0) multiply_pow(&q.s, 10, (unsigned)tens);
  return q;
}

static bool reaches_one(const ratio *q) {
  int order = compare_sum(&q->r, &q->above, &q->s);
  return q->even ? order >= 0 : order > 0;
}

static void times_ten(ratio *q) {
  multiply(&q->r, 10);
  multiply(&q->above, 10);
  multiply(&q->below, 10);
}

static void generate(ratio *q, digits *d) {
  for (;;) {
    char digit = 0;
    times_ten(q);
    for (; compare(&q->r, &q->s) >= 0; digit++) subtract(&q->r, &q->s);
    int low_order = compare(&q->r, &q->below);
    bool low = q->even ? low_order <= 0 : low_order < 0, high = reaches_one(q);
    if (low || high) {
      if (high && (!low || compare_sum(&q->r, &q->r, &q->s) >= 0)) digit++;
    }
    d->digit[d->count++] = (char)('0' + digit);
    if (low || high) return;
  }
}

/* The number is scaled to below one: first by an estimate of the power of ten from its bits, which
 * may be too small, then until it fits. */
static void exact_digits(digits *d, uint64_t mantissa, int exponent, bool power_of_two) {
  int bits = exponent - 2;
  for (uint64_t m = mantissa; m > 0; m >>= 1) bits++;
  d->point = (int)(((int64_t)bits * 1233) / 4096); /* log10(2), rounded down */
  ratio q = ratio_of(mantissa, exponent, power_of_two, d->point);
  for (; reaches_one(&q); d->point++) multiply(&q.s, 10);
  generate(&q, d);
}

/* --- Text ----------------------------------------------------------------- */

static void set_digits(digits *d, uint64_t number, int decimals) {
  char text[24];
  d->count = (int)cpb_format(text, sizeof text, "%llu", (unsigned long long)number);
  d->point = d->count - decimals;
  memcpy(d->digit, text, (size_t)d->count);
}

static size_t layout(char *out, bool negative, const digits *d) {
  char *at = out;
  if (negative) *at++ = '-';
  if (d->point < -4 || d->point > 17) {
    *at++ = d->digit[0];
    if (d->count > 1) *at++ = '.';
    for (int i = 1; i < d->count; i++) *at++ = d->digit[i];
    at += cpb_format(at, 8, "e%s%d", d->point > 0 ? "+" : "", d->point - 1);
    return (size_t)(at - out);
  }
  if (d->point <= 0) *at++ = '0';
  for (int i = 0; i < d->point; i++) *at++ = i < d->count ? d->digit[i] : '0';
  if (d->count > d->point) *at++ = '.';
  for (int i = d->point; i < 0; i++) *at++ = '0';
  for (int i = d->point > 0 ? d->point : 0; i < d->count; i++) *at++ = d->digit[i];
  *at = '\0';
  return (size_t)(at - out);
}

/* Most numbers have few digits: then scaled by some power of ten they are whole, and one
 * correctly rounded division gives the number back. Whole numbers get all their digits,
 * even where a float needs fewer. */
static bool few_digits(digits *d, double value, bool single) {
  static const double power[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  for (int i = 0; i < 13; i++) {
    double scaled = value * power[i];
    if (scaled >= 1e15) return false;
    uint64_t whole = (uint64_t)(scaled + 0.5);
    volatile double back = (double)whole / power[i]; /* volatile: not in a wider register */
    volatile float narrow = (float)back;
    if (single ? narrow != (float)value : back != value) continue;
    set_digits(d, whole, i);
    return true;
  }
  return false;
}

static size_t format(char *out, bool negative, double value, uint64_t mantissa, int exponent, bool power_of_two,
                     bool single) {
  digits d = {{0}, 0, 0};
  if (!few_digits(&d, value, single)) exact_digits(&d, mantissa, exponent, power_of_two);
  return layout(out, negative, &d);
}

size_t cpb_decimal_double(char out[CPB_DECIMAL_MAX], double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  int raised = (int)(bits >> 52 & 0x7ff);
  uint64_t mantissa = raised > 0 ? fraction | UINT64_C(1) << 52 : fraction;
  int exponent = (raised > 0 ? raised : 1) - 1075;
  bool negative = bits >> 63;
  return format(out, negative, negative ? -value : value, mantissa, exponent, fraction == 0 && raised > 1, false);
}

size_t cpb_decimal_float(char out[CPB_DECIMAL_MAX], float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t fraction = bits & ((UINT32_C(1) << 23) - 1);
  int raised = (int)(bits >> 23 & 0xff);
  uint64_t mantissa = raised > 0 ? fraction | UINT32_C(1) << 23 : fraction;
  int exponent = (raised > 0 ? raised : 1) - 150;
  bool negative = bits >> 31;
  return format(out, negative, negative ? -(double)value : (double)value, mantissa, exponent,
                fraction == 0 && raised > 1, true);
}
