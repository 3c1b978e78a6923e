/* What is inside of a cpb_remote, for the files that work on it. */
#ifndef CPB_HOST_URL_REMOTE_STATE_H
#define CPB_HOST_URL_REMOTE_STATE_H

#include "base/status.h"
#include "cpb/url.h"
#include "host/url/exchange.h"
#include "host/url/s3.h"
#include "host/url/served.h"
#include "host/url/windows.h"

#define EXPLANATION 2048 /* of the body of a refusal */
#define URL_LANES 3      /* ranges beside the one under way */

/* What the response to a request turns out to be. */
typedef enum cpb_body {
  CPB_BODY_UNKNOWN,
  CPB_BODY_RANGE,   /* what was asked for */
  CPB_BODY_WHOLE,   /* all of the file, to be kept in memory */
  CPB_BODY_STREAM,  /* the same, which goes into `sink` */
  CPB_BODY_NOTHING, /* it only told the size, or that suffixes are not known */
  CPB_BODY_REFUSAL, /* an error, which is explained */
  CPB_BODY_WRONG    /* the error is set */
} cpb_body;

/* How fast a body comes. */
typedef struct cpb_pace {
  uint64_t since, bytes; /* what came since then, on cpb_url_clock(); 0: nobody waits for it */
  bool is_slow;          /* too slowly: the error is set */
} cpb_pace;

typedef struct cpb_remote cpb_remote;
struct cpb_remote {
  cpb_allocator allocator;
  cpb_remote *lanes[URL_LANES]; /* for ranges further on, which are requested meanwhile; made when they are needed */
  unsigned most_lanes;
  cpb_remote *home; /* of a lane: whose it is */
  bool is_busy;     /* a lane: its request was begun */
  cpb_url_options options;
  char *url;
  bool is_s3, first_is_tail, no_suffix, told;
  cpb_s3 s3;
  cpb_served served;
  cpb_exchange *exchange;
  /* Where redirects lead; NULL: it is not known. Ranges are requested there until that fails. */
  char *target;
  unsigned num_targets;  /* that were kept so far */
  bool target_served;    /* it has given a range */
  bool asks_anew;        /* one failed at once: none is kept */
  bool no_dates;         /* the server refused the date that it gave: no condition is made of it */
  cpb_validators pinned; /* those of the first response, which all others must have */
  cpb_windows windows;
  cpb_buffer whole; /* the file, if a server sent all of it */
  bool has_whole;
  bool ignores_ranges;         /* the server does, and sends more than is kept */
  const cpb_remote_sink *sink; /* not NULL: all is asked for, and goes there */
  unsigned crumbs;
  uint64_t bytes_read, random;
  /* The request under way: [begin, end), or as a suffix the last `end` bytes. */
  uint64_t begin, end, expected; /* `expected`: bytes of the body */
  bool is_suffix;
  unsigned led_by; /* the target it began at, from 1; 0: at the URL itself */
  cpb_response response;
  cpb_body body;
  cpb_window *window;
  size_t got; /* bytes of the body */
  cpb_pace pace;
  char range[48], condition[300];
  bool was_undated; /* the request was refused for its date, and is to be sent without */
  cpb_request query;
  cpb_receiver receiver;
  char said[EXPLANATION];
  cpb_error *error, trouble; /* `trouble`: a lane's */
};

#endif
