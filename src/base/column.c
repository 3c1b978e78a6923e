#include "base/column.h"

#include "base/checked.h"

enum { LOADED = 8 }; /* bytes that cpb_column_get() reads at once */

static uint8_t width_of(uint64_t value) {
  uint8_t width = 0;
  for (; value > 0; value >>= 8) width++;
  return width;
}

static uint64_t mask_of(uint8_t width) { return width < LOADED ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX; }

static void store(uint8_t *at, uint64_t value, uint8_t width) {
  for (uint8_t i = 0; i < width; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static bool reserve(cpb_column *c, const cpb_allocator *a, size_t count, uint8_t width) {
  size_t bytes;
  if (!cpb_mul_size(count, width, &bytes) || !cpb_add_size(bytes, LOADED, &bytes)) return false;
  return CPB_RESERVE_CLOSELY(a, &c->bytes, &c->capacity, bytes);
}

/* From the last number on, as each moves away from the one before it. */
static void widen(cpb_column *c, uint8_t width) {
  for (size_t i = c->count; i-- > 0;) store(c->bytes + i * width, cpb_column_get(c, i), width);
  c->width = width;
  c->mask = mask_of(width);
}

bool cpb_column_set(cpb_column *c, const cpb_allocator *a, size_t i, uint64_t value) {
  if (value == 0 && i >= c->count) return true;
  uint8_t width = value > c->mask ? width_of(value) : c->width;
  size_t count = cpb_max_size(c->count, i + 1);
  bool fits = width == c->width && count * width + LOADED <= c->capacity;
  if (!fits && !reserve(c, a, count, width)) return false;
  if (width > c->width) widen(c, width);
  memset(c->bytes + c->count * width, 0, (count - c->count) * width);
  c->count = count;
  store(c->bytes + i * width, value, width);
  return true;
}

bool cpb_column_copy(cpb_column *c, const cpb_allocator *a, const cpb_column *from) {
  *c = (cpb_column){.count = 0};
  if (from->count == 0) return true;
  if (!reserve(c, a, from->count, from->width)) return false;
  memcpy(c->bytes, from->bytes, from->count * from->width);
  c->count = from->count;
  c->width = from->width;
  c->mask = from->mask;
  return true;
}

void cpb_column_free(cpb_column *c, const cpb_allocator *a) {
  cpb_release(a, c->bytes);
  *c = (cpb_column){.count = 0};
}
