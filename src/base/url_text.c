#include "base/url_text.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool begins_with(cpb_span text, const char *begin, size_t length) {
  if (text.size < length) return false;
  for (size_t i = 0; i < length; i++)
    if (lower((char)text.data[i]) != begin[i]) return false;
  return true;
}

size_t cpb_url_scheme(cpb_span text) {
  static const char *const begins[] = {"http://", "https://", "s3://", "hf://", "gs://"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    const size_t length = strlen(begins[i]);
    if (begins_with(text, begins[i], length)) return length - 3;
  }
  return 0;
}

bool cpb_url_has_key(cpb_span text) { return cpb_url_scheme(text) == 2; }

static bool is_letter_or_digit(uint8_t c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9'); }

bool cpb_url_is_unknown(cpb_span text) {
  size_t length = 0;
  if (cpb_url_scheme(text) > 0 || cpb_url_is_file(text)) return false;
  if (begins_with(text, "data:", 5)) return true;
  while (length < text.size && (is_letter_or_digit(text.data[length]) || memchr("+-.", text.data[length], 3))) length++;
  return length > 1 && begins_with((cpb_span){text.data + length, text.size - length}, "://", 3);
}

/* --- file:// -------------------------------------------------------------------------------- */

bool cpb_url_is_file(cpb_span text) { return begins_with(text, "file://", 7); }

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int cpb_url_unescape(const char **at, const char *end) {
  const char *p = *at;
  *at = p + 1;
  if (*p != '%') return (unsigned char)*p;
  if (end - p < 3 || digit(p[1]) < 0 || digit(p[2]) < 0) return -1;
  *at = p + 3;
  return digit(p[1]) << 4 | digit(p[2]);
}

bool cpb_url_file_path(cpb_span text, char *out) {
  const size_t host = begins_with(text, "file://localhost/", 17) ? 16 : 7;
  if (text.size <= host || text.data[host] != '/') return false;
  const char *at = (const char *)text.data + host, *end = (const char *)text.data + text.size;
  while (at < end && *at != '?' && *at != '#') {
    const int c = cpb_url_unescape(&at, end);
    if (c <= 0) return false;
    *out++ = (char)c;
  }
  *out = 0;
  return true;
}

/* Some servers interpret "+" and ";" in a path. Only characters that are safe with every server stay unescaped: those
 * of JavaScript's encodeURIComponent, and slashes. */
static bool is_plain(uint8_t c) { return is_letter_or_digit(c) || (c > 0 && strchr("-._~/!'()*", c) != NULL); }

/* "?NAME=" */
static bool begins_query(cpb_span text) {
  size_t i = 1;
  if (text.data[0] != '?') return false;
  while (i < text.size && (is_letter_or_digit(text.data[i]) || text.data[i] == '-')) i++;
  return i > 1 && i < text.size && text.data[i] == '=';
}

size_t cpb_url_key_length(cpb_span text) {
  size_t length = 0;
  while (length < text.size && !begins_query((cpb_span){text.data + length, text.size - length})) length++;
  return length;
}

size_t cpb_url_path_length(cpb_span text) {
  size_t length = cpb_url_scheme(text);
  if (length == 0) return text.size;
  if (cpb_url_has_key(text)) return cpb_url_key_length(text);
  while (length < text.size && text.data[length] != '?' && text.data[length] != '#') length++;
  return length;
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
