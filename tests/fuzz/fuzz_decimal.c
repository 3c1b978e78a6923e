/* Numbers as text: [bits 8][text]. What is written reads back as the same number and has no more digits than
 * any other text that does, and what is read is what C's own functions read. */
#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "host.h"

/* The digits of a number, without zeros at either end. */
static size_t digits_of(const char *text) {
  size_t all = 0, zeros = 0;
  for (; *text && *text != 'e' && *text != 'E'; text++) {
    if (*text < '0' || *text > '9' || (all == 0 && *text == '0')) continue;
    all++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return all - zeros;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_double(uint64_t bits) {
  char text[CPB_DECIMAL_MAX], shortest[64];
  double value;
  uint64_t back;
  memcpy(&value, &bits, sizeof value);
  if (!isfinite(value)) return;
  size_t length = cpb_decimal_double(text, value);
  fuzz_check(length < sizeof text && text[length] == '\0' && strlen(text) == length);
  fuzz_check(bits_of(strtod(text, NULL)) == bits);
  errno = 0;
  fuzz_check(cpb_decimal_read(text, false, &back) ? back == bits : fabs(value) < 2.3e-308);
  int precision = 1;
  do snprintf(shortest, sizeof shortest, "%.*e", precision - 1, value);
  while (precision++ < 17 && bits_of(strtod(shortest, NULL)) != bits);
  fuzz_check(digits_of(text) <= digits_of(shortest) || (fabs(value) < 1e15 && value == floor(value)));
}

static void check_float(uint32_t bits) {
  char text[CPB_DECIMAL_MAX], shortest[64];
  float value;
  uint64_t back;
  memcpy(&value, &bits, sizeof value);
  if (!isfinite(value)) return;
  size_t length = cpb_decimal_float(text, value);
  fuzz_check(length < sizeof text && text[length] == '\0' && strlen(text) == length);
  fuzz_check(bits_of_float(strtof(text, NULL)) == bits);
  fuzz_check(cpb_decimal_read(text, true, &back) ? back == bits : fabsf(value) < 1.2e-38f);
  int precision = 1;
  do snprintf(shortest, sizeof shortest, "%.*e", precision - 1, (double)value);
  while (precision++ < 9 && bits_of_float(strtof(shortest, NULL)) != bits);
  fuzz_check(digits_of(text) <= digits_of(shortest) || (fabsf(value) < 1e15f && value == floorf(value)));
}

/* Text that is a number for both, or for neither. */
static void check_text(const char *text) {
  char *end_double, *end_float;
  uint64_t bits;
  if (strchr(" \t\n\v\f\r", *text) != NULL && *text != '\0') return; /* strtod() would pass it over */
  errno = 0;
  double d = strtod(text, &end_double);
  int in_range = errno != ERANGE;
  int read = cpb_decimal_read(text, false, &bits);
  fuzz_check(read == (end_double != text && in_range));
  if (read) fuzz_check(isnan(d) ? (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000) : bits == bits_of(d));
  errno = 0;
  float f = strtof(text, &end_float);
  in_range = errno != ERANGE;
  read = cpb_decimal_read(text, true, &bits);
  fuzz_check(read == (end_float != text && in_range));
  if (read) fuzz_check(isnan(f) ? (bits & 0x7fffffff) > 0x7f800000 : bits == bits_of_float(f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t low = fuzz_number(&in, 4), high = fuzz_number(&in, 4);
  check_double((uint64_t)high << 32 | low);
  check_float(low);
  char text[CPB_DECIMAL_TEXT_MAX + 1];
  size_t length = in.size < CPB_DECIMAL_TEXT_MAX ? in.size : CPB_DECIMAL_TEXT_MAX;
  if (length > 0) memcpy(text, in.data, length);
  text[length] = '\0';
  check_text(text);
  return 0;
}
