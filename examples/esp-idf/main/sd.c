/* The model in a file on an SD card, which is connected by SPI. */
#include <stdio.h>

#include "device/sample.h"
#include "driver/sdspi_host.h"
#include "driver/spi_common.h"
#include "esp_vfs_fat.h"
#include "sdmmc_cmd.h"

#define MOUNT_POINT "/sdcard"

static int read_file(void *state, uint64_t offset, void *out, size_t length) {
  if (fseek(state, (long)offset, SEEK_SET) != 0) return -1;
  return fread(out, 1, length, state) == length ? 0 : -1;
}

static esp_err_t mount_card(void) {
  static sdmmc_card_t *card;
  const esp_vfs_fat_sdmmc_mount_config_t mount = {.max_files = 1};
  const spi_bus_config_t bus = {
      .mosi_io_num = CONFIG_SAMPLE_SD_MOSI,
      .miso_io_num = CONFIG_SAMPLE_SD_MISO,
      .sclk_io_num = CONFIG_SAMPLE_SD_CLK,
      .quadwp_io_num = -1,
      .quadhd_io_num = -1,
  };
  sdmmc_host_t host = SDSPI_HOST_DEFAULT();
  sdspi_device_config_t slot = SDSPI_DEVICE_CONFIG_DEFAULT();
  slot.gpio_cs = CONFIG_SAMPLE_SD_CS;
  slot.host_id = host.slot;
  esp_err_t error = spi_bus_initialize(host.slot, &bus, SDSPI_DEFAULT_DMA);
  return error == ESP_OK ? esp_vfs_fat_sdspi_mount(MOUNT_POINT, &host, &slot, &mount, &card) : error;
}

const char *sample_open(device_source *source) {
  if (mount_card() != ESP_OK) return "cannot mount the card";
  FILE *file = fopen(MOUNT_POINT "/" CONFIG_SAMPLE_FILE, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return "cannot open " MOUNT_POINT "/" CONFIG_SAMPLE_FILE;
  *source = (device_source){read_file, file, (uint64_t)ftell(file)};
  return NULL;
}
