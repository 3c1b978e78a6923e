#ifndef STANDIN_ZEPHYR_FLASH_MAP_H
#define STANDIN_ZEPHYR_FLASH_MAP_H

#include <sys/types.h>

#include "standin.h"

struct flash_area {
  size_t fa_size;
};

enum { standin_partition_model_partition };
#define FIXED_PARTITION_ID(label) standin_partition_##label

static inline int flash_area_open(uint8_t id, const struct flash_area **out) {
  static struct flash_area area;
  (void)id;
  area.fa_size = standin_flash_size();
  *out = &area;
  return 0;
}

static inline int flash_area_read(const struct flash_area *area, off_t offset, void *out, size_t length) {
  (void)area;
  return standin_flash_read((uint64_t)offset, out, length);
}

#endif
