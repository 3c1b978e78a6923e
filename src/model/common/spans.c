#include "model/common/spans.h"

#include "base/checked.h"

/* How many bytes at least, at the beginning, are the same. WebAssembly's C libraries compare byte by
 * byte, and paths have long beginnings in common. */
static size_t same(const uint8_t *a, const uint8_t *b, size_t size) {
  size_t n = 0;
#ifdef __wasm__
  for (uint64_t x, y; n + sizeof x <= size; n += sizeof x) {
    memcpy(&x, a + n, sizeof x);
    memcpy(&y, b + n, sizeof y);
    if (x != y) break;
  }
#else
  (void)a, (void)b, (void)size;
#endif
  return n;
}

int cpb_span_compare(cpb_span a, cpb_span b) {
  size_t size = cpb_min_size(a.size, b.size);
  size_t begin = same(a.data, b.data, size);
  int order = size > begin ? memcmp(a.data + begin, b.data + begin, size - begin) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static uint8_t small(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c; }

bool cpb_span_contains(cpb_span text, cpb_span part) {
  for (size_t at = 0; at + part.size <= text.size; at++) {
    size_t i = 0;
    while (i < part.size && small(text.data[at + i]) == small(part.data[i])) i++;
    if (i == part.size) return true;
  }
  return false;
}
