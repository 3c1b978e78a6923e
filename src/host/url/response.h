/* Parses the headers of a response. Pure: no function here does I/O. */
#ifndef CPB_HOST_URL_RESPONSE_H
#define CPB_HOST_URL_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"

/* The relevant headers; "" for missing ones, and for those longer than their room. */
typedef struct cpb_response {
  int status;
  char content_range[96], content_encoding[32], content_type[64], content_length[24];
  char etag[256], last_modified[64], retry_after[64];
} cpb_response;

/* Takes a line of the header; a status line begins a new response. */
void cpb_response_line(cpb_response *r, const char *line, size_t length);

/* The bytes [begin, end) of a file of `size`. */
typedef struct cpb_content_range {
  uint64_t begin, end, size;
} cpb_content_range;

/* The range of a 206. False with the error set (CPB_E_READ) if that is unclear: several parts, an encoding (whose
 * ranges count other bytes), no total. */
bool cpb_response_range(const cpb_response *r, cpb_content_range *range, cpb_error *error);

/* The size in a 416, if it has one. */
bool cpb_response_size_of_416(const cpb_response *r, uint64_t *size);

/* The size of a whole body, if announced. */
bool cpb_response_length(const cpb_response *r, uint64_t *length);

/* Whether the body is compressed, or encoded otherwise. */
bool cpb_response_is_encoded(const cpb_response *r);

/* Seconds since 1970 of "Sun, 06 Nov 1994 08:49:37 GMT", the only form that servers may send. False for any other. */
bool cpb_response_date(const char *text, int64_t *seconds);

/* Milliseconds to wait, at the time `now` in seconds since 1970; 0 without such a header. */
uint64_t cpb_response_retry_after(const cpb_response *r, int64_t now);

/* Whether the same request may succeed later. */
bool cpb_status_is_temporary(int status);

/* The error code for this status. */
cpb_code cpb_status_code(int status);

/* The meaning of a status, after ": ", or ""; `said` is the server's text. */
const char *cpb_status_meaning(int status, const char *said);

/* The server's explanation of an error, as one line without markup. */
void cpb_response_explain(const char *said, char *out, size_t size);

/* Distinguish states of a file (RFC 9110, 8.8). */
typedef struct cpb_validators {
  bool known;
  uint64_t size;
  char etag[256], last_modified[64];
} cpb_validators;

/* Adds the validators of a response for a file of this size. If they contradict the known ones, the file has changed:
 * false with the error set. ETags are compared weakly, because a server that sometimes compresses weakens the tag of
 * the same bytes; if one is weak or missing, the date must agree as well. */
bool cpb_validators_agree(cpb_validators *known, const cpb_response *r, uint64_t size, cpb_error *error);

/* The header that makes a server refuse (412) once the file has changed: If-Match with a strong ETag, else
 * If-Unmodified-Since, if `by_date`. False if no such header is possible. */
bool cpb_validators_condition(const cpb_validators *known, bool by_date, char *out, size_t size);

#endif
