#ifndef STANDIN_ESP_HTTP_CLIENT_H
#define STANDIN_ESP_HTTP_CLIENT_H

#include "esp_err.h"

typedef struct esp_http_client *esp_http_client_handle_t;
typedef enum { HTTP_EVENT_ON_HEADER = 3 } esp_http_client_event_id_t;

typedef struct {
  esp_http_client_event_id_t event_id;
  char *header_key, *header_value;
} esp_http_client_event_t;

typedef struct {
  const char *url;
  int timeout_ms;
  esp_err_t (*event_handler)(esp_http_client_event_t *event);
} esp_http_client_config_t;

esp_http_client_handle_t esp_http_client_init(const esp_http_client_config_t *config);
esp_err_t esp_http_client_set_header(esp_http_client_handle_t client, const char *key, const char *value);
esp_err_t esp_http_client_open(esp_http_client_handle_t client, int write_len);
int64_t esp_http_client_fetch_headers(esp_http_client_handle_t client);
int esp_http_client_get_status_code(esp_http_client_handle_t client);
int esp_http_client_read(esp_http_client_handle_t client, char *buffer, int len);
esp_err_t esp_http_client_close(esp_http_client_handle_t client);

#endif
