/* Replies: JSON, and bytes. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "job.h"
#include "state.h"

void serve_add_header(serve_reply *reply, const char *name, const char *value) {
  if (!*value || reply->num_headers == SERVE_HEADERS) return;
  serve_header *header = &reply->headers[reply->num_headers++];
  header->name = name;
  cpb_format(header->value, sizeof header->value, "%s", value);
}

void reply_length(serve_reply *reply, uint64_t length) {
  char text[24];
  cpb_format(text, sizeof text, "%llu", (unsigned long long)length);
  serve_add_header(reply, "Content-Length", text);
}

bool reply_state(job *j, const char *etag) {
  serve_reply *reply = j->reply;
  serve_add_header(reply, "ETag", etag);
  serve_add_header(reply, "Last-Modified", state_date(j));
  serve_add_header(reply, "Cache-Control", j->is_partial ? "no-store" : settings_text("CPB_CACHE_CONTROL"));
  if (serve_is_unwanted(j->request, etag)) {
    reply->status = 412;
    return CPB_FAILS(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the answer has another ETag than those of If-Match");
  }
  bool known = serve_is_known(j->request, etag);
  if (known) reply->status = 304;
  return !known;
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

typedef struct text_body {
  cpb_allocator allocator;
  cpb_buffer text;
  bool given;
} text_body;

static bool next_text(void *state, cpb_span *piece, cpb_error *error) {
  text_body *b = state;
  (void)error;
  *piece = (cpb_span){b->text.data, b->given ? 0 : b->text.size};
  b->given = true;
  return true;
}

static void close_text(void *state) {
  text_body *b = state;
  cpb_allocator a = b->allocator;
  cpb_buffer_free(&b->text);
  cpb_release(&a, b);
}

void reply_begin(job *j, cpb_json_writer *w) {
  *w = (cpb_json_writer){.failed = false};
  cpb_buffer_init(&w->out, &j->allocator);
  cpb_json_writer_open(w, NULL, '{');
}

/* Adds the requests and bytes that the answer took, as a header. */
static void add_transferred(serve_reply *reply) {
  char text[64];
  cpb_format(text, sizeof text, "requests=%llu, bytes=%llu", (unsigned long long)serve_fetched.requests,
             (unsigned long long)serve_fetched.bytes);
  serve_add_header(reply, "CPB-Transferred", text);
}

/* Completes the text; false with the error set, and the buffer freed, on failure. */
static bool end_text(job *j, cpb_json_writer *w) {
  cpb_json_writer_close(w, '}');
  bool done = cpb_json_writer_ok(w) && cpb_buffer_append(&w->out, "\n", 1);
  if (!done) cpb_fail_memory(&j->error);
  if (j->error.code != CPB_OK) cpb_buffer_free(&w->out);
  return j->error.code == CPB_OK;
}

/* The text becomes the body. */
static void give_text(job *j, cpb_json_writer *w) {
  text_body *b = cpb_alloc_zeroed(&j->allocator, sizeof *b);
  if (!b) {
    cpb_buffer_free(&w->out);
    cpb_fail_memory(&j->error);
    return;
  }
  *b = (text_body){.allocator = j->allocator, .text = w->out};
  j->reply->status = 200;
  j->reply->body = (serve_body){next_text, close_text, b};
  add_transferred(j->reply);
  serve_add_header(j->reply, "Content-Type", "application/json");
  reply_length(j->reply, b->text.size);
}

void reply_plain(job *j, cpb_json_writer *w) {
  if (!end_text(j, w)) return;
  serve_add_header(j->reply, "Cache-Control", "no-store");
  give_text(j, w);
}

void reply_json(job *j, cpb_json_writer *w) {
  char etag[STATE_ETAG];
  if (!end_text(j, w)) return;
  state_etag(j, (cpb_span){w->out.data, w->out.size}, etag);
  if (reply_state(j, etag)) give_text(j, w);
  else cpb_buffer_free(&w->out);
}

/* --- Bytes ------------------------------------------------------------------------------------------------- */

static void add_content_range(serve_reply *reply, const cpb_range *range, uint64_t size) {
  char text[80];
  if (range) {
    cpb_format(text, sizeof text, "bytes %llu-%llu/%llu", (unsigned long long)range->offset,
               (unsigned long long)(range->offset + range->length - 1), (unsigned long long)size);
  } else {
    cpb_format(text, sizeof text, "bytes */%llu", (unsigned long long)size);
  }
  serve_add_header(reply, "Content-Range", text);
}

bool reply_bytes(job *j, uint64_t size, cpb_range *range) {
  serve_reply *reply = j->reply;
  char etag[STATE_ETAG];
  state_etag(j, (cpb_span){0}, etag);
  if (!reply_state(j, etag)) return false;
  serve_add_header(reply, "Accept-Ranges", "bytes");
  serve_range_kind kind = serve_range(j->request, etag, size, range);
  if (kind == RANGE_NONE) {
    add_content_range(reply, NULL, size);
    reply->status = 416;
    return CPB_FAILS(&j->error, CPB_E_USAGE, range->offset, "the range begins at or after the end, which is at %llu",
                     (unsigned long long)size);
  }
  reply->status = kind == RANGE_PART ? 206 : 200;
  if (kind == RANGE_PART) add_content_range(reply, range, size);
  serve_add_header(reply, "Content-Type", "application/octet-stream");
  reply_length(reply, range->length);
  return true;
}
