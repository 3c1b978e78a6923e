/* An answer: a JSON object written from front to back.
 *
 *     cpb_answer_open(a, "signature", '{');
 *     cpb_answer_text(a, "name", name);
 *     cpb_answer_close(a, '}');
 *
 * `key` is NULL within a list. When memory is short the rest is ignored and
 * cpb_answer_ok() says so at the end: a writer needs to look only once. */
#ifndef CPB_MODEL_ANSWER_H
#define CPB_MODEL_ANSWER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_answer {
  cpb_buffer out;
  bool failed;
  bool comma; /* the next value is not the first of its object or list */
} cpb_answer;

void cpb_answer_begin(cpb_answer *answer); /* empties it */
bool cpb_answer_ok(const cpb_answer *answer);

/* '{' or '['; '}' or ']'. */
void cpb_answer_open(cpb_answer *answer, const char *key, char bracket);
void cpb_answer_close(cpb_answer *answer, char bracket);

/* Text that is not UTF-8 is written with U+FFFD for what is not. */
void cpb_answer_text(cpb_answer *answer, const char *key, const char *text);
void cpb_answer_span(cpb_answer *answer, const char *key, cpb_span text);
void cpb_answer_unsigned(cpb_answer *answer, const char *key, uint64_t value);
void cpb_answer_signed(cpb_answer *answer, const char *key, int64_t value);
void cpb_answer_double(cpb_answer *answer, const char *key, double value); /* "NaN", "Infinity" as text */
void cpb_answer_float(cpb_answer *answer, const char *key, float value);    /* the same, with fewer digits */
void cpb_answer_bool(cpb_answer *answer, const char *key, bool value);
void cpb_answer_null(cpb_answer *answer, const char *key);
/* JSON text that is known to be well-formed, as it is. */
void cpb_answer_json(cpb_answer *answer, const char *key, cpb_span json);
/* A key that comes from the input. */
void cpb_answer_key(cpb_answer *answer, cpb_span key);

#endif
