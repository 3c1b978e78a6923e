#include "model/diff/diff.h"

#include <string.h>

void cpb_diff_places_init(cpb_diff_places *p, const cpb_allocator *a) {
  *p = (cpb_diff_places){.allocator = *a};
  cpb_buffer_init(&p->path, a);
  for (int side = 0; side < 2; side++) cpb_buffer_init(&p->seen[side], a);
}

void cpb_diff_places_free(cpb_diff_places *p) {
  cpb_allocator a = p->allocator;
  for (size_t i = 0; i < p->count; i++) cpb_release(&a, (void *)p->links[i].name.data);
  cpb_release(&a, p->list);
  cpb_release(&a, p->links);
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

static void link_to(cpb_diff_places *p, size_t i, size_t parent, cpb_span name) {
  if (parent == CPB_DIFF_NO_PLACE) cpb_link_root(p->links, (uint32_t)i, name);
  else cpb_link_child(p->links, (uint32_t)i, (uint32_t)parent, name);
}

/* Room for one more place, and for a link beyond it. */
static bool reserve(cpb_diff_places *p) {
  void *list = p->list, *links = p->links;
  if (p->count + 2 >= CPB_NO_PARENT) return false;
  if (!cpb_reserve(&p->allocator, &list, &p->capacity, p->count + 1, sizeof *p->list)) return false;
  p->list = list;
  if (!cpb_reserve(&p->allocator, &links, &p->links_capacity, p->count + 2, sizeof *p->links)) return false;
  p->links = links;
  return true;
}

bool cpb_diff_places_add(cpb_diff_places *p, const uint64_t nodes[2], size_t parent, cpb_span name) {
  if (is_seen(&p->seen[0], nodes[0]) || is_seen(&p->seen[1], nodes[1])) return true;
  if (!set_seen(&p->seen[0], nodes[0]) || !set_seen(&p->seen[1], nodes[1]) || !reserve(p)) return false;
  uint8_t *copy = cpb_alloc(&p->allocator, name.size);
  if (!copy) return false;
  if (name.size > 0) memcpy(copy, name.data, name.size);
  link_to(p, p->count, parent, (cpb_span){copy, name.size});
  p->list[p->count++] = (cpb_diff_place){{nodes[0], nodes[1]}};
  return true;
}

/* --- Paths ------------------------------------------------------------------------------- */

cpb_span cpb_diff_places_path(cpb_diff_places *p, size_t parent, cpb_span name) {
  if (parent == CPB_DIFF_NO_PLACE) return name;
  p->path.size = 0;
  link_to(p, p->count, parent, name);
  bool done = cpb_buffer_reserve(&p->path, 1) && cpb_link_path(p->links, (uint32_t)p->count, &p->path);
  return done ? (cpb_span){p->path.data, p->path.size} : (cpb_span){NULL, 0};
}
