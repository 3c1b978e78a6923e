/* A graph folded by name scope: the scopes and nodes that are in one of them, and what
 * leads to each. */
#include "model/tensorflow/ask/scopes.h"

#include <stdlib.h>
#include "model/tensorflow/functions.h"
#include "model/tensorflow/tensors.h"

#include "model/tensorflow/fields.h"
#include "model/tensorflow/nodes.h"

#define INPUTS_MOST 100 /* of a child, that are listed */

typedef struct child {
  cpb_span path;  /* up to the end of its name */
  cpb_span op;    /* of the first node */
  uint64_t order; /* of that node in the graph */
  uint64_t nodes, size;
  bool is_scope;
} child;

/* From what is in a child to that child: `from` is folded, too. */
typedef struct edge {
  size_t child;
  cpb_span from;
  uint64_t count, data; /* edges, and those that are no control edges */
} edge;

/* Equal ones are joined whenever there are twice as many as after the last time: so it
 * takes what there is to be told, and not what the graph has. */
typedef struct list {
  void *items;
  size_t count, capacity, joined, each;
  int (*compare)(const void *a, const void *b);
  void (*join)(void *to, const void *from);
} list;

typedef struct scopes {
  cpb_saved_model *model;
  cpb_span scope;
  uint32_t function;
  uint64_t nodes, size;
  list children, edges;
} scopes;

/* --- Names ------------------------------------------------------------------------------- */

/* Names in the scope "a/b" begin with "a/b/"; a node "a/b" is in it, too. */
static bool is_within(cpb_span scope, cpb_span name) {
  return scope.size == 0 || (cpb_span_begins(name, scope) && (name.size == scope.size || name.data[scope.size] == '/'));
}

/* As much of the name as is seen when only the scopes around `scope` and it are open: its
 * child, or a child of one of those. */
static cpb_span fold(cpb_span scope, cpb_span name) {
  size_t begin = 0;
  for (size_t i = 0; scope.size > 0 && i < name.size && i <= scope.size; i++) {
    if (name.data[i] != (i < scope.size ? scope.data[i] : '/')) break;
    if (name.data[i] == '/') begin = i + 1;
  }
  const uint8_t *end = begin + 1 < name.size ? memchr(name.data + begin + 1, '/', name.size - begin - 1) : NULL;
  return (cpb_span){name.data, end ? (size_t)(end - name.data) : name.size};
}

/* --- Lists ------------------------------------------------------------------------------- */

static void join_equal(list *l) {
  size_t kept = 0;
  char *items = l->items;
  if (l->count > 1) qsort(items, l->count, l->each, l->compare);
  for (size_t i = 0; i < l->count; i++) {
    char *last = kept > 0 ? items + (kept - 1) * l->each : NULL, *item = items + i * l->each;
    if (last && l->compare(last, item) == 0) l->join(last, item);
    else memmove(items + kept++ * l->each, item, l->each);
  }
  l->count = l->joined = kept;
}

static bool add(scopes *s, list *l, const void *item) {
  char *last = l->count > 0 ? (char *)l->items + (l->count - 1) * l->each : NULL;
  if (last && l->compare(last, item) == 0) {
    l->join(last, item);
    return true;
  }
  if (l->count / 2 > l->joined && l->count >= 1024) join_equal(l);
  if (!cpb_reserve(&s->model->allocator, &l->items, &l->capacity, l->count + 1, l->each))
    return cpb_saved_fail_memory(s->model);
  memcpy((char *)l->items + l->count++ * l->each, item, l->each);
  return true;
}

static int by_path(const void *a, const void *b) {
  return cpb_span_compare(((const child *)a)->path, ((const child *)b)->path);
}

static void join_children(void *to, const void *from) {
  child *a = to;
  const child *b = from;
  if (b->order < a->order) {
    a->order = b->order;
    a->op = b->op;
  }
  a->nodes += b->nodes;
  a->size += b->size;
  a->is_scope = a->is_scope || b->is_scope;
}

static int by_child_and_source(const void *a, const void *b) {
  const edge *x = a, *y = b;
  return x->child != y->child ? (x->child > y->child) - (x->child < y->child) : cpb_span_compare(x->from, y->from);
}

static void join_edges(void *to, const void *from) {
  ((edge *)to)->count += ((const edge *)from)->count;
  ((edge *)to)->data += ((const edge *)from)->data;
}

/* Scopes first; in the order of the graph. */
static int as_shown(const void *a, const void *b) {
  const child *x = a, *y = b;
  if (x->is_scope != y->is_scope) return x->is_scope ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* --- Nodes -------------------------------------------------------------------------------- */

/* The bytes of the tensors in its attributes. */
static uint64_t size_of(const scopes *s, cpb_span node) {
  uint64_t size = 0;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    cpb_span tensor = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (tensor.data) size += cpb_tensor_of(&s->model->graph_part, tensor).size;
  }
  return size;
}

static bool find_children(scopes *s) {
  uint32_t number;
  uint64_t order = 0;
  cpb_cursor c = cpb_graph_nodes(&s->model->graph, s->function, &number);
  for (; cpb_cursor_find(&c, number, CPB_WIRE_LEN); order++) {
    cpb_span name = cpb_get_bytes(c.bytes, NODE_NAME), path = fold(s->scope, name);
    if (!is_within(s->scope, name)) continue;
    const child found = {path, cpb_get_bytes(c.bytes, NODE_OP), order, 1, size_of(s, c.bytes), path.size < name.size};
    if (!add(s, &s->children, &found)) return false;
    s->nodes++;
    s->size += found.size;
  }
  join_equal(&s->children);
  return true;
}

static bool add_edges(scopes *s, size_t to, cpb_span path, cpb_span node) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    cpb_span from = fold(s->scope, cpb_node_of_input(c.bytes, &control));
    if (!cpb_span_equal(from, path) && !add(s, &s->edges, &(edge){to, from, 1, !control})) return false;
  }
  return true;
}

/* What leads to some of the children, which are in the order of their paths. */
static bool find_edges(scopes *s, const child *some, size_t count) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(&s->model->graph, s->function, &number);
  while (count > 0 && cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    cpb_span name = cpb_get_bytes(c.bytes, NODE_NAME);
    if (!is_within(s->scope, name)) continue;
    const child wanted = {.path = fold(s->scope, name)};
    const child *at = bsearch(&wanted, some, count, sizeof *some, by_path);
    if (at && !add_edges(s, (size_t)at->order, at->path, c.bytes)) return false;
  }
  join_equal(&s->edges);
  return true;
}

/* --- The answer ------------------------------------------------------------------------------ */

static void write_edges(const scopes *s, size_t *at, size_t to) {
  const edge *edges = s->edges.items;
  cpb_json_writer *a = s->model->answer;
  size_t first = *at;
  cpb_json_writer_open(a, "inputs", '[');
  for (; *at < s->edges.count && edges[*at].child == to; ++*at) {
    if (*at - first >= INPUTS_MOST) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "from", edges[*at].from);
    cpb_json_writer_unsigned(a, "count", edges[*at].count);
    cpb_json_writer_bool(a, "control", edges[*at].data == 0);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  if (*at - first > INPUTS_MOST) cpb_json_writer_unsigned(a, "more_inputs", *at - first - INPUTS_MOST);
}

static void write_child(const scopes *s, const child *c, size_t *at, size_t number) {
  cpb_json_writer *a = s->model->answer;
  size_t begin = c->path.size;
  while (begin > 0 && c->path.data[begin - 1] != '/') begin--;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", c->is_scope ? "scope" : "node");
  cpb_json_writer_span(a, "name", cpb_span_from(c->path, begin));
  cpb_json_writer_span(a, "path", c->path);
  if (c->is_scope) cpb_json_writer_null(a, "op");
  else cpb_json_writer_span(a, "op", c->op);
  cpb_json_writer_unsigned(a, "nodes", c->nodes);
  cpb_json_writer_unsigned(a, "size", c->size);
  write_edges(s, at, number);
  cpb_json_writer_close(a, '}');
}

/* The children of the page, by path, with their numbers in place of their order. */
static child *sorted_page(scopes *s, size_t first, size_t count) {
  child *page = cpb_alloc(&s->model->allocator, count * sizeof *page);
  if (!page) return NULL;
  for (size_t i = 0; i < count; i++) {
    page[i] = ((const child *)s->children.items)[first + i];
    page[i].order = first + i;
  }
  if (count > 1) qsort(page, count, sizeof *page, by_path);
  return page;
}

static void write_page(scopes *s, size_t first, size_t count) {
  size_t at = 0;
  cpb_page page = cpb_saved_open_page(s->model, "children");
  const child *children = s->children.items;
  for (size_t i = first; i < first + count; i++) write_child(s, &children[i], &at, i);
  page.total = s->children.count;
  cpb_page_close(s->model->answer, &page);
}

static void write_answer(scopes *s) {
  cpb_saved_model *m = s->model;
  size_t total = s->children.count;
  size_t first = m->question.first < total ? (size_t)m->question.first : total;
  size_t count = m->question.count < total - first ? (size_t)m->question.count : total - first;
  if (total > 1) qsort(s->children.items, total, sizeof(child), as_shown);
  child *page = sorted_page(s, first, count);
  if (!page) cpb_saved_fail_memory(m);
  if (!page || !find_edges(s, page, count)) {
    cpb_release(&m->allocator, page);
    return;
  }
  cpb_write_function_name(m, s->function);
  cpb_json_writer_span(m->answer, "scope", s->scope);
  cpb_json_writer_unsigned(m->answer, "nodes", s->nodes);
  cpb_json_writer_unsigned(m->answer, "size", s->size);
  write_page(s, first, count);
  cpb_release(&m->allocator, page);
}

void cpb_ask_scopes(cpb_saved_model *m) {
  scopes s = {.model = m,
              .scope = cpb_saved_scope(m),
              .children = {.each = sizeof(child), .compare = by_path, .join = join_children},
              .edges = {.each = sizeof(edge), .compare = by_child_and_source, .join = join_edges}};
  if (!cpb_saved_function(m, &s.function)) return;
  if (s.scope.size > 0 && s.scope.data[s.scope.size - 1] == '/') s.scope.size--;
  bool found = find_children(&s);
  if (found && s.nodes == 0 && s.scope.size > 0) found = cpb_saved_not_found(m, "scope", s.scope);
  if (found) write_answer(&s);
  cpb_release(&m->allocator, s.children.items);
  cpb_release(&m->allocator, s.edges.items);
}
