/* One request being answered. */
#ifndef CPB_HTTP_JOB_H
#define CPB_HTTP_JOB_H

#include "base/json_writer.h"
#include "cpb/open.h"
#include "host/file.h"
#include "serve.h"

#define NAME_MAX_LENGTH 4096 /* of what a query names, such as a path */

typedef struct job {
  const serve_request *request;
  serve_reply *reply;
  cpb_allocator allocator;
  cpb_url_options urls;
  char *url;        /* of the model */
  const char *rest; /* the path behind the model's name, without its first slash */
  size_t rest_length;
  const char *query; /* what follows "?", or "" */
  /* What is asked for: a message; it or the bytes of a chunk; or else JSON. `is_of_one_file`: it is made of the model's
   * own file, and of none beside it. */
  bool is_message, is_bytes, is_of_one_file;
  bool is_partial; /* something of the answer is left out, as it cannot be read */
  cpb_error error;
  bool is_setting; /* the error is in what the server was given, not in what it is asked */
} job;

/* --- What is asked (target.c) ---------------------------------------------------------------------- */

/* The parameter `name` of the query into `out`, without escapes. False if there is none, or with the error set
 * if it is longer than `size` - 1 bytes, or not escaped as it should be. */
bool job_parameter(job *j, const char *name, char *out, size_t size, size_t *length);

/* A parameter that is a number up to `most`; `otherwise` if there is none. False with the error set. */
bool job_number(job *j, const char *name, uint64_t most, uint64_t otherwise, uint64_t *number);

/* A character without its escape, after which `*at` is then; -1 for an escape that is none. */
int job_unescape(const char **at, const char *end);

/* What a Range header asks for of `size` bytes. */
typedef enum serve_range_kind { RANGE_ALL, RANGE_PART, RANGE_NONE } serve_range_kind;
serve_range_kind serve_range(const serve_request *request, const char *etag, uint64_t size, cpb_range *range);

/* Whether the client has this state already (If-None-Match), or has another and wants no bytes of this one
 * (If-Match). */
bool serve_is_known(const serve_request *request, const char *etag);
bool serve_is_unwanted(const serve_request *request, const char *etag);

/* --- Models below a prefix (below.c) ----------------------------------------------------------------- */

/* Adds a path, as it was asked for, to the URL. False with the error set where it could lead elsewhere. */
bool below_url(job *j, const char *path, size_t length);

/* --- Pages of other origins (cors.c) ----------------------------------------------------------------- */

/* What lets a page of the request's origin read the reply; false where it may not. */
bool cors_add(const serve_request *request, serve_reply *reply);

/* The reply to OPTIONS. */
void cors_answer(job *j);

/* --- Answers --------------------------------------------------------------------------------------- */

/* The model's file, and its name, which is to be freed; NULL with the error set. */
cpb_file *job_open(job *j, char **name);

/* After what was opened by the model's URL: an error of usage is one of the settings. */
void job_opened(job *j);

/* All set the reply, or j->error. */
void answer_question(job *j, cpb_question_kind kind); /* answers.c */
void answer_chunks(job *j);                           /* chunks.c */
void answer_chunk(job *j, uint64_t chunk);
void answer_message(job *j); /* message.c */
void answer_field(job *j);   /* field.c */

/* The headers that an answer has in this state, for what asks whether it is another: false if there is no body to give
 * (304, or 412 with the error set). */
bool reply_state(job *j, const char *etag);

void reply_length(serve_reply *reply, uint64_t length);

/* A reply of JSON, of which the members are written in between; the writer's buffer becomes the reply's. Plain: for no
 * state, as of an error. */
void reply_begin(job *j, cpb_json_writer *w);
void reply_json(job *j, cpb_json_writer *w);
void reply_plain(job *j, cpb_json_writer *w);

/* A reply of `size` bytes, or the range of them that is asked for: `range` is then what `body` is to give. False if
 * there is no body to give: the reply is then done. */
bool reply_bytes(job *j, uint64_t size, cpb_range *range);

#endif
