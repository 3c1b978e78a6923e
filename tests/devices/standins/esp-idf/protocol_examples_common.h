#include "esp_err.h"

static inline esp_err_t example_connect(void) { return ESP_OK; }
