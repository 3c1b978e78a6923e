/* From a request's path to its answer, and from an error to its status. */
#include <string.h>

#include "base/status.h"
#include "host/url/exchange.h"
#include "job.h"

#define MAX_TIME 300000 /* milliseconds, unless CPB_MAX_TIME says otherwise */

/* --- Errors -------------------------------------------------------------------------------------------- */

/* That of upstream is in the text. */
static int status_of_read(const job *j) {
  static const char answered[] = "the server answered ";
  const char *text = j->error.message;
  if (j->urls.deadline > 0 && cpb_url_clock() >= j->urls.deadline) return 504;
  if (strncmp(text, answered, sizeof answered - 1) != 0) return 502;
  text += sizeof answered - 1;
  return !strncmp(text, "404", 3) || !strncmp(text, "410", 3) ? 404 : 502;
}

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
    case CPB_E_UNAVAILABLE: return status_of_read(j);
    case CPB_E_MEMORY: return 503;
    default: return 500;
  }
}

/* In place of what the reply had but its Content-Range. */
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
  reply_json(j, &w, NULL);
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
    cpb_json_writer_span(&w, NULL, (cpb_span){(const uint8_t *)model.name, model.name_length});
  cpb_json_writer_close(&w, ']');
  reply_json(j, &w, NULL);
}

static bool take_model(job *j, const char *name, size_t length) {
  const char *at = NULL;
  serve_model model;
  while (settings_next_model(&at, &model)) {
    if (model.name_length != length || memcmp(model.name, name, length) != 0) continue;
    j->url = cpb_alloc(&j->allocator, model.url_length + 1);
    if (!j->url) return cpb_fail_memory(&j->error) == CPB_OK;
    memcpy(j->url, model.url, model.url_length);
    j->url[model.url_length] = 0;
    return true;
  }
  fail(j, CPB_E_NOT_FOUND, "there is no model of this name; /models lists those that there are");
  return false;
}

/* chunks/N; false where that is none. */
static bool take_number(job *j, uint64_t *number) {
  static const char prefix[] = "chunks/";
  size_t length = sizeof prefix - 1;
  if (j->rest_length <= length || j->rest_length > length + 18 || memcmp(j->rest, prefix, length) != 0) return false;
  *number = 0;
  for (size_t i = length; i < j->rest_length; i++) {
    if (j->rest[i] < '0' || j->rest[i] > '9') return false;
    *number = *number * 10 + (uint64_t)(j->rest[i] - '0');
  }
  return true;
}

static void answer_model(job *j) {
  uint64_t chunk;
  const char *name;
  if (j->rest_length == 0) return answer_question(j, CPB_ASK_OVERVIEW);
  if (is_word(j->rest, j->rest_length, "message")) return answer_message(j);
  if (is_word(j->rest, j->rest_length, "fields")) return answer_field(j);
  if (is_word(j->rest, j->rest_length, "chunks")) return answer_chunks(j);
  if (take_number(j, &chunk)) return answer_chunk(j, chunk);
  for (unsigned kind = 1; (name = cpb_question_name((cpb_question_kind)kind)); kind++) {
    if (is_word(j->rest, j->rest_length, name)) return answer_question(j, (cpb_question_kind)kind);
  }
  fail(j, CPB_E_NOT_FOUND,
       "a model has message, fields, chunks, chunks/N and what may be asked of it, such as signature");
}

static void answer_path(job *j) {
  static const char prefix[] = "/models";
  const char *path = j->request->target;
  size_t length = strcspn(path, "?"), skip = sizeof prefix - 1;
  j->query = path[length] ? path + length + 1 : "";
  if (is_word(path, length, "/") || is_word(path, length, "/models") || is_word(path, length, "/models/"))
    return answer_models(j);
  if (length <= skip + 1 || memcmp(path, prefix, skip) != 0 || path[skip] != '/')
    return fail(j, CPB_E_NOT_FOUND, "there is /models, /models/NAME and what is below");
  const char *name = path + skip + 1;
  size_t name_length = strcspn(name, "/?");
  j->rest = name + name_length + (name[name_length] == '/');
  j->rest_length = (size_t)(path + length - j->rest);
  if (take_model(j, name, name_length)) answer_model(j);
}

/* --- The whole ---------------------------------------------------------------------------------------------- */

static void set_limits(job *j) {
  uint64_t most = settings_number("CPB_MAX_TIME", MAX_TIME);
  j->urls = (cpb_url_options){.struct_size = sizeof j->urls,
                              .idle_time = settings_number("CPB_IDLE_TIME", 0),
                              .attempts = (unsigned)settings_number("CPB_ATTEMPTS", 0)};
  if (most > 0) j->urls.deadline = cpb_url_clock() + most;
}

/* The first piece of the body, without which nobody knows whether it can be read. */
static void begin_body(job *j) {
  serve_reply *reply = j->reply;
  if (j->request->is_head || !reply->body.state) return;
  reply->body.next(reply->body.state, &reply->piece, &j->error);
}

void serve(const serve_request *request, serve_reply *reply) {
  job j = {.request = request, .reply = reply, .allocator = cpb_allocator_or_default(NULL)};
  *reply = (serve_reply){.status = 500};
  serve_fetched = (serve_traffic){0};
  j.error = (cpb_error){.offset = CPB_NO_OFFSET};
  set_limits(&j);
  int status = 0;
  if (!request->is_get && !request->is_head) {
    fail(&j, CPB_E_USAGE, "expected GET or HEAD");
    serve_add_header(reply, "Allow", "GET, HEAD");
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
  cpb_release(&j.allocator, j.url);
}

void serve_end(serve_reply *reply) {
  if (reply->body.state) reply->body.close(reply->body.state);
  *reply = (serve_reply){.status = 500};
}
