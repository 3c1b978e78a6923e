#include "model/view/view.h"
#include "base/checked.h"
#include "model/common/answer.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"
#include "model/operators/operators.h"

/* --- Modules of PyTorch ------------------------------------------------------------------------ */

static cpb_span metadata(cpb_span node, const char *key) {
  cpb_span value = {NULL, 0};
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_METADATA, CPB_WIRE_LEN))
    if (cpb_span_is(cpb_get_bytes(c.bytes, ENTRY_KEY), key)) value = cpb_get_bytes(c.bytes, ENTRY_VALUE);
  return value;
}

/* The next text of a list such as ['', "a"]; false at its end. */
static bool next_text(const uint8_t **at, const uint8_t *end, cpb_span *text) {
  while (*at < end && **at != '\'' && **at != '"') ++*at;
  if (*at == end) return false;
  const uint8_t quote = *(*at)++, *begin = *at;
  while (*at < end && **at != quote) *at += **at == '\\' && *at + 1 < end ? 2 : 1;
  if (*at >= end) return false;
  *text = (cpb_span){begin, (size_t)(*at - begin)};
  ++*at;
  return true;
}

/* The element before the last; false if the list has fewer than two. */
static bool last_but_one(cpb_span list, cpb_span *text) {
  cpb_span last = {NULL, 0};
  const uint8_t *at = list.data, *end = at ? at + list.size : NULL;
  size_t count = 0;
  for (cpb_span one; at && next_text(&at, end, &one); count++) {
    *text = last;
    last = one;
  }
  return count >= 2;
}

/* Implements model/view/view.h for "pkg.torch.onnx.name_scopes" and "pkg.torch.onnx.class_hierarchy", which
 * torch.onnx.export(dynamo=True) writes: lists in Python's syntax, from the model inwards, ending with the operation
 * itself. For operations directly in the model, the path is the model's class. */
static bool onnx_module(const cpb_view_node *node, cpb_span *path, cpb_span *class_name) {
  cpb_span module, of_class;
  if (!last_but_one(metadata(node->message, "pkg.torch.onnx.name_scopes"), &module) ||
      !last_but_one(metadata(node->message, "pkg.torch.onnx.class_hierarchy"), &of_class))
    return false;
  *path = module.size > 0 ? module : of_class;
  *class_name = of_class;
  return true;
}

/* --- Nodes and values -------------------------------------------------------------------------- */

/* A node is read with one walk over its fields; inputs, outputs and attributes are walked again by whoever needs
 * them. */

static bool next_node(cpb_view_nodes *n, cpb_view_node *node) {
  if (!cpb_cursor_find(&n->cursor, cpb_onnx_node_field(n->graph), CPB_WIRE_LEN)) return false;
  node->message = n->cursor.bytes;
  for (cpb_cursor c = cpb_cursor_of(node->message); cpb_cursor_next(&c);) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == NODE_NAME) node->own_name = c.bytes;
    else if (c.number == NODE_OP) node->op = c.bytes;
    else if (c.number == NODE_DOMAIN) node->domain = c.bytes;
  }
  node->domain = cpb_onnx_domain(node->domain);
  node->is_constant = cpb_span_is(node->op, "Constant") && node->domain.size == 0;
  return true;
}

static bool converts(const cpb_view_node *node) {
  static const char *const ops[] = {"Cast", "DequantizeLinear", "Identity", "Transpose", NULL};
  return node->domain.size == 0 && cpb_span_is_one_of(node->op, ops);
}

static cpb_view_values values(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, bool outputs) {
  (void)v;
  if (node) return cpb_view_names_in(node->message, outputs ? NODE_OUTPUT : NODE_INPUT);
  if (g->role == CPB_GRAPH_FUNCTION) return cpb_view_names_in(g->message, outputs ? FUNCTION_OUTPUT : FUNCTION_INPUT);
  return cpb_view_messages_in(g->rest, outputs ? GRAPH_OUTPUT : GRAPH_INPUT, VALUE_INFO_NAME, VALUE_INFO_TYPE);
}

static cpb_view_values typed(const cpb_view *v, const cpb_view_graph *g) {
  (void)v;
  const uint32_t field = g->role == CPB_GRAPH_FUNCTION ? FUNCTION_VALUE_INFO : GRAPH_VALUE_INFO;
  return cpb_view_messages_in(g->rest, field, VALUE_INFO_NAME, VALUE_INFO_TYPE);
}

static uint32_t callee_of(const cpb_view *v, const cpb_view_node *node) {
  const cpb_onnx_own *own = cpb_onnx_own_of(v);
  return cpb_onnx_callee(&own->functions, &v->graphs, cpb_get_bytes(node->message, NODE_DOMAIN), node->op,
                         cpb_get_bytes(node->message, NODE_OVERLOAD));
}

static bool each_callee(const cpb_view *v, const cpb_view_node *node, cpb_view_visit_callee *visit, void *user) {
  const uint32_t callee = callee_of(v, node);
  return callee == CPB_NO_GRAPH || visit(user, (cpb_span){NULL, 0}, callee);
}

/* --- Roles ------------------------------------------------------------------------------------ */

/* `bindings` has a function's names for the inputs that follow, `told.text` those of an operator; the last of these may
 * stand for several inputs. */
static bool next_input(cpb_view_values *v, cpb_view_value *value) {
  cpb_operator_input input;
  if (!cpb_cursor_find(&v->cursor, NODE_INPUT, CPB_WIRE_LEN)) return false;
  *value = (cpb_view_value){.name = v->cursor.bytes};
  if (cpb_cursor_find(&v->bindings, FUNCTION_INPUT, CPB_WIRE_LEN)) value->role = v->bindings.bytes;
  else if (cpb_operator_next_input(&v->told.text, &input)) {
    value->role = input.name;
    if (input.count > 1) v->role = input.name;
  } else value->role = v->role;
  return true;
}

/* A function may import other versions than the model does, but only if its operators are the same in these. */
static bool roles(const cpb_view *v, const cpb_view_graph *g, const cpb_view_node *node, cpb_view_values *inputs) {
  (void)g;
  uint64_t since;
  cpb_operator found;
  const uint32_t called = callee_of(v, node);
  cpb_view_values all = {.next = next_input, .cursor = cpb_cursor_of(node->message)};
  if (called != CPB_NO_GRAPH) {
    all.bindings = cpb_cursor_of(cpb_view_graph_of(v, called)->message);
  } else {
    const uint64_t opset = node->domain.size == 0 ? cpb_onnx_own_of(v)->opset : UINT64_MAX;
    if (!cpb_operator_find(v->operators, node->op, node->domain, &found)) return false;
    all.told.text = cpb_operator_inputs(&found, opset, &since);
    if (all.told.text.size == 0) return false;
  }
  *inputs = all;
  return true;
}

/* --- Tensors -------------------------------------------------------------------------------------- */

/* Constant nodes and initializers are the same to a reader of the model: both have a name that nodes take. A tensor
 * in another attribute belongs to its node alone. */

bool cpb_onnx_is_sparse(const cpb_view_tensor *t) {
  if (!t->of_node) return t->field == GRAPH_SPARSE_INITIALIZER;
  return t->field == ATTRIBUTE_SPARSE_TENSOR || t->field == ATTRIBUTE_SPARSE_TENSORS;
}

bool cpb_onnx_is_attribute(const cpb_view_tensor *t) {
  return t->of_node && t->field != ATTRIBUTE_TENSOR && t->field != ATTRIBUTE_TENSORS && !cpb_onnx_is_sparse(t);
}

/* Visits the tensors of an attribute, or the attribute if it is one. A node that only holds a tensor is known by its
 * output. */
static bool visit_attribute(cpb_view_tensor like, const cpb_view_node *node, cpb_span attribute, cpb_view_visit *visit,
                            void *user) {
  const bool is_constant = node->is_constant;
  cpb_cursor c = cpb_cursor_of(attribute);
  like.member = cpb_get_bytes(attribute, ATTRIBUTE_NAME);
  like.message = attribute;
  like.field = cpb_onnx_field_of_attribute(node->op, node->domain, attribute);
  if (like.field > 0) {
    if (is_constant) like.value = cpb_get_bytes(like.node, NODE_OUTPUT);
    return visit(user, &like);
  }
  while (cpb_cursor_next(&c)) {
    const bool is_list = c.number == ATTRIBUTE_TENSORS || c.number == ATTRIBUTE_SPARSE_TENSORS;
    if (c.type != CPB_WIRE_LEN || (c.number != ATTRIBUTE_TENSOR && c.number != ATTRIBUTE_SPARSE_TENSOR && !is_list))
      continue;
    if (is_constant && !is_list) like.value = cpb_get_bytes(like.node, NODE_OUTPUT);
    if (is_list) like.element++;
    like.field = c.number;
    like.message = c.bytes;
    if (!visit(user, &like)) return false;
  }
  return true;
}

static bool visit_node(uint32_t graph, const cpb_view_node *node, cpb_view_visit *visit, void *user) {
  const cpb_view_tensor like = {.graph = graph,
                                .of_node = true,
                                .node = node->message,
                                .node_name = node->own_name,
                                .node_number = node->number,
                                .op = node->op};
  cpb_cursor c = cpb_cursor_of(node->message);
  while (cpb_cursor_find(&c, NODE_ATTRIBUTE, CPB_WIRE_LEN))
    if (!visit_attribute(like, node, c.bytes, visit, user)) return false;
  return true;
}

bool cpb_onnx_each_initializer(const cpb_view *v, uint32_t graph, cpb_view_visit *visit, void *user) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  cpb_cursor c = cpb_cursor_of(g->role == CPB_GRAPH_FUNCTION ? (cpb_span){NULL, 0} : g->rest);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN || (c.number != GRAPH_INITIALIZER && c.number != GRAPH_SPARSE_INITIALIZER)) continue;
    cpb_view_tensor found = {.graph = graph, .field = c.number, .message = c.bytes};
    found.value =
        cpb_get_bytes(cpb_onnx_is_sparse(&found) ? cpb_get_bytes(c.bytes, SPARSE_VALUES) : c.bytes, TENSOR_NAME);
    if (!visit(user, &found)) return false;
  }
  return true;
}

static bool each_tensor(const cpb_view *v, uint32_t graph, cpb_view_visit *visit, void *user) {
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  while (cpb_view_nodes_next(&nodes, &node))
    if (!visit_node(graph, &node, visit, user)) return false;
  return cpb_onnx_each_initializer(v, graph, visit, user);
}

/* A sparse tensor represents all elements of its shape, each with the size of a stored one. */
static void measure_sparse(const cpb_view *v, const cpb_view_tensor *t, cpb_view_measure *m) {
  const cpb_onnx_tensor indices = cpb_onnx_tensor_of(v->part, cpb_get_bytes(t->message, SPARSE_INDICES));
  const uint64_t each = m->elements > 0 ? m->bytes / m->elements : 0;
  uint64_t size;
  cpb_varints dims = cpb_varints_of(t->message, SPARSE_DIMS);
  m->elements = 1;
  while (cpb_varints_next(&dims, &size))
    if ((int64_t)size < 0 || !cpb_mul_u64(m->elements, size, &m->elements)) m->has_elements = false;
  if (!cpb_mul_u64(m->elements, each, &m->bytes)) m->has_elements = false;
  m->size += indices.size;
}

static cpb_view_measure measure(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_onnx_tensor one = cpb_onnx_stored(v->part, t);
  cpb_view_measure m = {
      .has_elements = one.has_elements, .elements = one.elements, .bytes = one.bytes, .size = one.size};
  if (one.is_external) {
    m.file = one.external.location.data ? one.external.location : cpb_span_of("");
    m.offset = one.external.offset;
  }
  if (cpb_onnx_is_sparse(t)) measure_sparse(v, t, &m);
  return m;
}

/* --- Operations ------------------------------------------------------------------------------------- */

/* The domains of ONNX itself. */
static bool is_onnx(cpb_span domain) {
  static const char *const domains[] = {"",  "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training",
                                        NULL};
  return cpb_span_is_one_of(domain, domains);
}

/* Those of ONNX Runtime, which other runtimes lack. */
static bool is_onnxruntime(cpb_span domain) {
  static const char *const domains[] = {"com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc", NULL};
  return cpb_span_is_one_of(domain, domains);
}

static const char *origin(const cpb_view *v, cpb_span domain, cpb_span op) {
  if (cpb_onnx_has_function(&cpb_onnx_own_of(v)->functions, &v->graphs, domain, op)) return "library";
  return is_onnx(domain) ? "onnx" : is_onnxruntime(domain) ? "onnxruntime" : "custom";
}

static bool version(const cpb_view *v, cpb_span domain, int64_t *version) {
  const cpb_span opset = cpb_onnx_named_find(&cpb_onnx_own_of(v)->opsets, cpb_onnx_domain(domain));
  *version = (int64_t)cpb_get_number(opset, OPSET_VERSION);
  return opset.data != NULL;
}

/* --- JSON ------------------------------------------------------------------------------------------- */

static void write_type(cpb_json_writer *a, const cpb_view_value *value) { cpb_onnx_write_type(a, value->type); }

static void write_annotation(cpb_json_writer *a, const cpb_onnx_own *own, cpb_span name) {
  const cpb_span annotation = cpb_onnx_named_find(&own->annotations, name);
  if (!annotation.data) return;
  cpb_cursor c = cpb_cursor_of(annotation);
  cpb_json_writer_open(a, "quantization", '[');
  while (cpb_cursor_find(&c, ANNOTATION_PARAMETER, CPB_WIRE_LEN)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "parameter", cpb_get_bytes(c.bytes, ENTRY_KEY));
    cpb_json_writer_span(a, "tensor", cpb_get_bytes(c.bytes, ENTRY_VALUE));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_tensor(cpb_json_writer *a, const cpb_view *v, const cpb_view_tensor *t) {
  if (cpb_onnx_is_sparse(t)) {
    cpb_onnx_write_sparse(a, v->part, t->message);
  } else {
    const cpb_onnx_tensor tensor = cpb_onnx_stored(v->part, t);
    cpb_onnx_write_tensor(a, &tensor);
  }
  if (t->graph == 0) write_annotation(a, cpb_onnx_own_of(v), t->value);
}

static void write_metadata(cpb_json_writer *a, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  bool open = false;
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    if (!open) cpb_json_writer_open(a, "metadata", '[');
    open = true;
    cpb_onnx_write_entry(a, c.bytes);
  }
  if (open) cpb_json_writer_close(a, ']');
}

static void write_node(cpb_json_writer *a, const cpb_view *v, uint32_t graph, const cpb_view_node *node) {
  (void)graph;
  cpb_write_some_text(a, "overload", node->message, NODE_OVERLOAD);
  cpb_onnx_write_attributes(a, "attributes", v->part, node->message, NODE_ATTRIBUTE);
  cpb_write_some_text(a, "doc", node->message, NODE_DOC);
  write_metadata(a, node->message, NODE_METADATA);
}

static void write_opsets(cpb_json_writer *a, cpb_span function) {
  cpb_cursor c = cpb_cursor_of(function);
  cpb_json_writer_open(a, "opset_imports", '[');
  while (cpb_cursor_find(&c, FUNCTION_OPSET, CPB_WIRE_LEN)) cpb_onnx_write_opset(a, c.bytes);
  cpb_json_writer_close(a, ']');
}

static void write_function(cpb_json_writer *a, const cpb_view *v, const cpb_view_graph *g) {
  cpb_json_writer_span(a, "domain", g->domain);
  if (g->overload.size > 0) cpb_json_writer_span(a, "overload", g->overload);
  write_opsets(a, g->message);
  cpb_write_strings(a, "attributes", g->message, FUNCTION_ATTRIBUTE);
  cpb_onnx_write_attributes(a, "attribute_defaults", v->part, g->message, FUNCTION_DEFAULT);
  write_metadata(a, g->message, FUNCTION_METADATA);
  cpb_write_some_text(a, "doc", g->message, FUNCTION_DOC);
}

static void write_graph(cpb_json_writer *a, const cpb_view *v, uint32_t graph) {
  const cpb_view_graph *g = cpb_view_graph_of(v, graph);
  if (g->role == CPB_GRAPH_FUNCTION) {
    write_function(a, v, g);
    return;
  }
  cpb_json_writer_span(a, "graph", cpb_get_bytes(g->rest, GRAPH_NAME));
  cpb_json_writer_unsigned(
      a, "initializers",
      cpb_count_bytes(g->rest, GRAPH_INITIALIZER) + cpb_count_bytes(g->rest, GRAPH_SPARSE_INITIALIZER));
  write_metadata(a, g->rest, GRAPH_METADATA);
  cpb_write_some_text(a, "doc", g->rest, GRAPH_DOC);
}

const cpb_view_kind cpb_onnx_view = {.next_node = next_node,
                                     .values = values,
                                     .roles = roles,
                                     .converts = converts,
                                     .typed = typed,
                                     .each_tensor = each_tensor,
                                     .measure = measure,
                                     .use = cpb_onnx_use,
                                     .each_callee = each_callee,
                                     .module = onnx_module,
                                     .origin = origin,
                                     .version = version,
                                     .write_quantized = cpb_onnx_write_quantized,
                                     .operators = cpb_operators_onnx,
                                     .write_type = write_type,
                                     .write_tensor = write_tensor,
                                     .write_node = write_node,
                                     .write_graph = write_graph};
