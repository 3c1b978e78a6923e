/* Reads a field and a chunk of a model: what Zephyr has for that. What is done with it is in ../../device. */
#include <stdint.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/sys_heap.h>

#include "device/sample.h"

static uint8_t window[CONFIG_SAMPLE_READ_SIZE];
static uint64_t memory[CONFIG_SAMPLE_HEAP_SIZE / sizeof(uint64_t)];
static struct sys_heap heap;

/* Blocks are aligned as those of malloc, for 64-bit numbers. */
static void *take(void *user, size_t size) {
  ARG_UNUSED(user);
  return sys_heap_aligned_alloc(&heap, sizeof(uint64_t), size);
}

static void *resize(void *user, void *block, size_t old_size, size_t size) {
  ARG_UNUSED(user);
  ARG_UNUSED(old_size);
  return sys_heap_aligned_realloc(&heap, block, sizeof(uint64_t), size);
}

static void give_back(void *user, void *block) {
  ARG_UNUSED(user);
  sys_heap_free(&heap, block);
}

static uint32_t now(void) { return k_cycle_get_32(); }

/* Lets threads of the same priority run. A watchdog would be fed here, too. */
static void between(void) { k_yield(); }

int main(void) {
  const cpb_allocator allocator = {NULL, take, resize, give_back};
  const sample s = {
      .allocator = &allocator,
      .memory = CONFIG_SAMPLE_MEMORY,
      .manifest = {CONFIG_SAMPLE_MODEL_SIZE, CONFIG_SAMPLE_MODEL_SHA256},
      .field = CONFIG_SAMPLE_FIELD,
      .chunk = CONFIG_SAMPLE_CHUNK,
      .ticks = "cycles",
  };
  device_reader d = {.window = window, .window_size = sizeof window, .between = between, .now = now};
  sys_heap_init(&heap, memory, sizeof memory);
  int status = sample_run(&d, &s);
  printk(status == 0 ? "done\n" : "failed\n");
  return 0; /* all that Zephyr allows of main() */
}
