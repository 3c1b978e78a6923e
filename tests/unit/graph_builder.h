/* A graph file of ND4J's with variables of floats in it and nothing else. */
#ifndef GRAPH_BUILDER_H
#define GRAPH_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "model/samediff/tables.h"

typedef struct graph_bytes {
  uint8_t data[1 << 16];
  size_t size;
} graph_bytes;

static inline void graph_put(graph_bytes *g, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) g->data[g->size++] = (uint8_t)(value >> 8 * i);
}

static inline void graph_align(graph_bytes *g) {
  while (g->size % 4 != 0) graph_put(g, 0, 1);
}

/* The offset at `at` leads to what is put next. */
static inline void graph_lead(graph_bytes *g, size_t at) {
  graph_align(g);
  cpb_store32(g->data + at, (uint32_t)(g->size - at));
}

/* Vtables, the root, then each variable: its table, its name and its id. */
static inline graph_bytes *graph_of(const char *const *names, size_t count) {
  enum { OF_GRAPH = 4, OF_VARIABLE = 12, OF_PAIR = 32, ROOT = 40 };
  static graph_bytes g;
  memset(&g, 0, sizeof g);
  graph_put(&g, ROOT, 4);
  for (int i = 0; i < 4; i++) graph_put(&g, (uint64_t[]){8, 8, 0, 4}[i], 2); /* GRAPH_VARIABLES at 4 */
  for (int i = 0; i < 9; i++) graph_put(&g, (uint64_t[]){18, 16, 4, 8, 12, 0, 0, 0, 13}[i], 2);
  graph_align(&g);
  for (int i = 0; i < 4; i++) graph_put(&g, (uint64_t[]){8, 8, 4, 0}[i], 2); /* PAIR_FIRST */
  graph_put(&g, ROOT - OF_GRAPH, 4);
  graph_put(&g, 4, 4);
  graph_put(&g, count, 4);
  size_t vector = g.size;
  for (size_t i = 0; i < count; i++) graph_put(&g, 0, 4);
  for (size_t i = 0; i < count; i++) {
    graph_lead(&g, vector + 4 * i);
    size_t table = g.size;
    graph_put(&g, table - OF_VARIABLE, 4);
    graph_put(&g, 0, 8);
    graph_put(&g, 5 /* FLOAT */, 1);
    graph_put(&g, KIND_VARIABLE, 3);
    graph_lead(&g, table + 8);
    graph_put(&g, strlen(names[i]), 4);
    memcpy(g.data + g.size, names[i], strlen(names[i]) + 1);
    g.size += strlen(names[i]) + 1;
    graph_lead(&g, table + 4);
    graph_put(&g, g.size - OF_PAIR, 4);
    graph_put(&g, i + 1, 4);
  }
  return &g;
}

#endif
