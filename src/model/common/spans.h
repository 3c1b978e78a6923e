/* Texts within a message. */
#ifndef CPB_MODEL_COMMON_SPANS_H
#define CPB_MODEL_COMMON_SPANS_H

#include <stdbool.h>
#include <string.h>
#include "base/bytes.h"

static inline cpb_span cpb_span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static inline bool cpb_span_equal(cpb_span a, cpb_span b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool cpb_span_is(cpb_span a, const char *text) { return cpb_span_equal(a, cpb_span_of(text)); }

static inline bool cpb_span_begins(cpb_span a, cpb_span start) {
  return a.size >= start.size && (start.size == 0 || memcmp(a.data, start.data, start.size) == 0);
}

/* The rest from byte `from` on; `from` is at most the size. */
static inline cpb_span cpb_span_from(cpb_span a, size_t from) {
  return (cpb_span){a.data ? a.data + from : NULL, a.size - from};
}

/* Like strcmp; a longer span comes after its prefix. */
int cpb_span_compare(cpb_span a, cpb_span b);

/* Whether `part` occurs in the text, where letters of ASCII are the same in either case. */
bool cpb_span_contains(cpb_span text, cpb_span part);

#endif
