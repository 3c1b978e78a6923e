/* Requests by wasi:http 0.2: implements exchange.h. */
#include "host/url/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "host/url/address.h"
#include "serve.h"
#include "server.h"
#include "sign.h"
#include "system.h"

#define REDIRECTS 10
#define LOCATION_MAX 2048
#define PIECE ((uint64_t)64 << 10)
#define LATER 1000 /* milliseconds */

serve_traffic serve_fetched;

struct cpb_exchange {
  cpb_allocator allocator;
  const cpb_request *request;
  const cpb_receiver *receiver;
  cpb_response response;
  bool started; /* `future` is set; if not, `outcome` and `error` say why */
  http_own_future_incoming_response_t future;
  cpb_outcome outcome;
  cpb_error error;
  bool begun, stopped;
  uint64_t last; /* when bytes last arrived */
  char location[LOCATION_MAX];
  char at[LOCATION_MAX]; /* where the request was sent */
  bool is_led;           /* by redirects */
};

cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error) {
  cpb_exchange *x = cpb_alloc_zeroed(allocator, sizeof *x);
  if (!x) return cpb_fail_memory(error), NULL;
  x->allocator = *allocator;
  return x;
}

/* The runtime continues all sent requests. */
cpb_exchange *cpb_exchange_beside(cpb_exchange *home) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  return cpb_exchange_new(&home->allocator, &error);
}

void cpb_exchange_free(cpb_exchange *x) {
  if (!x) return;
  cpb_exchange_cancel(x);
  cpb_allocator allocator = x->allocator;
  cpb_release(&allocator, x);
}

bool cpb_exchange_can_sign(const cpb_exchange *x) {
  (void)x;
  return true;
}

/* --- What goes wrong ------------------------------------------------------------------------ */

/* The cases of error-code, in order; whether another attempt may succeed. */
static const struct {
  const char *name;
  bool may_pass;
} codes[] = {
    {"DNS-timeout", true},
    {"DNS-error", true},
    {"destination-not-found", true},
    {"destination-unavailable", true},
    {"destination-IP-prohibited", false},
    {"destination-IP-unroutable", true},
    {"connection-refused", true},
    {"connection-terminated", true},
    {"connection-timeout", true},
    {"connection-read-timeout", true},
    {"connection-write-timeout", true},
    {"connection-limit-reached", true},
    {"TLS-protocol-error", true},
    {"TLS-certificate-error", false},
    {"TLS-alert-received", false},
    {"HTTP-request-denied: the runtime does not let this component reach the host", false},
    {"HTTP-request-length-required", false},
    {"HTTP-request-body-size", false},
    {"HTTP-request-method-invalid", false},
    {"HTTP-request-URI-invalid", false},
    {"HTTP-request-URI-too-long", false},
    {"HTTP-request-header-section-size", false},
    {"HTTP-request-header-size", false},
    {"HTTP-request-trailer-section-size", false},
    {"HTTP-request-trailer-size", false},
    {"HTTP-response-incomplete", true},
    {"HTTP-response-header-section-size", false},
    {"HTTP-response-header-size", false},
    {"HTTP-response-body-size", true},
    {"HTTP-response-trailer-section-size", false},
    {"HTTP-response-trailer-size", false},
    {"HTTP-response-transfer-coding", false},
    {"HTTP-response-content-coding", false},
    {"HTTP-response-timeout", true},
    {"HTTP-upgrade-failed", false},
    {"HTTP-protocol-error", true},
    {"loop-detected", false},
    {"configuration-error", false},
    {"internal-error", true},
};

/* The code is freed. */
static cpb_outcome fail_with(http_error_code_t *code, cpb_error *error) {
  bool known = code->tag < sizeof codes / sizeof *codes;
  char text[120] = "";
  if (code->tag == HTTP_ERROR_CODE_INTERNAL_ERROR && code->val.internal_error.is_some)
    cpb_quote(text, sizeof text, code->val.internal_error.val.ptr, code->val.internal_error.val.len);
  cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "no response (%s%s%s)",
           known ? codes[code->tag].name : "unknown error", *text ? ": " : "", text);
  cpb_outcome outcome = known && codes[code->tag].may_pass ? CPB_INTERRUPTED : CPB_REFUSED;
  http_error_code_free(code);
  return outcome;
}

static cpb_outcome refuse(cpb_error *error, const char *text) {
  cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "%s", text);
  return CPB_REFUSED;
}

static cpb_outcome refuse_late(cpb_error *error) {
  cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "the time for reading is over");
  return CPB_REFUSED;
}

/* Waits until bytes arrive; otherwise sets the error. */
static cpb_outcome wait_for(const cpb_exchange *x, poll_own_pollable_t ready, cpb_error *error) {
  const cpb_request *r = x->request;
  uint64_t now = cpb_url_clock(), end = x->last + r->idle_time;
  bool late = r->deadline > 0 && r->deadline <= end;
  if (late) end = r->deadline;
  if (system_wait(ready, end > now ? end - now : 0)) return CPB_RECEIVED;
  if (late) return refuse_late(error);
  cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "no bytes from the server for %llu ms",
           (unsigned long long)r->idle_time);
  return CPB_INTERRUPTED;
}

/* --- The request ------------------------------------------------------------------------------ */

static bool add_header(http_borrow_fields_t fields, const char *name, size_t name_length, const char *value) {
  http_field_name_t key = {(uint8_t *)name, name_length};
  http_field_value_t text = {(uint8_t *)value, strlen(value)};
  http_header_error_t wrong;
  return http_method_fields_append(fields, &key, &text, &wrong);
}

/* Adds a header in the form "Name: value". */
static bool add_line(http_borrow_fields_t fields, const char *line) {
  const char *colon = strchr(line, ':');
  if (!colon) return false;
  const char *value = colon + 1;
  while (*value == ' ') value++;
  return add_header(fields, line, (size_t)(colon - line), value);
}

static bool add_lines(http_borrow_fields_t fields, const char *const *lines) {
  for (; lines && *lines; lines++)
    if (!add_line(fields, *lines)) return false;
  return true;
}

static bool add_signature(http_borrow_fields_t fields, const cpb_request *r, const char *url, cpb_error *error) {
  sign_headers made;
  return sign_s3(r, url, cpb_exchange_now(), &made, error) && add_line(fields, made.date) &&
         add_line(fields, made.authorization);
}

static bool set_headers(const cpb_exchange *x, http_borrow_fields_t fields, const char *url, cpb_error *error) {
  const cpb_request *r = x->request;
  bool at_home = cpb_address_same_origin(r->url, url), signs = at_home && r->keys;
  char range[64];
  cpb_format(range, sizeof range, "Range: bytes=%s", r->range ? r->range : "");
  bool set = (!r->range || add_line(fields, range)) && add_line(fields, "Accept-Encoding: identity") &&
             add_line(fields, "User-Agent: cpb/" CPB_VERSION_STRING);
  set = set && (!r->condition || add_line(fields, r->condition));
  set = set && (!at_home || (add_lines(fields, r->headers) && (!r->token || add_line(fields, r->token))));
  set = set && (!signs || (add_lines(fields, r->signed_headers) && add_signature(fields, r, url, error)));
  if (!set) cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the runtime does not take the request's headers");
  return set;
}

static bool set_target(http_borrow_outgoing_request_t request, const char *url) {
  cpb_address a;
  if (!cpb_address_parse(url, &a)) return false;
  http_scheme_t scheme = {.tag = cpb_address_has_scheme(&a, "https") ? HTTP_SCHEME_HTTPS : HTTP_SCHEME_HTTP};
  server_string_t authority = {(uint8_t *)a.host, a.host_length};
  server_string_t path = {(uint8_t *)a.path, (size_t)(a.end - a.path)};
  if (path.len == 0) path = (server_string_t){(uint8_t *)"/", 1};
  return http_method_outgoing_request_set_scheme(request, &scheme) &&
         http_method_outgoing_request_set_authority(request, &authority) &&
         http_method_outgoing_request_set_path_with_query(request, &path);
}

/* If a runtime also has such limits, they are longer than ours, whose error says more. */
static http_own_request_options_t limits_of(const cpb_request *r) {
  http_own_request_options_t options = http_constructor_request_options();
  http_borrow_request_options_t o = http_borrow_request_options(options);
  http_duration_t idle = (r->idle_time + LATER) * SYSTEM_NANOSECONDS;
  http_method_request_options_set_connect_timeout(o, &idle);
  http_method_request_options_set_first_byte_timeout(o, &idle);
  http_method_request_options_set_between_bytes_timeout(o, &idle);
  return options;
}

static cpb_outcome send_request(cpb_exchange *x, const char *url, http_own_future_incoming_response_t *future,
                                cpb_error *error) {
  http_own_fields_t fields = http_constructor_fields();
  if (!set_headers(x, http_borrow_fields(fields), url, error)) {
    http_fields_drop_own(fields);
    return CPB_REFUSED;
  }
  http_own_outgoing_request_t request = http_constructor_outgoing_request(fields);
  if (!set_target(http_borrow_outgoing_request(request), url)) {
    http_outgoing_request_drop_own(request);
    return refuse(error, "the runtime does not take the URL");
  }
  http_own_request_options_t options = limits_of(x->request);
  http_error_code_t code;
  serve_fetched.requests++;
  return outgoing_handle(request, &options, future, &code) ? CPB_RECEIVED : fail_with(&code, error);
}

/* --- The response ------------------------------------------------------------------------------- */

static bool is_location(const http_field_name_t *name) {
  static const char location[] = "location";
  if (name->len != sizeof location - 1) return false;
  for (size_t i = 0; i < name->len; i++)
    if ((name->ptr[i] | 0x20) != location[i]) return false;
  return true;
}

static void take_header(cpb_exchange *x, const http_field_name_t *name, const http_field_value_t *value) {
  char line[512];
  size_t length = name->len + 1 + value->len;
  if (is_location(name) && value->len < LOCATION_MAX) {
    memcpy(x->location, value->ptr, value->len);
    x->location[value->len] = 0;
  }
  if (length > sizeof line) return; /* not a header that matters */
  memcpy(line, name->ptr, name->len);
  line[name->len] = ':';
  memcpy(line + name->len + 1, value->ptr, value->len);
  cpb_response_line(&x->response, line, length);
}

static void take_head(cpb_exchange *x, http_borrow_incoming_response_t response) {
  http_own_headers_t headers = http_method_incoming_response_headers(response);
  http_list_tuple2_field_name_field_value_t all;
  x->response = (cpb_response){.status = http_method_incoming_response_status(response)};
  *x->location = 0;
  http_method_fields_entries(http_borrow_fields(headers), &all);
  for (size_t i = 0; i < all.len; i++) take_header(x, &all.ptr[i].f0, &all.ptr[i].f1);
  http_list_tuple2_field_name_field_value_free(&all);
  http_fields_drop_own(headers);
}

static bool is_redirect(const cpb_exchange *x) {
  int status = x->response.status;
  return *x->location && (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

/* The outcome after a stream's error, which is freed. The end of the stream is not a failure. */
static cpb_outcome end_of_stream(streams_stream_error_t *stop, cpb_error *error) {
  if (stop->tag == STREAMS_STREAM_ERROR_CLOSED) return CPB_RECEIVED;
  server_string_t said;
  char text[120];
  io_error_method_error_to_debug_string(io_error_borrow_error(stop->val.last_operation_failed), &said);
  cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "the response broke off (%s)",
           cpb_quote(text, sizeof text, said.ptr, said.len));
  server_string_free(&said);
  streams_stream_error_free(stop);
  return CPB_INTERRUPTED;
}

static cpb_outcome take_stream(cpb_exchange *x, streams_borrow_input_stream_t stream, cpb_error *error) {
  cpb_outcome outcome = CPB_RECEIVED;
  while (outcome == CPB_RECEIVED && !x->stopped) {
    server_list_u8_t piece;
    streams_stream_error_t stop;
    if (!streams_method_input_stream_read(stream, PIECE, &piece, &stop)) return end_of_stream(&stop, error);
    if (piece.len > 0) {
      x->last = cpb_url_clock();
      serve_fetched.bytes += piece.len;
      x->stopped = !x->receiver->take(x->receiver->user, piece.ptr, piece.len);
    }
    bool came = piece.len > 0;
    server_list_u8_free(&piece);
    if (!came) outcome = wait_for(x, streams_method_input_stream_subscribe(stream), error);
    else if (x->request->deadline > 0 && x->last >= x->request->deadline) return refuse_late(error);
  }
  return outcome;
}

static cpb_outcome take_body(cpb_exchange *x, http_borrow_incoming_response_t response, cpb_error *error) {
  http_own_incoming_body_t body;
  http_own_input_stream_t stream;
  if (!http_method_incoming_response_consume(response, &body)) return refuse(error, "the response has no body");
  cpb_outcome outcome = CPB_REFUSED;
  if (http_method_incoming_body_stream(http_borrow_incoming_body(body), &stream)) {
    outcome = take_stream(x, streams_borrow_input_stream(stream), error);
    streams_input_stream_drop_own(stream);
  }
  http_incoming_body_drop_own(body);
  return outcome;
}

static cpb_outcome take_response(cpb_exchange *x, http_own_incoming_response_t response, cpb_error *error) {
  cpb_outcome outcome = CPB_RECEIVED;
  x->last = cpb_url_clock();
  take_head(x, http_borrow_incoming_response(response));
  if (!is_redirect(x)) {
    x->begun = true;
    serve_note(x->request->url, &x->response);
    x->stopped = !x->receiver->begin(x->receiver->user, &x->response);
    if (!x->stopped) outcome = take_body(x, http_borrow_incoming_response(response), error);
  }
  http_incoming_response_drop_own(response);
  return outcome;
}

void cpb_exchange_cancel(cpb_exchange *x) {
  if (x->started) http_future_incoming_response_drop_own(x->future);
  x->started = false;
}

/* Begins what `drive` ends. */
static void begin(cpb_exchange *x, const char *url) {
  cpb_exchange_cancel(x);
  cpb_error_begin(&x->error, NULL);
  x->begun = x->stopped = false;
  x->outcome = send_request(x, url, &x->future, &x->error);
  x->started = x->outcome == CPB_RECEIVED;
}

static cpb_outcome drive(cpb_exchange *x, cpb_error *error) {
  http_result_result_own_incoming_response_error_code_void_t result;
  if (!x->started) {
    *error = x->error;
    return x->outcome;
  }
  x->last = cpb_url_clock();
  http_borrow_future_incoming_response_t f = http_borrow_future_incoming_response(x->future);
  cpb_outcome outcome = wait_for(x, http_method_future_incoming_response_subscribe(f), error);
  if (outcome != CPB_RECEIVED) return outcome;
  bool there = http_method_future_incoming_response_get(f, &result) && !result.is_err;
  if (!there) return refuse(error, "the runtime has lost the response");
  if (result.val.ok.is_err) return fail_with(&result.val.ok.val.err, error);
  return take_response(x, result.val.ok.val.ok, error);
}

/* --- Redirects ------------------------------------------------------------------------------------ */

/* The URL that a response to `url` redirects to, as text in `out`. */
static bool resolve(const char *url, const char *location, char *out, size_t size) {
  cpb_address from;
  if (!cpb_address_parse(url, &from)) return false;
  size_t keep = 0;
  if (!strncmp(location, "//", 2)) keep = from.scheme_length + 1;
  else if (*location == '/') keep = (size_t)(from.path - url);
  if (keep + strlen(location) >= size) return false;
  memcpy(out, url, keep);
  strcpy(out + keep, location);
  return true;
}

static bool next_url(const cpb_exchange *x, const char *from, char *to, cpb_error *error) {
  cpb_address before, after;
  bool good = resolve(from, x->location, to, LOCATION_MAX) && cpb_address_parse(from, &before) &&
              cpb_address_parse(to, &after) && cpb_address_is_http(&after);
  const char *wrong = NULL;
  if (!good) wrong = "no http or https URL";
  else if (cpb_address_has_scheme(&before, "https") && !cpb_address_has_scheme(&after, "https"))
    wrong = "http instead of https";
  else if (!cpb_address_same_origin(x->request->url, to) && !settings_allow(to))
    wrong = "an origin that no model is configured for";
  if (wrong)
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server answered %d, which leads to %s", x->response.status, wrong);
  return !wrong;
}

void cpb_exchange_start(cpb_exchange *x, const cpb_request *request, const cpb_receiver *receiver) {
  x->request = request;
  x->receiver = receiver;
  x->is_led = false;
  const char *url = request->target ? request->target : request->url;
  cpb_format(x->at, sizeof x->at, "%s", strlen(url) < sizeof x->at ? url : "");
  begin(x, url);
}

cpb_outcome cpb_exchange_finish(cpb_exchange *x, cpb_error *error) {
  char next[LOCATION_MAX];
  cpb_outcome outcome = drive(x, error);
  for (unsigned left = REDIRECTS; outcome == CPB_RECEIVED && !x->begun; left--) {
    if (left == 0) cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server redirects more than %d times", REDIRECTS);
    if (left == 0 || !next_url(x, x->at, next, error)) {
      outcome = CPB_REFUSED;
      break;
    }
    begin(x, next);
    memcpy(x->at, next, sizeof next);
    x->is_led = true;
    outcome = drive(x, error);
  }
  cpb_exchange_cancel(x);
  return outcome;
}

const char *cpb_exchange_led_to(const cpb_exchange *x) { return x->is_led ? x->at : NULL; }
