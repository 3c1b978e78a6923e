/* What protobuf's text format is written with: names, strings, numbers, punctuation.
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

/* The functions that take something pass over spaces and comments before it. Those that answer whether they could have
 * set the error otherwise: CPB_E_DAMAGED with the place in the text. */

/* "line 3: expected ...", at the place that the lexer is at. Always false. */
bool cpb_text_expected(const cpb_text_lexer *lx, const char *what);

/* The character that comes next, which stays there; 0 at the end. */
char cpb_text_peek(cpb_text_lexer *lx);

/* Takes the character if it comes next. Sets no error. */
bool cpb_text_accept(cpb_text_lexer *lx, char c);

/* Takes a name: letters, digits, `_`, and those of `more`. Empty if none comes next; sets no error. */
cpb_span cpb_text_name(cpb_text_lexer *lx, const char *more);

/* Takes a string, and those that follow it, and appends what they say. */
bool cpb_text_string(cpb_text_lexer *lx, cpb_buffer *out);

/* Takes a decimal, octal or hexadecimal integer with its sign. */
bool cpb_text_integer(cpb_text_lexer *lx, bool *negative, uint64_t *magnitude);

/* Takes a number, `inf` or `nan`, with its sign. What is too large is infinite, as in protobuf's parsers. */
bool cpb_text_double(cpb_text_lexer *lx, double *value);

#endif
