#include "base/url_text.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool begins_with(cpb_span text, const char *begin, size_t length) {
  if (text.size < length) return false;
  for (size_t i = 0; i < length; i++) {
    if (lower((char)text.data[i]) != begin[i]) return false;
  }
  return true;
}

size_t cpb_url_scheme(cpb_span text) {
  static const char *const begins[] = {"http://", "https://", "s3://"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    const size_t length = strlen(begins[i]);
    if (begins_with(text, begins[i], length)) return length - 3;
  }
  return 0;
}

bool cpb_url_is_s3(cpb_span text) { return cpb_url_scheme(text) == 2; }

static bool is_plain(uint8_t c) {
  bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z', digit = c >= '0' && c <= '9';
  return letter || digit || (c > 0 && strchr("-._~/!$&'()*+,;=:@", c) != NULL);
}

size_t cpb_url_escape(cpb_span name, char *out) {
  static const char digits[] = "0123456789ABCDEF";
  const char *begin = out;
  for (size_t i = 0; i < name.size; i++) {
    const uint8_t c = name.data[i];
    if (is_plain(c)) {
      *out++ = (char)c;
    } else {
      *out++ = '%';
      *out++ = digits[c >> 4];
      *out++ = digits[c & 15];
    }
  }
  return (size_t)(out - begin);
}
