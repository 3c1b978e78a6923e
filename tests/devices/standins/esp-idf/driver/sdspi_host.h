#ifndef STANDIN_SDSPI_HOST_H
#define STANDIN_SDSPI_HOST_H

#include "driver/spi_common.h"

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

#endif
