#include "model/answer.h"

#include <math.h>

#include "base/status.h"
#include "proto/decimal.h"
#include "proto/json_text.h"

void cpb_answer_begin(cpb_answer *a) {
  a->out.size = 0;
  a->failed = a->comma = false;
}

bool cpb_answer_ok(const cpb_answer *a) { return !a->failed; }

static void put(cpb_answer *a, const void *data, size_t size) {
  a->failed = a->failed || !cpb_buffer_append(&a->out, data, size);
}

static void put_text(cpb_answer *a, const char *text) { put(a, text, strlen(text)); }

static void put_string(cpb_answer *a, cpb_span text) {
  put(a, "\"", 1);
  while (!a->failed && text.size > 0) a->failed = !cpb_json_put_string(&a->out, &text);
  put(a, "\"", 1);
}

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

/* What stands in front of a value. */
static void lead(cpb_answer *a, const char *key) {
  if (a->comma) put(a, ",", 1);
  a->comma = true;
  if (!key) return;
  put_string(a, span_of(key));
  put(a, ":", 1);
}

void cpb_answer_open(cpb_answer *a, const char *key, char bracket) {
  lead(a, key);
  put(a, &bracket, 1);
  a->comma = false;
}

void cpb_answer_close(cpb_answer *a, char bracket) {
  put(a, &bracket, 1);
  a->comma = true;
}

void cpb_answer_key(cpb_answer *a, cpb_span key) {
  lead(a, NULL);
  put_string(a, key);
  put(a, ":", 1);
  a->comma = false;
}

void cpb_answer_span(cpb_answer *a, const char *key, cpb_span text) {
  lead(a, key);
  put_string(a, text);
}

void cpb_answer_text(cpb_answer *a, const char *key, const char *text) { cpb_answer_span(a, key, span_of(text)); }

void cpb_answer_unsigned(cpb_answer *a, const char *key, uint64_t value) {
  char text[24];
  lead(a, key);
  put(a, text, cpb_format(text, sizeof text, "%llu", (unsigned long long)value));
}

void cpb_answer_signed(cpb_answer *a, const char *key, int64_t value) {
  char text[24];
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  lead(a, key);
  put(a, text, cpb_format(text, sizeof text, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude));
}

/* True for what is no number to JSON, and now written as text. */
static bool put_not_finite(cpb_answer *a, const char *key, double value) {
  if (isfinite(value)) return false;
  cpb_answer_text(a, key, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
  return true;
}

void cpb_answer_double(cpb_answer *a, const char *key, double value) {
  char text[CPB_DECIMAL_MAX];
  if (put_not_finite(a, key, value)) return;
  lead(a, key);
  put(a, text, cpb_decimal_double(text, value));
}

void cpb_answer_float(cpb_answer *a, const char *key, float value) {
  char text[CPB_DECIMAL_MAX];
  if (put_not_finite(a, key, (double)value)) return;
  lead(a, key);
  put(a, text, cpb_decimal_float(text, value));
}

void cpb_answer_bool(cpb_answer *a, const char *key, bool value) {
  lead(a, key);
  put_text(a, value ? "true" : "false");
}

void cpb_answer_null(cpb_answer *a, const char *key) {
  lead(a, key);
  put_text(a, "null");
}

void cpb_answer_json(cpb_answer *a, const char *key, cpb_span json) {
  lead(a, key);
  put(a, json.data, json.size);
}
