/* Requests and replies, independent of the version of wasi:http. Only handler.c and exchange.c
 * depend on version 0.2. */
#ifndef CPB_HTTP_SERVE_H
#define CPB_HTTP_SERVE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "host/url/response.h"

/* --- Requests and replies ---------------------------------------------------------------------- */

typedef struct serve_request {
  bool is_get, is_head, is_options;
  const char *target; /* path and query */
  /* Headers; NULL: not there. */
  const char *range, *if_range, *if_match, *if_none_match, *if_modified_since, *origin;
} serve_request;

/* A body, which is pulled: bytes are read only when requested. */
typedef struct serve_body {
  /* The next bytes, valid until the next call; empty at the end. False with the error set. */
  bool (*next)(void *state, cpb_span *piece, cpb_error *error);
  void (*close)(void *state);
  void *state; /* NULL: no body */
} serve_body;

#define SERVE_HEADERS 14
#define SERVE_METHODS "GET, HEAD, OPTIONS"

#define SERVE_VALUE 264

typedef struct serve_header {
  const char *name;
  char value[SERVE_VALUE];
} serve_header;

typedef struct serve_reply {
  int status;
  serve_header headers[SERVE_HEADERS];
  size_t num_headers;
  serve_body body;
  cpb_span piece; /* the first one of the body, which was read to know the status */
} serve_reply;

/* Answers a request. serve_end() frees the reply's resources. */
void serve(const serve_request *request, serve_reply *reply);
void serve_end(serve_reply *reply);

void serve_add_header(serve_reply *reply, const char *name, const char *value);

/* --- What was fetched for it -------------------------------------------------------------------- */

typedef struct serve_traffic {
  uint64_t requests, bytes;
} serve_traffic;

/* Since the current request arrived. */
extern serve_traffic serve_fetched;

/* Notes the response for a URL (state.c). */
void serve_note(const char *url, const cpb_response *response);

/* --- Settings: variables of the environment ------------------------------------------------------ */

typedef struct serve_model {
  const char *name, *url; /* not ended by NUL */
  size_t name_length, url_length;
  bool is_prefix; /* "NAME/" and a "*", for all models below the URL; `name` is NAME alone */
} serve_model;

/* The next of the models in CPB_MODELS; `*at` is NULL at first. False after the last one. */
bool settings_next_model(const char **at, serve_model *model);

/* False with the error set if CPB_MODELS is not set or not of the form "NAME=URL NAME=URL", or if CPB_ORIGINS or
 * CPB_CACHE_CONTROL is wrong. */
bool settings_check(cpb_error *error);

/* Whether a redirect may lead to this URL: its origin is that of a model. */
bool settings_allow(const char *url);

#define IDLE_TIME 30000 /* milliseconds, unless CPB_IDLE_TIME says otherwise */
#define SETTINGS_SPACE " \t\n\r"

/* A text, or "". */
const char *settings_text(const char *name);

/* Reads decimal digits up to the first other character, to which it moves `*text`; UINT64_MAX for a larger number.
 * False without a digit. */
bool serve_read_number(const char **text, uint64_t *number);

/* The number in a setting, or its default. */
uint64_t settings_number(const char *name, uint64_t otherwise);

#endif
