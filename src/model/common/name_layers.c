#include "model/common/name_layers.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/spans.h"

void cpb_name_layers_init(cpb_name_layers *l, const cpb_allocator *a) { *l = (cpb_name_layers){.allocator = *a}; }

void cpb_name_layers_free(cpb_name_layers *l) { cpb_release(&l->allocator, l->items); }

cpb_span cpb_name_layer_path(cpb_span name) {
  size_t end = name.size;
  while (end > 0 && name.data[end - 1] != '/') end--;
  return end > 1 ? (cpb_span){name.data, end - 1} : name;
}

static void add_saturated(uint64_t *to, uint64_t more) {
  if (!cpb_add_u64(*to, more, to)) *to = UINT64_MAX;
}

void cpb_name_layer_take(cpb_name_layer *layer, bool has_elements, uint64_t elements, uint64_t bytes) {
  layer->tensors++;
  if (!has_elements) return;
  add_saturated(&layer->elements, elements);
  add_saturated(&layer->bytes, bytes);
}

bool cpb_name_layers_add(cpb_name_layers *l, cpb_name_layer node) {
  void *items = l->items;
  if (!cpb_reserve(&l->allocator, &items, &l->capacity, l->count + 1, sizeof *l->items)) return false;
  l->items = items;
  l->items[l->count++] = node;
  return true;
}

/* --- Joining --------------------------------------------------------------------------------------- */

static int by_order(const void *a, const void *b) {
  const cpb_name_layer *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

static int by_path(const void *a, const void *b) {
  int order = cpb_span_compare(((const cpb_name_layer *)a)->path, ((const cpb_name_layer *)b)->path);
  return order != 0 ? order : by_order(a, b);
}

static void join(cpb_name_layers *l) {
  size_t kept = 0;
  if (l->count > 1) qsort(l->items, l->count, sizeof *l->items, by_path);
  for (size_t i = 0; i < l->count; i++) {
    cpb_name_layer *last = kept > 0 ? &l->items[kept - 1] : NULL;
    if (last && cpb_span_equal(last->path, l->items[i].path)) {
      last->nodes += l->items[i].nodes;
      last->tensors += l->items[i].tensors;
      add_saturated(&last->elements, l->items[i].elements);
      add_saturated(&last->bytes, l->items[i].bytes);
    } else {
      l->items[kept++] = l->items[i];
    }
  }
  l->count = kept;
  if (kept > 1) qsort(l->items, kept, sizeof *l->items, by_order);
}

/* --- The answer ----------------------------------------------------------------------------------- */

static void write_layer(cpb_json_writer *a, const cpb_name_layer *l) {
  char unnamed[48];
  cpb_format(unnamed, sizeof unnamed, "(%llu unnamed %s)", (unsigned long long)l->nodes,
             l->nodes == 1 ? "node" : "nodes");
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", l->path.size > 0 ? l->path : cpb_span_of(unnamed));
  if (l->has_class || l->nodes == 1) cpb_json_writer_span(a, "class", l->op);
  else cpb_json_writer_null(a, "class");
  cpb_json_writer_unsigned(a, "nodes", l->nodes);
  cpb_json_writer_unsigned(a, "tensors", l->tensors);
  cpb_json_writer_exact_unsigned(a, "parameters", l->elements);
  cpb_json_writer_exact_unsigned(a, "bytes", l->bytes);
  cpb_json_writer_close(a, '}');
}

void cpb_name_layers_write(cpb_name_layers *l, const cpb_question *question, cpb_json_writer *a) {
  const cpb_span name = {(const uint8_t *)question->name, question->name_size};
  join(l);
  cpb_page page = cpb_page_open(a, question, "layers");
  for (size_t i = 0; i < l->count; i++) {
    const bool is_wanted = !name.data || cpb_span_begins(l->items[i].path, name);
    if (is_wanted && cpb_page_has(&page)) write_layer(a, &l->items[i]);
  }
  cpb_page_close(a, &page);
}
