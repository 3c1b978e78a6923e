#include "base/status.h"

#include <stdarg.h>
#include <string.h>

const char *cpb_version(void) { return CPB_VERSION_STRING; }

const char *cpb_code_name(cpb_code code) {
  switch (code) {
#define CPB_CODE_NAME(name, number, text) \
  case CPB_E_##name: return #name;
    CPB_CODES(CPB_CODE_NAME)
#undef CPB_CODE_NAME
  }
  return "UNKNOWN";
}

const char *cpb_code_text(cpb_code code) {
  switch (code) {
#define CPB_CODE_TEXT(name, number, text) \
  case CPB_E_##name: return text;
    CPB_CODES(CPB_CODE_TEXT)
#undef CPB_CODE_TEXT
  }
  return "unknown error code";
}

/* --- Formatting ----------------------------------------------------------- */

typedef struct {
  char *at, *end;
} text_out;

static void put_char(text_out *out, char c) {
  if (out->at < out->end) *out->at++ = c;
}

static void put_text(text_out *out, const char *text, size_t width) {
  size_t length = strlen(text);
  for (; width > length; width--) put_char(out, ' ');
  while (*text) put_char(out, *text++);
}

static void put_number(text_out *out, uint64_t value, unsigned base, size_t width, char pad) {
  char digits[24];
  size_t n = 0;
  do {
    digits[n++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  for (; width > n; width--) put_char(out, pad);
  while (n > 0) put_char(out, digits[--n]);
}

static void put_signed(text_out *out, long long value, size_t width) {
  if (value < 0) put_char(out, '-');
  put_number(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, width, ' ');
}

static void format_arguments(text_out *out, const char *format, va_list args) {
  for (; *format; format++) {
    if (*format != '%') {
      put_char(out, *format);
      continue;
    }
    char pad = ' ';
    size_t width = 0;
    int longs = 0;
    format++;
    if (*format == '0') pad = '0';
    for (; *format >= '0' && *format <= '9'; format++) width = width * 10 + (size_t)(*format - '0');
    for (; *format == 'l' || *format == 'z'; format++) longs += *format == 'z' ? 16 : 1;
    switch (*format) {
      case 's': put_text(out, va_arg(args, const char *), width); break;
      case 'c': put_char(out, (char)va_arg(args, int)); break;
      case 'd': put_signed(out, va_arg(args, int), width); break;
      case 'u':
      case 'x': {
        unsigned base = *format == 'x' ? 16 : 10;
        uint64_t value = longs >= 16  ? va_arg(args, size_t)
                         : longs >= 2 ? va_arg(args, unsigned long long)
                                      : va_arg(args, unsigned);
        put_number(out, value, base, width, pad);
        break;
      }
      case '%': put_char(out, '%'); break;
      default: put_char(out, '?'); return;
    }
  }
}

static size_t format_into(char *buffer, size_t size, const char *format, va_list args) {
  if (size == 0) return 0;
  text_out out = {buffer, buffer + size - 1};
  format_arguments(&out, format, args);
  *out.at = '\0';
  return (size_t)(out.at - buffer);
}

size_t cpb_format(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t length = format_into(out, size, format, args);
  va_end(args);
  return length;
}

cpb_error *cpb_error_begin(cpb_error *given, cpb_error *spare) {
  cpb_error *error = given ? given : spare;
  error->code = CPB_OK;
  error->system = error->status = 0;
  error->offset = CPB_NO_OFFSET;
  error->message[0] = '\0';
  return error;
}

cpb_code cpb_fail(cpb_error *error, cpb_code code, uint64_t offset, const char *format, ...) {
  if (error->code != CPB_OK) return error->code;
  error->code = code;
  error->offset = offset;
  va_list args;
  va_start(args, format);
  format_into(error->message, sizeof error->message, format, args);
  va_end(args);
  return code;
}

cpb_code cpb_fail_memory(cpb_error *error) { return cpb_fail(error, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"); }

void cpb_error_take_numbers(cpb_error *error, const cpb_error *from) {
  error->system = from->system;
  error->status = from->status;
}

bool cpb_is_of_reading(const cpb_error *error) {
  bool is_of_file = error->system != 0 || error->status != 0;
  return error->code == CPB_E_READ || error->code == CPB_E_DENIED || error->code == CPB_E_UNAVAILABLE ||
         (error->code == CPB_E_NOT_FOUND && is_of_file);
}

bool cpb_is_of_content(const cpb_error *error) {
  return error->code != CPB_OK && error->code != CPB_E_MEMORY && error->code != CPB_E_CANCELLED &&
         !cpb_is_of_reading(error);
}

const char *cpb_quote(char *out, size_t size, const void *text, size_t length) {
  static const char hex[] = "0123456789abcdef";
  const unsigned char *in = text;
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (in[i] >= 0x20 && in[i] < 0x7f && in[i] != '\\') {
      if (n + 1 >= size) break;
      out[n++] = (char)in[i];
    } else {
      if (n + 4 >= size) break;
      out[n++] = '\\';
      out[n++] = 'x';
      out[n++] = hex[in[i] >> 4];
      out[n++] = hex[in[i] & 15];
    }
  }
  if (size > 0) out[n] = '\0';
  return out;
}
