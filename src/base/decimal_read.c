/* Reads a number exactly, and rounds it once. A decimal is held with all its digits and a
 * fixed point, and scaled by powers of two until its whole part has as many bits as the
 * mantissa needs. */
#include <string.h>

#include "base/decimal.h"

/* mantissa * 2^exponent, where the mantissa is in [2^55, 2^56), and a little more if
 * `more`: that breaks ties when it is rounded. */
#define MANTISSA_BITS 56
typedef struct {
  uint64_t mantissa;
  int exponent;
  bool more;
} binary;

/* --- Digits --------------------------------------------------------------- */

/* 0.d1d2d3... * base^point, where d1 is not zero. The digits are the text [first, end),
 * which may contain a '.'; `first` is NULL for zero. */
typedef struct {
  const char *first, *end;
  int point;
  bool any;
} digits;

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  c = lower(c);
  return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static digits scan(const char *p, unsigned base) {
  digits d = {NULL, NULL, 0, false};
  for (bool fraction = false;; p++) {
    if (*p == '.' && !fraction) {
      fraction = true;
      continue;
    }
    unsigned digit = digit_of(*p);
    if (digit >= base) break;
    d.any = true;
    if (!d.first && digit != 0) d.first = p;
    if (d.first) d.point += !fraction;
    else d.point -= fraction;
  }
  d.end = p;
  return d;
}

/* The exponent after the letter; 0 if it is absent. */
static int read_exponent(const char *p, char letter) {
  if (lower(*p++) != letter) return 0;
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  int exponent = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (exponent < 10000) exponent = 10 * exponent + (*p - '0');
  return negative ? -exponent : exponent;
}

/* --- Decimal -------------------------------------------------------------- */

/* Limbs of nine digits, the most significant first. There is room for 10^314 before the
 * point. After it, for the digits that a text of 256 characters has left when it is
 * divided by 2^984, and for one whose first digit is the 330th. */
#define BILLION 1000000000u
#define WHOLE 35
#define LIMBS (WHOLE + 137)
#define LARGEST_POINT 309
#define LEAST_POINT (-330)

typedef struct {
  uint32_t limb[LIMBS];
} decimal;

static void set_digits(decimal *n, const digits *d) {
  memset(n, 0, sizeof *n);
  int place = 9 * WHOLE - d->point; /* of the first digit, from the front */
  for (const char *p = d->first; p < d->end; p++) {
    if (*p == '.') continue;
    uint32_t digit = digit_of(*p);
    for (int i = place % 9; i < 8; i++) digit *= 10;
    n->limb[place++ / 9] += digit;
  }
}

static void multiply(decimal *n, unsigned shift) {
  uint64_t carry = 0;
  for (size_t i = LIMBS; i-- > 0;) {
    carry += (uint64_t)n->limb[i] << shift;
    n->limb[i] = (uint32_t)(carry % BILLION);
    carry /= BILLION;
  }
}

static void divide(decimal *n, unsigned shift) {
  uint64_t rest = 0;
  for (size_t i = 0; i < LIMBS; i++) {
    rest = rest * BILLION + n->limb[i];
    n->limb[i] = (uint32_t)(rest >> shift);
    rest &= (UINT64_C(1) << shift) - 1;
  }
}

static bool any_limb(const decimal *n, size_t begin, size_t end) {
  while (begin < end)
    if (n->limb[begin++] != 0) return true;
  return false;
}

static uint64_t whole_part(const decimal *n) { return (uint64_t)n->limb[WHOLE - 2] * BILLION + n->limb[WHOLE - 1]; }

static binary from_decimal(const digits *d) {
  decimal n;
  int exponent = 0;
  set_digits(&n, d);
  while (any_limb(&n, 0, WHOLE - 2) || whole_part(&n) >> MANTISSA_BITS != 0) {
    divide(&n, 24);
    exponent += 24;
  }
  while (whole_part(&n) >> (MANTISSA_BITS - 1) == 0) {
    unsigned shift = whole_part(&n) >> (MANTISSA_BITS - 24) == 0 ? 24 : 1;
    multiply(&n, shift);
    exponent -= (int)shift;
  }
  return (binary){whole_part(&n), exponent, any_limb(&n, WHOLE, LIMBS)};
}

/* --- Hexadecimal ---------------------------------------------------------- */

static binary from_hex(const digits *d, int exponent) {
  binary b = {0, 4 * d->point + exponent, false};
  for (const char *p = d->first; p < d->end; p++) {
    if (*p == '.') continue;
    unsigned digit = digit_of(*p);
    if (b.mantissa >> MANTISSA_BITS != 0) {
      b.more |= digit != 0;
      continue;
    }
    b.mantissa = b.mantissa << 4 | digit;
    b.exponent -= 4;
  }
  for (; b.mantissa >> MANTISSA_BITS != 0; b.exponent++) {
    b.more |= b.mantissa & 1;
    b.mantissa >>= 1;
  }
  for (; b.mantissa >> (MANTISSA_BITS - 1) == 0; b.exponent--) b.mantissa <<= 1;
  return b;
}

/* --- Rounding ------------------------------------------------------------- */

typedef struct {
  int precision; /* bits of a mantissa, with the implicit one */
  int least;     /* log2 of the smallest number, which is subnormal */
  uint64_t infinity;
} format;

static const format formats[] = {
    {53, -1074, UINT64_C(0x7ff) << 52},
    {24, -149, UINT64_C(0xff) << 23},
};

/* Rounds to nearest, ties to even. False when the number is too large, or so small that
 * it loses bits. */
static bool round_to(const format *f, binary b, uint64_t *bits) {
  int drop = MANTISSA_BITS - f->precision;
  if (b.exponent + drop < f->least) drop = f->least - b.exponent;
  if (drop > 60) drop = 60;
  int raised = b.exponent + drop - f->least;
  if (raised < 0) raised = 0;
  uint64_t kept = b.mantissa >> drop, lost = b.mantissa - (kept << drop), half = UINT64_C(1) << (drop - 1);
  bool exact = lost == 0 && !b.more;
  kept += lost > half || (lost == half && (b.more || kept % 2 == 1));
  if (raised > 2100) return false;
  *bits = ((uint64_t)raised << (f->precision - 1)) + kept;
  return *bits < f->infinity && (exact || *bits >> (f->precision - 1) != 0);
}

/* --- Texts ---------------------------------------------------------------- */

static bool begins_with(const char *text, const char *word) {
  while (*word != '\0' && lower(*text) == *word) text++, word++;
  return *word == '\0';
}

static bool read_finite(const format *f, const char *text, uint64_t *bits) {
  bool hex = begins_with(text, "0x");
  digits d = {0};
  if (hex) d = scan(text + 2, 16);
  if (!d.any) { /* "0x" without digits: the zero counts */
    hex = false;
    d = scan(text, 10);
  }
  *bits = 0;
  if (!d.first) return d.any;
  int exponent = read_exponent(d.end, hex ? 'p' : 'e');
  if (hex) return round_to(f, from_hex(&d, exponent), bits);
  d.point += exponent;
  return d.point >= LEAST_POINT && d.point <= LARGEST_POINT && round_to(f, from_decimal(&d), bits);
}

bool cpb_decimal_read(const char *text, bool single, uint64_t *bits) {
  const format *f = &formats[single];
  bool negative = *text == '-', read = true;
  if (negative || *text == '+') text++;
  if (begins_with(text, "inf")) *bits = f->infinity;
  else if (begins_with(text, "nan")) *bits = f->infinity | UINT64_C(1) << (f->precision - 2);
  else read = read_finite(f, text, bits);
  if (negative) *bits |= UINT64_C(1) << (single ? 31 : 63);
  return read;
}
