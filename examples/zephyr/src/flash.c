/* The model in a partition of flash: the one with the label model_partition in the devicetree. */
#include <zephyr/storage/flash_map.h>

#include "device/sample.h"

static int read_partition(void *state, uint64_t offset, void *out, size_t length) {
  return flash_area_read(state, (off_t)offset, out, length);
}

const char *sample_open(device_source *source) {
  const struct flash_area *area;
  if (flash_area_open(FIXED_PARTITION_ID(model_partition), &area) != 0) return "cannot open the partition";
  *source = (device_source){read_partition, (void *)area, area->fa_size};
  return NULL;
}
