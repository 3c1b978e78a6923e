#include "model/diff/places.h"

#include <string.h>

#include "base/checked.h"

void cpb_diff_places_init(cpb_diff_places *p, const cpb_allocator *a) {
  *p = (cpb_diff_places){.allocator = *a};
  cpb_buffer_init(&p->names, a);
  cpb_buffer_init(&p->path, a);
  for (int side = 0; side < 2; side++) cpb_buffer_init(&p->seen[side], a);
}

void cpb_diff_places_free(cpb_diff_places *p) {
  cpb_allocator a = p->allocator;
  cpb_release(&a, p->list);
  cpb_buffer_free(&p->names);
  cpb_buffer_free(&p->path);
  for (int side = 0; side < 2; side++) cpb_buffer_free(&p->seen[side]);
  cpb_diff_places_init(p, &a);
}

/* --- Adding ------------------------------------------------------------------------------ */

static bool is_seen(const cpb_buffer *seen, uint64_t node) {
  return node / 8 < seen->size && (seen->data[node / 8] >> node % 8 & 1) != 0;
}

static bool set_seen(cpb_buffer *seen, uint64_t node) {
  size_t before = seen->size;
  if (node / 8 >= SIZE_MAX) return false;
  size_t size = (size_t)(node / 8) + 1;
  if (size > before) {
    if (!cpb_buffer_reserve(seen, size)) return false;
    memset(seen->data + before, 0, size - before);
    seen->size = size;
  }
  seen->data[node / 8] |= (uint8_t)(1u << node % 8);
  return true;
}

bool cpb_diff_places_add(cpb_diff_places *p, const uint64_t nodes[2], size_t parent, cpb_span name) {
  void *list = p->list;
  if (is_seen(&p->seen[0], nodes[0]) || is_seen(&p->seen[1], nodes[1])) return true;
  if (!set_seen(&p->seen[0], nodes[0]) || !set_seen(&p->seen[1], nodes[1])) return false;
  if (!cpb_reserve(&p->allocator, &list, &p->capacity, p->count + 1, sizeof *p->list)) return false;
  p->list = list;
  p->list[p->count++] = (cpb_diff_place){{nodes[0], nodes[1]}, parent, p->names.size, name.size};
  return cpb_buffer_append(&p->names, name.data, name.size);
}

/* --- Paths ------------------------------------------------------------------------------- */

cpb_span cpb_diff_places_path(cpb_diff_places *p, size_t parent, cpb_span name) {
  size_t size = name.size;
  for (size_t i = parent; i != CPB_DIFF_NO_PLACE; i = p->list[i].parent) {
    if (!cpb_add_size(size, 1, &size) || !cpb_add_size(size, p->list[i].name_size, &size)) return (cpb_span){NULL, 0};
  }
  p->path.size = 0;
  if (!cpb_buffer_reserve(&p->path, size + (size == 0))) return (cpb_span){NULL, 0};
  uint8_t *at = p->path.data + (size - name.size);
  if (name.size > 0) memcpy(at, name.data, name.size);
  for (size_t i = parent; i != CPB_DIFF_NO_PLACE; i = p->list[i].parent) {
    const cpb_diff_place *place = &p->list[i];
    *--at = '.';
    at -= place->name_size;
    if (place->name_size > 0) memcpy(at, p->names.data + place->name, place->name_size);
  }
  return (cpb_span){p->path.data, size};
}
