#include <stdlib.h>

#include "model/common/lists.h"
#include "model/questions/questions.h"

typedef struct use {
  cpb_span domain; /* empty if operations have no domains */
  cpb_span op;
  uint64_t graph, functions; /* number of uses, in the graph itself and elsewhere */
} use;

/* Operations are joined by name while nodes are counted, so the list has the length of the vocabulary. It is sorted
 * by frequency only at the end. */
static int by_op(const void *a, const void *b) {
  const use *x = a, *y = b;
  const int order = cpb_span_compare(x->op, y->op);
  return order != 0 ? order : cpb_span_compare(x->domain, y->domain);
}

static int most_first(const void *a, const void *b) {
  const use *x = a, *y = b;
  const uint64_t n = x->graph + x->functions, k = y->graph + y->functions;
  return n != k ? (n < k ? 1 : -1) : by_op(a, b);
}

static void join(void *to, const void *from) {
  ((use *)to)->graph += ((const use *)from)->graph;
  ((use *)to)->functions += ((const use *)from)->functions;
}

static void write_use(cpb_viewed *m, const use *u) {
  int64_t version;
  cpb_json_writer *a = m->answer;
  const cpb_view_kind *kind = m->view.kind;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "op", u->op);
  if (kind->version) {
    cpb_json_writer_span(a, "domain", u->domain);
    if (kind->version(&m->view, u->domain, &version)) cpb_json_writer_exact(a, "version", version);
    else cpb_json_writer_null(a, "version");
  }
  cpb_json_writer_unsigned(a, "count", u->graph + u->functions);
  cpb_json_writer_unsigned(a, "in_graph", u->graph);
  cpb_json_writer_unsigned(a, "in_functions", u->functions);
  cpb_json_writer_text(a, "from", kind->origin(&m->view, u->domain, u->op));
  cpb_json_writer_close(a, '}');
}

/* Custom operations are of interest however rare they are, so they are not limited to the page. */
static void write_custom(cpb_viewed *m, const use *list, size_t count) {
  uint64_t shown = 0;
  cpb_json_writer *a = m->answer;
  cpb_json_writer_open(a, "custom", '[');
  for (size_t i = 0; i < count && shown < m->question.count; i++) {
    const use *u = &list[i];
    if (strcmp(m->view.kind->origin(&m->view, u->domain, u->op), "custom") != 0) continue;
    shown++;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "op", u->op);
    if (m->view.kind->version) cpb_json_writer_span(a, "domain", u->domain);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_uses(cpb_viewed *m, cpb_joined *list) {
  const use *uses = list->items;
  cpb_joined_join(list);
  if (list->count > 1) qsort(list->items, list->count, sizeof *uses, most_first);
  cpb_page page = cpb_viewed_page(m, "ops");
  for (size_t i = 0; i < list->count; i++)
    if (cpb_page_has(&page)) write_use(m, &uses[i]);
  cpb_page_close(m->answer, &page);
  write_custom(m, uses, list->count);
}

/* An operation of an unknown type has a made-up name, which is not part of the model and is not counted. */
static bool count_graph(cpb_viewed *m, uint32_t graph, cpb_joined *list) {
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(&m->view, graph);
  while (cpb_view_nodes_next(&nodes, &node)) {
    const bool is_made = node.op.data == (const uint8_t *)nodes.op;
    const cpb_span op = is_made ? cpb_span_of("unknown") : node.op;
    const use one = {node.domain, op, graph == 0, graph != 0};
    if (!cpb_joined_add(list, &one)) return cpb_viewed_fail_memory(m);
  }
  return true;
}

static void write_counts(cpb_viewed *m) {
  uint64_t nodes = 0;
  const cpb_view_graphs *g = &m->view.graphs;
  for (size_t i = 1; i < g->count; i++) nodes += g->items[i].nodes;
  cpb_json_writer_unsigned(m->answer, "nodes", g->items[0].nodes);
  cpb_json_writer_unsigned(m->answer, "functions", g->count - 1);
  cpb_json_writer_unsigned(m->answer, "function_nodes", nodes);
}

void cpb_question_ops(cpb_viewed *m) {
  uint32_t graph;
  cpb_joined list = {.allocator = m->allocator, .each = sizeof(use), .compare = by_op, .join = join};
  if (!cpb_viewed_graph(m, cpb_viewed_name(m), &graph)) return;
  const bool all = m->question.name == NULL;
  bool done = true;
  write_counts(m);
  for (uint32_t i = all ? 0 : graph; done && i < (all ? (uint32_t)m->view.graphs.count : graph + 1); i++)
    done = count_graph(m, i, &list);
  if (done) write_uses(m, &list);
  cpb_joined_free(&list);
}
