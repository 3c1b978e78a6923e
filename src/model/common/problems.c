#include "model/common/problems.h"

#include "base/status.h"

#define MOST 100

void cpb_problems_init(cpb_problems *p, const cpb_allocator *a) { *p = (cpb_problems){.allocator = *a}; }

void cpb_problems_free(cpb_problems *p) {
  cpb_release(&p->allocator, p->items);
  cpb_problems_init(p, &p->allocator);
}

static void add(cpb_problems *p, uint64_t offset, const char *text, bool is_damage) {
  void *items = p->items;
  if (p->count == MOST || !cpb_reserve(&p->allocator, &items, &p->capacity, p->count + 1, sizeof *p->items)) {
    p->more++;
    return;
  }
  p->items = items;
  cpb_problem *problem = &p->items[p->count++];
  problem->offset = offset;
  problem->is_damage = is_damage;
  cpb_format(problem->text, sizeof problem->text, "%s", text);
}

void cpb_problems_add(cpb_problems *p, uint64_t offset, const char *text) { add(p, offset, text, false); }

void cpb_problems_add_damage(cpb_problems *p, uint64_t offset, const char *text) { add(p, offset, text, true); }

static void write(cpb_json_writer *a, uint64_t offset, const char *text, bool is_damage) {
  cpb_json_writer_open(a, NULL, '{');
  if (offset == CPB_NO_OFFSET) cpb_json_writer_null(a, "offset");
  else cpb_json_writer_unsigned(a, "offset", offset);
  cpb_json_writer_text(a, "text", text);
  if (is_damage) cpb_json_writer_bool(a, "damage", true);
  cpb_json_writer_close(a, '}');
}

void cpb_problems_write(const cpb_problems *p, cpb_json_writer *a) {
  char text[64];
  for (size_t i = 0; i < p->count; i++) write(a, p->items[i].offset, p->items[i].text, p->items[i].is_damage);
  if (p->more == 0) return;
  cpb_format(text, sizeof text, "and %llu more problems", (unsigned long long)p->more);
  write(a, CPB_NO_OFFSET, text, false);
}
