/* wasi:http 0.2: takes a request, and sends the reply piece by piece. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "host/url/exchange.h"
#include "serve.h"
#include "server.h"
#include "system.h"

/* --- The request ------------------------------------------------------------------------------------- */

/* The headers of this name as one list, or NULL if the request has none. */
static char *header(http_borrow_fields_t fields, const char *name) {
  http_field_name_t key = {(uint8_t *)name, strlen(name)};
  http_list_field_value_t values;
  cpb_allocator allocator = cpb_allocator_or_default(NULL);
  cpb_buffer text;
  cpb_buffer_init(&text, &allocator);
  http_method_fields_get(fields, &key, &values);
  bool done = values.len > 0;
  for (size_t i = 0; done && i < values.len; i++)
    done =
        (i == 0 || cpb_buffer_append(&text, ", ", 2)) && cpb_buffer_append(&text, values.ptr[i].ptr, values.ptr[i].len);
  done = done && cpb_buffer_append(&text, "", 1);
  char *value = done ? strdup((const char *)text.data) : NULL;
  cpb_buffer_free(&text);
  http_list_field_value_free(&values);
  return value;
}

static void take_request(http_borrow_incoming_request_t request, serve_request *r) {
  http_method_t method;
  server_string_t target;
  http_method_incoming_request_method(request, &method);
  r->is_get = method.tag == HTTP_METHOD_GET;
  r->is_head = method.tag == HTTP_METHOD_HEAD;
  r->is_options = method.tag == HTTP_METHOD_OPTIONS;
  http_method_free(&method);
  if (http_method_incoming_request_path_with_query(request, &target)) {
    r->target = strndup((const char *)target.ptr, target.len);
    server_string_free(&target);
  }
  http_own_headers_t headers = http_method_incoming_request_headers(request);
  http_borrow_fields_t fields = http_borrow_fields(headers);
  r->range = header(fields, "range");
  r->if_range = header(fields, "if-range");
  r->if_match = header(fields, "if-match");
  r->if_none_match = header(fields, "if-none-match");
  r->if_modified_since = header(fields, "if-modified-since");
  r->origin = header(fields, "origin");
  http_fields_drop_own(headers);
}

static void free_request(serve_request *r) {
  free((char *)r->target);
  free((char *)r->range);
  free((char *)r->if_range);
  free((char *)r->if_match);
  free((char *)r->if_none_match);
  free((char *)r->if_modified_since);
  free((char *)r->origin);
}

/* --- The body ------------------------------------------------------------------------------------------- */

/* Whether the client accepts more bytes within the time. */
static bool wait_for_client(streams_borrow_output_stream_t stream) {
  poll_own_pollable_t ready = streams_method_output_stream_subscribe(stream);
  return system_wait(ready, settings_number("CPB_IDLE_TIME", IDLE_TIME));
}

/* False once the client is gone. */
static bool send_piece(streams_borrow_output_stream_t stream, cpb_span piece) {
  streams_stream_error_t stop;
  while (piece.size > 0) {
    uint64_t room;
    bool open = streams_method_output_stream_check_write(stream, &room, &stop);
    if (open && room == 0) {
      if (!wait_for_client(stream)) return false;
      continue;
    }
    server_list_u8_t some = {(uint8_t *)piece.data, (size_t)cpb_min_u64(room, piece.size)};
    if (!open || !streams_method_output_stream_write(stream, &some, &stop)) {
      streams_stream_error_free(&stop);
      return false;
    }
    piece = (cpb_span){piece.data + some.len, piece.size - some.len};
  }
  return true;
}

static void send_body(streams_borrow_output_stream_t stream, serve_reply *reply) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  streams_stream_error_t stop;
  cpb_span piece = reply->piece;
  while (piece.size > 0)
    if (!send_piece(stream, piece) || !reply->body.next(reply->body.state, &piece, &error)) return;
  if (!streams_method_output_stream_blocking_flush(stream, &stop)) streams_stream_error_free(&stop);
}

/* A body that breaks off is also finished. It is shorter than its Content-Length, so the runtime reports an error and
 * closes the connection, as the header is already sent. */
static void send_into(http_own_outgoing_body_t body, serve_reply *reply) {
  http_own_output_stream_t stream;
  http_error_code_t code;
  if (http_method_outgoing_body_write(http_borrow_outgoing_body(body), &stream)) {
    send_body(streams_borrow_output_stream(stream), reply);
    streams_output_stream_drop_own(stream);
  }
  if (!http_static_outgoing_body_finish(body, NULL, &code)) http_error_code_free(&code);
}

/* --- The reply ------------------------------------------------------------------------------------------- */

static http_own_fields_t headers_of(const serve_reply *reply) {
  http_own_fields_t fields = http_constructor_fields();
  for (size_t i = 0; i < reply->num_headers; i++) {
    const serve_header *h = &reply->headers[i];
    http_field_name_t name = {(uint8_t *)h->name, strlen(h->name)};
    http_field_value_t value = {(uint8_t *)h->value, strlen(h->value)};
    http_header_error_t wrong;
    http_method_fields_append(http_borrow_fields(fields), &name, &value, &wrong);
  }
  return fields;
}

static void send_reply(http_own_response_outparam_t out, serve_reply *reply) {
  http_own_outgoing_response_t response = http_constructor_outgoing_response(headers_of(reply));
  http_borrow_outgoing_response_t r = http_borrow_outgoing_response(response);
  http_own_outgoing_body_t body;
  http_method_outgoing_response_set_status_code(r, (uint16_t)reply->status);
  bool has_body = http_method_outgoing_response_body(r, &body);
  http_result_own_outgoing_response_error_code_t result = {.is_err = false, .val = {.ok = response}};
  http_static_response_outparam_set(out, &result);
  if (has_body) send_into(body, reply);
}

void exports_incoming_handle(exports_incoming_own_incoming_request_t request,
                             exports_incoming_own_response_outparam_t out) {
  serve_request asked = {0};
  serve_reply reply;
  take_request(http_borrow_incoming_request(request), &asked);
  if (!asked.target) asked.target = strdup("");
  serve(&asked, &reply);
  send_reply(out, &reply);
  serve_end(&reply);
  free_request(&asked);
  http_incoming_request_drop_own(request);
}
