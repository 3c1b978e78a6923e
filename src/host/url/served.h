/* Files with indirect addresses: hf:// and gs://, and the pages of websites that show a file. */
#ifndef CPB_HOST_URL_SERVED_H
#define CPB_HOST_URL_SERVED_H

#include "base/alloc.h"
#include "host/url/address.h"
#include "host/url/profile.h"

typedef struct cpb_served {
  char *url;   /* http or https; NULL: request the URL itself */
  char *token; /* a header for the URL's origin, or NULL */
} cpb_served;

/* The request for a URL, with the usual environment variables and files. False with the error set. Free `served` in any
 * case. */
bool cpb_served_resolve(cpb_served *served, const cpb_allocator *a, const char *url, const cpb_environment *environment,
                        cpb_error *error);
void cpb_served_free(cpb_served *served, const cpb_allocator *a);

#endif
