/* JSON, written from front to back.
 *
 *     cpb_json_writer_open(a, "signature", '{');
 *     cpb_json_writer_text(a, "name", name);
 *     cpb_json_writer_close(a, '}');
 *
 * `key` is NULL within a list. When memory is short the rest is ignored and
 * cpb_json_writer_ok() says so at the end: a writer needs to look only once. */
#ifndef CPB_BASE_JSON_WRITER_H
#define CPB_BASE_JSON_WRITER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct cpb_json_writer {
  cpb_buffer out;
  bool failed;
  bool comma;  /* the next value is not the first of its object or list */
  bool spaced; /* a space after each comma and colon */
} cpb_json_writer;

void cpb_json_writer_begin(cpb_json_writer *writer); /* empties it */
bool cpb_json_writer_ok(const cpb_json_writer *writer);

/* '{' or '['; '}' or ']'. */
void cpb_json_writer_open(cpb_json_writer *writer, const char *key, char bracket);
void cpb_json_writer_close(cpb_json_writer *writer, char bracket);

/* Text that is not UTF-8 is written with U+FFFD for what is not. */
void cpb_json_writer_text(cpb_json_writer *writer, const char *key, const char *text);
void cpb_json_writer_span(cpb_json_writer *writer, const char *key, cpb_span text);
void cpb_json_writer_unsigned(cpb_json_writer *writer, const char *key, uint64_t value);
void cpb_json_writer_signed(cpb_json_writer *writer, const char *key, int64_t value);
void cpb_json_writer_double(cpb_json_writer *writer, const char *key, double value); /* "NaN", "Infinity" as text */
void cpb_json_writer_float(cpb_json_writer *writer, const char *key, float value);   /* the same, with fewer digits */
void cpb_json_writer_bool(cpb_json_writer *writer, const char *key, bool value);
void cpb_json_writer_null(cpb_json_writer *writer, const char *key);
/* JSON text that is known to be well-formed, as it is. */
void cpb_json_writer_raw(cpb_json_writer *writer, const char *key, cpb_span json);
/* A key that comes from the input. */
void cpb_json_writer_key(cpb_json_writer *writer, cpb_span key);

/* Takes at most some thousand bytes off the front of `in` and appends them, escaped as
 * within a JSON string, without quotes: called again until `in` is empty. What is not
 * UTF-8 becomes U+FFFD; control characters (cpb_is_control) never come out as they are. False
 * when memory is short. */
bool cpb_json_put_string(cpb_buffer *out, cpb_span *in);

#endif
