/* Zephyr's HTTP client, as far as the sample needs it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <zephyr/net/http/client.h>

static int send_request(int sock, const struct http_request *req) {
  char text[1024];
  int length = snprintf(text, sizeof text, "GET %s %s\r\nHost: %s:%s\r\n%s\r\n", req->url, req->protocol, req->host,
                        req->port, req->header_fields[0]);
  return send(sock, text, (size_t)length, MSG_NOSIGNAL) == length ? length : -EPIPE;
}

/* False: there is no response. */
static int receive_headers(int sock, struct http_response *response) {
  char line[1024];
  if (standin_line(sock, line, sizeof line) < 0) return 0;
  response->http_status_code = (uint16_t)standin_status(line);
  int length;
  while ((length = standin_line(sock, line, sizeof line)) > 0) {
    struct http_content_range *range = &response->content_range;
    const char *value = standin_header(line, "Content-Range");
    if (value &&
        sscanf(value, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &range->start, &range->end, &range->total) == 3)
      response->cr_present = 1;
    value = standin_header(line, "Content-Length");
    if (value) response->content_length = strtoul(value, NULL, 10);
  }
  return length == 0;
}

/* In fragments of the buffer's size; the last call has none, as with the real one. */
int http_client_req(int sock, struct http_request *req, int32_t timeout, void *user_data) {
  struct http_response response = {.body_frag_len = 0};
  (void)timeout;
  int sent = send_request(sock, req);
  if (sent < 0) return sent;
  if (!receive_headers(sock, &response)) {
    req->response(&response, HTTP_DATA_FINAL, user_data);
    return sent;
  }
  for (size_t left = response.content_length; left > 0; left -= response.body_frag_len) {
    ssize_t got = recv(sock, req->recv_buf, left < req->recv_buf_len ? left : req->recv_buf_len, 0);
    if (got <= 0) break;
    response.body_frag_start = req->recv_buf;
    response.body_frag_len = (size_t)got;
    int error = req->response(&response, HTTP_DATA_MORE, user_data);
    if (error < 0) return error;
  }
  response.body_frag_len = 0;
  int error = req->response(&response, HTTP_DATA_FINAL, user_data);
  return error < 0 ? error : sent;
}
