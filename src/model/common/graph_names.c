#include "model/common/graph_names.h"

#include <stdlib.h>

#include "base/status.h"
#include "model/common/spans.h"

void cpb_graph_names_init(cpb_graph_names *n, const cpb_allocator *a) { *n = (cpb_graph_names){.allocator = *a}; }

void cpb_graph_names_free(cpb_graph_names *n) {
  cpb_release(&n->allocator, n->items);
  cpb_graph_names_init(n, &n->allocator);
}

/* From the outermost one inwards: `path` is the way out, which is no longer than messages are nested. */
bool cpb_graph_name(const cpb_named_graphs *of, uint32_t graph, cpb_buffer *out) {
  enum { DEEPEST = 100 };
  uint32_t path[DEEPEST];
  size_t depth = 0;
  for (; graph > 0 && depth < DEEPEST; graph = of->around(of->graphs, graph)) path[depth++] = graph;
  bool done = true;
  for (size_t i = depth; done && i > 0; i--)
    done = (i == depth || cpb_buffer_append(out, "/", 1)) && of->put_own_name(of->graphs, path[i - 1], out);
  return done;
}

/* --- Hashes --------------------------------------------------------------------------------- */

#define EMPTY 0xcbf29ce484222325u /* FNV-1a: the hash of a name goes on from that of its beginning */

static uint64_t hash_more(uint64_t hash, cpb_span text) {
  for (size_t i = 0; i < text.size; i++) hash = (hash ^ text.data[i]) * 0x100000001b3u;
  return hash;
}

static int by_hash(const void *a, const void *b) {
  const cpb_graph_hash *x = a, *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return (x->graph > y->graph) - (x->graph < y->graph);
}

/* In the order of their numbers, so that the graph around each comes before it. `own` is for its own name. */
static bool hash_names(cpb_graph_names *n, const cpb_named_graphs *of, cpb_buffer *own, cpb_meter *meter,
                       cpb_error *error) {
  n->items[0] = (cpb_graph_hash){EMPTY, 0};
  for (uint32_t i = 1; i < of->count; i++) {
    const uint32_t around = of->around(of->graphs, i);
    uint64_t hash = n->items[around].hash;
    own->size = 0;
    if (!of->put_own_name(of->graphs, i, own)) return cpb_fail_memory(error), false;
    if (!cpb_meter_charge(meter, CPB_WORK_WALKED, own->size, CPB_NO_OFFSET, error)) return false;
    if (around > 0) hash = hash_more(hash, cpb_span_of("/"));
    n->items[i] = (cpb_graph_hash){hash_more(hash, (cpb_span){own->data, own->size}), i};
  }
  n->count = of->count;
  qsort(n->items, n->count, sizeof *n->items, by_hash);
  return true;
}

static bool build(cpb_graph_names *n, const cpb_named_graphs *of, cpb_meter *meter, cpb_error *error) {
  cpb_buffer own;
  if (!cpb_meter_charge(meter, CPB_WORK_ENTRIES, of->count, CPB_NO_OFFSET, error)) return false;
  n->items = cpb_alloc(&n->allocator, of->count * sizeof *n->items);
  if (!n->items) return cpb_fail_memory(error), false;
  cpb_buffer_init(&own, &n->allocator);
  bool done = hash_names(n, of, &own, meter, error);
  cpb_buffer_free(&own);
  if (!done) cpb_graph_names_free(n);
  return done;
}

/* --- Finding -------------------------------------------------------------------------------- */

static size_t first_of(const cpb_graph_names *n, uint64_t hash) {
  size_t low = 0, high = n->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (n->items[middle].hash < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Names may share a hash, so they are compared, too. */
bool cpb_graph_names_find(cpb_graph_names *n, const cpb_named_graphs *of, cpb_span name, cpb_meter *meter,
                          uint32_t *graph, cpb_error *error) {
  bool done = true;
  cpb_buffer text;
  *graph = CPB_NO_GRAPH;
  if (of->count < 2) return true;
  if (!n->items && !build(n, of, meter, error)) return false;
  const uint64_t hash = hash_more(EMPTY, name);
  cpb_buffer_init(&text, &n->allocator);
  for (size_t i = first_of(n, hash); done && i < n->count && n->items[i].hash == hash && *graph == CPB_NO_GRAPH; i++) {
    if (n->items[i].graph == 0) continue;
    text.size = 0;
    if (!cpb_graph_name(of, n->items[i].graph, &text)) done = cpb_fail_memory(error) == CPB_OK;
    else done = cpb_meter_charge(meter, CPB_WORK_WALKED, text.size, CPB_NO_OFFSET, error);
    if (done && cpb_span_equal((cpb_span){text.data, text.size}, name)) *graph = n->items[i].graph;
  }
  cpb_buffer_free(&text);
  return done;
}
