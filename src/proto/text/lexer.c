#include "proto/text/lexer.h"

#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/status.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static unsigned digit_of(char c) {
  if (is_digit(c)) return (unsigned)(c - '0');
  c = lower(c);
  return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* --- Places --------------------------------------------------------------- */

/* Errors are rare, so lines are counted only then. */
static unsigned long long line_of(const cpb_text_lexer *lx) {
  unsigned long long line = 1;
  for (const char *p = lx->begin; p < lx->at; p++) line += *p == '\n';
  return line;
}

bool cpb_text_expected(const cpb_text_lexer *lx, const char *what) {
  char found[32];
  size_t left = (size_t)(lx->end - lx->at), shown = cpb_min_size(left, 12);
  cpb_quote(found, sizeof found, lx->at, shown);
  return CPB_FAILS(lx->error, CPB_E_DAMAGED, (uint64_t)(lx->at - lx->begin),
                   "line %llu of the text: expected %s, not %s%s%s", line_of(lx), what, left > 0 ? "\"" : "the end",
                   left > 0 ? found : "", left > 0 ? "\"" : "");
}

/* A byte order mark may precede the text (google/protobuf/io/tokenizer.cc). */
static void skip_space(cpb_text_lexer *lx) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t size = sizeof mark - 1;
  if (lx->at == lx->begin && (size_t)(lx->end - lx->at) >= size && memcmp(lx->at, mark, size) == 0) lx->at += size;
  while (lx->at < lx->end) {
    char c = *lx->at;
    if (c == '#') {
      const char *line = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
      lx->at = line ? line : lx->end;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      lx->at++;
    } else {
      break;
    }
  }
}

char cpb_text_peek(cpb_text_lexer *lx) {
  skip_space(lx);
  return lx->at < lx->end ? *lx->at : '\0';
}

bool cpb_text_accept(cpb_text_lexer *lx, char c) {
  if (cpb_text_peek(lx) != c || lx->at == lx->end) return false;
  lx->at++;
  return true;
}

cpb_span cpb_text_name(cpb_text_lexer *lx, const char *more) {
  skip_space(lx);
  const char *begin = lx->at;
  while (lx->at < lx->end) {
    char c = *lx->at;
    if (!is_letter(c) && !is_digit(c) && (c == '\0' || !strchr(more, c))) break;
    lx->at++;
  }
  return (cpb_span){(const uint8_t *)begin, (size_t)(lx->at - begin)};
}

/* --- Strings -------------------------------------------------------------- */

/* Up to `most` digits. */
static bool take_digits(cpb_text_lexer *lx, unsigned base, int least, int most, uint32_t *value) {
  int count = 0;
  *value = 0;
  for (; count < most && lx->at < lx->end && digit_of(*lx->at) < base; count++, lx->at++)
    *value = *value * base + digit_of(*lx->at);
  return count >= least;
}

static size_t put_utf8(uint32_t code, uint8_t out[4]) {
  static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; code >>= 6) out[i] = (uint8_t)(0x80 | (code & 0x3f));
  out[0] = (uint8_t)(length == 1 ? code : first[length] | code);
  return length;
}

static bool is_surrogate(uint32_t code, uint32_t first) { return code >> 10 == first >> 10; }

/* After \u or \U. Two of the former may be one character. */
static bool take_unicode(cpb_text_lexer *lx, char kind, uint8_t out[4], size_t *length) {
  uint32_t code, low;
  int digits = kind == 'u' ? 4 : 8;
  if (!take_digits(lx, 16, digits, digits, &code)) return false;
  if (is_surrogate(code, 0xd800)) {
    if (lx->end - lx->at < 2 || lx->at[0] != '\\' || lx->at[1] != 'u') return false;
    lx->at += 2;
    if (!take_digits(lx, 16, 4, 4, &low) || !is_surrogate(low, 0xdc00)) return false;
    code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
  }
  *length = put_utf8(code, out);
  return code <= 0x10ffff && !is_surrogate(code, 0xdc00);
}

/* After a backslash. */
static bool take_escape(cpb_text_lexer *lx, uint8_t out[4], size_t *length) {
  static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
  uint32_t value = 0;
  *length = 1;
  if (lx->at == lx->end) return false;
  const char c = *lx->at;
  const char *named = c ? strchr(names, c) : NULL;
  if (digit_of(c) < 8) {
    bool taken = take_digits(lx, 8, 1, 3, &value);
    out[0] = (uint8_t)value;
    return taken && value < 256;
  }
  lx->at++;
  if (c == 'u' || c == 'U') return take_unicode(lx, c, out, length);
  if (c == 'x' || c == 'X') {
    bool taken = take_digits(lx, 16, 1, 2, &value);
    out[0] = (uint8_t)value;
    return taken;
  }
  if (named) out[0] = (uint8_t)values[named - names];
  return named != NULL;
}

static bool append(cpb_text_lexer *lx, cpb_buffer *out, const void *data, size_t size) {
  return cpb_buffer_append(out, data, size) || cpb_fail_memory(lx->error) == CPB_OK;
}

static bool take_string(cpb_text_lexer *lx, cpb_buffer *out) {
  const char quote = *lx->at++;
  for (;;) {
    const char *plain = lx->at;
    while (lx->at < lx->end && *lx->at != quote && *lx->at != '\\' && *lx->at != '\n') lx->at++;
    if (!append(lx, out, plain, (size_t)(lx->at - plain))) return false;
    if (lx->at == lx->end || *lx->at == '\n') return cpb_text_expected(lx, "the end of the string");
    if (*lx->at++ == quote) return true;
    uint8_t bytes[4];
    size_t length;
    if (!take_escape(lx, bytes, &length)) return cpb_text_expected(lx, "an escape sequence");
    if (!append(lx, out, bytes, length)) return false;
  }
}

bool cpb_text_string(cpb_text_lexer *lx, cpb_buffer *out) {
  char c = cpb_text_peek(lx);
  if (c != '"' && c != '\'') return cpb_text_expected(lx, "a string");
  for (; c == '"' || c == '\''; c = cpb_text_peek(lx))
    if (!take_string(lx, out)) return false;
  return true;
}

/* --- Numbers -------------------------------------------------------------- */

bool cpb_text_integer(cpb_text_lexer *lx, bool *negative, uint64_t *magnitude) {
  *negative = cpb_text_accept(lx, '-');
  const cpb_text_lexer before = *lx;
  cpb_span word = cpb_text_name(lx, ".");
  const char *p = (const char *)word.data, *end = p + word.size;
  unsigned base = 10;
  if (word.size > 1 && *p == '0') base = lower(p[1]) == 'x' ? 16 : 8, p += base == 16 ? 2 : 1;
  bool valid = p < end;
  for (*magnitude = 0; valid && p < end; p++) {
    valid = digit_of(*p) < base && cpb_mul_u64(*magnitude, base, magnitude) &&
            cpb_add_u64(*magnitude, digit_of(*p), magnitude);
  }
  if (valid) return true;
  *lx = before;
  return cpb_text_expected(lx, "an integer of at most 64 bits");
}

/* Whether a number outside of a double's range, which was not parsed, is too small. */
static bool is_small(const char *text) {
  const char *e = strpbrk(text, "eE");
  return e ? e[1] == '-' : *text == '0' || *text == '.';
}

static const char *skip_digits(const char *text) {
  while (is_digit(*text)) text++;
  return text;
}

/* Digits with a point, an exponent and an f. Only integers may be octal, so no other digit follows a first zero. */
static bool is_decimal(const char *text) {
  if (!is_digit(text[*text == '.']) || (*text == '0' && is_digit(text[1]))) return false;
  text = skip_digits(text);
  if (*text == '.') text = skip_digits(text + 1);
  if (*text == 'e') {
    text += text[1] == '-' || text[1] == '+' ? 2 : 1;
    if (!is_digit(*text)) return false;
    text = skip_digits(text);
  }
  return *text == '\0' || (*text == 'f' && text[1] == '\0');
}

static bool is_number(const char *text) {
  static const char *const words[] = {"inf", "infinity", "nan"};
  if (is_decimal(text)) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text, words[i]) == 0) return true;
  return false;
}

bool cpb_text_double(cpb_text_lexer *lx, double *value) {
  char text[CPB_DECIMAL_TEXT_MAX];
  const uint64_t infinity = UINT64_C(0x7ff) << 52;
  uint64_t bits = 0;
  const bool negative = cpb_text_accept(lx, '-');
  const cpb_text_lexer before = *lx;
  cpb_span word = cpb_text_name(lx, ".");
  if (word.size > 1 && lower(lx->at[-1]) == 'e' && is_digit((char)*word.data) && lx->at < lx->end &&
      (*lx->at == '-' || *lx->at == '+')) {
    lx->at++;
    word.size += 1 + cpb_text_name(lx, "").size;
  }
  size_t length = cpb_min_size(word.size, sizeof text - 1);
  for (size_t i = 0; i < length; i++) text[i] = lower((char)word.data[i]);
  text[length] = '\0';
  if (length < word.size || !is_number(text)) {
    *lx = before;
    return cpb_text_expected(lx, "a number");
  }
  if (!cpb_decimal_read(text, false, &bits) && (bits == 0 || bits >= infinity)) bits = is_small(text) ? 0 : infinity;
  if (negative) bits |= UINT64_C(1) << 63;
  memcpy(value, &bits, sizeof *value);
  return true;
}
