#include "base/utf8.h"

/* The bounds of the second byte exclude overlong forms, surrogates and code points
 * above U+10FFFF (The Unicode Standard, table 3-7). */
size_t cpb_utf8_length(cpb_span in) {
  uint8_t first = in.data[0], low = 0x80, high = 0xbf;
  size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length <= 1) return length;
  if (in.size < length) return 0;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (in.data[1] < low || in.data[1] > high) return 0;
  for (size_t i = 2; i < length; i++)
    if ((in.data[i] & 0xc0) != 0x80) return 0;
  return length;
}

bool cpb_utf8_valid(cpb_span in) {
  while (in.size > 0) {
    size_t length = cpb_utf8_length(in);
    if (length == 0) return false;
    in = (cpb_span){in.data + length, in.size - length};
  }
  return true;
}

uint32_t cpb_utf8_code(const uint8_t *at, size_t length) {
  if (length == 1) return at[0];
  uint32_t code = at[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) code = code << 6 | (at[i] & 0x3f);
  return code;
}

bool cpb_is_control(uint32_t code) {
  if (code < 0xa0) return code < 0x20 || code >= 0x7f;
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}
