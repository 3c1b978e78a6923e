/* How errors are set, and text formatted without printf. */
#ifndef CPB_BASE_STATUS_H
#define CPB_BASE_STATUS_H

#include <stdbool.h>

#include "cpb/base.h"

#if defined(__GNUC__)
#  define CPB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#  define CPB_PRINTF(text, first)
#endif

/* Every public function with a `cpb_error *` calls this first: clears the caller's struct, or `spare` if the caller
 * passed NULL, and returns it. */
cpb_error *cpb_error_begin(cpb_error *given, cpb_error *spare);

/* Sets `error` unless it is set already, because the first error is the one to report. Returns the resulting code. The
 * format knows %s, %c, %d, %u, %llu, %llx, %zu and %% with an optional width, so that WebAssembly builds need no
 * printf. Text from the input must be passed through cpb_quote(). */
cpb_code cpb_fail(cpb_error *error, cpb_code code, uint64_t offset, const char *format, ...) CPB_PRINTF(4, 5);

/* The same in functions that return false when they fail. */
#define CPB_FAILS(...) (cpb_fail(__VA_ARGS__), false)

cpb_code cpb_fail_memory(cpb_error *error);

/* Copies the numbers of `from` into `error`, which describes the same error in other words. */
void cpb_error_take_numbers(cpb_error *error, const cpb_error *from);

/* Whether it is about reading a file; or about the content, and not about reading, memory or cancellation. */
bool cpb_is_of_reading(const cpb_error *error);
bool cpb_is_of_content(const cpb_error *error);

/* snprintf with the conversions of cpb_fail(). Returns the length written, without the final NUL. */
size_t cpb_format(char *out, size_t size, const char *format, ...) CPB_PRINTF(3, 4);

/* Makes text from the input suitable for a message: writes at most size - 1 characters, with \xNN for everything but
 * printable ASCII. Returns `out`. */
const char *cpb_quote(char *out, size_t size, const void *text, size_t length);

#endif
