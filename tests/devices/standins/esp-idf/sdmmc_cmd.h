#ifndef STANDIN_SDMMC_CMD_H
#define STANDIN_SDMMC_CMD_H

typedef struct {
  int unused;
} sdmmc_card_t;

#endif
