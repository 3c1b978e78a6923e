#include "model/common/links.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"

/* A link has its own name and the size of its whole path, so a name's position in the path is known without the
 * names before it. Paths are therefore written from their ends towards the root, straight into place.
 *
 * Paths of objects in a hostile model can be as long as the model itself, for every object. `head` bounds the work:
 * its path is the first with the CPB_PATH_END bytes that are shown of the beginning. A walk begins there and at the
 * end of the path, and never visits the links in the middle. */

void cpb_link_root(cpb_link *links, uint32_t i, cpb_span name) { links[i] = (cpb_link){name, name.size, i, i}; }

void cpb_link_child(cpb_link *links, uint32_t i, uint32_t parent, cpb_span name) {
  const cpb_link *p = &links[parent];
  links[i] = (cpb_link){name, p->size + 1 + name.size, parent, p->size >= CPB_PATH_END ? p->head : i};
}

/* Copies the part of `text`, which is at `at` in the path, within the `size` bytes from `begin`. */
static void copy_part(uint8_t *out, uint64_t begin, uint64_t size, uint64_t at, cpb_span text) {
  uint64_t from = cpb_max_u64(at, begin), to = cpb_min_u64(at + text.size, begin + size);
  if (from < to) memcpy(out + (from - begin), text.data + (from - at), (size_t)(to - from));
}

/* Copies bytes of the path from `begin` on, from the back; each step covers at least the dot. */
static void copy_range(const cpb_link *links, uint32_t i, uint64_t begin, uint64_t size, uint8_t *out) {
  static const cpb_span dot = {(const uint8_t *)".", 1};
  for (;; i = links[i].parent) {
    const cpb_link *l = &links[i];
    uint64_t at = l->size - l->name.size;
    copy_part(out, begin, size, at, l->name);
    if (l->parent == i || at <= begin) return;
    copy_part(out, begin, size, at - 1, dot);
    if (at - 1 <= begin) return;
  }
}

/* Without the bytes at its end, or its beginning, of a character that was cut. */
static size_t whole_characters(const uint8_t *text, size_t size) {
  for (size_t i = 1; i <= 3 && i <= size; i++) {
    const uint8_t *last = text + size - i;
    if (*last >= 0xc0) return cpb_utf8_length((cpb_span){last, i}) == 0 ? size - i : size;
  }
  return size;
}

static size_t cut_character(const uint8_t *text) {
  size_t i = 0;
  while (i < 3 && (text[i] & 0xc0) == 0x80) i++;
  return i;
}

static bool append_cut(const cpb_link *links, uint32_t i, cpb_buffer *out) {
  uint8_t begin[CPB_PATH_END], end[CPB_PATH_END];
  char between[48];
  const cpb_link *l = &links[i];
  copy_range(links, l->head, 0, sizeof begin, begin);
  copy_range(links, i, l->size - sizeof end, sizeof end, end);
  size_t kept = whole_characters(begin, sizeof begin), skipped = cut_character(end);
  cpb_format(between, sizeof between, "...[%llu bytes]...",
             (unsigned long long)(l->size - kept - (sizeof end - skipped)));
  return cpb_buffer_append(out, begin, kept) && cpb_buffer_append(out, between, strlen(between)) &&
         cpb_buffer_append(out, end + skipped, sizeof end - skipped);
}

bool cpb_link_path(const cpb_link *links, uint32_t i, cpb_buffer *out) {
  const cpb_link *l = &links[i];
  if (l->parent == CPB_NO_PARENT || l->size == 0) return true;
  if (l->size > CPB_PATH_MAX) return append_cut(links, i, out);
  if (!cpb_buffer_reserve(out, out->size + (size_t)l->size)) return false;
  copy_range(links, i, 0, l->size, out->data + out->size);
  out->size += (size_t)l->size;
  return true;
}
