/* A file on a server: sends requests, and interprets the responses. */
#ifndef CPB_HOST_URL_REMOTE_H
#define CPB_HOST_URL_REMOTE_H

#include <stdbool.h>

#include "base/status.h"
#include "cpb/url.h"
#include "host/url/exchange.h"
#include "host/url/s3.h"
#include "host/url/served.h"
#include "host/url/windows.h"

typedef struct cpb_remote cpb_remote;

/* NULL with the error set, like cpb_url_open(). */
cpb_remote *cpb_remote_new(const cpb_allocator *a, const char *url, const cpb_url_options *options, cpb_error *error);
void cpb_remote_free(cpb_remote *r);

/* The same file for another thread. NULL if memory is short or nothing was read yet. */
cpb_remote *cpb_remote_share(const cpb_remote *r);

/* The size, which may need a request: for the last `tail` bytes, if these are many and the server supports it, else for
 * the first. The response's bytes are kept. */
bool cpb_remote_size(cpb_remote *r, size_t tail, uint64_t *size, cpb_error *error);

/* Bytes from `offset` on, of `wanted` bytes that will be read in this order: at least one, unless the file ends there
 * or before. They are valid until the next call. NULL with the error set. */
const uint8_t *cpb_remote_read(cpb_remote *r, uint64_t offset, uint64_t wanted, size_t *length, cpb_error *error);

/* The first bytes, up to `most`, without requesting more than these; must be the first request. NULL with the error
 * set. */
const uint8_t *cpb_remote_look(cpb_remote *r, size_t most, size_t *length, cpb_error *error);

/* Whether the last failure was that the server does not support ranges, and a download is allowed. */
bool cpb_remote_wants_download(const cpb_remote *r);

/* The temporary file for it: a descriptor, or -1 with errno set. */
int cpb_remote_spool(const cpb_remote *r);

/* Downloads the entire file, and sets its size. False with the error set. */
bool cpb_remote_download(cpb_remote *r, const cpb_remote_sink *sink, uint64_t *size, cpb_error *error);

/* Sets the smallest request, instead of CPB_WINDOW_LEAST. */
void cpb_remote_request_least(cpb_remote *r, size_t bytes);

/* The validators of this state of the file, as far as known. */
const cpb_validators *cpb_remote_validators(const cpb_remote *r);

/* The number of bytes received. */
uint64_t cpb_remote_bytes_read(const cpb_remote *r);

/* Whether the last failure was a missing file. S3 reports it as forbidden (403) to users who may not list the
 * bucket. */
bool cpb_remote_is_absent(const cpb_remote *r);

/* --- For the files that implement it ------------------------------------------------------- */

#define EXPLANATION 2048 /* of the body of an error response */
#define URL_LANES 3      /* ranges in parallel with the current one */

/* The kind of a response. */
typedef enum cpb_body {
  CPB_BODY_UNKNOWN,
  CPB_BODY_RANGE,   /* the requested range */
  CPB_BODY_WHOLE,   /* the whole file, to keep in memory */
  CPB_BODY_STREAM,  /* the same, written to `sink` */
  CPB_BODY_NOTHING, /* it only told the size, or that suffixes are unsupported */
  CPB_BODY_REFUSAL, /* an error response, with an explanation */
  CPB_BODY_WRONG    /* the error is set */
} cpb_body;

/* The speed of a body. */
typedef struct cpb_pace {
  uint64_t since, bytes; /* bytes since a time on cpb_url_clock(); 0: nobody waits for it */
  bool is_slow;          /* too slowly: the error is set */
} cpb_pace;

struct cpb_remote {
  cpb_allocator allocator;
  cpb_remote *lanes[URL_LANES]; /* for ranges further on, requested in parallel; made on demand */
  unsigned most_lanes;
  cpb_remote *home; /* of a lane: its owner */
  bool is_busy;     /* of a lane: its request was begun */
  cpb_url_options options;
  char *url;
  bool is_s3, first_is_tail, no_suffix, told;
  cpb_s3 s3;
  cpb_served served;
  cpb_exchange *exchange;
  /* The target of redirects; NULL: unknown. Ranges are requested there until that fails. */
  char *target;
  unsigned num_targets;  /* number of targets kept so far */
  bool target_served;    /* it has given a range */
  bool asks_anew;        /* a target failed at once: keep none */
  bool no_dates;         /* the server rejected its own date: do not use it as a condition */
  cpb_validators pinned; /* of the first response; all others must match */
  cpb_windows windows;
  cpb_buffer whole; /* the file, if a server sent all of it */
  bool has_whole;
  bool ignores_ranges;         /* the server ignores ranges, and sends more than is kept */
  const cpb_remote_sink *sink; /* not NULL: the whole file is requested, and goes there */
  unsigned crumbs;
  uint64_t bytes_read, random;
  /* The current request: [begin, end), or as a suffix the last `end` bytes. */
  uint64_t begin, end, expected; /* `expected`: bytes of the body */
  bool is_suffix;
  unsigned led_by; /* the number of the target where it began, from 1; 0: at the URL itself */
  cpb_response response;
  cpb_body body;
  cpb_window *window;
  size_t got; /* bytes of the body received */
  cpb_pace pace;
  char range[48], condition[300];
  bool was_undated; /* the request was rejected for its date, and will be sent without */
  cpb_request query;
  cpb_receiver receiver;
  char said[EXPLANATION];
  cpb_error *error, trouble; /* `trouble` belongs to a lane */
};

/* Callbacks for the exchange, whose user is the cpb_remote: they classify a response, and take its body. */
bool cpb_remote_begin(void *user, const cpb_response *response);
bool cpb_remote_take(void *user, const uint8_t *data, size_t length);

/* Adds the response's validators to the known ones. False with the error set: the file has changed. */
bool cpb_remote_agree(cpb_remote *r, uint64_t size);

#endif
