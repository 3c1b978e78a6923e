/* What URLs need of the outside world: requests, and time. exchange_curl.c, or
 * exchange_none.c in builds without libcurl (CPB_WITH_CURL). */
#ifndef CPB_HOST_URL_EXCHANGE_H
#define CPB_HOST_URL_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"
#include "host/url/profile.h"
#include "host/url/response.h"

/* What makes requests, and keeps their connections. */
typedef struct cpb_exchange cpb_exchange;

/* NULL with the error set: CPB_E_UNSUPPORTED where there is no libcurl, CPB_E_MEMORY. */
cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error);
/* Another, whose requests go on while this one or any other beside it waits; it must be freed before this one. NULL
 * when memory is short. */
cpb_exchange *cpb_exchange_beside(cpb_exchange *exchange);
void cpb_exchange_free(cpb_exchange *exchange);

/* Whether this libcurl can sign for S3. */
bool cpb_exchange_can_sign(const cpb_exchange *exchange);

/* What is done with a response. */
typedef struct cpb_receiver {
  /* Called once its header is complete. False: its body is not wanted. */
  bool (*begin)(void *user, const cpb_response *response);
  /* Called with each piece of the body. False: no more is wanted. */
  bool (*take)(void *user, const uint8_t *data, size_t length);
  void *user;
} cpb_receiver;

/* What a whole file goes to. It takes bytes that begin at `offset`, which is 0 again when all is sent anew. False with
 * errno set. */
typedef struct cpb_remote_sink {
  bool (*write)(void *user, uint64_t offset, const uint8_t *data, size_t length);
  void *user;
} cpb_remote_sink;

/* A GET. Redirects are followed; where they leave the origin, neither headers nor keys go along. */
typedef struct cpb_request {
  const char *url;
  /* Where redirects led an earlier request for it: this one begins there. NULL: at `url`. Only read by `start`. */
  const char *target;
  const char *range;                 /* such as "0-99" or "-100"; NULL: all */
  const char *condition;             /* If-..., or NULL */
  const char *const *headers;        /* up to NULL, or NULL */
  const char *token;                 /* one more, or NULL */
  const char *const *signed_headers; /* the same, for S3 */
  const char *keys;                  /* for S3, "ID:SECRET"; NULL: not signed */
  const char *signature;             /* "aws:amz:REGION:s3" */
  uint64_t idle_time;                /* milliseconds without a byte */
  uint64_t deadline;                 /* on cpb_url_clock(); 0: none */
  int (*cancelled)(void *user);      /* asked while waiting; or NULL */
  void *user;
} cpb_request;

typedef enum cpb_outcome {
  CPB_RECEIVED,    /* all of the response, or what was wanted of it */
  CPB_INTERRUPTED, /* by what may pass */
  CPB_REFUSED      /* for good */
} cpb_outcome;

/* Begins a request, unless memory is short: `finish` then says so. What is passed must stay until that or `cancel`. */
void cpb_exchange_start(cpb_exchange *exchange, const cpb_request *request, const cpb_receiver *receiver);
/* Waits until the request that was begun has ended. The error is set for both of the last outcomes. */
cpb_outcome cpb_exchange_finish(cpb_exchange *exchange, cpb_error *error);
/* Where redirects led the last request, until the next one begins; NULL: nowhere else. */
const char *cpb_exchange_led_to(const cpb_exchange *exchange);
/* Ends the request that was begun, if there is one: the receiver is not called any more. */
void cpb_exchange_cancel(cpb_exchange *exchange);

/* Its variables, and small files. */
extern const cpb_environment cpb_exchange_environment;

/* The time of the day, in seconds since 1970, and doing nothing for so many milliseconds. */
int64_t cpb_exchange_now(void);
void cpb_exchange_pause(uint64_t milliseconds);

#endif
