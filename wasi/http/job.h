/* One request being answered. */
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
  const char *query; /* what follows "?", or "" */
  /* The kind of answer. `is_message`: a message; `is_bytes`: a message or the bytes of a chunk; otherwise JSON.
   * `is_of_one_file`: it depends only on the model's own file. */
  bool is_message, is_bytes, is_of_one_file;
  bool is_partial; /* a part of the answer cannot be read and is left out */
  cpb_error error;
  bool is_setting; /* the error is in the server's settings, not in the request */
} job;

/* --- What is asked (target.c) ---------------------------------------------------------------------- */

/* Copies the query's parameter `name` to `out`, without escapes. False if the query does not have it, or with the error
 * set if it is longer than `size` - 1 bytes or wrongly escaped. */
bool job_parameter(job *j, const char *name, char *out, size_t size, size_t *length);

/* A parameter that is a number up to `most`; `otherwise` if the query does not have it. False with the error set. */
bool job_number(job *j, const char *name, uint64_t most, uint64_t otherwise, uint64_t *number);

/* The part of `size` bytes that a Range header requests. */
typedef enum serve_range_kind { RANGE_ALL, RANGE_PART, RANGE_NONE } serve_range_kind;
serve_range_kind serve_range(const serve_request *request, const char *etag, uint64_t size, cpb_range *range);

/* Whether the client has this state already (If-None-Match), or has another and wants no bytes of this one
 * (If-Match). */
bool serve_is_known(const serve_request *request, const char *etag);
bool serve_is_unwanted(const serve_request *request, const char *etag);

/* --- Models below a prefix (below.c) ----------------------------------------------------------------- */

/* Appends a path from the request to the URL. False with the error set if the path could lead elsewhere. */
bool below_url(job *j, const char *path, size_t length);

/* --- Pages of other origins (cors.c) ----------------------------------------------------------------- */

/* Adds the headers that let a page of the request's origin read the reply; false if that origin is not allowed. */
bool cors_add(const serve_request *request, serve_reply *reply);

/* The reply to OPTIONS. */
void cors_answer(job *j);

/* --- Answers --------------------------------------------------------------------------------------- */

/* Opens the model's file, and sets its name, which the caller frees; NULL with the error set. */
cpb_file *job_open(job *j, char **name);

/* Call after opening the model's URL: an error of usage is then an error of the settings. */
void job_opened(job *j);

/* All set the reply, or j->error. */
void answer_question(job *j, cpb_question_kind kind); /* answers.c */
void answer_chunks(job *j);                           /* chunks.c */
void answer_chunk(job *j, uint64_t chunk);
void answer_message(job *j); /* message.c */
void answer_field(job *j);   /* field.c */

/* Adds an answer's headers in this state, for conditional requests. False if the reply has no body (304, or 412 with
 * the error set). */
bool reply_state(job *j, const char *etag);

void reply_length(serve_reply *reply, uint64_t length);

/* A reply of JSON: its members are written between these calls; the writer's buffer becomes the reply's. Plain: without
 * a state, as for an error. */
void reply_begin(job *j, cpb_json_writer *w);
void reply_json(job *j, cpb_json_writer *w);
void reply_plain(job *j, cpb_json_writer *w);

/* A reply of `size` bytes, or the requested range of them: `body` must then give `range`. False if the reply has no
 * body and is done. */
bool reply_bytes(job *j, uint64_t size, cpb_range *range);

#endif
