/* Reads a field and a chunk of a model: what ESP-IDF has for that. What is done with it is in ../../device. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/sample.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

enum { REST_EVERY_US = 1000000 };

static uint8_t window[CONFIG_SAMPLE_READ_SIZE];

static void *take(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void *resize(void *user, void *block, size_t old_size, size_t size) {
  (void)user;
  (void)old_size;
  return realloc(block, size);
}

static void give_back(void *user, void *block) {
  (void)user;
  free(block);
}

static uint32_t now(void) { return (uint32_t)esp_timer_get_time(); }

/* Lets the idle task run once a second, which the task watchdog waits for. */
static void between(void) {
  static uint32_t rested;
  if (now() - rested < REST_EVERY_US) return;
  vTaskDelay(1);
  rested = now();
}

void app_main(void) {
  const cpb_allocator allocator = {NULL, take, resize, give_back};
  const sample s = {
      .allocator = &allocator,
      .memory = CONFIG_SAMPLE_MEMORY,
      .manifest = {CONFIG_SAMPLE_MODEL_SIZE, CONFIG_SAMPLE_MODEL_SHA256},
      .field = CONFIG_SAMPLE_FIELD,
      .chunk = CONFIG_SAMPLE_CHUNK,
      .ticks = "us",
  };
  device_reader d = {.window = window, .window_size = sizeof window, .between = between, .now = now};
  printf(sample_run(&d, &s) == 0 ? "done\n" : "failed\n");
}
