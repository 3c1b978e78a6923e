/* ESP-IDF's HTTP client, as far as the example needs it: one header, of one client. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "esp_http_client.h"

struct esp_http_client {
  esp_http_client_config_t config;
  char host[64], port[8], path[256], header[128];
  int connection, status;
};

esp_http_client_handle_t esp_http_client_init(const esp_http_client_config_t *config) {
  static struct esp_http_client client;
  client.config = *config;
  client.connection = -1;
  return sscanf(config->url, "http://%63[^:/]:%7[0-9]%255s", client.host, client.port, client.path) == 3 ? &client
                                                                                                         : NULL;
}

esp_err_t esp_http_client_set_header(esp_http_client_handle_t client, const char *key, const char *value) {
  snprintf(client->header, sizeof client->header, "%s: %s", key, value);
  return ESP_OK;
}

esp_err_t esp_http_client_open(esp_http_client_handle_t client, int write_len) {
  char text[640];
  int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", client->path, client->host,
                        client->header);
  client->connection = standin_connect(client->host, client->port);
  client->status = 0;
  return write_len == 0 && client->connection >= 0 &&
                 send(client->connection, text, (size_t)length, MSG_NOSIGNAL) == length
             ? ESP_OK
             : ESP_FAIL;
}

int64_t esp_http_client_fetch_headers(esp_http_client_handle_t client) {
  char line[1024];
  int64_t content_length = 0;
  int length;
  if (standin_line(client->connection, line, sizeof line) < 0) return ESP_FAIL;
  client->status = standin_status(line);
  while ((length = standin_line(client->connection, line, sizeof line)) > 0) {
    char *colon = strchr(line, ':');
    if (!colon) return ESP_FAIL;
    *colon = '\0';
    esp_http_client_event_t event = {HTTP_EVENT_ON_HEADER, line, colon + 1 + strspn(colon + 1, " ")};
    client->config.event_handler(&event);
    if (strcmp(line, "Content-Length") == 0) content_length = strtoll(event.header_value, NULL, 10);
  }
  return length == 0 ? content_length : ESP_FAIL;
}

int esp_http_client_get_status_code(esp_http_client_handle_t client) { return client->status; }

int esp_http_client_read(esp_http_client_handle_t client, char *buffer, int len) {
  return (int)recv(client->connection, buffer, (size_t)len, 0);
}

esp_err_t esp_http_client_close(esp_http_client_handle_t client) {
  if (client->connection >= 0) close(client->connection);
  client->connection = -1;
  return ESP_OK;
}
