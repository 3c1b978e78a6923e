#include "model/common/scopes.h"

#include <stdlib.h>

#include "base/status.h"
#include "model/common/spans.h"

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
  const cpb_scoped *of;
  const cpb_question *question;
  cpb_json_writer *answer;
  cpb_span scope;
  uint64_t nodes, size;
  list children, edges;
  cpb_error *error;
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
  if (!cpb_reserve(s->of->allocator, &l->items, &l->capacity, l->count + 1, l->each))
    return cpb_fail_memory(s->error) == CPB_OK;
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

static bool find_children(scopes *s) {
  uint64_t order = 0;
  cpb_scope_node node;
  for (s->of->begin(s->of->user); s->of->next(s->of->user, &node); order++) {
    cpb_span path = fold(s->scope, node.name);
    if (!is_within(s->scope, node.name)) continue;
    const child found = {path, node.op, order, 1, node.size, path.size < node.name.size};
    if (!add(s, &s->children, &found)) return false;
    s->nodes++;
    s->size += found.size;
  }
  join_equal(&s->children);
  cpb_json_writer_charge(s->answer, CPB_WORK_ENTRIES, order);
  return true;
}

static bool add_edges(scopes *s, size_t to, cpb_span path) {
  cpb_span name;
  bool control;
  while (s->of->next_input(s->of->user, &name, &control)) {
    cpb_span from = fold(s->scope, name);
    if (!cpb_span_equal(from, path) && !add(s, &s->edges, &(edge){to, from, 1, !control})) return false;
  }
  return true;
}

/* What leads to some of the children, which are in the order of their paths. */
static bool find_edges(scopes *s, const child *some, size_t count) {
  cpb_scope_node node;
  s->of->begin(s->of->user);
  while (count > 0 && s->of->next(s->of->user, &node)) {
    if (!is_within(s->scope, node.name)) continue;
    const child wanted = {.path = fold(s->scope, node.name)};
    const child *at = bsearch(&wanted, some, count, sizeof *some, by_path);
    if (at && !add_edges(s, (size_t)at->order, at->path)) return false;
  }
  join_equal(&s->edges);
  return true;
}

/* --- The answer ------------------------------------------------------------------------------ */

static void write_edges(const scopes *s, size_t *at, size_t to) {
  const edge *edges = s->edges.items;
  cpb_json_writer *a = s->answer;
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
  cpb_json_writer *a = s->answer;
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
  child *page = cpb_alloc(s->of->allocator, count * sizeof *page);
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
  cpb_page page = cpb_page_open(s->answer, s->question, "children");
  const child *children = s->children.items;
  for (size_t i = first; i < first + count; i++) write_child(s, &children[i], &at, i);
  page.total = s->children.count;
  cpb_page_close(s->answer, &page);
}

static void write_answer(scopes *s) {
  const cpb_allocator *a = s->of->allocator;
  const cpb_question *q = s->question;
  size_t total = s->children.count;
  size_t first = q->first < total ? (size_t)q->first : total;
  size_t count = q->count < total - first ? (size_t)q->count : total - first;
  if (total > 1) qsort(s->children.items, total, sizeof(child), as_shown);
  child *page = sorted_page(s, first, count);
  if (!page) cpb_fail_memory(s->error);
  if (!page || !find_edges(s, page, count)) {
    cpb_release(a, page);
    return;
  }
  cpb_json_writer_span(s->answer, "scope", s->scope);
  cpb_json_writer_unsigned(s->answer, "nodes", s->nodes);
  cpb_json_writer_unsigned(s->answer, "size", s->size);
  write_page(s, first, count);
  cpb_release(a, page);
}

bool cpb_scopes_write(const cpb_scoped *of, const cpb_question *question, cpb_json_writer *answer, cpb_error *error) {
  scopes s = {.of = of,
              .question = question,
              .answer = answer,
              .error = error,
              .scope = cpb_scope_of(question),
              .children = {.each = sizeof(child), .compare = by_path, .join = join_children},
              .edges = {.each = sizeof(edge), .compare = by_child_and_source, .join = join_edges}};
  bool found = find_children(&s);
  if (found && s.nodes == 0 && s.scope.size > 0) found = false;
  else if (found) write_answer(&s);
  cpb_release(of->allocator, s.children.items);
  cpb_release(of->allocator, s.edges.items);
  return found;
}
