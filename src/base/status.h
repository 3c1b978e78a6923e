/* Setting errors. */
#ifndef CPB_BASE_STATUS_H
#define CPB_BASE_STATUS_H

#include "cpb/base.h"

#if defined(__GNUC__)
#  define CPB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#  define CPB_PRINTF(text, first)
#endif

/* What each public function that takes a `cpb_error *` does first: clears the
 * caller's struct, or `spare` where the caller gave NULL, and returns it. */
cpb_error *cpb_error_begin(cpb_error *given, cpb_error *spare);

/* Fills `error` unless it already holds one: the first error is the one that
 * is reported. Returns the code that `error` then holds. Only %s, %c, %d, %u,
 * %llu, %llx, %zu and %% with optional width are understood, so that wasm
 * builds need no printf. Text from the input must come through cpb_quote. */
cpb_code cpb_fail(cpb_error *error, cpb_code code, uint64_t offset, const char *format, ...) CPB_PRINTF(4, 5);

cpb_code cpb_fail_memory(cpb_error *error);

/* snprintf with the conversions of cpb_fail; returns the length that was
 * written, without the final NUL. */
size_t cpb_format(char *out, size_t size, const char *format, ...) CPB_PRINTF(3, 4);

/* Writes at most size - 1 characters of `text` with everything that is not
 * printable ASCII escaped as \xNN, for error messages. Returns `out`. */
const char *cpb_quote(char *out, size_t size, const void *text, size_t length);

#endif
