#include "model/samediff/reply.h"

#include "base/checked.h"
#include "model/samediff/array.h"

static cpb_sd_reply *reply_of(const cpb_view *v) { return ((const cpb_sd_own *)v->own)->reply; }
static const cpb_sd_graph *graph_of(const cpb_view *v) { return &reply_of(v)->model->graph; }

/* An empty name still counts as a name. */
static cpb_span name_of(const cpb_sd_graph *g, cpb_sd_text text) {
  return text.size > 0 ? cpb_sd_graph_text(g, text) : cpb_span_of("");
}

/* --- Nodes and values ------------------------------------------------------------------------------ */

/* The index (graph.c) has all nodes and links as numbers, so these iterators count instead of parsing. Only details
 * of nodes and arrays need the file. */

static bool next_node(cpb_view_nodes *n, cpb_view_node *node) {
  const cpb_sd_graph *g = graph_of(n->view);
  if (n->number >= g->num_nodes) return false;
  const cpb_sd_node *own = &g->nodes[n->number];
  node->own_name = cpb_sd_graph_text(g, own->name);
  node->op = name_of(g, own->op);
  return true;
}

static void fill(const cpb_sd_graph *g, cpb_sd_text name, uint32_t variable, cpb_view_value *value) {
  *value = (cpb_view_value){.name = name_of(g, name)};
  if (variable != CPB_NO_NAME) value->type = cpb_sd_variable_type(g, &g->variables[variable]);
}

static bool next_link(cpb_view_values *v, cpb_view_value *value) {
  const cpb_sd_graph *g = graph_of(v->view);
  if (v->at == v->end) return false;
  const cpb_sd_link *link = &g->links[v->at++];
  fill(g, link->name, link->variable, value);
  return true;
}

/* Operations first, then from `middle` on variables. */
static bool next_control(cpb_view_values *v, cpb_view_value *value) {
  const bool is_node = v->at < v->middle;
  if (!next_link(v, value)) return false;
  if (is_node) value->type = (cpb_span){NULL, 0};
  return true;
}

static bool next_variable(cpb_view_values *v, cpb_view_value *value, bool (*is_one)(const cpb_sd_variable *)) {
  const cpb_sd_graph *g = graph_of(v->view);
  while (v->at < v->end && !is_one(&g->variables[v->at])) v->at++;
  if (v->at == v->end) return false;
  fill(g, g->variables[v->at].name, (uint32_t)v->at, value);
  v->at++;
  return true;
}

static bool is_input(const cpb_sd_variable *v) { return v->kind == KIND_PLACEHOLDER; }
static bool is_output(const cpb_sd_variable *v) { return v->kind == KIND_ARRAY && !v->used; }

static bool next_input(cpb_view_values *v, cpb_view_value *value) { return next_variable(v, value, is_input); }
static bool next_output(cpb_view_values *v, cpb_view_value *value) { return next_variable(v, value, is_output); }

static cpb_view_values values(const cpb_view *v, const cpb_view_graph *graph, const cpb_view_node *node, bool outputs) {
  const cpb_sd_graph *g = graph_of(v);
  (void)graph;
  if (!node) return (cpb_view_values){.next = outputs ? next_output : next_input, .view = v, .end = g->num_variables};
  const size_t *links = &g->nodes[node->number].links[outputs ? CPB_SD_OUTPUTS : CPB_SD_INPUTS];
  return (cpb_view_values){.next = next_link, .view = v, .at = links[0], .end = links[1]};
}

static cpb_view_values controls(const cpb_view *v, const cpb_view_graph *graph, const cpb_view_node *node) {
  const size_t *links = graph_of(v)->nodes[node->number].links;
  (void)graph;
  return (cpb_view_values){.next = next_control,
                           .view = v,
                           .at = links[CPB_SD_CONTROLS],
                           .middle = links[CPB_SD_VARIABLE_CONTROLS],
                           .end = links[CPB_SD_NUM_LINKS]};
}

/* --- Tensors ---------------------------------------------------------------------------------------- */

/* For lines, `field` is the number of the line, from 1; `rule` is the variable, or NULL if the graph lacks it. */
static const cpb_sd_variable *variable_of(const cpb_view_tensor *t) { return t->rule; }

static bool each_line(const cpb_view *v, cpb_view_visit *visit, void *user) {
  const cpb_sd_lines *lines = &reply_of(v)->model->params;
  for (size_t i = 0; i < lines->count; i++) {
    const cpb_sd_line *line = &lines->list[i];
    const cpb_view_tensor t = {
        .value = line->name, .field = (uint32_t)i + 1, .rule = cpb_sd_find_variable(graph_of(v), line->name)};
    if (!visit(user, &t)) return false;
  }
  return true;
}

static bool has_file(const cpb_sd_variable *v) { return v->kind == KIND_VARIABLE || v->kind == KIND_CONSTANT; }

static bool is_tensor(const cpb_sd_variable *v) {
  return v->array != 0 || has_file(v) || !(v->made || v->kind == KIND_PLACEHOLDER);
}

static bool each_tensor(const cpb_view *v, uint32_t graph, cpb_view_visit *visit, void *user) {
  const cpb_sd_graph *g = graph_of(v);
  (void)graph;
  if (reply_of(v)->by_lines) return each_line(v, visit, user);
  for (size_t i = 0; i < g->num_variables; i++) {
    const cpb_sd_variable *one = &g->variables[i];
    const cpb_view_tensor t = {.value = name_of(g, one->name), .rule = one};
    if (is_tensor(one) && !visit(user, &t)) return false;
  }
  return true;
}

static const cpb_zip_entry *entry_of(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_sd_lines *lines = &reply_of(v)->model->params;
  return t->field > 0 ? lines->references[lines->list[t->field - 1].first].entry : NULL;
}

static void measure_variable(const cpb_sd_variable *v, cpb_view_measure *m) {
  m->has_elements = v->has_elements;
  m->elements = v->has_elements ? v->elements : 0;
  m->bytes = v->bytes;
  if (v->array == 0 && !cpb_mul_u64(m->elements, v->dtype->size, &m->bytes)) m->bytes = UINT64_MAX;
}

/* In a zip, variables and constants have files; other variables must contain their values. */
static cpb_view_measure measure(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_sd_variable *one = variable_of(t);
  const cpb_zip_entry *entry = entry_of(v, t);
  cpb_view_measure m = {.is_absent =
                            t->field == 0 && one->array == 0 && !(reply_of(v)->model->is_zip && has_file(one))};
  if (one) measure_variable(one, &m);
  m.size = t->field == 0 ? m.bytes : entry ? entry->size : 0;
  return m;
}

static cpb_tensor_use use(const cpb_view *v, const cpb_view_tensor *t, const cpb_view_node *taker, cpb_span role,
                          uint64_t input, cpb_view_measure *m) {
  (void)v, (void)taker, (void)role, (void)input, (void)m;
  return variable_of(t) ? cpb_sd_variable_use(variable_of(t)) : CPB_TENSOR_UNKNOWN;
}

static bool trained(const cpb_view *v, const cpb_view_tensor *t) {
  (void)v;
  return !t || (variable_of(t) && variable_of(t)->kind == KIND_VARIABLE);
}

static const char *place(const cpb_view_tensor *t) {
  static const char *const places[] = {[KIND_VARIABLE] = "variable",
                                       [KIND_CONSTANT] = "constant",
                                       [KIND_ARRAY] = "value",
                                       [KIND_PLACEHOLDER] = "input",
                                       [KIND_SEQUENCE] = "sequence"};
  return variable_of(t) ? places[variable_of(t)->kind] : NULL;
}

/* --- JSON -------------------------------------------------------------------------------------------- */

static const char *origin(const cpb_view *v, cpb_span domain, cpb_span op) {
  (void)v, (void)domain, (void)op;
  return "nd4j";
}

static void write_type(cpb_json_writer *a, const cpb_view_value *value) { cpb_sd_write_type(a, value->type); }

static void write_variable_type(cpb_json_writer *a, const cpb_sd_graph *g, const cpb_sd_variable *v) {
  cpb_view_measure m = {0};
  measure_variable(v, &m);
  cpb_sd_write_type(a, cpb_sd_variable_type(g, v));
  if (!m.has_elements) return;
  cpb_json_writer_exact_unsigned(a, "elements", m.elements);
  if (v->array != 0 || v->dtype->size > 0) cpb_json_writer_exact_unsigned(a, "bytes", m.bytes);
}

void cpb_sd_write_entry(cpb_json_writer *a, const cpb_sd_reference *reference) {
  const cpb_zip_entry *e = reference->entry;
  if (!e || e->cut == CPB_ZIP_UNSIZED) cpb_json_writer_null(a, "size");
  else cpb_json_writer_unsigned(a, "size", e->size);
  cpb_json_writer_span(a, "reference", reference->text);
  cpb_json_writer_bool(a, "of_other_tag", reference->shared);
  if (!e) {
    cpb_json_writer_null(a, "entry"); /* the archive ends before it */
    return;
  }
  cpb_json_writer_span(a, "entry", e->name);
  if (e->cut != CPB_ZIP_WHOLE) cpb_json_writer_bool(a, "cut", true);
  cpb_json_writer_bool(a, "compressed", e->method != 0);
  if (e->method != 0) cpb_json_writer_unsigned(a, "compressed_bytes", e->packed);
}

void cpb_sd_write_line(cpb_sd_reply *r, const cpb_sd_lines *lines, size_t i) {
  const cpb_sd_line *line = &lines->list[i];
  const cpb_sd_graph *g = &r->model->graph;
  const cpb_sd_variable *v = cpb_sd_find_variable(g, line->name);
  if (v) write_variable_type(r->answer, g, v);
  if (line->kind.size > 0) cpb_json_writer_span(r->answer, "holds", line->kind);
  cpb_sd_write_entry(r->answer, &lines->references[line->first]);
}

static bool write_array(cpb_sd_reply *r, uint64_t at) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  return cpb_sd_write_array(&w, "array", at);
}

/* Writes the details in the first bytes of the file in question. */
static bool write_head(cpb_sd_reply *r, uint64_t i) {
  cpb_flat flat;
  const cpb_span head = {r->head.data, r->head.size};
  (void)i;
  cpb_flat_begin(&flat, head, head.size, CPB_NO_OFFSET, &r->model->error);
  cpb_sd_array_open(r->answer, "array", &r->array, cpb_sd_parts_offset(&r->model->parts, &r->array));
  if (!cpb_sd_write_preview(&flat, r->answer, &r->array)) return false;
  cpb_json_writer_close(r->answer, '}');
  return true;
}

static void write_tensor(cpb_json_writer *a, const cpb_view *v, const cpb_view_tensor *t) {
  cpb_sd_reply *r = reply_of(v);
  const cpb_sd_variable *one = variable_of(t);
  if (t->field > 0) {
    cpb_sd_write_line(r, &r->model->params, t->field - 1);
    if (r->has_array) cpb_sd_later(r, write_head, 0);
    return;
  }
  write_variable_type(a, graph_of(v), one);
  if (one->array == 0) return;
  cpb_json_writer_unsigned(a, "size", one->bytes);
  cpb_sd_later(r, write_array, one->array);
}

static bool write_details(cpb_sd_reply *r, uint64_t i) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  return cpb_sd_write_node(&w, &r->model->graph.nodes[i]);
}

static void write_node(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  (void)a, (void)graph;
  cpb_sd_later(reply_of(v), write_details, node->number);
}

static void write_graph(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  (void)graph;
  cpb_json_writer_unsigned(a, "variables", graph_of(v)->num_variables);
}

const cpb_view_kind cpb_sd_view = {.next_node = next_node,
                                   .values = values,
                                   .controls = controls,
                                   .each_tensor = each_tensor,
                                   .measure = measure,
                                   .use = use,
                                   .trained = trained,
                                   .place = place,
                                   .origin = origin,
                                   .write_type = write_type,
                                   .write_tensor = write_tensor,
                                   .write_node = write_node,
                                   .write_graph = write_graph};
