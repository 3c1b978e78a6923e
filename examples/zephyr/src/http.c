/* The model on a server, by ranges. A range is one request; the connection is kept. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/net/http/client.h>
#include <zephyr/net/socket.h>

#include "device/sample.h"

enum { TIMEOUT_MS = 10000, PARTIAL_CONTENT = 206 };

/* A range that is asked for, and what came of it. */
typedef struct range {
  uint64_t offset;
  uint8_t *out;
  size_t length, got;
  uint64_t total; /* of the file */
  uint16_t status;
} range;

static int connection = -1;
static uint8_t received[1024]; /* a response's headers, or a part of its body */

static int connect_to_server(void) {
  const struct zsock_addrinfo how = {.ai_socktype = SOCK_STREAM};
  struct zsock_addrinfo *found;
  if (zsock_getaddrinfo(CONFIG_SAMPLE_HTTP_HOST, CONFIG_SAMPLE_HTTP_PORT, &how, &found) != 0) return -1;
  int s = zsock_socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (s >= 0 && zsock_connect(s, found->ai_addr, found->ai_addrlen) != 0) {
    zsock_close(s);
    s = -1;
  }
  zsock_freeaddrinfo(found);
  return s;
}

static void disconnect(void) {
  if (connection >= 0) zsock_close(connection);
  connection = -1;
}

static int on_response(struct http_response *response, enum http_final_call final, void *user) {
  range *r = user;
  ARG_UNUSED(final);
  r->status = response->http_status_code;
  if (response->cr_present && response->content_range.start == r->offset) r->total = response->content_range.total;
  if (response->body_frag_len == 0) return 0;
  if (r->status != PARTIAL_CONTENT || response->body_frag_len > r->length - r->got) return -EBADMSG;
  memcpy(r->out + r->got, response->body_frag_start, response->body_frag_len);
  r->got += response->body_frag_len;
  return 0;
}

static int ask(range *r) {
  char header[64];
  snprintf(header, sizeof header, "Range: bytes=%" PRIu64 "-%" PRIu64 "\r\n", r->offset, r->offset + r->length - 1);
  const char *headers[] = {header, NULL};
  struct http_request request = {
      .method = HTTP_GET,
      .url = CONFIG_SAMPLE_HTTP_PATH,
      .host = CONFIG_SAMPLE_HTTP_HOST,
      .port = CONFIG_SAMPLE_HTTP_PORT,
      .protocol = "HTTP/1.1",
      .header_fields = headers,
      .response = on_response,
      .recv_buf = received,
      .recv_buf_len = sizeof received,
  };
  r->got = 0;
  r->status = 0;
  r->total = 0;
  if (connection < 0) connection = connect_to_server();
  if (connection >= 0 && http_client_req(connection, &request, TIMEOUT_MS, r) >= 0 && r->got == r->length) return 0;
  disconnect();
  return -1;
}

/* Asks twice if there is no answer: the server may have closed the connection. */
static int ask_for(range *r) { return ask(r) == 0 || (r->status == 0 && ask(r) == 0) ? 0 : -1; }

static int read_range(void *state, uint64_t offset, void *out, size_t length) {
  const uint64_t *size = state;
  range r = {.offset = offset, .out = out, .length = length};
  return ask_for(&r) == 0 && r.total == *size ? 0 : -1; /* another size: another file by now */
}

const char *sample_open(device_source *source) {
  static uint64_t size;
  static char problem[96];
  uint8_t first;
  range r = {.out = &first, .length = 1};
  if (ask_for(&r) != 0 || r.total == 0) {
    snprintf(problem, sizeof problem, "the server answers with status %u; expected 206 and a Content-Range",
             (unsigned)r.status);
    return r.status == 0 ? "the server cannot be reached" : problem;
  }
  size = r.total;
  *source = (device_source){read_range, &size, size};
  return NULL;
}
