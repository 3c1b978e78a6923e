#include "base/json_writer.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/status.h"
#include "base/utf8.h"

#define PIECE 6144 /* bytes of a string that one call of cpb_json_put_string() escapes */

/* --- Strings -------------------------------------------------------------- */

static bool put_escaped(cpb_buffer *out, uint32_t c) {
  static const char names[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *name = c != 0 && c < 0x80 ? strchr(names, (int)c) : NULL;
  char text[8];
  size_t length = name ? cpb_format(text, sizeof text, "\\%c", letters[name - names])
                       : cpb_format(text, sizeof text, "\\u%04x", (unsigned)c);
  return cpb_buffer_append(out, text, length);
}

/* Characters that JSON does not allow in a string, and those that would control a terminal. */
static bool needs_escape(const uint8_t *at, size_t length, uint32_t *c) {
  *c = cpb_utf8_code(at, length);
  return *c == '"' || *c == '\\' || cpb_is_control(*c);
}

bool cpb_json_put_string(cpb_buffer *out, cpb_span *in) {
  cpb_span rest = *in;
  size_t plain = 0, used = 0; /* the last `plain` bytes before `rest` need no escape */
  bool done = true;
  for (; done && rest.size > 0 && used < PIECE;) {
    uint32_t c = 0xfffd;
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

/* --- The writer ----------------------------------------------------------- */

void cpb_json_writer_begin(cpb_json_writer *w) {
  w->out.size = w->charged = 0;
  w->failed = w->comma = false;
}

bool cpb_json_writer_ok(const cpb_json_writer *w) { return !w->failed; }

bool cpb_json_writer_charge(cpb_json_writer *w, cpb_work_kind kind, uint64_t amount) {
  if (!w->failed && w->meter) w->failed = !cpb_meter_charge(w->meter, kind, amount, CPB_NO_OFFSET, w->limit);
  return !w->failed;
}

/* The text has, or will have, this size. */
static bool charge_text(cpb_json_writer *w, size_t size) {
  size_t more = size > w->charged ? size - w->charged : 0;
  w->charged += more;
  return more == 0 || cpb_json_writer_charge(w, CPB_WORK_ANSWER, more);
}

static void put(cpb_json_writer *w, const void *data, size_t size) {
  w->failed = w->failed || !charge_text(w, w->out.size + size) || !cpb_buffer_append(&w->out, data, size);
}

static void put_text(cpb_json_writer *w, const char *text) { put(w, text, strlen(text)); }

static void put_string(cpb_json_writer *w, cpb_span text) {
  put(w, "\"", 1);
  while (!w->failed && text.size > 0) w->failed = !cpb_json_put_string(&w->out, &text) || !charge_text(w, w->out.size);
  put(w, "\"", 1);
}

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static void put_key(cpb_json_writer *w, cpb_span key) {
  put_string(w, key);
  put(w, ": ", w->spaced ? 2 : 1);
}

/* Writes the comma and key before a value. */
static void lead(cpb_json_writer *w, const char *key) {
  if (w->comma) put(w, ", ", w->spaced ? 2 : 1);
  w->comma = true;
  if (key) put_key(w, span_of(key));
}

void cpb_json_writer_open(cpb_json_writer *w, const char *key, char bracket) {
  lead(w, key);
  put(w, &bracket, 1);
  w->comma = false;
}

void cpb_json_writer_close(cpb_json_writer *w, char bracket) {
  put(w, &bracket, 1);
  w->comma = true;
}

void cpb_json_writer_key(cpb_json_writer *w, cpb_span key) {
  lead(w, NULL);
  put_key(w, key);
  w->comma = false;
}

void cpb_json_writer_span(cpb_json_writer *w, const char *key, cpb_span text) {
  lead(w, key);
  put_string(w, text);
}

void cpb_json_writer_text(cpb_json_writer *w, const char *key, const char *text) {
  cpb_json_writer_span(w, key, span_of(text));
}

static void put_digits(cpb_json_writer *w, const char *key, const char *quote, const char *sign, uint64_t magnitude) {
  char text[24];
  lead(w, key);
  put(w, text, cpb_format(text, sizeof text, "%s%s%llu%s", quote, sign, (unsigned long long)magnitude, quote));
}

static const char *sign_of(int64_t value) { return value < 0 ? "-" : ""; }

static uint64_t magnitude_of(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

void cpb_json_writer_unsigned(cpb_json_writer *w, const char *key, uint64_t value) {
  put_digits(w, key, "", "", value);
}

void cpb_json_writer_signed(cpb_json_writer *w, const char *key, int64_t value) {
  put_digits(w, key, "", sign_of(value), magnitude_of(value));
}

/* Numbers that a double represents exactly need no quotes. */
static const char *quote_of(uint64_t magnitude) { return magnitude > (uint64_t)1 << 53 ? "\"" : ""; }

void cpb_json_writer_exact_unsigned(cpb_json_writer *w, const char *key, uint64_t value) {
  put_digits(w, key, quote_of(value), "", value);
}

void cpb_json_writer_exact(cpb_json_writer *w, const char *key, int64_t value) {
  uint64_t magnitude = magnitude_of(value);
  put_digits(w, key, quote_of(magnitude), sign_of(value), magnitude);
}

/* JSON lacks these numbers, so they are written as strings. True if the value was one. */
static bool put_not_finite(cpb_json_writer *w, const char *key, double value) {
  if (isfinite(value)) return false;
  cpb_json_writer_text(w, key, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
  return true;
}

void cpb_json_writer_double(cpb_json_writer *w, const char *key, double value) {
  char text[CPB_DECIMAL_MAX];
  if (put_not_finite(w, key, value)) return;
  lead(w, key);
  put(w, text, cpb_decimal_double(text, value));
}

void cpb_json_writer_float(cpb_json_writer *w, const char *key, float value) {
  char text[CPB_DECIMAL_MAX];
  if (put_not_finite(w, key, (double)value)) return;
  lead(w, key);
  put(w, text, cpb_decimal_float(text, value));
}

void cpb_json_writer_bool(cpb_json_writer *w, const char *key, bool value) {
  lead(w, key);
  put_text(w, value ? "true" : "false");
}

void cpb_json_writer_null(cpb_json_writer *w, const char *key) {
  lead(w, key);
  put_text(w, "null");
}

void cpb_json_writer_paste(cpb_json_writer *w, cpb_span piece) { put(w, piece.data, piece.size); }

void cpb_json_writer_raw(cpb_json_writer *w, const char *key, cpb_span json) {
  lead(w, key);
  put(w, json.data, json.size);
}
