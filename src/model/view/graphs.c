#include "model/view/graphs.h"

#include <stdlib.h>

#include "base/status.h"

/* Full names are not stored: those of deeply nested graphs could be far longer than the message. The index has hashes,
 * each continued from the hash of the graph around it, which comes earlier in the list. Where a hash is equal, the name
 * is made and compared. */

typedef struct cpb_graph_hash {
  uint64_t hash;
  uint32_t graph;
} graph_hash;

void cpb_view_graphs_init(cpb_view_graphs *g, const cpb_allocator *a) {
  *g = (cpb_view_graphs){.allocator = *a};
  cpb_calls_init(&g->calls, a);
}

void cpb_view_graphs_free(cpb_view_graphs *g) {
  cpb_release(&g->allocator, g->items);
  cpb_release(&g->allocator, g->by_name);
  cpb_calls_free(&g->calls);
  cpb_view_graphs_init(g, &g->allocator);
}

bool cpb_view_graphs_add(cpb_view_graphs *g, cpb_view_graph graph) {
  if (g->count == CPB_NO_GRAPH) return true;
  if (!CPB_RESERVE(&g->allocator, &g->items, &g->capacity, g->count + 1)) return false;
  g->items[g->count++] = graph;
  return true;
}

/* --- Names ---------------------------------------------------------------------------------- */

cpb_span cpb_view_label(cpb_span name, uint64_t number, char *spare) {
  if (name.size > 0) return name;
  size_t size = cpb_format(spare, CPB_VIEW_SPARE, "#%llu", (unsigned long long)number);
  return (cpb_span){(const uint8_t *)spare, size};
}

static bool put(cpb_buffer *out, cpb_span text) {
  return text.size == 0 || cpb_buffer_append(out, text.data, text.size);
}

static bool put_text(cpb_buffer *out, const char *text) { return put(out, cpb_span_of(text)); }

static bool put_element(const cpb_view_graph *g, cpb_buffer *out) {
  char text[32];
  size_t size = cpb_format(text, sizeof text, "[%u]", (unsigned)(g->element - 1));
  return g->element == 0 || cpb_buffer_append(out, text, size);
}

/* Appends the name of a graph within the graph around it. */
static bool put_own_name(const cpb_view_graph *g, cpb_buffer *out) {
  char spare[CPB_VIEW_SPARE];
  if (g->role == CPB_GRAPH_TRAINING)
    return put_text(out, "training") && put_element(g, out) && put_text(out, ".") && put(out, g->name);
  if (g->is_within && !(put(out, cpb_view_label(g->node_name, g->node_number, spare)) && put_text(out, ":")))
    return false;
  return put(out, g->domain) && (g->domain.size == 0 || put_text(out, ".")) && put(out, g->name) &&
         (g->overload.size == 0 || put_text(out, ":")) && put(out, g->overload) && put_element(g, out);
}

/* From the outermost graph inwards: `path` is the way out, which is no longer than the nesting of messages. */
bool cpb_view_graph_name(const cpb_view_graphs *g, uint32_t graph, cpb_buffer *out) {
  enum { DEEPEST = 100 };
  uint32_t path[DEEPEST];
  size_t depth = 0;
  for (path[depth++] = graph; g->items[graph].is_within && depth < DEEPEST; path[depth++] = graph)
    graph = g->items[graph].parent;
  bool done = true, begun = false;
  while (done && depth > 0) {
    const uint32_t one = path[--depth];
    if (one == 0) continue;
    done = (!begun || put_text(out, "/")) && put_own_name(&g->items[one], out);
    begun = true;
  }
  return done;
}

/* --- Look-up ----------------------------------------------------------------------------------- */

#define EMPTY_HASH 14695981039346656037u /* FNV-1a's initial hash; hashing continues from the hash of the text before */

static uint64_t add_to_hash(uint64_t hash, cpb_span text) {
  for (size_t i = 0; i < text.size; i++) hash = (hash ^ text.data[i]) * 1099511628211u;
  return hash;
}

/* The hash of a graph's name, continued from the hash of the name of the graph around it. */
static bool hash_name(const cpb_view_graphs *g, const uint64_t *hashes, uint32_t graph, cpb_buffer *text,
                      uint64_t *hash) {
  const cpb_view_graph *one = &g->items[graph];
  text->size = 0;
  *hash = EMPTY_HASH;
  if (one->is_within && one->parent > 0) {
    *hash = hashes[one->parent];
    if (!put_text(text, "/")) return false;
  }
  if (!put_own_name(one, text)) return false;
  *hash = add_to_hash(*hash, (cpb_span){text->data, text->size});
  return true;
}

static int by_hash(const void *a, const void *b) {
  const graph_hash *x = a, *y = b;
  if (x->hash != y->hash) return x->hash > y->hash ? 1 : -1;
  return (x->graph > y->graph) - (x->graph < y->graph);
}

static bool fill_index(cpb_view_graphs *g, uint64_t *hashes, cpb_buffer *text, cpb_meter *meter, cpb_error *error) {
  for (uint32_t i = 0; i < g->count; i++) {
    if (!hash_name(g, hashes, i, text, &hashes[i])) return cpb_fail_memory(error), false;
    if (!cpb_meter_charge(meter, CPB_WORK_WALKED, text->size, CPB_NO_OFFSET, error)) return false;
    g->by_name[i] = (graph_hash){hashes[i], i};
  }
  qsort(g->by_name, g->count, sizeof *g->by_name, by_hash);
  return true;
}

static bool build_index(cpb_view_graphs *g, cpb_meter *meter, cpb_error *error) {
  cpb_buffer text;
  cpb_buffer_init(&text, &g->allocator);
  uint64_t *hashes = cpb_alloc(&g->allocator, g->count * sizeof *hashes);
  g->by_name = hashes ? cpb_alloc(&g->allocator, g->count * sizeof *g->by_name) : NULL;
  bool done = g->by_name ? fill_index(g, hashes, &text, meter, error) : cpb_fail_memory(error) == CPB_OK;
  if (!done) {
    cpb_release(&g->allocator, g->by_name);
    g->by_name = NULL;
  }
  cpb_release(&g->allocator, hashes);
  cpb_buffer_free(&text);
  return done;
}

static size_t first_of(const cpb_view_graphs *g, uint64_t hash) {
  size_t low = 0, high = g->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->by_name[middle].hash < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool cpb_view_graph_find(cpb_view_graphs *g, cpb_span name, cpb_meter *meter, uint32_t *graph, cpb_error *error) {
  cpb_buffer text;
  const uint64_t hash = add_to_hash(EMPTY_HASH, name);
  *graph = CPB_NO_GRAPH;
  if (!g->by_name && !build_index(g, meter, error)) return false;
  cpb_buffer_init(&text, &g->allocator);
  bool done = true;
  for (size_t i = first_of(g, hash); done && i < g->count && g->by_name[i].hash == hash; i++) {
    const uint32_t one = g->by_name[i].graph;
    text.size = 0;
    done = one == 0 ? put(&text, g->items[0].name) : cpb_view_graph_name(g, one, &text);
    if (!done) cpb_fail_memory(error);
    else done = cpb_meter_charge(meter, CPB_WORK_WALKED, text.size, CPB_NO_OFFSET, error);
    if (!done || (one == 0 && name.size == 0) || !cpb_span_equal((cpb_span){text.data, text.size}, name)) continue;
    *graph = one;
    break;
  }
  cpb_buffer_free(&text);
  return done;
}

bool cpb_view_graph_sees(const cpb_view_graphs *g, uint32_t inner, uint32_t outer) {
  while (inner != outer && g->items[inner].role == CPB_GRAPH_SUBGRAPH) inner = g->items[inner].parent;
  return inner == outer;
}

bool cpb_view_graph_place(const cpb_view_graphs *g, uint32_t outer, uint32_t inner, uint64_t *node) {
  for (; inner != outer && g->items[inner].is_within; inner = g->items[inner].parent)
    *node = g->items[inner].node_number;
  return inner == outer;
}
