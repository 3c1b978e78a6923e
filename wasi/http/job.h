/* One request in progress. */
#ifndef CPB_HTTP_JOB_H
#define CPB_HTTP_JOB_H

#include "base/json_writer.h"
#include "cpb/open.h"
#include "host/file.h"
#include "serve.h"

#define NAME_MAX_LENGTH 4096 /* of a name in a query, such as a path */

typedef struct job {
  const serve_request *request;
  serve_reply *reply;
  cpb_allocator allocator;
  cpb_url_options urls;
  char *url;        /* of the model */
  const char *rest; /* the path after the model's name, without its first slash */
  size_t rest_length;
  const char *query; /* the text after "?", or "" */
  /* The requested data: a message; its bytes or those of a chunk; or JSON. `is_of_one_file`: it depends only on the
   * model's own file. */
  bool is_message, is_bytes, is_of_one_file;
  bool is_partial; /* part of the answer is left out because it cannot be read */
  cpb_error error;
  bool is_setting; /* the error is in the server's settings, and not in the request */
} job;

/* --- What is asked (target.c) ---------------------------------------------------------------------- */

/* Copies the parameter `name` of the query into `out`, unescaped. False if it is missing; also false, with the error
 * set, if it is longer than `size` - 1 bytes, or not escaped correctly. */
bool job_parameter(job *j, const char *name, char *out, size_t size, size_t *length);

/* A parameter that is a number up to `most`; `otherwise` if it is missing. False with the error set. */
bool job_number(job *j, const char *name, uint64_t most, uint64_t otherwise, uint64_t *number);

/* A character, unescaped, and moves `*at` past it; -1 for an invalid escape. */
int job_unescape(const char **at, const char *end);

/* Applies a Range header to `size` bytes. */
typedef enum serve_range_kind { RANGE_ALL, RANGE_PART, RANGE_NONE } serve_range_kind;
serve_range_kind serve_range(const serve_request *request, const char *etag, uint64_t size, cpb_range *range);

/* Whether the client has this state already (If-None-Match), or has another one and rejects this one (If-Match). */
bool serve_is_known(const serve_request *request, const char *etag);
bool serve_is_unwanted(const serve_request *request, const char *etag);

/* --- Models below a prefix (below.c) ----------------------------------------------------------------- */

/* Appends a path from the request to the URL. False with the error set if it could lead elsewhere. */
bool below_url(job *j, const char *path, size_t length);

/* --- Pages of other origins (cors.c) ----------------------------------------------------------------- */

/* Adds the headers that let pages of the request's origin read the reply; false if they may not. */
bool cors_add(const serve_request *request, serve_reply *reply);

/* The reply to OPTIONS. */
void cors_answer(job *j);

/* --- Answers --------------------------------------------------------------------------------------- */

/* The model's file, and its name, which the caller frees; NULL with the error set. */
cpb_file *job_open(job *j, char **name);

/* Call it after opening the model's URL: an error of usage is an error in the settings. */
void job_opened(job *j);

/* All set the reply, or j->error. */
void answer_question(job *j, cpb_question_kind kind); /* answers.c */
void answer_chunks(job *j);                           /* chunks.c */
void answer_chunk(job *j, uint64_t chunk);
void answer_message(job *j); /* message.c */
void answer_field(job *j);   /* field.c */

/* Adds the headers about the state of the answer, and checks the request's conditions: false if the reply has no body
 * (304, or 412 with the error set). */
bool reply_state(job *j, const char *etag);

void reply_length(serve_reply *reply, uint64_t length);

/* Begins a reply in JSON, whose members are written next; the writer's buffer becomes the reply's. Plain: without a
 * state, for errors. */
void reply_begin(job *j, cpb_json_writer *w);
void reply_json(job *j, cpb_json_writer *w);
void reply_plain(job *j, cpb_json_writer *w);

/* Begins a reply of `size` bytes, or of the requested range: `range` is the range for `body`. False if the reply has no
 * body and is complete. */
bool reply_bytes(job *j, uint64_t size, cpb_range *range);

#endif
