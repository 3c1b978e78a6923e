/* The model on a server, by ranges. A range is one request. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "device/sample.h"
#include "esp_event.h"
#include "esp_http_client.h"
#include "esp_netif.h"
#include "nvs_flash.h"
#include "protocol_examples_common.h"

enum { TIMEOUT_MS = 10000, PARTIAL_CONTENT = 206 };

static esp_http_client_handle_t client;
static uint64_t size, total; /* of the file, and what the last response says of it */

/* Content-Range: bytes FIRST-LAST/TOTAL */
static esp_err_t on_event(esp_http_client_event_t *event) {
  if (event->event_id == HTTP_EVENT_ON_HEADER && strcasecmp(event->header_key, "Content-Range") == 0 &&
      sscanf(event->header_value, "bytes %*u-%*u/%" SCNu64, &total) != 1)
    total = 0;
  return ESP_OK;
}

/* What was asked for must come whole, as nothing else is read of the response. */
static int receive(uint8_t *out, size_t length) {
  size_t got = 0;
  while (got < length) {
    int count = esp_http_client_read(client, (char *)out + got, (int)(length - got));
    if (count <= 0) return -1;
    got += (size_t)count;
  }
  return 0;
}

/* Returns the status of the response, or 0 when there is none, or not all of it. */
static int ask(uint64_t offset, void *out, size_t length) {
  char range[64];
  snprintf(range, sizeof range, "bytes=%" PRIu64 "-%" PRIu64, offset, offset + length - 1);
  total = 0;
  if (esp_http_client_set_header(client, "Range", range) != ESP_OK || esp_http_client_open(client, 0) != ESP_OK)
    return 0;
  int status = 0;
  if (esp_http_client_fetch_headers(client) >= 0) status = esp_http_client_get_status_code(client);
  if (status == PARTIAL_CONTENT && receive(out, length) != 0) status = 0;
  esp_http_client_close(client);
  return status;
}

static int read_range(void *state, uint64_t offset, void *out, size_t length) {
  (void)state;
  return ask(offset, out, length) == PARTIAL_CONTENT && total == size ? 0 : -1; /* another size: another file by now */
}

/* As all examples of ESP-IDF do, by Wi-Fi or Ethernet. */
static esp_err_t join_network(void) {
  esp_err_t error = nvs_flash_init();
  if (error == ESP_OK) error = esp_netif_init();
  if (error == ESP_OK) error = esp_event_loop_create_default();
  return error == ESP_OK ? example_connect() : error;
}

const char *sample_open(device_source *source) {
  static char problem[96];
  const esp_http_client_config_t how = {.url = CONFIG_SAMPLE_URL, .timeout_ms = TIMEOUT_MS, .event_handler = on_event};
  uint8_t first;
  if (join_network() != ESP_OK) return "cannot join the network";
  client = esp_http_client_init(&how);
  int status = client ? ask(0, &first, 1) : 0;
  if (status == 0) return "the server cannot be reached";
  if (status != PARTIAL_CONTENT || total == 0) {
    snprintf(problem, sizeof problem, "the server answers with status %d; expected 206 and a Content-Range", status);
    return problem;
  }
  size = total;
  *source = (device_source){read_range, NULL, size};
  return NULL;
}
