/* The interface of URLs to the outside world: requests, and time. Implemented by exchange_curl.c, or by exchange_none.c
 * in builds without libcurl (CPB_WITH_CURL). */
#ifndef CPB_HOST_URL_EXCHANGE_H
#define CPB_HOST_URL_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpb/base.h"
#include "host/url/profile.h"
#include "host/url/response.h"

/* Makes requests, and keeps their connections. */
typedef struct cpb_exchange cpb_exchange;

/* NULL with the error set: CPB_E_UNSUPPORTED without libcurl, CPB_E_MEMORY. */
cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error);
/* Another exchange, whose requests continue while this one or a sibling waits; free it before this one. NULL if memory
 * is short. */
cpb_exchange *cpb_exchange_beside(cpb_exchange *exchange);
void cpb_exchange_free(cpb_exchange *exchange);

/* Whether this libcurl can sign for S3. */
bool cpb_exchange_can_sign(const cpb_exchange *exchange);

/* Handles a response. */
typedef struct cpb_receiver {
  /* Called once its header is complete. False: skip the body. */
  bool (*begin)(void *user, const cpb_response *response);
  /* Called with each piece of the body. False: stop. */
  bool (*take)(void *user, const uint8_t *data, size_t length);
  void *user;
} cpb_receiver;

/* The destination of a whole file. It takes bytes that begin at `offset`, which returns to 0 if everything is sent
 * again. False with errno set. */
typedef struct cpb_remote_sink {
  bool (*write)(void *user, uint64_t offset, const uint8_t *data, size_t length);
  void *user;
} cpb_remote_sink;

/* A GET. Redirects are followed; if they leave the origin, headers and keys are not sent. */
typedef struct cpb_request {
  const char *url;
  /* The target that redirects gave for an earlier request: this one begins there. NULL: at `url`. Only read by
   * `start`. */
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
  CPB_RECEIVED,    /* the entire response, or the part that the receiver wanted */
  CPB_INTERRUPTED, /* a temporary failure */
  CPB_REFUSED      /* a permanent failure */
} cpb_outcome;

/* Begins a request; if memory is short, `finish` reports it. The arguments must stay valid until `finish` or
 * `cancel`. */
void cpb_exchange_start(cpb_exchange *exchange, const cpb_request *request, const cpb_receiver *receiver);
/* Waits until the current request has ended. Sets the error for the last two outcomes. */
cpb_outcome cpb_exchange_finish(cpb_exchange *exchange, cpb_error *error);
/* The URL that the last request was redirected to, valid until the next one begins; NULL: not redirected. */
const char *cpb_exchange_led_to(const cpb_exchange *exchange);
/* Ends the current request, if any: the receiver is not called any more. */
void cpb_exchange_cancel(cpb_exchange *exchange);

/* Environment variables, and small files. */
extern const cpb_environment cpb_exchange_environment;

/* The time, in seconds since 1970; and a pause of so many milliseconds. */
int64_t cpb_exchange_now(void);
void cpb_exchange_pause(uint64_t milliseconds);

#endif
