#ifndef STANDIN_ZEPHYR_HTTP_CLIENT_H
#define STANDIN_ZEPHYR_HTTP_CLIENT_H

#include "standin.h"

enum http_final_call { HTTP_DATA_MORE = 0, HTTP_DATA_FINAL = 1 };
enum http_method { HTTP_GET = 1 };

struct http_content_range {
  uint64_t start, end, total;
};

struct http_response {
  uint8_t *body_frag_start;
  size_t body_frag_len, content_length;
  uint16_t http_status_code;
  struct http_content_range content_range;
  uint8_t cr_present : 1;
};

typedef int (*http_response_cb_t)(struct http_response *response, enum http_final_call final, void *user_data);

struct http_request {
  enum http_method method;
  http_response_cb_t response;
  uint8_t *recv_buf;
  size_t recv_buf_len;
  const char *url, *protocol, *host, *port;
  const char *const *header_fields;
};

int http_client_req(int sock, struct http_request *req, int32_t timeout, void *user_data);

#endif
