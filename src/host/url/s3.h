/* Turns s3://bucket/key into a request, with the usual environment variables and files. */
#ifndef CPB_HOST_URL_S3_H
#define CPB_HOST_URL_S3_H

#include "base/alloc.h"
#include "host/url/address.h"
#include "host/url/profile.h"

typedef struct cpb_s3 {
  char *url;              /* http or https */
  char *keys;             /* "ID:SECRET", or NULL: unsigned requests */
  char *token;            /* a header, or NULL */
  char *signature;        /* for libcurl */
  const char *headers[3]; /* to be signed as well; up to NULL */
} cpb_s3;

/* False with the error set. Free `s3` in any case. */
bool cpb_s3_resolve(cpb_s3 *s3, const cpb_allocator *a, const cpb_address *address, const cpb_environment *environment,
                    cpb_error *error);
void cpb_s3_free(cpb_s3 *s3, const cpb_allocator *a);

#endif
