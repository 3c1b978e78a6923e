#ifndef STANDIN_ESP_ERR_H
#define STANDIN_ESP_ERR_H

#include "standin.h"

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1 };

#endif
