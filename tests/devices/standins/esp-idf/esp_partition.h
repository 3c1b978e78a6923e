#ifndef STANDIN_ESP_PARTITION_H
#define STANDIN_ESP_PARTITION_H

#include <string.h>

#include "esp_err.h"

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

#endif
