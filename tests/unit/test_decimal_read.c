/* The oracle is the C library's own strtod. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/decimal.h"

/* Of each kind of text; more by CPB_TEXTS. */
#define TEXTS 10000

static uint64_t seed = 88172645463325252u;

static uint64_t any(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static unsigned below(unsigned n) { return (unsigned)(any() >> 33) % n; }

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float float_of(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* strtod rounds to the least normal number from a hair below it, and says ERANGE. */
static bool is_least_normal(uint64_t bits, bool single) {
  return (bits << (single ? 33 : 1) >> (single ? 33 : 1)) == UINT64_C(1) << (single ? 23 : 52);
}

static void is_read_alike(const char *text, bool single) {
  char *end;
  errno = 0;
  uint64_t theirs = single ? bits_of_float(strtof(text, &end)) : bits_of_double(strtod(text, &end));
  bool they_read = end != text && errno != ERANGE;
  uint64_t ours = 0;
  bool we_read = cpb_decimal_read(text, single, &ours);
  if (we_read && is_least_normal(ours, single)) they_read = true;
  if (we_read == they_read && (!we_read || ours == theirs)) return;
  fail_msg("\"%s\" as a %s: %s%llx, strtod %s%llx", text, single ? "float" : "double", we_read ? "" : "no number, ",
           (unsigned long long)ours, they_read ? "" : "no number, ", (unsigned long long)theirs);
}

static void both_are_read_alike(const char *text) {
  is_read_alike(text, false);
  is_read_alike(text, true);
}

static unsigned texts(void) {
  const char *more = getenv("CPB_TEXTS");
  return more != NULL ? (unsigned)strtoul(more, NULL, 10) : TEXTS;
}

static void ordinary_and_odd_numbers_are_read_as_strtod_reads_them(void **state) {
  (void)state;
  static const char *const cases[] = {
      "0",
      "-0",
      "1",
      "+1.",
      ".5",
      "00.500",
      "1e5",
      "1E+5",
      "1e-5",
      "-12.75e1xyz",
      "1e",
      "1e+",
      "1ex",
      "1.5.5",
      "1,5",
      "",
      ".",
      "-",
      "+",
      "e5",
      ".e5",
      "--1",
      "x",
      "0x",
      "0xg",
      "0x.",
      "0x1",
      "0X.8p1",
      "0x1.8",
      "0x1p",
      "0x1p-1074",
      "0x1p-1075",
      "0x1.8p-1074",
      "0x0p9999",
      "0x1.fffffffffffff8p0",
      "0x1.fffffffffffff7p0",
      "0x10000000000000081p0",
      "inf",
      "-INF",
      "Infinity",
      "infinityx",
      "in",
      "nan",
      "-NaN",
      "na",
      "0e99999",
      "0e-99999",
      "1e99999",
      "1e99999999999999999999",
      "1e-99999999999999999999",
      "0.0000001e-400",
      "1e308",
      "1e309",
      "-1e309",
      "17976931348623157e292",
      "17976931348623158e292",
      "17976931348623159e292",
      "179769313486231580793e289",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "4.9e-324",
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "3.4028235e38",
      "3.4028236e38",
      "1.17549435e-38",
      "1.4e-45",
      "7e-46",
      "7.1e-46",
      "9007199254740993",
      "9007199254740992.999999",
      "9007199254740993.0000000001",
      "16777217",
      "16777217.00000001",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) both_are_read_alike(cases[i]);
}

/* With all, or most, of the digits that it has. */
static void a_number_written_out_is_read_as_strtod_reads_it(void **state) {
  (void)state;
  char text[CPB_DECIMAL_TEXT_MAX + 1];
  for (unsigned i = 0; i < texts(); i++) {
    double value = double_of(any());
    float narrow = float_of(any());
    if (!isfinite(value) || !isfinite(narrow)) continue;
    snprintf(text, sizeof text, "%.*e", (int)below(240), value);
    is_read_alike(text, false);
    snprintf(text, sizeof text, "%.*e", (int)below(150), narrow);
    is_read_alike(text, true);
  }
}

static void a_number_in_the_middle_of_two_is_read_as_strtod_reads_it(void **state) {
  (void)state;
  char text[CPB_DECIMAL_TEXT_MAX + 1];
  for (unsigned i = 0; i < texts(); i++) {
    /* Exactly half a unit above the double, as a long double can tell. */
    int exponent = (int)below(200) - 120;
    long double middle = ldexpl((long double)((any() >> 11 | UINT64_C(1) << 52) * 2 + 1), exponent - 53);
    int length = snprintf(text, sizeof text, "%.*Lf", exponent < 53 ? 53 - exponent : 0, middle);
    if (length < 0 || length >= CPB_DECIMAL_TEXT_MAX) continue;
    is_read_alike(text, false);
    for (char *p = text + length; p-- > text && below(2) == 0;)
      if (*p >= '0' && *p <= '9') *p = (char)('0' + below(10));
    is_read_alike(text, false);
    double between = ldexp((double)((any() >> 40 | 1u << 23) * 2 + 1), exponent - 24);
    snprintf(text, sizeof text, "%.*f", exponent < 24 ? 24 - exponent : 0, between);
    is_read_alike(text, true);
  }
}

static void the_edges_of_the_range_are_read_as_strtod_reads_them(void **state) {
  (void)state;
  static const int exponents[] = {-330, -324, -323, -309, -308, -307, -46, -45, -44,
                                  -39,  -38,  -37,  37,   38,   39,   307, 308, 309};
  char text[CPB_DECIMAL_TEXT_MAX + 1];
  for (unsigned i = 0; i < texts(); i++) {
    int exponent = exponents[below(sizeof exponents / sizeof *exponents)];
    snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)below(30), (unsigned long long)any(), exponent);
    both_are_read_alike(text);
    snprintf(text, sizeof text, "0x%x.%llxp%d", below(9), (unsigned long long)any(),
             (int)below(40) - (below(2) ? 160 : 1080));
    both_are_read_alike(text);
  }
}

/* A point and an exponent that take back what the zeros add. */
static void long_texts_are_read_as_strtod_reads_them(void **state) {
  (void)state;
  char text[CPB_DECIMAL_TEXT_MAX + 1];
  for (unsigned i = 0; i < texts(); i++) {
    unsigned length = 1 + below(CPB_DECIMAL_TEXT_MAX - 16), zeros = below(length + 1);
    for (unsigned k = 0; k < length; k++) text[k] = k < zeros && below(100) ? '0' : (char)('0' + below(10));
    if (below(2)) text[below(length)] = '.';
    snprintf(text + length, 16, "e%d", (int)below(1200) - 600);
    both_are_read_alike(text);
  }
}

static void any_text_is_read_as_strtod_reads_it(void **state) {
  (void)state;
  static const char letters[] = "0011223456789..eE+-xXpPaAfFinN";
  char text[24];
  for (unsigned i = 0; i < 4 * texts(); i++) {
    unsigned length = below(sizeof text);
    for (unsigned k = 0; k < length; k++) text[k] = letters[below(sizeof letters - 1)];
    text[length] = '\0';
    both_are_read_alike(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ordinary_and_odd_numbers_are_read_as_strtod_reads_them),
      cmocka_unit_test(a_number_written_out_is_read_as_strtod_reads_it),
      cmocka_unit_test(a_number_in_the_middle_of_two_is_read_as_strtod_reads_it),
      cmocka_unit_test(the_edges_of_the_range_are_read_as_strtod_reads_them),
      cmocka_unit_test(long_texts_are_read_as_strtod_reads_them),
      cmocka_unit_test(any_text_is_read_as_strtod_reads_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
