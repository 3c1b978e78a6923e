#include "proto/json/fields.h"

#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/status.h"
#include "proto/schema/builder.h"

#define PIECE 6144 /* bytes that one call of cpb_json_put_base64() takes; a multiple of three */

bool cpb_json_put(cpb_buffer *out, const char *text, size_t length) { return cpb_buffer_append(out, text, length); }

bool cpb_json_put_text(cpb_buffer *out, const char *text) { return cpb_json_put(out, text, strlen(text)); }

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

/* JSON has no NaN and no infinities: they are strings. */
static const char *not_finite(uint64_t bits, unsigned fraction_bits, unsigned width) {
  uint64_t exponent = ((UINT64_C(1) << (width - 1 - fraction_bits)) - 1) << fraction_bits;
  if ((bits & exponent) != exponent) return NULL;
  if ((bits & ((UINT64_C(1) << fraction_bits) - 1)) != 0) return "NaN";
  return bits >> (width - 1) & 1 ? "-Infinity" : "Infinity";
}

static size_t format_double(char *out, size_t size, uint64_t bits, bool *quoted) {
  const char *text = not_finite(bits, 52, 64);
  *quoted = text != NULL;
  if (text) return cpb_format(out, size, "%s", text);
  double value;
  memcpy(&value, &bits, sizeof value);
  return cpb_decimal_double(out, value);
}

static size_t format_float(char *out, size_t size, uint32_t bits, bool *quoted) {
  const char *text = not_finite(bits, 23, 32);
  *quoted = text != NULL;
  if (text) return cpb_format(out, size, "%s", text);
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
