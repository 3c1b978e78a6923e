#ifndef STANDIN_SPI_COMMON_H
#define STANDIN_SPI_COMMON_H

#include "esp_err.h"

typedef enum { SPI2_HOST = 1 } spi_host_device_t;
typedef enum { SPI_DMA_CH_AUTO = 3 } spi_dma_chan_t;
typedef struct {
  int mosi_io_num, miso_io_num, sclk_io_num, quadwp_io_num, quadhd_io_num;
} spi_bus_config_t;

static inline esp_err_t spi_bus_initialize(spi_host_device_t host, const spi_bus_config_t *bus, spi_dma_chan_t dma) {
  return host == SPI2_HOST && bus->mosi_io_num != bus->miso_io_num && dma == SPI_DMA_CH_AUTO ? ESP_OK : ESP_FAIL;
}

#endif
