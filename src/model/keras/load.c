/* Computes the nodes that are loaded for given paths, like TensorFlow's load_partial: breadth first along the
 * references of the object graph. Without a graph, the objects' paths form one. */
#include "model/keras/keras.h"

#include "base/status.h"
#include "model/common/answer.h"
#include "model/common/kind.h"
#include "model/common/links.h"

typedef struct load {
  cpb_keras *k;
  const cpb_keras_graph *graph;
  cpb_link *links; /* how each node was reached: from another node, or by a path that names it */
  uint32_t *queue; /* nodes in the order in which they were reached */
  uint32_t count;
  cpb_error *error;
} load;

/* --- A graph of objects ------------------------------------------------------------ */

typedef struct family {
  const cpb_keras *k;
  uint32_t *first, *next; /* first child and next sibling of each object */
} family;

static bool object_child(void *user, uint32_t node, uint64_t *place, uint32_t *child, cpb_span *name) {
  const family *f = user;
  *child = *place == 0 ? f->first[node] : f->next[*place - 1];
  if (*child == CPB_KERAS_NONE) return false;
  *place = (uint64_t)*child + 1;
  *name = cpb_span_from(f->k->objects[*child].path, f->k->objects[node].path.size + 1);
  return true;
}

static void no_dependencies(void *user, uint32_t node, void (*found)(void *to, uint32_t needed), void *to) {
  (void)user, (void)node, (void)found, (void)to;
}

static bool make_family(family *f, const cpb_keras *k) {
  f->k = k;
  f->first = cpb_alloc(&k->allocator, k->count * sizeof *f->first);
  f->next = cpb_alloc(&k->allocator, k->count * sizeof *f->next);
  if (!f->first || !f->next) return false;
  for (size_t i = 0; i < k->count; i++) f->first[i] = CPB_KERAS_NONE;
  for (size_t i = k->count; i-- > 0;) {
    uint32_t *head = k->parents[i] == CPB_KERAS_NONE ? NULL : &f->first[k->parents[i]];
    f->next[i] = head ? *head : CPB_KERAS_NONE;
    if (head) *head = (uint32_t)i;
  }
  return true;
}

static void free_family(family *f, const cpb_keras *k) {
  cpb_release(&k->allocator, f->first);
  cpb_release(&k->allocator, f->next);
}

/* --- Paths ---------------------------------------------------------------------------- */

static bool not_found(load *l, cpb_span path, cpb_span name) {
  char whole[81], part[41];
  cpb_quote(whole, sizeof whole, path.data, path.size);
  cpb_quote(part, sizeof part, name.data, name.size);
  return CPB_FAILS(l->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no node %s: no child is called %s", whole, part);
}

/* Goes to the child whose name is at the front of `rest`. Names may contain dots, so several may match: the longest
 * wins. */
static bool step_down(load *l, uint32_t *node, cpb_span *rest) {
  uint32_t child, from = *node;
  cpb_span name;
  size_t used = 0;
  for (uint64_t place = 0; l->graph->child(l->graph->user, from, &place, &child, &name);) {
    bool fits = cpb_span_begins(*rest, name) && (rest->size == name.size || rest->data[name.size] == '.');
    if (child >= l->graph->nodes || !fits || name.size < used || name.size == 0) continue;
    *node = child;
    used = name.size;
  }
  if (used > 0) *rest = cpb_span_from(*rest, rest->size > used ? used + 1 : used);
  return used > 0;
}

static bool find_by_names(load *l, cpb_span path, uint32_t *node) {
  cpb_span rest = path;
  *node = 0;
  if (l->graph->nodes == 0) return not_found(l, path, path);
  cpb_span_take(&rest, '.');
  while (rest.size > 0) {
    cpb_span wanted = rest;
    if (!step_down(l, node, &rest)) return not_found(l, path, cpb_span_take(&wanted, '.'));
  }
  return true;
}

static bool find_by_path(load *l, cpb_span path, uint32_t *node) {
  char quoted[81];
  for (*node = 0; *node < l->k->count; ++*node)
    if (cpb_span_equal(l->k->objects[*node].path, path)) return true;
  return CPB_FAILS(l->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no Keras object has the path %s",
                   cpb_quote(quoted, sizeof quoted, path.data, path.size));
}

static bool find_node(load *l, cpb_span path, uint32_t *node) {
  char quoted[81];
  cpb_span rest = path;
  if (!cpb_span_is(cpb_span_take(&rest, '.'), "root"))
    return CPB_FAILS(l->error, CPB_E_USAGE, CPB_NO_OFFSET,
                     "node path is %s; expected one that begins with root, as in root.layer-0",
                     cpb_quote(quoted, sizeof quoted, path.data, path.size));
  return l->k->graph ? find_by_names(l, path, node) : find_by_path(l, path, node);
}

/* --- Following -------------------------------------------------------------------------- */

/* `links` are also the set of the nodes that were reached. The first reference to a node counts, as in TensorFlow's
 * breadth-first walk, and gives the node its path. */
static void meet(load *l, uint32_t node, uint32_t from, cpb_span name) {
  if (node >= l->graph->nodes || l->links[node].parent != CPB_NO_PARENT) return;
  if (from == node) cpb_link_root(l->links, node, name);
  else cpb_link_child(l->links, node, from, name);
  l->queue[l->count++] = node;
}

static void follow(load *l) {
  uint32_t child;
  cpb_span name;
  for (uint32_t i = 0; i < l->count; i++)
    for (uint64_t place = 0; l->graph->child(l->graph->user, l->queue[i], &place, &child, &name);)
      meet(l, child, l->queue[i], name);
}

/* The root loads everything, even nodes without references to them. */
static void add_rest(load *l) {
  if (l->graph->nodes == 0 || l->links[0].parent == CPB_NO_PARENT) return;
  for (uint32_t i = 0; i < l->graph->nodes; i++) meet(l, i, i, (cpb_span){0});
}

/* --- The answer ---------------------------------------------------------------------------- */

static int64_t id_of(const load *l, uint32_t node) { return l->k->graph ? (int64_t)node : l->k->objects[node].node; }

static bool put_path(load *l, cpb_json_writer *a, uint32_t node) {
  cpb_buffer path;
  cpb_buffer_init(&path, &l->k->allocator);
  bool done = cpb_link_path(l->links, node, &path);
  if (path.size == 0) cpb_json_writer_null(a, "path");
  else cpb_json_writer_span(a, "path", (cpb_span){path.data, path.size});
  cpb_buffer_free(&path);
  return done;
}

static bool put_nodes(load *l, const cpb_question *q, cpb_json_writer *a) {
  cpb_page page = cpb_page_open_sized(a, q, "nodes", l->count);
  for (uint64_t i = q->first; i < l->count && i - q->first < q->count && cpb_json_writer_ok(a); i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_signed(a, "node", id_of(l, l->queue[i]));
    if (!put_path(l, a, l->queue[i])) return false;
    cpb_json_writer_close(a, '}');
  }
  cpb_page_close(a, &page);
  return true;
}

typedef struct demand {
  load *l;
  cpb_json_writer *answer;
  uint32_t node; /* the node that needs it */
  bool ok;
} demand;

static void put_needed(void *to, uint32_t needed) {
  demand *d = to;
  load *l = d->l;
  if (!d->ok || needed >= l->graph->nodes || l->links[needed].parent != CPB_NO_PARENT) return;
  cpb_link_root(l->links, needed, (cpb_span){0}); /* reported once, for the first node that needs it */
  cpb_json_writer_open(d->answer, NULL, '{');
  cpb_json_writer_signed(d->answer, "node", id_of(l, needed));
  cpb_json_writer_signed(d->answer, "needed_by", id_of(l, d->node));
  d->ok = put_path(l, d->answer, d->node);
  cpb_json_writer_close(d->answer, '}');
}

/* TensorFlow refuses to load without these. */
static bool put_missing(load *l, cpb_json_writer *a) {
  demand d = {.l = l, .answer = a, .ok = true};
  cpb_json_writer_open(a, "missing", '[');
  for (uint32_t i = 0; i < l->count; i++) {
    d.node = l->queue[i];
    l->graph->dependencies(l->graph->user, d.node, put_needed, &d);
  }
  cpb_json_writer_close(a, ']');
  return d.ok;
}

static bool put_paths(load *l, cpb_span lines, cpb_json_writer *a) {
  cpb_json_writer_open(a, "paths", '[');
  while (lines.size > 0) {
    cpb_span path = cpb_span_take(&lines, '\n');
    uint32_t node;
    if (path.size == 0) continue;
    if (!find_node(l, path, &node)) return false;
    meet(l, node, node, path);
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "path", path);
    cpb_json_writer_signed(a, "node", id_of(l, node));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  return true;
}

static bool run(load *l, const cpb_question *q, cpb_json_writer *a) {
  size_t n = l->graph->nodes;
  l->links = cpb_alloc(&l->k->allocator, n * sizeof *l->links);
  l->queue = cpb_alloc(&l->k->allocator, n * sizeof *l->queue);
  if (!l->links || !l->queue) return false;
  for (size_t i = 0; i < n; i++) l->links[i] = (cpb_link){.parent = CPB_NO_PARENT};
  if (!put_paths(l, (cpb_span){(const uint8_t *)q->name, q->name_size}, a)) return false;
  if (l->count == 0)
    return CPB_FAILS(l->error, CPB_E_USAGE, CPB_NO_OFFSET,
                     "name is empty; expected paths of nodes, such as root.layer-0");
  follow(l);
  if (l->k->graph) add_rest(l);
  return put_nodes(l, q, a) && put_missing(l, a);
}

bool cpb_keras_load(cpb_keras *k, const cpb_question *q, cpb_json_writer *a, cpb_error *error) {
  if (!cpb_is_whole_model(error)) return false;
  family f = {0};
  cpb_keras_graph objects = {
      .user = &f, .nodes = (uint32_t)k->count, .child = object_child, .dependencies = no_dependencies};
  load l = {.k = k, .graph = k->graph ? k->graph : &objects, .error = error};
  bool ok = (k->graph || make_family(&f, k)) && run(&l, q, a);
  if (!ok && error->code == CPB_OK) cpb_fail_memory(error);
  cpb_release(&k->allocator, l.links);
  cpb_release(&k->allocator, l.queue);
  free_family(&f, k);
  return ok;
}
