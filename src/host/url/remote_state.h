/* The internals of a cpb_remote, for the files that implement it. */
#ifndef CPB_HOST_URL_REMOTE_STATE_H
#define CPB_HOST_URL_REMOTE_STATE_H

#include "base/status.h"
#include "cpb/url.h"
#include "host/url/exchange.h"
#include "host/url/s3.h"
#include "host/url/served.h"
#include "host/url/windows.h"

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

typedef struct cpb_remote cpb_remote;
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

#endif
