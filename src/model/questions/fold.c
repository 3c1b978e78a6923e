#include "model/questions/fold.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/lists.h"
#include "model/common/spans.h"

/* The graph is read twice. The first pass folds each name to its visible part and joins equal ones: these are the
 * children, and memory grows with them and not with the nodes. The second pass collects the inputs, operations and
 * tensors of the children on the wanted page only. Each of these lists is sorted by child first, so the answer takes
 * its parts from the front of every list, child by child (`places`). */

/* Listed for a child. */
#define INPUTS_MOST 100
#define VALUES_MOST 8 /* for each input */
#define OPS_MOST 20
#define NODE_TENSORS_MOST 100
#define SCOPE_TENSORS_MOST 10

typedef struct child {
  cpb_span path;          /* ends with the child's name */
  cpb_span inner;         /* the name of a node; for a scope, the deepest scope that has all its nodes */
  cpb_span op;            /* of the first node */
  uint64_t order, number; /* of the first node, in input order and in the graph */
  uint64_t nodes, size, parameters;
  bool is_scope;
} child;

/* An edge to a child from inside another child: `from` is folded as well. */
typedef struct edge {
  size_t child;
  bool is_given;
  cpb_span from, value;
  uint64_t count, data; /* number of edges, and of those that are not control edges */
} edge;

typedef struct use {
  size_t child;
  cpb_span op;
  uint64_t count;
} use;

typedef struct held {
  size_t child;
  uint64_t tensor;
  cpb_span name; /* of a variable that is not read; else empty */
  uint64_t order, size;
  bool is_weight;
} held;

typedef struct scopes {
  const cpb_scoped *of;
  const cpb_question *question;
  cpb_json_writer *answer;
  cpb_span scope;
  uint64_t nodes, size, parameters;
  cpb_joined children, edges, uses, held;
  uint64_t num_held;
  cpb_error *error;
} scopes;

/* --- Names ------------------------------------------------------------------------------- */

/* All of these are spans of a name in the message, so folding neither copies nor allocates. */

/* The next line, without a slash at its end. */
static bool next_line(cpb_span *left, cpb_span *line) {
  if (!left->data) return false;
  const uint8_t *end = left->size > 0 ? memchr(left->data, '\n', left->size) : NULL;
  *line = (cpb_span){left->data, end ? (size_t)(end - left->data) : left->size};
  *left = end ? cpb_span_from(*left, line->size + 1) : (cpb_span){NULL, 0};
  if (line->size > 0 && line->data[line->size - 1] == '/') line->size--;
  return true;
}

static cpb_span lines_of(const cpb_question *question) {
  return (cpb_span){(const uint8_t *)question->scope, question->scope_size};
}

cpb_span cpb_scope_of(const cpb_question *question) {
  cpb_span left = lines_of(question), scope = left;
  next_line(&left, &scope);
  return scope;
}

/* Names in the scope "a/b" begin with "a/b/"; a node called "a/b" belongs to the scope as well. */
static bool is_within(cpb_span scope, cpb_span name) {
  return scope.size == 0 || (cpb_span_begins(name, scope) && (name.size == scope.size || name.data[scope.size] == '/'));
}

/* The length of the visible part of the name before its last component, if the scopes around `scope` and `scope` itself
 * are open. */
static size_t begin_in(cpb_span scope, cpb_span name) {
  size_t begin = 0;
  for (size_t i = 0; scope.size > 0 && i < name.size && i <= scope.size; i++) {
    if (name.data[i] != (i < scope.size ? scope.data[i] : '/')) break;
    if (name.data[i] == '/') begin = i + 1;
  }
  return begin;
}

static cpb_span fold_at(size_t begin, cpb_span name) {
  const uint8_t *end = begin + 1 < name.size ? memchr(name.data + begin + 1, '/', name.size - begin - 1) : NULL;
  return (cpb_span){name.data, end ? (size_t)(end - name.data) : name.size};
}

/* The visible part of the name if only the scopes around `scope` and `scope` itself are open: a child of it, or of one
 * of the scopes around it. */
static cpb_span fold(cpb_span scope, cpb_span name) { return fold_at(begin_in(scope, name), name); }

/* The same with all scopes open that the question lists. */
static cpb_span fold_open(const scopes *s, cpb_span name) {
  size_t begin = 0;
  cpb_span left = lines_of(s->question), scope;
  while (next_line(&left, &scope)) {
    const size_t own = begin_in(scope, name);
    if (own > begin) begin = own;
  }
  return fold_at(begin, name);
}

/* The deepest scope that contains both names, or is one of them. */
static cpb_span common_scope(cpb_span a, cpb_span b) {
  const size_t least = a.size < b.size ? a.size : b.size;
  size_t same = 0, end = 0;
  for (; same < least && a.data[same] == b.data[same]; same++)
    if (a.data[same] == '/') end = same;
  const bool a_ends = same == a.size && (same == b.size || b.data[same] == '/');
  const bool b_ends = same == b.size && (same == a.size || a.data[same] == '/');
  return (cpb_span){a.data, a_ends || b_ends ? same : end};
}

/* --- Lists ------------------------------------------------------------------------------- */

static bool add(scopes *s, cpb_joined *l, const void *item) {
  return cpb_joined_add(l, item) || cpb_fail_memory(s->error) == CPB_OK;
}

static int by_path(const void *a, const void *b) {
  return cpb_span_compare(((const child *)a)->path, ((const child *)b)->path);
}

static void join_children(void *to, const void *from) {
  child *a = to;
  const child *b = from;
  if (b->order < a->order) {
    a->order = b->order;
    a->number = b->number;
    a->op = b->op;
  }
  a->inner = common_scope(a->inner, b->inner);
  a->nodes += b->nodes;
  cpb_add_saturated(&a->size, b->size);
  cpb_add_saturated(&a->parameters, b->parameters);
  a->is_scope = a->is_scope || b->is_scope;
}

static int by_child_and_source(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->child != y->child) return (x->child > y->child) - (x->child < y->child);
  if (x->is_given != y->is_given) return x->is_given - y->is_given;
  const int order = cpb_span_compare(x->from, y->from);
  return order != 0 ? order : cpb_span_compare(x->value, y->value);
}

static void join_edges(void *to, const void *from) {
  ((edge *)to)->count += ((const edge *)from)->count;
  ((edge *)to)->data += ((const edge *)from)->data;
}

static int by_child_and_op(const void *a, const void *b) {
  const use *x = a, *y = b;
  return x->child != y->child ? (x->child > y->child) - (x->child < y->child) : cpb_span_compare(x->op, y->op);
}

static void join_uses(void *to, const void *from) { ((use *)to)->count += ((const use *)from)->count; }

static int by_child_and_tensor(const void *a, const void *b) {
  const held *x = a, *y = b;
  if (x->child != y->child) return (x->child > y->child) - (x->child < y->child);
  if (x->tensor != y->tensor) return (x->tensor > y->tensor) - (x->tensor < y->tensor);
  return cpb_span_compare(x->name, y->name);
}

static void join_held(void *to, const void *from) {
  held *a = to;
  const held *b = from;
  if (b->order < a->order) a->order = b->order;
}

/* Scopes first, then in the order of the graph. */
static int as_shown(const void *a, const void *b) {
  const child *x = a, *y = b;
  if (x->is_scope != y->is_scope) return x->is_scope ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* --- Nodes -------------------------------------------------------------------------------- */

/* An edge joins with others of the same child, source and value, and an edge within one child is dropped. The lists
 * therefore grow with the page's children and what these take, not with their nodes. */

static bool find_children(scopes *s) {
  uint64_t order = 0;
  cpb_scope_node node;
  for (s->of->begin(s->of->user); s->of->next(s->of->user, &node); order++) {
    cpb_span path = fold(s->scope, node.name);
    if (!is_within(s->scope, node.name)) continue;
    const child found = {
        path, node.name, node.op, order, node.number, 1, node.size, node.parameters, path.size < node.name.size};
    if (!add(s, &s->children, &found)) return false;
    s->nodes++;
    cpb_add_saturated(&s->size, node.size);
    cpb_add_saturated(&s->parameters, node.parameters);
  }
  cpb_joined_join(&s->children);
  cpb_json_writer_charge(s->answer, CPB_WORK_ENTRIES, order);
  return true;
}

static bool add_inputs(scopes *s, size_t to, cpb_span path) {
  cpb_scope_input input;
  while (s->of->next_input(s->of->user, &input)) {
    if (input.is_tensor) {
      const cpb_span name = input.tensor == CPB_NO_TENSOR ? input.value : (cpb_span){NULL, 0};
      const held one = {to, input.tensor, name, s->num_held++, input.size, input.is_weight};
      if (!add(s, &s->held, &one)) return false;
      continue;
    }
    const cpb_span from = input.is_given ? input.from : fold_open(s, input.from);
    const edge one = {to, input.is_given, from, input.value, 1, !input.control};
    const bool is_inside = !input.is_given && cpb_span_equal(from, path);
    if (!is_inside && !add(s, &s->edges, &one)) return false;
  }
  return true;
}

/* Finds the inputs and contents of some children, which are sorted by path. */
static bool find_parts(scopes *s, const child *some, size_t count) {
  cpb_scope_node node;
  s->of->begin(s->of->user);
  while (count > 0 && s->of->next(s->of->user, &node)) {
    if (!is_within(s->scope, node.name)) continue;
    const child wanted = {.path = fold(s->scope, node.name)};
    const child *at = bsearch(&wanted, some, count, sizeof *some, by_path);
    if (!at) continue;
    if (at->is_scope && !add(s, &s->uses, &(use){(size_t)at->order, node.op, 1})) return false;
    if (!add_inputs(s, (size_t)at->order, at->path)) return false;
  }
  cpb_joined_join(&s->edges);
  cpb_joined_join(&s->uses);
  cpb_joined_join(&s->held);
  return true;
}

/* --- The answer ------------------------------------------------------------------------------ */

/* NULL if the list is empty. */
static void *from(const cpb_joined *l, size_t at) { return l->items ? (char *)l->items + at * l->each : NULL; }

/* The number of items from `*at` on that belong to one child; they are contiguous. */
static size_t count_of(const cpb_joined *l, size_t at, size_t of) {
  const char *items = l->items;
  size_t count = 0;
  /* every listed struct begins with the number of its child */
  while (at + count < l->count && *(const size_t *)(items + (at + count) * l->each) == of) count++;
  return count;
}

static int most_first(const void *a, const void *b) {
  const use *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : cpb_span_compare(x->op, y->op);
}

static void write_uses(const scopes *s, size_t *at, size_t to) {
  cpb_json_writer *a = s->answer;
  use *uses = from(&s->uses, *at);
  const size_t count = count_of(&s->uses, *at, to);
  if (count > 1) qsort(uses, count, sizeof *uses, most_first);
  cpb_json_writer_open(a, "ops", '[');
  for (size_t i = 0; i < count && i < OPS_MOST; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "op", uses[i].op);
    cpb_json_writer_unsigned(a, "count", uses[i].count);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  *at += count;
}

static bool is_same_source(const edge *a, const edge *b) {
  return a->is_given == b->is_given && cpb_span_equal(a->from, b->from);
}

/* Writes the edges from one source; returns how many. */
static size_t write_edge(const scopes *s, const edge *edges, size_t count, bool is_listed) {
  cpb_json_writer *a = s->answer;
  uint64_t all = 0, data = 0;
  size_t same = 0;
  for (; same < count && is_same_source(edges, &edges[same]); same++) {
    all += edges[same].count;
    data += edges[same].data;
  }
  if (!is_listed) return same;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "from", edges->from);
  cpb_json_writer_unsigned(a, "count", all);
  cpb_json_writer_bool(a, "control", data == 0);
  if (edges->is_given) cpb_json_writer_bool(a, "given", true);
  cpb_json_writer_open(a, "values", '[');
  for (size_t i = 0; i < same && i < VALUES_MOST; i++) {
    if (!edges[i].value.data) continue; /* control */
    cpb_json_writer_open(a, NULL, '{');
    s->of->write_value(s->of->user, a, edges[i].value, edges[i].value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
  return same;
}

static void write_edges(const scopes *s, size_t *at, size_t to) {
  const edge *edges = from(&s->edges, *at);
  const size_t count = count_of(&s->edges, *at, to);
  uint64_t sources = 0;
  cpb_json_writer_open(s->answer, "inputs", '[');
  for (size_t i = 0; i < count; sources++) i += write_edge(s, &edges[i], count - i, sources < INPUTS_MOST);
  cpb_json_writer_close(s->answer, ']');
  if (sources > INPUTS_MOST) cpb_json_writer_unsigned(s->answer, "more_inputs", sources - INPUTS_MOST);
  *at += count;
}

static int as_taken(const void *a, const void *b) {
  const held *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

static int largest_first(const void *a, const void *b) {
  const held *x = a, *y = b;
  if (x->is_weight != y->is_weight) return x->is_weight ? -1 : 1;
  return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : as_taken(a, b);
}

/* For a node, all; for a scope, the largest weights. */
static void write_held(const scopes *s, const child *c, size_t *at, size_t to) {
  cpb_json_writer *a = s->answer;
  held *items = from(&s->held, *at);
  const size_t all = count_of(&s->held, *at, to);
  const bool is_node = c->nodes == 1 || !c->is_scope;
  size_t count = all, most = is_node ? NODE_TENSORS_MOST : SCOPE_TENSORS_MOST;
  *at += all;
  if (all > 1) qsort(items, all, sizeof *items, is_node ? as_taken : largest_first);
  /* a scope shows only weights, which are sorted to the front */
  while (!is_node && count > 0 && !items[count - 1].is_weight) count--;
  cpb_json_writer_open(a, "tensors", '[');
  for (size_t i = 0; i < count && i < most; i++) {
    cpb_json_writer_open(a, NULL, '{');
    s->of->write_tensor(s->of->user, a, items[i].tensor, items[i].name);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  if (count > most) cpb_json_writer_unsigned(a, "more_tensors", count - most);
}

/* Positions in the lists that are walked child by child. */
typedef struct places {
  size_t edges, uses, held;
} places;

static void write_sizes(const scopes *s, uint64_t size, uint64_t parameters) {
  if (s->of->lacks_sizes) return;
  cpb_json_writer_unsigned(s->answer, "size", size);
  cpb_json_writer_exact_unsigned(s->answer, "parameters", parameters);
}

static void write_child(const scopes *s, const child *c, places *at, size_t number) {
  cpb_json_writer *a = s->answer;
  size_t begin = c->path.size;
  while (begin > 0 && c->path.data[begin - 1] != '/') begin--;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", c->is_scope ? "scope" : "node");
  cpb_json_writer_span(a, "name", cpb_span_from(c->path, begin));
  cpb_json_writer_span(a, "path", c->path);
  if (c->is_scope) cpb_json_writer_span(a, "inner", c->inner);
  if (c->is_scope) cpb_json_writer_null(a, "op");
  else cpb_json_writer_span(a, "op", c->op);
  cpb_json_writer_unsigned(a, "nodes", c->nodes);
  write_sizes(s, c->size, c->parameters);
  if (c->is_scope) write_uses(s, &at->uses, number);
  write_edges(s, &at->edges, number);
  write_held(s, c, &at->held, number);
  if (c->nodes == 1) s->of->write_node(s->of->user, a, c->number);
  cpb_json_writer_close(a, '}');
}

/* The children of the page, sorted by path, with their numbers instead of their order. */
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
  places at = {0};
  cpb_page page = cpb_page_open(s->answer, s->question, "children");
  const child *children = s->children.items;
  for (size_t i = first; i < first + count; i++) write_child(s, &children[i], &at, i);
  /* only the page is walked here, without cpb_page_has(), which would count it */
  page.total = s->children.count;
  cpb_page_close(s->answer, &page);
}

static void write_result(const scopes *s, const cpb_scope_input *result) {
  cpb_json_writer *a = s->answer;
  cpb_json_writer_open(a, NULL, '{');
  s->of->write_value(s->of->user, a, result->value, result->name);
  if (result->is_tensor) {
    cpb_json_writer_null(a, "from");
    cpb_json_writer_open(a, "tensor", '{');
    s->of->write_tensor(s->of->user, a, result->tensor, result->value);
    cpb_json_writer_close(a, '}');
  } else {
    cpb_json_writer_span(a, "from", result->is_given ? result->from : fold_open(s, result->from));
    if (result->is_given) cpb_json_writer_bool(a, "given", true);
  }
  cpb_json_writer_close(a, '}');
}

/* Writes the outputs of the graph, each with the box that it comes from. */
static void write_results(const scopes *s) {
  cpb_scope_input result;
  cpb_json_writer_open(s->answer, "results", '[');
  for (uint64_t i = 0; s->of->next_result(s->of->user, &result); i++)
    if (i < INPUTS_MOST) write_result(s, &result);
  cpb_json_writer_close(s->answer, ']');
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
  if (!page || !find_parts(s, page, count)) {
    cpb_release(a, page);
    return;
  }
  cpb_json_writer_span(s->answer, "scope", s->scope);
  cpb_json_writer_unsigned(s->answer, "nodes", s->nodes);
  write_sizes(s, s->size, s->parameters);
  write_page(s, first, count);
  if (s->scope.size == 0) write_results(s);
  cpb_release(a, page);
}

bool cpb_scopes_write(const cpb_scoped *of, const cpb_question *question, cpb_json_writer *answer, cpb_error *error) {
  scopes s = {.of = of,
              .question = question,
              .answer = answer,
              .error = error,
              .scope = cpb_scope_of(question),
              .children = {*of->allocator, .each = sizeof(child), .compare = by_path, .join = join_children},
              .edges = {*of->allocator, .each = sizeof(edge), .compare = by_child_and_source, .join = join_edges},
              .uses = {*of->allocator, .each = sizeof(use), .compare = by_child_and_op, .join = join_uses},
              .held = {*of->allocator, .each = sizeof(held), .compare = by_child_and_tensor, .join = join_held}};
  bool found = find_children(&s);
  if (found && s.nodes == 0 && s.scope.size > 0) found = false;
  else if (found) write_answer(&s);
  cpb_joined_free(&s.children);
  cpb_joined_free(&s.edges);
  cpb_joined_free(&s.uses);
  cpb_joined_free(&s.held);
  return found;
}
