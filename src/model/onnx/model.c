#include "model/onnx/model.h"

#include "model/questions/reader.h"

static cpb_onnx_own *own_of(const cpb_viewed *m) { return (cpb_onnx_own *)m->view.own; }

/* --- Its own state ---------------------------------------------------------------------- */

static void *create_own(cpb_viewed_message *m) {
  const cpb_allocator *a = &m->viewed.allocator;
  cpb_onnx_own *own = cpb_alloc_zeroed(a, sizeof *own);
  if (!own) return NULL;
  cpb_onnx_brief_init(&own->brief, a, m->viewed.meter);
  own->functions.allocator = *a;
  cpb_names_init(&own->opsets.names, a);
  cpb_names_init(&own->annotations.names, a);
  cpb_names_init(&own->result_scales, a);
  return own;
}

static void destroy_own(cpb_viewed_message *m) { cpb_release(&m->viewed.allocator, own_of(&m->viewed)); }

/* The messages in a field of another one, each by its field `name`, which `of` may replace. */
static bool read_named(cpb_viewed_message *m, cpb_onnx_named *n, cpb_span message, uint32_t field, uint32_t name,
                       cpb_span (*of)(cpb_span name)) {
  const size_t count = cpb_count_bytes(message, field);
  cpb_cursor c = cpb_cursor_of(message);
  if (count == 0) return true;
  n->messages = cpb_alloc(&m->viewed.allocator, count * sizeof *n->messages);
  if (!n->messages) return cpb_viewed_fail_memory(&m->viewed);
  while (n->count < count && cpb_cursor_find(&c, field, CPB_WIRE_LEN)) {
    const cpb_span text = cpb_get_bytes(c.bytes, name);
    n->messages[n->count] = c.bytes;
    if (!cpb_names_add(&n->names, of ? of(text) : text, (uint32_t)n->count++))
      return cpb_viewed_fail_memory(&m->viewed);
  }
  cpb_names_sort(&n->names);
  return true;
}

cpb_span cpb_onnx_named_find(const cpb_onnx_named *named, cpb_span name) {
  const uint32_t i = cpb_names_find(&named->names, name);
  return i == CPB_NO_NAME ? (cpb_span){NULL, 0} : named->messages[i];
}

/* --- Scales of results ------------------------------------------------------------------------ */

/* Cast makes floats of a product of integers, and Mul multiplies them with the product of the two scales:
 * Mul(Cast(MatMulInteger(a, b)), Mul(scale of a, scale of b)). */

static bool has(const cpb_names *names, cpb_span value) { return cpb_names_find(names, value) != CPB_NO_NAME; }

/* Where a node leads that takes one of `taken`: a product to its other factor, others to their output; else empty. */
static cpb_span leads_to(const cpb_view_node *node, const cpb_names *taken, bool is_product) {
  const cpb_span a = cpb_onnx_input_of(node, 0), b = cpb_onnx_input_of(node, 1);
  if (is_product) return has(taken, a) ? b : has(taken, b) ? a : (cpb_span){NULL, 0};
  cpb_cursor c = cpb_cursor_of(node->message);
  return (!taken || has(taken, a)) && cpb_cursor_find(&c, NODE_OUTPUT, CPB_WIRE_LEN) ? c.bytes : (cpb_span){NULL, 0};
}

/* Adds these values, of all nodes with such an operation. `taken` is NULL: whatever they take. */
static bool add_values(cpb_viewed_message *m, const char *const *ops, const cpb_names *taken, bool are_products,
                       cpb_names *made) {
  const cpb_view *v = &m->viewed.view;
  for (uint32_t i = 0; i < v->graphs.count; i++) {
    cpb_view_node node;
    cpb_view_nodes nodes = cpb_view_nodes_of(v, i);
    while (cpb_view_nodes_next(&nodes, &node)) {
      if (!cpb_span_is_one_of(node.op, ops)) continue;
      const cpb_span value = leads_to(&node, taken, are_products);
      if (value.size > 0 && !cpb_names_add(made, value, 0)) return cpb_viewed_fail_memory(&m->viewed);
    }
  }
  cpb_names_sort(made);
  return true;
}

static bool read_result_scales(cpb_viewed_message *m, cpb_names *scales) {
  static const char *const of_integers[] = {"MatMulInteger", "ConvInteger", NULL}, *const casts[] = {"Cast", NULL},
                           *const products[] = {"Mul", NULL};
  cpb_names integers, floats;
  cpb_names_init(&integers, &m->viewed.allocator);
  cpb_names_init(&floats, &m->viewed.allocator);
  const bool done = add_values(m, of_integers, NULL, false, &integers) &&
                    (integers.count == 0 || (add_values(m, casts, &integers, false, &floats) &&
                                             add_values(m, products, &floats, true, scales)));
  cpb_names_free(&integers);
  cpb_names_free(&floats);
  return done;
}

/* --- Lists ------------------------------------------------------------------------------------ */

static void forget_named(const cpb_allocator *a, cpb_onnx_named *n) {
  cpb_names_free(&n->names);
  cpb_release(a, n->messages);
  n->messages = NULL;
  n->count = 0;
}

static uint64_t opset_of(const cpb_onnx_own *own) {
  const cpb_span opset = cpb_onnx_named_find(&own->opsets, cpb_span_of(""));
  const int64_t version = (int64_t)cpb_get_number(opset, OPSET_VERSION);
  return opset.data && version >= 0 ? (uint64_t)version : UINT64_MAX;
}

/* All that build() made. */
static void forget_lists(cpb_viewed_message *m) {
  cpb_onnx_own *own = own_of(&m->viewed);
  cpb_onnx_functions_free(&own->functions);
  forget_named(&m->viewed.allocator, &own->opsets);
  forget_named(&m->viewed.allocator, &own->annotations);
  cpb_names_free(&own->result_scales);
}

static void forget(cpb_viewed_message *m) {
  cpb_onnx_brief_free(&own_of(&m->viewed)->brief);
  forget_lists(m);
}

static bool make_lists(cpb_viewed_message *m) {
  cpb_onnx_own *own = own_of(&m->viewed);
  if (!read_named(m, &own->opsets, m->part.message, MODEL_OPSET, OPSET_DOMAIN, cpb_onnx_domain)) return false;
  own->opset = opset_of(own);
  m->viewed.lacks_tensors = own->brief.unread.length > 0;
  return cpb_onnx_graphs_build(&m->viewed.view.graphs, &own->functions, &m->part, &m->graph_problems, m->viewed.meter,
                               m->viewed.error) &&
         read_named(m, &own->annotations, m->viewed.view.graphs.items[0].rest, GRAPH_QUANTIZATION, ANNOTATION_TENSOR,
                    NULL) &&
         read_result_scales(m, &own->result_scales);
}

/* After a failure the next question builds all of it again. */
static bool build(cpb_viewed_message *m) {
  const bool done = make_lists(m);
  if (!done) forget_lists(m);
  return done;
}

/* --- Brief answers ------------------------------------------------------------------------ */

/* A brief question may come first, and a question about weights later. The model is then read again as a whole, and
 * stays so: a brief question can be answered from all of it. */

/* Nodes follow each other. If each request costs time, one request reads many. */
#define BRIEF_AHEAD ((uint64_t)128 << 10)

/* Whether the question can be answered without the graph's tensors. */
static bool is_brief(const cpb_question *question) {
  switch (question->kind) {
    case CPB_ASK_CONSTANTS:
    case CPB_ASK_LAYERS: return false;
    default: return question->brief != 0;
  }
}

/* Sets how the model is read, unless it has been read before. */
static void set_brief(cpb_viewed_message *m, bool brief) {
  m->read_ahead = brief ? BRIEF_AHEAD : 0;
  m->jumps = brief ? &cpb_onnx_brief_jumps : NULL;
  m->jumps_context = &own_of(&m->viewed)->brief;
}

static bool lacks_tensors(const cpb_viewed_message *m) { return own_of(&m->viewed)->brief.unread.length > 0; }

static bool prepare(cpb_viewed_message *m, const cpb_question *question) {
  const bool brief = is_brief(question);
  set_brief(m, brief);
  return lacks_tensors(m) && !brief;
}

/* Before IR version 4, initializers are also listed as inputs, so the inputs are unknown without the initializers. */
static bool needs_more(cpb_viewed_message *m) {
  if (!lacks_tensors(m) || cpb_get_number(m->part.message, MODEL_IR_VERSION) >= 4) return false;
  set_brief(m, false);
  return true;
}

static void write_unread(cpb_viewed *m) {
  const cpb_range unread = own_of(m)->brief.unread;
  if (unread.length > 0) cpb_write_range(m->answer, "unread", unread);
}

/* --- Damage ------------------------------------------------------------------------------ */

/* Writers order fields by number, so the last field tells which ones are missing. */
static const char *missing(cpb_span model) {
  const uint32_t last = cpb_last_field(model);
  if (last < MODEL_GRAPH) return "the graph is missing";
  if (last > MODEL_GRAPH) return "what follows is missing";
  switch (cpb_last_field(cpb_get_bytes(model, MODEL_GRAPH))) {
    case 0: return "the graph is missing";
    case GRAPH_NODE: return "the rest of the nodes, and the initializers, inputs and outputs, are missing";
    case GRAPH_NAME: return "the initializers, inputs and outputs are missing";
    case GRAPH_INITIALIZER: return "the rest of the initializers, and the inputs and outputs, are missing";
    case GRAPH_DOC: return "the inputs and outputs are missing";
    case GRAPH_INPUT: return "further inputs, and the outputs, are missing";
    default: return "what follows in the graph is missing";
  }
}

static const char *lost_of(uint32_t field) {
  switch (field) {
    case MODEL_GRAPH: return "the graph";
    case MODEL_FUNCTION: return "the functions";
    case MODEL_TRAINING: return "what is for training";
    default: return "the model";
  }
}

static const char *empty(const cpb_viewed *m) {
  return m->view.graphs.items[0].message.data ? NULL : "the model has no graph";
}

/* --- The reader ----------------------------------------------------------------------------- */

static const cpb_viewed_kind onnx = {.view = &cpb_onnx_view,
                                     .type = &cpb_view_onnx,
                                     .create = create_own,
                                     .destroy = destroy_own,
                                     .prepare = prepare,
                                     .needs_more = needs_more,
                                     .forget = forget,
                                     .build = build,
                                     .write_overview = cpb_onnx_overview,
                                     .write_end = write_unread,
                                     .missing = missing,
                                     .lost_of = lost_of,
                                     .empty = empty};

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  (void)kind;
  return cpb_viewed_create(a, meter, &onnx, options);
}

const cpb_model_reader cpb_onnx_reader = {.create = create, CPB_VIEWED_READER};
