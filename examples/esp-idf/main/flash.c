/* The model in a partition of flash: the one with the label model in partitions.csv. */
#include "device/sample.h"
#include "esp_partition.h"

static int read_partition(void *state, uint64_t offset, void *out, size_t length) {
  return esp_partition_read(state, (size_t)offset, out, length);
}

const char *sample_open(device_source *source) {
  const esp_partition_t *found = esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, "model");
  if (!found) return "there is no partition model";
  *source = (device_source){read_partition, (void *)found, found->size};
  return NULL;
}
