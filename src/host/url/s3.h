/* s3://bucket/key as what is requested, with the usual environment variables and files. */
#ifndef CPB_HOST_URL_S3_H
#define CPB_HOST_URL_S3_H

#include "base/alloc.h"
#include "host/url/address.h"
#include "host/url/profile.h"

typedef struct cpb_s3 {
  char *url;              /* http or https */
  char *keys;             /* "ID:SECRET", or NULL: requests are not signed */
  char *token;            /* a header, or NULL */
  char *signature;        /* for libcurl */
  const char *headers[3]; /* to be signed, too; up to NULL */
} cpb_s3;

/* False with the error set. Of `s3` what was made must be freed in any case. */
bool cpb_s3_resolve(cpb_s3 *s3, const cpb_allocator *a, const cpb_address *address, const cpb_environment *environment,
                    cpb_error *error);
void cpb_s3_free(cpb_s3 *s3, const cpb_allocator *a);

#endif
