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

static inline bool cpb_span_ends(cpb_span a, const char *end) {
  const size_t size = strlen(end);
  return a.size >= size && cpb_span_is(cpb_span_from(a, a.size - size), end);
}

/* Without `end`, unless that is all of it or it ends otherwise. */
static inline cpb_span cpb_span_without_end(cpb_span a, const char *end) {
  const bool has = a.size > strlen(end) && cpb_span_ends(a, end);
  return has ? (cpb_span){a.data, a.size - strlen(end)} : a;
}

/* Takes the text up to the sign, or all of it, and removes the sign as well. */
cpb_span cpb_span_take(cpb_span *text, char sign);

/* The list ends with NULL. */
bool cpb_span_is_one_of(cpb_span a, const char *const *list);

/* The offset of `part`, or the size. */
size_t cpb_span_find(cpb_span a, const char *part);

/* After the last slash, or all of it. */
cpb_span cpb_span_last_part(cpb_span path);

/* The size without the digits at its end. */
size_t cpb_span_size_without_digits(cpb_span a);

/* Without the number that TensorFlow appends to a name that is taken: "Adam_1". */
cpb_span cpb_span_without_number(cpb_span name);

/* Like strcmp; a longer span comes after its prefix. */
int cpb_span_compare(cpb_span a, cpb_span b);

/* Whether `part` occurs in the text, where letters of ASCII are the same in either case. */
bool cpb_span_contains(cpb_span text, cpb_span part);

#endif
