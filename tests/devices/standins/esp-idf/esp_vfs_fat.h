/* The card is the folder CARD in the environment: what is opened below /sdcard is opened there. */
#ifndef STANDIN_ESP_VFS_FAT_H
#define STANDIN_ESP_VFS_FAT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "driver/sdspi_host.h"
#include "sdmmc_cmd.h"

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
