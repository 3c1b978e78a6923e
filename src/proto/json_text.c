#include "proto/json_text.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "proto/decimal.h"
#include "proto/schema.h"

#define PIECE 6144 /* of a string; divisible by three */

bool cpb_json_put(cpb_buffer *out, const char *text, size_t length) { return cpb_buffer_append(out, text, length); }

bool cpb_json_put_text(cpb_buffer *out, const char *text) { return cpb_json_put(out, text, strlen(text)); }

/* --- Strings -------------------------------------------------------------- */

/* The second byte's bounds shut out overlong forms, surrogates and what is
 * beyond U+10FFFF (Unicode, table 3-7). */
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
  for (size_t i = 2; i < length; i++) {
    if ((in.data[i] & 0xc0) != 0x80) return 0;
  }
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

static bool put_escaped(cpb_buffer *out, unsigned c) {
  static const char names[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *name = c != 0 && c < 0x80 ? strchr(names, (int)c) : NULL;
  char text[8];
  size_t length = name != NULL ? cpb_format(text, sizeof text, "\\%c", letters[name - names])
                               : cpb_format(text, sizeof text, "\\u%04x", c);
  return cpb_json_put(out, text, length);
}

/* What a JSON string may not hold, and the control characters (C1 too) that a
 * terminal would act on. */
static bool needs_escape(const uint8_t *at, size_t length, unsigned *c) {
  *c = length == 2 ? (unsigned)(at[0] & 0x1f) << 6 | (at[1] & 0x3f) : at[0];
  return length <= 2 && (*c < 0x20 || *c == '"' || *c == '\\' || (*c >= 0x7f && *c < 0xa0));
}

bool cpb_json_put_string(cpb_buffer *out, cpb_span *in) {
  cpb_span rest = *in;
  size_t plain = 0, used = 0; /* `plain` bytes before rest go out as they are */
  bool done = true;
  for (; done && rest.size > 0 && used < PIECE;) {
    unsigned c = 0xfffd;
    size_t length = cpb_utf8_length(rest);
    bool escape = length == 0 || needs_escape(rest.data, length, &c);
    if (length == 0) length = 1;
    if (escape) {
      done = cpb_buffer_append(out, rest.data - plain, plain) && put_escaped(out, c);
      plain = 0;
    } else {
      plain += length;
    }
    used += length;
    rest = (cpb_span){rest.data + length, rest.size - length};
  }
  if (plain > 0) done = done && cpb_buffer_append(out, rest.data - plain, plain);
  *in = rest;
  return done;
}

/* --- Base64 --------------------------------------------------------------- */

static void encode_three(char out[4], const uint8_t *in, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t bits = (uint32_t)in[0] << 16 | (count > 1 ? (uint32_t)in[1] << 8 : 0) | (count > 2 ? in[2] : 0u);
  for (int i = 0; i < 4; i++) out[i] = digits[bits >> (18 - 6 * i) & 63];
  if (count < 3) out[3] = '=';
  if (count < 2) out[2] = '=';
}

bool cpb_json_put_base64(cpb_buffer *out, cpb_span *in) {
  size_t count = cpb_min_size(in->size, PIECE), total;
  if (!cpb_add_size(out->size, (count + 2) / 3 * 4, &total) || !cpb_buffer_reserve(out, total)) return false;
  for (size_t i = 0; i < count; i += 3) {
    encode_three((char *)out->data + out->size, in->data + i, count - i);
    out->size += 4;
  }
  *in = (cpb_span){count > 0 ? in->data + count : in->data, in->size - count};
  return true;
}

/* --- Numbers -------------------------------------------------------------- */

static int64_t zigzag(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

static size_t format_signed(char *out, size_t size, int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  return cpb_format(out, size, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

static size_t format_unsigned(char *out, size_t size, uint64_t value) {
  return cpb_format(out, size, "%llu", (unsigned long long)value);
}

/* Neither NaN nor the infinities are numbers to JSON: they are strings. */
static const char *not_finite(uint64_t bits, unsigned fraction_bits, unsigned width) {
  uint64_t exponent = ((UINT64_C(1) << (width - 1 - fraction_bits)) - 1) << fraction_bits;
  if ((bits & exponent) != exponent) return NULL;
  if ((bits & ((UINT64_C(1) << fraction_bits) - 1)) != 0) return "NaN";
  return bits >> (width - 1) & 1 ? "-Infinity" : "Infinity";
}

static size_t format_double(char *out, size_t size, uint64_t bits, bool *quoted) {
  const char *text = not_finite(bits, 52, 64);
  *quoted = text != NULL;
  if (text != NULL) return cpb_format(out, size, "%s", text);
  double value;
  memcpy(&value, &bits, sizeof value);
  return cpb_decimal_double(out, value);
}

static size_t format_float(char *out, size_t size, uint32_t bits, bool *quoted) {
  const char *text = not_finite(bits, 23, 32);
  *quoted = text != NULL;
  if (text != NULL) return cpb_format(out, size, "%s", text);
  float value;
  memcpy(&value, &bits, sizeof value);
  return cpb_decimal_float(out, value);
}

static size_t format_number(char *out, size_t size, cpb_field_type type, uint64_t value, bool *quoted) {
  *quoted = false;
  switch (type) {
    case CPB_TYPE_DOUBLE: return format_double(out, size, value, quoted);
    case CPB_TYPE_FLOAT: return format_float(out, size, (uint32_t)value, quoted);
    case CPB_TYPE_BOOL: return cpb_format(out, size, "%s", value != 0 ? "true" : "false");
    case CPB_TYPE_UINT32:
    case CPB_TYPE_FIXED32: return format_unsigned(out, size, (uint32_t)value);
    case CPB_TYPE_SINT32: return format_signed(out, size, zigzag((uint32_t)value));
    case CPB_TYPE_UINT64:
    case CPB_TYPE_FIXED64: *quoted = true; return format_unsigned(out, size, value);
    case CPB_TYPE_INT64:
    case CPB_TYPE_SFIXED64: *quoted = true; return format_signed(out, size, (int64_t)value);
    case CPB_TYPE_SINT64: *quoted = true; return format_signed(out, size, zigzag(value));
    default: return format_signed(out, size, (int32_t)value);
  }
}

static bool put_number(cpb_buffer *out, cpb_field_type type, uint64_t value, bool always_quoted) {
  char text[CPB_DECIMAL_MAX];
  bool quoted;
  size_t length = format_number(text, sizeof text, type, value, &quoted);
  const char *quote = quoted || always_quoted ? "\"" : "";
  return cpb_json_put_text(out, quote) && cpb_json_put(out, text, length) && cpb_json_put_text(out, quote);
}

bool cpb_json_put_number(cpb_buffer *out, cpb_field_type type, uint64_t value) {
  return put_number(out, type, value, false);
}

bool cpb_json_put_key_number(cpb_buffer *out, cpb_field_type type, uint64_t value) {
  return put_number(out, type, value, true);
}
