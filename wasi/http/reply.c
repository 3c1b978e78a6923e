/* Replies: JSON, and bytes. */
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "job.h"

void serve_add_header(serve_reply *reply, const char *name, const char *value) {
  if (!*value || reply->num_headers == SERVE_HEADERS) return;
  serve_header *header = &reply->headers[reply->num_headers++];
  header->name = name;
  cpb_format(header->value, sizeof header->value, "%s", value);
}

static void add_number(serve_reply *reply, const char *name, uint64_t value) {
  char text[24];
  cpb_format(text, sizeof text, "%llu", (unsigned long long)value);
  serve_add_header(reply, name, text);
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

/* The same for the text of an answer as for the bytes of the file that it is of: but it tells what it took, too. */
static void weaken(const char *etag, char *out, size_t size) {
  cpb_format(out, size, "%s%s", etag[0] == '"' ? "W/" : "", etag);
}

static bool end_text(job *j, cpb_json_writer *w) {
  cpb_json_writer_open(w, "transferred", '{');
  cpb_json_writer_unsigned(w, "requests", serve_fetched.requests);
  cpb_json_writer_unsigned(w, "bytes", serve_fetched.bytes);
  cpb_json_writer_close(w, '}');
  cpb_json_writer_close(w, '}');
  return cpb_json_writer_ok(w) && cpb_buffer_append(&w->out, "\n", 1) && j->error.code == CPB_OK;
}

void reply_json(job *j, cpb_json_writer *w, const cpb_file *file) {
  serve_reply *reply = j->reply;
  char etag[260] = "";
  const cpb_validators *state = file ? cpb_file_validators(file) : NULL;
  text_body *b = end_text(j, w) ? cpb_alloc_zeroed(&j->allocator, sizeof *b) : NULL;
  if (!b) {
    cpb_buffer_free(&w->out);
    if (j->error.code == CPB_OK) cpb_fail_memory(&j->error);
    return;
  }
  *b = (text_body){.allocator = j->allocator, .text = w->out};
  if (state) weaken(state->etag, etag, sizeof etag);
  bool known = serve_is_known(j->request, etag);
  reply->status = known ? 304 : 200;
  serve_add_header(reply, "ETag", etag);
  if (!known) {
    serve_add_header(reply, "Content-Type", "application/json");
    add_number(reply, "Content-Length", b->text.size);
    reply->body = (serve_body){next_text, close_text, b};
  } else {
    close_text(b);
  }
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

bool reply_bytes(job *j, const cpb_file *file, uint64_t size, cpb_range *range) {
  serve_reply *reply = j->reply;
  const cpb_validators *state = cpb_file_validators(file);
  const char *etag = state ? state->etag : "";
  serve_add_header(reply, "ETag", etag);
  if (serve_is_unwanted(j->request, etag)) {
    reply->status = 412;
    cpb_fail(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the file has another ETag than those of If-Match");
    return false;
  }
  if (serve_is_known(j->request, etag)) {
    reply->status = 304;
    return false;
  }
  if (state) serve_add_header(reply, "Last-Modified", state->last_modified);
  serve_add_header(reply, "Accept-Ranges", "bytes");
  serve_range_kind kind = serve_range(j->request, etag, size, range);
  if (kind == RANGE_NONE) {
    add_content_range(reply, NULL, size);
    reply->status = 416;
    cpb_fail(&j->error, CPB_E_USAGE, range->offset, "the range begins at or after the end, which is at %llu",
             (unsigned long long)size);
    return false;
  }
  reply->status = kind == RANGE_PART ? 206 : 200;
  if (kind == RANGE_PART) add_content_range(reply, range, size);
  serve_add_header(reply, "Content-Type", "application/octet-stream");
  add_number(reply, "Content-Length", range->length);
  return true;
}
