/* The tokens of protobuf's text format: names, strings, numbers, punctuation.
 * (https://protobuf.dev/reference/protobuf/textformat-spec/) */
#ifndef CPB_PROTO_TEXT_LEXER_H
#define CPB_PROTO_TEXT_LEXER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_text_lexer {
  const char *begin, *at, *end;
  cpb_error *error;
} cpb_text_lexer;

/* The functions that take something first skip spaces and comments. Except where noted, functions that return false set
 * the error: CPB_E_DAMAGED with the place in the text. */

/* "line 3: expected ...", at the current place. Always false. */
bool cpb_text_expected(const cpb_text_lexer *lx, const char *what);

/* The next character, without taking it; 0 at the end. */
char cpb_text_peek(cpb_text_lexer *lx);

/* Takes the character if it is next. Sets no error. */
bool cpb_text_accept(cpb_text_lexer *lx, char c);

/* Takes a name: letters, digits, `_`, and the characters in `more`. Empty without a name; sets no error. */
cpb_span cpb_text_name(cpb_text_lexer *lx, const char *more);

/* Takes a string, and strings that directly follow it, and appends their contents. */
bool cpb_text_string(cpb_text_lexer *lx, cpb_buffer *out);

/* Takes a decimal, octal or hexadecimal integer with its sign. */
bool cpb_text_integer(cpb_text_lexer *lx, bool *negative, uint64_t *magnitude);

/* Takes a number, `inf` or `nan`, with its sign. Numbers that are too large become infinite, as in protobuf's
 * parsers. */
bool cpb_text_double(cpb_text_lexer *lx, double *value);

#endif
