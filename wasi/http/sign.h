/* Signatures for S3 (AWS Signature Version 4). Pure: no function here does I/O. */
#ifndef CPB_HTTP_SIGN_H
#define CPB_HTTP_SIGN_H

#include <stdbool.h>

#include "host/url/exchange.h"

/* Headers in the form "Name: value". */
typedef struct sign_headers {
  char date[40], authorization[512];
} sign_headers;

/* Signs a request for `url` with the keys of `r`, at the time `now` in seconds since 1970. False with
 * the error set if the query or the keys are too long. */
bool sign_s3(const cpb_request *r, const char *url, int64_t now, sign_headers *out, cpb_error *error);

#endif
