#include "host/compare.h"

static bool goes_on(const cpb_comparison *c) { return c->same && c->error.code == CPB_OK; }

static void differ(cpb_comparison *c, uint64_t offset) {
  c->differs_at = offset;
  c->same = 0;
}

void cpb_compare_bytes(cpb_comparison *c, cpb_file *against, uint64_t offset, const uint8_t *data, size_t size) {
  while (size > 0 && goes_on(c)) {
    size_t n = size, i = 0;
    const uint8_t *other = cpb_file_read(against, offset, &n, &c->error);
    if (!other) return;
    while (i < n && data[i] == other[i]) i++;
    if (i < n || n == 0) differ(c, offset + i);
    offset += n;
    data += n;
    size -= n;
  }
}

void cpb_compare_ends(cpb_comparison *c, cpb_file *against) {
  size_t more = 1;
  if (goes_on(c) && cpb_file_read(against, c->size, &more, &c->error) && more > 0) differ(c, c->size);
}
