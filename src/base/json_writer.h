/* JSON, written from front to back.
 *
 *     cpb_json_writer_open(w, "signature", '{');
 *     cpb_json_writer_text(w, "name", name);
 *     cpb_json_writer_close(w, '}');
 *
 * `key` is NULL for an element of an array. When memory is short all further calls do
 * nothing: it is enough to ask cpb_json_writer_ok() at the end. */
#ifndef CPB_BASE_JSON_WRITER_H
#define CPB_BASE_JSON_WRITER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/meter.h"

typedef struct cpb_json_writer {
  cpb_buffer out;
  bool failed;
  bool comma;  /* the next value is not the first of its object or array */
  bool spaced; /* a space after each comma and colon */

  /* NULL, or what is charged for the text, and where it is said which limit that was more than:
   * the writer has then failed. Text that was taken back and is written again counts once. */
  cpb_meter *meter;
  cpb_error *limit;
  size_t charged;
} cpb_json_writer;

void cpb_json_writer_begin(cpb_json_writer *writer); /* empties it */
bool cpb_json_writer_ok(const cpb_json_writer *writer);

/* For whoever writes, before the work that something to be written takes: charges its meter. False
 * when that is more than is allowed, or the writer had failed already. */
bool cpb_json_writer_charge(cpb_json_writer *writer, cpb_work_kind kind, uint64_t amount);

/* '{' or '['; '}' or ']'. */
void cpb_json_writer_open(cpb_json_writer *writer, const char *key, char bracket);
void cpb_json_writer_close(cpb_json_writer *writer, char bracket);

/* Bytes that are not UTF-8 become U+FFFD. */
void cpb_json_writer_text(cpb_json_writer *writer, const char *key, const char *text);
void cpb_json_writer_span(cpb_json_writer *writer, const char *key, cpb_span text);
void cpb_json_writer_unsigned(cpb_json_writer *writer, const char *key, uint64_t value);
void cpb_json_writer_signed(cpb_json_writer *writer, const char *key, int64_t value);
/* Numbers that may be of any size: strings beyond 2^53, where a reader of JSON may round. */
void cpb_json_writer_exact(cpb_json_writer *writer, const char *key, int64_t value);
void cpb_json_writer_exact_unsigned(cpb_json_writer *writer, const char *key, uint64_t value);
void cpb_json_writer_double(cpb_json_writer *writer, const char *key,
                            double value);                                         /* "NaN" and "Infinity" as strings */
void cpb_json_writer_float(cpb_json_writer *writer, const char *key, float value); /* as many digits as a float needs */
void cpb_json_writer_bool(cpb_json_writer *writer, const char *key, bool value);
void cpb_json_writer_null(cpb_json_writer *writer, const char *key);
/* Well-formed JSON, which is copied. */
void cpb_json_writer_raw(cpb_json_writer *writer, const char *key, cpb_span json);
/* A piece of another writer's text, unchanged. */
void cpb_json_writer_paste(cpb_json_writer *writer, cpb_span piece);
/* A key from the input; its value follows with `key` NULL. */
void cpb_json_writer_key(cpb_json_writer *writer, cpb_span key);

/* Appends the content of a JSON string, without quotes. It takes at most some thousand bytes from the front of `in`, so
 * that a caller with a small buffer calls it until `in` is empty. Bytes that are not UTF-8 become U+FFFD; control
 * characters (cpb_is_control()) are escaped. False if memory is short. */
bool cpb_json_put_string(cpb_buffer *out, cpb_span *in);

#endif
