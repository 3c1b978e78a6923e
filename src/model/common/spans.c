#include "model/common/spans.h"

#include "base/checked.h"

int cpb_span_compare(cpb_span a, cpb_span b) {
  size_t size = cpb_min_size(a.size, b.size);
  int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
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
