#include "host/url/windows.h"

#include "base/checked.h"

void cpb_windows_init(cpb_windows *w, const cpb_allocator *a) {
  *w = (cpb_windows){.allocator = *a, .least = CPB_WINDOW_LEAST};
  for (size_t i = 0; i < CPB_WINDOWS; i++) cpb_buffer_init(&w->kept[i].bytes, a);
}

void cpb_windows_clear(cpb_windows *w) {
  for (size_t i = 0; i < CPB_WINDOWS; i++) cpb_buffer_reset(&w->kept[i].bytes, 0);
}

void cpb_windows_free(cpb_windows *w) {
  for (size_t i = 0; i < CPB_WINDOWS; i++) cpb_buffer_free(&w->kept[i].bytes);
}

const uint8_t *cpb_windows_find(cpb_windows *w, uint64_t offset, size_t *length) {
  for (size_t i = 0; i < CPB_WINDOWS; i++) {
    cpb_window *k = &w->kept[i];
    if (offset < k->begin || offset - k->begin >= k->bytes.size) continue;
    k->used = ++w->clock;
    *length = k->bytes.size - (size_t)(offset - k->begin);
    return k->bytes.data + (offset - k->begin);
  }
  *length = 0;
  return NULL;
}

size_t cpb_windows_plan(cpb_windows *w, uint64_t offset, uint64_t wanted, uint64_t size) {
  uint64_t length = offset == w->next ? 2 * (uint64_t)w->step : w->least;
  length = cpb_min_u64(cpb_max_u64(cpb_max_u64(length, wanted), w->least), CPB_WINDOW_MOST);
  length = cpb_min_u64(length, size > offset ? size - offset : 0);
  for (size_t i = 0; i < CPB_WINDOWS; i++) {
    const cpb_window *k = &w->kept[i];
    if (k->bytes.size > 0 && k->begin > offset) length = cpb_min_u64(length, k->begin - offset);
  }
  w->step = (size_t)length;
  w->next = offset + length;
  return (size_t)length;
}

/* The one that was used longest ago, or one that is empty. */
static cpb_window *oldest(cpb_windows *w) {
  cpb_window *found = &w->kept[0];
  for (size_t i = 1; i < CPB_WINDOWS; i++) {
    cpb_window *k = &w->kept[i];
    if (found->bytes.size > 0 && (k->bytes.size == 0 || k->used < found->used)) found = k;
  }
  return found;
}

static size_t all_kept(const cpb_windows *w) {
  size_t sum = 0;
  for (size_t i = 0; i < CPB_WINDOWS; i++) sum += w->kept[i].bytes.capacity;
  return sum;
}

/* The one with bytes that was used longest ago. */
static cpb_window *oldest_full(cpb_windows *w) {
  cpb_window *found = NULL;
  for (size_t i = 0; i < CPB_WINDOWS; i++) {
    cpb_window *k = &w->kept[i];
    if (k->bytes.size > 0 && (!found || k->used < found->used)) found = k;
  }
  return found;
}

cpb_window *cpb_windows_add(cpb_windows *w, uint64_t offset) {
  for (cpb_window *k; all_kept(w) > CPB_WINDOW_MOST && (k = oldest_full(w));) cpb_buffer_reset(&k->bytes, 0);
  cpb_window *window = oldest(w);
  cpb_buffer_reset(&window->bytes, 0);
  window->begin = offset;
  window->used = ++w->clock;
  return window;
}
