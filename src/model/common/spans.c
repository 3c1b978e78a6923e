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

cpb_span cpb_span_take(cpb_span *text, char sign) {
  const uint8_t *found = text->size > 0 ? memchr(text->data, sign, text->size) : NULL;
  const cpb_span taken = {text->data, found ? (size_t)(found - text->data) : text->size};
  *text = cpb_span_from(*text, taken.size + (found ? 1 : 0));
  return taken;
}

bool cpb_span_is_one_of(cpb_span a, const char *const *list) {
  while (*list && !cpb_span_is(a, *list)) list++;
  return *list != NULL;
}

size_t cpb_span_find(cpb_span a, const char *part) {
  const size_t size = strlen(part);
  for (size_t at = 0; at + size <= a.size; at++)
    if (memcmp(a.data + at, part, size) == 0) return at;
  return a.size;
}

cpb_span cpb_span_last_part(cpb_span path) {
  size_t begin = path.size;
  while (begin > 0 && path.data[begin - 1] != '/') begin--;
  return cpb_span_from(path, begin);
}

size_t cpb_span_size_without_digits(cpb_span a) {
  size_t size = a.size;
  while (size > 0 && a.data[size - 1] >= '0' && a.data[size - 1] <= '9') size--;
  return size;
}

cpb_span cpb_span_without_number(cpb_span name) {
  const size_t end = cpb_span_size_without_digits(name);
  const bool has = end > 1 && end < name.size && name.data[end - 1] == '_';
  return has ? (cpb_span){name.data, end - 1} : name;
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
