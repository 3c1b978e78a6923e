/* Parses numbers like TensorFlow's merger, which accepts leading space and ignores everything after the number. */
#include "chunked/merge/number_text.h"

#include <string.h>

#include "base/checked.h"
#include "proto/wire.h"

static const char *skip_space(const char *p) {
  while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
  return p;
}

/* An integer in [-min, max]; negative ones in two's complement. */
static bool read_integer(const char *p, uint64_t min, uint64_t max, uint64_t *value) {
  p = skip_space(p);
  bool negative = *p == '-';
  if (negative || *p == '+') p++;
  if (*p < '0' || *p > '9') return false;
  uint64_t v = 0, limit = negative ? min : max;
  for (; *p >= '0' && *p <= '9'; p++) {
    unsigned digit = (unsigned)(*p - '0');
    if (v > limit / 10 || digit > limit - 10 * v) return false;
    v = 10 * v + digit;
  }
  *value = negative ? 0 - v : v;
  return true;
}

static bool read_enum(const cpb_enum_type *type, cpb_span text, uint64_t *value) {
  for (size_t i = 0; i < type->num_values; i++) {
    const cpb_enum_value *v = &type->values[i];
    if (strlen(v->name) != text.size || memcmp(v->name, text.data, text.size) != 0) continue;
    *value = (uint64_t)(int64_t)v->number;
    return true;
  }
  return false;
}

static uint64_t zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }

static bool read_value(const cpb_field *field, cpb_span text, const char *p, uint64_t *value) {
  const uint64_t low32 = (uint64_t)1 << 31, low64 = (uint64_t)1 << 63;
  switch (field->type) {
    case CPB_TYPE_DOUBLE: return cpb_decimal_read(skip_space(p), false, value);
    case CPB_TYPE_FLOAT: return cpb_decimal_read(skip_space(p), true, value);
    case CPB_TYPE_INT32:
    case CPB_TYPE_SINT32:
    case CPB_TYPE_SFIXED32: return read_integer(p, low32, low32 - 1, value);
    case CPB_TYPE_INT64:
    case CPB_TYPE_SINT64:
    case CPB_TYPE_SFIXED64: return read_integer(p, low64, low64 - 1, value);
    case CPB_TYPE_UINT32:
    case CPB_TYPE_FIXED32: return read_integer(p, 0, UINT32_MAX, value);
    case CPB_TYPE_UINT64:
    case CPB_TYPE_FIXED64: return read_integer(p, 0, UINT64_MAX, value);
    case CPB_TYPE_BOOL: *value = strncmp(skip_space(p), "true", 4) == 0; return true;
    case CPB_TYPE_ENUM: return read_enum(field->enumeration, text, value);
    default: return false;
  }
}

static uint8_t *put_fixed32(uint8_t *out, uint32_t number, uint64_t value) {
  out = cpb_wire_put_tag(out, number, CPB_WIRE_FIXED32);
  cpb_store32(out, (uint32_t)value);
  return out + 4;
}

static uint8_t *put_fixed64(uint8_t *out, uint32_t number, uint64_t value) {
  out = cpb_wire_put_tag(out, number, CPB_WIRE_FIXED64);
  cpb_store64(out, value);
  return out + 8;
}

static uint8_t *put_value(uint8_t *out, const cpb_field *field, uint64_t value) {
  switch (field->type) {
    case CPB_TYPE_FLOAT:
    case CPB_TYPE_FIXED32:
    case CPB_TYPE_SFIXED32: return put_fixed32(out, field->number, value);
    case CPB_TYPE_DOUBLE:
    case CPB_TYPE_FIXED64:
    case CPB_TYPE_SFIXED64: return put_fixed64(out, field->number, value);
    case CPB_TYPE_SINT32:
    case CPB_TYPE_SINT64: value = zigzag(value); break;
    default: break;
  }
  return cpb_varint_write(cpb_wire_put_tag(out, field->number, CPB_WIRE_VARINT), value);
}

size_t cpb_number_text_field(const cpb_field *field, cpb_span text, uint8_t out[CPB_NUMBER_MAX]) {
  char p[CPB_NUMBER_TEXT_MAX + 1];
  size_t length = cpb_min_size(text.size, CPB_NUMBER_TEXT_MAX);
  if (length > 0) memcpy(p, text.data, length);
  p[length] = '\0';
  uint64_t value = 0;
  if (!read_value(field, text, p, &value)) return 0;
  return (size_t)(put_value(out, field, value) - out);
}
