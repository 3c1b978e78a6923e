#include "model/onnx/ask/ops.h"

#include "model/common/names.h"
#include "model/common/uses.h"

/* The domains of ONNX itself. */
static bool is_onnx(cpb_span domain) {
  static const char *const domains[] = {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"};
  for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
    if (cpb_span_is(domain, domains[i])) return true;
  }
  return false;
}

/* "" and "ai.onnx" are one domain. */
static cpb_span short_domain(cpb_span domain) { return cpb_span_is(domain, "ai.onnx") ? (cpb_span){NULL, 0} : domain; }

/* `domain` is a short one. */
static bool is_library(const cpb_onnx_model *m, cpb_span domain, cpb_span op) {
  return cpb_onnx_has_function(&m->graphs, domain, op) ||
         (domain.size == 0 && cpb_onnx_has_function(&m->graphs, cpb_span_of("ai.onnx"), op));
}

static const char *origin_of(const cpb_onnx_model *m, const cpb_use *u) {
  if (is_library(m, u->domain, u->op)) return "library";
  return is_onnx(u->domain) ? "onnx" : "custom";
}

/* Which versions of their domains the model imports. */
typedef struct versions {
  cpb_names domains; /* numbers: places in `items` */
  uint64_t *items;
  size_t count, capacity;
} versions;

static bool read_versions(cpb_onnx_model *m, versions *v) {
  cpb_cursor c = cpb_cursor_of(m->whole.part.message);
  while (v->count < CPB_NO_NAME && cpb_cursor_find(&c, MODEL_OPSET, CPB_WIRE_LEN)) {
    void *items = v->items;
    cpb_span domain = short_domain(cpb_get_bytes(c.bytes, OPSET_DOMAIN));
    if (!cpb_reserve(&m->whole.allocator, &items, &v->capacity, v->count + 1, sizeof *v->items)) return false;
    v->items = items;
    v->items[v->count] = cpb_get_number(c.bytes, OPSET_VERSION);
    if (!cpb_names_add(&v->domains, domain, (uint32_t)v->count++)) return false;
  }
  cpb_names_sort(&v->domains);
  return true;
}

static void write_version(cpb_json_writer *a, const versions *v, cpb_span domain) {
  uint32_t i = cpb_names_find(&v->domains, domain);
  if (i == CPB_NO_NAME) cpb_json_writer_null(a, "version");
  else cpb_json_writer_exact(a, "version", (int64_t)v->items[i]);
}

static void write_use(cpb_onnx_model *m, const versions *v, const cpb_use *u) {
  cpb_json_writer *a = m->whole.answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "op", u->op);
  cpb_json_writer_span(a, "domain", u->domain);
  write_version(a, v, u->domain);
  cpb_json_writer_unsigned(a, "count", u->graph + u->functions);
  cpb_json_writer_unsigned(a, "in_graph", u->graph);
  cpb_json_writer_unsigned(a, "in_functions", u->functions);
  cpb_json_writer_text(a, "from", origin_of(m, u));
  cpb_json_writer_close(a, '}');
}

/* These are looked for however rare they are: not only on the page. */
static void write_custom(cpb_onnx_model *m, const cpb_uses *list) {
  uint64_t shown = 0;
  cpb_json_writer *a = m->whole.answer;
  cpb_json_writer_open(a, "custom", '[');
  for (size_t i = 0; i < list->count && shown < m->whole.question.count; i++) {
    const cpb_use *u = &list->items[i];
    if (is_onnx(u->domain) || is_library(m, u->domain, u->op)) continue;
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "op", u->op);
    cpb_json_writer_span(a, "domain", u->domain);
    cpb_json_writer_close(a, '}');
    shown++;
  }
  cpb_json_writer_close(a, ']');
}

static bool count_graph(cpb_onnx_model *m, uint32_t graph, cpb_uses *list) {
  const cpb_onnx_graph *g = &m->graphs.items[graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  while (cpb_cursor_find(&c, cpb_onnx_node_field(g), CPB_WIRE_LEN)) {
    cpb_span domain = short_domain(cpb_get_bytes(c.bytes, NODE_DOMAIN));
    if (!cpb_uses_add(list, domain, cpb_get_bytes(c.bytes, NODE_OP), graph == 0))
      return cpb_whole_fail_memory(&m->whole);
  }
  return true;
}

static void write_counts(cpb_onnx_model *m) {
  uint64_t functions = 0, nodes = 0;
  for (size_t i = 1; i < m->graphs.count; i++) {
    functions++;
    nodes += m->graphs.items[i].nodes;
  }
  cpb_json_writer_unsigned(m->whole.answer, "nodes", m->graphs.items[0].nodes);
  cpb_json_writer_unsigned(m->whole.answer, "functions", functions);
  cpb_json_writer_unsigned(m->whole.answer, "function_nodes", nodes);
}

static void write_uses(cpb_onnx_model *m, const versions *v, cpb_uses *list) {
  cpb_uses_join(list);
  cpb_page page = cpb_onnx_open_page(m, "ops");
  for (size_t i = 0; i < list->count; i++) {
    if (cpb_page_has(&page)) write_use(m, v, &list->items[i]);
  }
  cpb_page_close(m->whole.answer, &page);
  write_custom(m, list);
}

void cpb_onnx_ops(cpb_onnx_model *m) {
  uint32_t graph;
  cpb_uses list;
  if (!cpb_onnx_graph_named(m, cpb_onnx_name(m), &graph)) return;
  const bool all = m->whole.question.name == NULL;
  bool done = true;
  cpb_uses_init(&list, &m->whole.allocator);
  write_counts(m);
  for (uint32_t i = all ? 0 : graph; done && i < (all ? (uint32_t)m->graphs.count : graph + 1); i++)
    done = count_graph(m, i, &list);
  versions v = {.items = NULL};
  cpb_names_init(&v.domains, &m->whole.allocator);
  if (done && !read_versions(m, &v)) done = cpb_whole_fail_memory(&m->whole);
  if (done) write_uses(m, &v, &list);
  cpb_names_free(&v.domains);
  cpb_release(&m->whole.allocator, v.items);
  cpb_uses_free(&list);
}
