/* What the samples use of ESP-IDF; CMakeLists.txt makes a header of each name below that includes this one. */
#ifndef STANDIN_ESP_IDF_H
#define STANDIN_ESP_IDF_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "standin.h"

/* --- esp_err.h -------------------------------------------------------------------------------- */

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1 };

/* --- freertos/task.h -------------------------------------------------------------------------- */

static inline void vTaskDelay(uint32_t ticks) { (void)ticks; }

/* --- esp_event.h ------------------------------------------------------------------------------ */

static inline esp_err_t esp_event_loop_create_default(void) { return ESP_OK; }

/* --- esp_netif.h ------------------------------------------------------------------------------ */

static inline esp_err_t esp_netif_init(void) { return ESP_OK; }

/* --- nvs_flash.h ------------------------------------------------------------------------------ */

static inline esp_err_t nvs_flash_init(void) { return ESP_OK; }

/* --- protocol_examples_common.h --------------------------------------------------------------- */

static inline esp_err_t example_connect(void) { return ESP_OK; }

/* --- esp_timer.h ------------------------------------------------------------------------------ */

static inline int64_t esp_timer_get_time(void) { return (int64_t)clock() * 1000000 / CLOCKS_PER_SEC; }

/* --- esp_partition.h -------------------------------------------------------------------------- */

typedef enum { ESP_PARTITION_TYPE_DATA = 1 } esp_partition_type_t;
typedef enum { ESP_PARTITION_SUBTYPE_ANY = 0xff } esp_partition_subtype_t;
typedef struct {
  uint32_t size;
} esp_partition_t;

static inline const esp_partition_t *esp_partition_find_first(esp_partition_type_t type,
                                                              esp_partition_subtype_t subtype, const char *label) {
  static esp_partition_t partition;
  partition.size = (uint32_t)standin_flash_size();
  return type == ESP_PARTITION_TYPE_DATA && subtype == ESP_PARTITION_SUBTYPE_ANY && strcmp(label, "model") == 0
             ? &partition
             : NULL;
}

static inline esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *out, size_t size) {
  (void)partition;
  return standin_flash_read(offset, out, size);
}

/* --- esp_http_client.h ------------------------------------------------------------------------ */

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

/* --- driver/spi_common.h ---------------------------------------------------------------------- */

typedef enum { SPI2_HOST = 1 } spi_host_device_t;
typedef enum { SPI_DMA_CH_AUTO = 3 } spi_dma_chan_t;
typedef struct {
  int mosi_io_num, miso_io_num, sclk_io_num, quadwp_io_num, quadhd_io_num;
} spi_bus_config_t;

static inline esp_err_t spi_bus_initialize(spi_host_device_t host, const spi_bus_config_t *bus, spi_dma_chan_t dma) {
  return host == SPI2_HOST && bus->mosi_io_num != bus->miso_io_num && dma == SPI_DMA_CH_AUTO ? ESP_OK : ESP_FAIL;
}

/* --- driver/sdspi_host.h ---------------------------------------------------------------------- */

typedef struct {
  int slot;
} sdmmc_host_t;
typedef struct {
  spi_host_device_t host_id;
  int gpio_cs;
} sdspi_device_config_t;

#define SDSPI_DEFAULT_DMA SPI_DMA_CH_AUTO
#define SDSPI_HOST_DEFAULT() {.slot = SPI2_HOST}
#define SDSPI_DEVICE_CONFIG_DEFAULT() {.host_id = SPI2_HOST, .gpio_cs = -1}

/* --- sdmmc_cmd.h ------------------------------------------------------------------------------ */

typedef struct {
  int unused;
} sdmmc_card_t;

/* --- esp_vfs_fat.h ---------------------------------------------------------------------------- */

/* The card is the folder CARD in the environment: what is opened below /sdcard is opened there. */

typedef struct {
  bool format_if_mount_failed;
  int max_files;
} esp_vfs_fat_sdmmc_mount_config_t;

static inline esp_err_t esp_vfs_fat_sdspi_mount(const char *base, const sdmmc_host_t *host,
                                                const sdspi_device_config_t *slot,
                                                const esp_vfs_fat_sdmmc_mount_config_t *mount, sdmmc_card_t **card) {
  static sdmmc_card_t found;
  *card = &found;
  return strcmp(base, "/sdcard") == 0 && host->slot == SPI2_HOST && slot->gpio_cs >= 0 && mount->max_files > 0 &&
                 standin_text("CARD")[0]
             ? ESP_OK
             : ESP_FAIL;
}

static inline FILE *standin_fopen(const char *path, const char *mode) {
  char name[512];
  snprintf(name, sizeof name, "%s%s", standin_text("CARD"), path + strlen("/sdcard"));
  return fopen(name, mode);
}
#define fopen standin_fopen

#endif
