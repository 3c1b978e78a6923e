/* From a request's path to its answer, and from an error to its status. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "host/url/exchange.h"
#include "job.h"
#include "state.h"

#define MAX_TIME 300000 /* milliseconds, unless CPB_MAX_TIME says otherwise */
#define ATTEMPTS 4
#define MOST_ATTEMPTS 100

/* --- Errors -------------------------------------------------------------------------------------------- */

static int status_of(const job *j) {
  switch (j->error.code) {
    case CPB_E_USAGE: return j->is_setting ? 500 : 400;
    case CPB_E_NOT_FOUND: return 404;
    case CPB_E_LIMIT: return 413;
    case CPB_E_FORMAT:
    case CPB_E_UNSUPPORTED: return 415;
    case CPB_E_DAMAGED:
    case CPB_E_TRUNCATED: return 422;
    case CPB_E_READ:
    case CPB_E_DENIED:
    case CPB_E_UNAVAILABLE: return j->urls.deadline > 0 && cpb_url_clock() >= j->urls.deadline ? 504 : 502;
    case CPB_E_MEMORY: return 503;
    default: return 500;
  }
}

/* Replaces the reply, except its Content-Range, by the error. */
static void reply_error(job *j, int status) {
  serve_reply *reply = j->reply;
  const cpb_error error = j->error;
  cpb_json_writer w;
  serve_header kept[SERVE_HEADERS];
  size_t count = 0;
  for (size_t i = 0; i < reply->num_headers; i++) {
    const char *name = reply->headers[i].name;
    if (!strcmp(name, "Allow") || (status == 416 && !strcmp(name, "Content-Range"))) kept[count++] = reply->headers[i];
  }
  serve_end(reply);
  j->error = (cpb_error){.code = CPB_OK};
  reply_begin(j, &w);
  cpb_json_writer_text(&w, "error", error.message);
  cpb_json_writer_text(&w, "code", cpb_code_name(error.code));
  if (error.offset != CPB_NO_OFFSET) cpb_json_writer_exact_unsigned(&w, "offset", error.offset);
  reply_plain(j, &w);
  for (size_t i = 0; i < count; i++) serve_add_header(reply, kept[i].name, kept[i].value);
  reply->status = reply->body.state ? status : 503; /* without memory for the text */
}

static void fail(job *j, cpb_code code, const char *text) { cpb_fail(&j->error, code, CPB_NO_OFFSET, "%s", text); }

/* --- Paths ------------------------------------------------------------------------------------------------ */

cpb_file *job_open(job *j, char **name) {
  size_t size = strlen(j->url) + CPB_FIND_MODEL_ROOM;
  *name = cpb_alloc(&j->allocator, size);
  cpb_file *file = NULL;
  if (*name) file = cpb_find_and_open(&j->allocator, j->url, &j->urls, *name, size, &j->error);
  else cpb_fail_memory(&j->error);
  job_opened(j);
  return file;
}

void job_opened(job *j) { j->is_setting = j->error.code == CPB_E_USAGE; }

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && !memcmp(text, word, length);
}

static void answer_models(job *j) {
  const char *at = NULL;
  serve_model model;
  cpb_json_writer w;
  reply_begin(j, &w);
  cpb_json_writer_open(&w, "models", '[');
  while (settings_next_model(&at, &model))
    cpb_json_writer_span(&w, NULL, (cpb_span){(const uint8_t *)model.name, model.name_length + 2 * model.is_prefix});
  cpb_json_writer_close(&w, ']');
  reply_json(j, &w);
}

static bool take_model(job *j, const char *name, size_t length, serve_model *model) {
  const char *at = NULL;
  while (settings_next_model(&at, model)) {
    if (model->name_length != length || memcmp(model->name, name, length) != 0) continue;
    j->url = cpb_alloc(&j->allocator, model->url_length + 1);
    if (!j->url) return cpb_fail_memory(&j->error) == CPB_OK;
    memcpy(j->url, model->url, model->url_length);
    j->url[model->url_length] = 0;
    return true;
  }
  fail(j, CPB_E_NOT_FOUND, "there is no model of this name; /models lists those that there are");
  return false;
}

/* The number in chunks/N; false for other paths. */
static bool take_number(const job *j, uint64_t *number) {
  static const char prefix[] = "chunks/";
  size_t length = sizeof prefix - 1;
  if (j->rest_length <= length || j->rest_length > length + 18 || memcmp(j->rest, prefix, length) != 0) return false;
  const char *p = j->rest + length;
  return serve_read_number(&p, number) && p == j->rest + j->rest_length;
}

typedef enum route { NOWHERE, MESSAGE, FIELD, CHUNKS, CHUNK, QUESTION } route;

/* `*number`: the chunk, or the question's kind. */
static route find_route(const job *j, uint64_t *number) {
  const char *name;
  if (is_word(j->rest, j->rest_length, "message")) return MESSAGE;
  if (is_word(j->rest, j->rest_length, "fields")) return FIELD;
  if (is_word(j->rest, j->rest_length, "chunks")) return CHUNKS;
  if (take_number(j, number)) return CHUNK;
  *number = CPB_ASK_OVERVIEW;
  if (j->rest_length == 0 || is_word(j->rest, j->rest_length, cpb_question_name(CPB_ASK_OVERVIEW))) return QUESTION;
  for (unsigned kind = 1; (name = cpb_question_name((cpb_question_kind)kind)); kind++) {
    *number = kind;
    if (is_word(j->rest, j->rest_length, name)) return QUESTION;
  }
  return NOWHERE;
}

static void answer_model(job *j) {
  uint64_t number;
  route to = find_route(j, &number);
  if (to == NOWHERE)
    return fail(j, CPB_E_NOT_FOUND,
                "a model has message, fields, chunks, chunks/N and what may be asked of it, such as signature");
  j->is_message = to == MESSAGE;
  j->is_bytes = to == MESSAGE || to == CHUNK;
  j->is_of_one_file = to != QUESTION;
  if (state_answer(j)) return;
  switch (to) {
    case MESSAGE: return answer_message(j);
    case FIELD: return answer_field(j);
    case CHUNKS: return answer_chunks(j);
    case CHUNK: return answer_chunk(j, number);
    default: return answer_question(j, (cpb_question_kind)number);
  }
}

/* Splits a path below a prefix before the last part that names an answer: returns the length before, and sets j->rest
 * to that part. */
static size_t cut_answer(job *j) {
  const char *path = j->rest, *end = path + j->rest_length;
  uint64_t number;
  unsigned slashes = 0;
  for (const char *p = end; p > path && slashes < 2; p--) {
    if (p[-1] != '/') continue;
    j->rest = p;
    j->rest_length = (size_t)(end - p);
    slashes++;
    if (p < end && find_route(j, &number) != NOWHERE) return (size_t)(p - 1 - path);
  }
  j->rest = end;
  j->rest_length = 0;
  return (size_t)(end - path);
}

static void answer_path(job *j) {
  static const char prefix[] = "/models";
  const char *path = j->request->target;
  size_t length = strcspn(path, "?"), skip = sizeof prefix - 1;
  serve_model model;
  j->query = path[length] ? path + length + 1 : "";
  if (is_word(path, length, "/") || is_word(path, length, "/models") || is_word(path, length, "/models/"))
    return answer_models(j);
  if (length <= skip + 1 || memcmp(path, prefix, skip) != 0 || path[skip] != '/')
    return fail(j, CPB_E_NOT_FOUND, "there is /models, /models/NAME and what is below");
  const char *name = path + skip + 1;
  size_t name_length = strcspn(name, "/?");
  j->rest = name + name_length + (name[name_length] == '/');
  j->rest_length = (size_t)(path + length - j->rest);
  if (!take_model(j, name, name_length, &model)) return;
  const char *below = j->rest;
  if (!model.is_prefix || below_url(j, below, cut_answer(j))) answer_model(j);
}

/* --- The whole ---------------------------------------------------------------------------------------------- */

/* A silent server takes the idle time once, in all attempts together. */
static void set_limits(job *j) {
  uint64_t most = settings_number("CPB_MAX_TIME", MAX_TIME), idle = settings_number("CPB_IDLE_TIME", IDLE_TIME);
  uint64_t attempts = cpb_min_u64(cpb_max_u64(settings_number("CPB_ATTEMPTS", ATTEMPTS), 1), MOST_ATTEMPTS);
  j->urls = (cpb_url_options){
      .struct_size = sizeof j->urls, .idle_time = cpb_max_u64(idle / attempts, 1), .attempts = (unsigned)attempts};
  if (most > 0) j->urls.deadline = cpb_url_clock() + most;
}

/* Reads the first piece of the body, to know whether the body can be read. */
static void begin_body(job *j) {
  serve_reply *reply = j->reply;
  if (j->request->is_head || !reply->body.state) return;
  reply->body.next(reply->body.state, &reply->piece, &j->error);
}

void serve(const serve_request *request, serve_reply *reply) {
  job j = {.request = request, .reply = reply, .allocator = cpb_allocator_or_default(NULL), .rest = "", .query = ""};
  *reply = (serve_reply){.status = 500};
  serve_fetched = (serve_traffic){0};
  state_forget();
  j.error = (cpb_error){.offset = CPB_NO_OFFSET};
  set_limits(&j);
  int status = 0;
  if (request->is_options) {
    cors_answer(&j);
    return;
  }
  if (!request->is_get && !request->is_head) {
    fail(&j, CPB_E_USAGE, "expected GET or HEAD");
    serve_add_header(reply, "Allow", SERVE_METHODS);
    status = 405;
  } else if (!settings_check(&j.error)) {
    status = 500;
  } else {
    answer_path(&j);
    if (j.error.code == CPB_OK) begin_body(&j);
  }
  if (reply->status == 412 || reply->status == 416) status = reply->status;
  if (j.error.code != CPB_OK) reply_error(&j, status ? status : status_of(&j));
  if (j.error.code == CPB_OK && reply->piece.size == 0) begin_body(&j);
  cors_add(request, reply);
  state_forget();
  cpb_release(&j.allocator, j.url);
}

void serve_end(serve_reply *reply) {
  if (reply->body.state) reply->body.close(reply->body.state);
  *reply = (serve_reply){.status = 500};
}
