/* Follows a signature to the nodes and objects that compute it: in the graph from its outputs, and in the object graph
 * from the map of signatures. */
#include "model/tensorflow/ask/questions.h"

#include "base/status.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"

/* --- In the object graph ------------------------------------------------------------------ */

/* The object for the key in the root's `signatures`, and the function that it wraps. The wrapper names the outputs, and
 * calls the exported function. */
static bool find_wrapper(const cpb_saved_model *m, cpb_span key, uint32_t *node, cpb_span *function) {
  uint32_t map = cpb_objects_child(&m->objects, 0, cpb_span_of("signatures"));
  *node = cpb_objects_child(&m->objects, map, key);
  if (*node == CPB_NO_OBJECT || m->objects.items[*node].kind != OBJECT_BARE_FUNCTION) return false;
  *function = cpb_get_bytes(m->objects.items[*node].value, BARE_FUNCTION);
  return true;
}

static void note_function(cpb_saved_model *m, cpb_span name, const char *problem) {
  char text[192], quoted[96];
  cpb_quote(quoted, sizeof quoted, name.data ? name.data : (const uint8_t *)"", name.size);
  cpb_format(text, sizeof text, "%s \"%s\", which is not in the library", problem, quoted);
  cpb_problems_add(&m->viewed.problems, CPB_NO_OFFSET, text);
}

/* The function that the wrapper calls, or CPB_NO_NAME. */
static uint32_t write_wrapper(cpb_saved_model *m, uint32_t node, cpb_span function) {
  size_t calls = 0;
  const cpb_call *call = NULL;
  uint32_t number = cpb_graph_find(&m->graph, function);
  cpb_json_writer_open(m->viewed.answer, "wrapper", '{');
  cpb_json_writer_span(m->viewed.answer, "function", function);
  cpb_write_object_place(m, node);
  cpb_write_object(m, node);
  if (number != CPB_NO_NAME) {
    cpb_write_captures(m, m->graph.graphs->items[number].signature, cpb_objects_concrete(&m->objects, function));
    cpb_viewed_write_calls(&m->viewed, "calls", number, false);
    call = cpb_calls_by(&m->graph.graphs->calls, number, &calls);
  } else {
    note_function(m, function, "the signature's wrapper is");
  }
  cpb_json_writer_close(m->viewed.answer, '}');
  return calls > 0 ? call->callee : CPB_NO_NAME;
}

/* --- What the signature calls the tensors that the function takes -------------------------------- */

/* The node of the wrapper that calls the function. */
static bool find_call(const cpb_saved_model *m, uint32_t wrapper, uint32_t callee, cpb_span *node) {
  uint32_t number;
  cpb_cursor c = cpb_graph_nodes(&m->graph, wrapper, &number);
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) {
    cpb_span name;
    cpb_callees callees = cpb_callees_of(c.bytes);
    *node = c.bytes;
    while (cpb_callees_next(&callees, &name))
      if (cpb_graph_find(&m->graph, name) == callee) return true;
  }
  return false;
}

/* The wrapper takes the signature's inputs as its first arguments, in the order of its keywords. */
static bool name_arguments(cpb_names *names, cpb_span signature, cpb_span bare) {
  cpb_cursor arguments = cpb_cursor_of(signature), keywords = cpb_cursor_of(bare);
  for (uint32_t i = 0; cpb_cursor_find(&arguments, OP_INPUT, CPB_WIRE_LEN); i++) {
    if (!cpb_cursor_find(&keywords, BARE_KEYWORDS, CPB_WIRE_LEN)) break;
    if (!cpb_names_add(names, cpb_get_bytes(arguments.bytes, ARG_NAME), i)) return false;
  }
  cpb_names_sort(names);
  return true;
}

static cpb_span keyword_at(cpb_span bare, uint32_t i) {
  cpb_cursor c = cpb_cursor_of(bare);
  for (uint32_t k = 0; cpb_cursor_find(&c, BARE_KEYWORDS, CPB_WIRE_LEN); k++)
    if (k == i) return c.bytes;
  return (cpb_span){NULL, 0};
}

static bool add_input(cpb_saved_model *m, cpb_input_names *inputs, cpb_span name) {
  bool room = CPB_RESERVE(&m->viewed.allocator, &inputs->items, &inputs->capacity, inputs->count + 1);
  if (room) inputs->items[inputs->count++] = name;
  return room;
}

static bool name_inputs(cpb_saved_model *m, uint32_t wrapper, cpb_span call, cpb_span bare, cpb_input_names *inputs) {
  cpb_names names;
  cpb_names_init(&names, &m->viewed.allocator);
  bool done = name_arguments(&names, m->graph.graphs->items[wrapper].signature, bare);
  cpb_cursor c = cpb_cursor_of(call);
  while (done && cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    bool control;
    uint32_t which = cpb_names_find(&names, cpb_node_of_input(c.bytes, &control));
    done = control || !cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, bare.size) ||
           add_input(m, inputs, which == CPB_NO_NAME ? (cpb_span){NULL, 0} : keyword_at(bare, which));
  }
  cpb_names_free(&names);
  return done || cpb_viewed_fail_memory(&m->viewed);
}

static void find_inputs(cpb_saved_model *m, uint32_t node, uint32_t callee, cpb_input_names *inputs) {
  cpb_span bare = m->objects.items[node].value, call;
  uint32_t wrapper = cpb_graph_find(&m->graph, cpb_get_bytes(bare, BARE_FUNCTION));
  if (wrapper != CPB_NO_NAME && find_call(m, wrapper, callee, &call)) name_inputs(m, wrapper, call, bare, inputs);
}

/* --- What the signature calls the tensors that the function gives -------------------------------- */

/* Only a few nodes pass results on. */
#define HANDED_ON_MOST 8

/* The wrapper, and its node that calls the function. */
typedef struct calling {
  const cpb_view_graph *wrapper, *callee;
  cpb_span call;
  cpb_nodes nodes; /* the wrapper's */
} calling;

/* The name of an argument or result of a function, by its number. */
static cpb_span nth_name(const cpb_view_graph *function, uint32_t field, uint64_t number) {
  cpb_cursor c = cpb_cursor_of(function->signature);
  while (cpb_cursor_find(&c, field, CPB_WIRE_LEN))
    if (number-- == 0) return cpb_get_bytes(c.bytes, ARG_NAME);
  return (cpb_span){NULL, 0};
}

/* The function's own name for a tensor that the graph gets from the wrapper, or NULL data. */
static cpb_span result_of(const cpb_saved_model *m, const calling *c, cpb_span tensor) {
  cpb_view_source (*source)(cpb_span) = m->viewed.view.kind->source;
  cpb_span result = nth_name(c->wrapper, OP_OUTPUT, source(tensor).index);
  cpb_span value = cpb_get_bytes(cpb_get_entry(c->wrapper->message, FUNCTION_RETURN, result), MAP_VALUE);
  for (int i = 0; value.data && i < HANDED_ON_MOST; i++) {
    cpb_view_source from = source(value);
    uint32_t node = cpb_names_find(&c->nodes.names, from.node);
    if (node == CPB_NO_NAME) break;
    cpb_span message = c->nodes.items[node];
    if (message.data == c->call.data) return nth_name(c->callee, OP_OUTPUT, from.index);
    if (!cpb_span_is(cpb_get_bytes(message, NODE_OP), "Identity")) break;
    cpb_cursor inputs = cpb_cursor_of(message);
    value = cpb_cursor_find(&inputs, NODE_INPUT, CPB_WIRE_LEN) ? inputs.bytes : (cpb_span){NULL, 0};
  }
  return (cpb_span){NULL, 0};
}

static void write_result(cpb_saved_model *m, const calling *c, const cpb_entry *output) {
  if (!cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, c->wrapper->message.size)) return;
  cpb_span result = result_of(m, c, cpb_get_bytes(output->value, TENSOR_INFO_NAME));
  if (!result.data) return;
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_span(m->viewed.answer, "name", result);
  cpb_json_writer_span(m->viewed.answer, "output", output->key);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_results(cpb_saved_model *m, cpb_span signature, uint32_t wrapper, uint32_t callee) {
  const cpb_view_graph *graphs = m->graph.graphs->items;
  cpb_entries outputs;
  calling c = {.wrapper = &graphs[wrapper], .callee = &graphs[callee]};
  if (!cpb_saved_entries(m, signature, SIGNATURE_OUTPUTS, &outputs)) return;
  cpb_json_writer_open(m->viewed.answer, "results", '[');
  if (!cpb_nodes_build_of(&c.nodes, &m->graph, wrapper)) cpb_viewed_fail_memory(&m->viewed);
  else if (find_call(m, wrapper, callee, &c.call))
    for (size_t i = 0; i < outputs.count; i++) write_result(m, &c, &outputs.items[i]);
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_nodes_free(&c.nodes);
  cpb_entries_free(&outputs);
}

static void write_function(cpb_saved_model *m, cpb_span signature, uint32_t wrapper, uint32_t number,
                           const cpb_input_names *inputs) {
  const cpb_view_graph *f = &m->graph.graphs->items[number];
  cpb_json_writer_open(m->viewed.answer, "function", '{');
  cpb_json_writer_span(m->viewed.answer, "name", f->name);
  cpb_json_writer_unsigned(m->viewed.answer, "nodes", f->nodes);
  cpb_write_concrete(m, f->signature, f->name, inputs);
  write_results(m, signature, wrapper, number);
  cpb_viewed_write_calls(&m->viewed, "calls", number, false);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_objects(cpb_saved_model *m, cpb_span key, cpb_span signature) {
  uint32_t node;
  cpb_span wrapper;
  if (!find_wrapper(m, key, &node, &wrapper)) {
    cpb_json_writer_null(m->viewed.answer, "wrapper");
    cpb_json_writer_null(m->viewed.answer, "function");
    return;
  }
  uint32_t function = write_wrapper(m, node, wrapper);
  if (function == CPB_NO_NAME) {
    cpb_json_writer_null(m->viewed.answer, "function");
    return;
  }
  cpb_input_names inputs = {.count = 0};
  find_inputs(m, node, function, &inputs);
  write_function(m, signature, cpb_graph_find(&m->graph, wrapper), function, &inputs);
  cpb_release(&m->viewed.allocator, inputs.items);
}

/* --- In the graph -------------------------------------------------------------------------- */

/* A stack of nodes replaces the recursion. A node is marked when it is pushed, so the stack never holds more than
 * all nodes, and a graph with circles ends as well. */

/* The nodes on the paths from the outputs back to everything they need. */
typedef struct way {
  cpb_saved_model *model;
  cpb_nodes nodes;
  uint8_t *seen;
  uint32_t *waiting; /* a stack */
  size_t depth;
  uint64_t count;
} way;

static void reach(way *w, cpb_span tensor) {
  bool control;
  uint32_t node = cpb_names_find(&w->nodes.names, cpb_node_of_input(tensor, &control));
  if (node == CPB_NO_NAME || w->seen[node]) return;
  w->seen[node] = 1;
  w->waiting[w->depth++] = node;
  w->count++;
}

/* The tensors of a TensorInfo. */
static void reach_info(way *w, cpb_span info) {
  cpb_span sparse = cpb_get_bytes(info, TENSOR_INFO_SPARSE);
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(info, TENSOR_INFO_COMPOSITE));
  reach(w, cpb_get_bytes(info, TENSOR_INFO_NAME));
  for (uint32_t field = SPARSE_VALUES; field <= SPARSE_SHAPE; field++) reach(w, cpb_get_bytes(sparse, field));
  while (cpb_cursor_find(&c, COMPOSITE_COMPONENTS, CPB_WIRE_LEN)) reach(w, cpb_get_bytes(c.bytes, TENSOR_INFO_NAME));
}

static void go_back(way *w, cpb_span signature) {
  cpb_cursor c = cpb_cursor_of(signature);
  while (cpb_cursor_find(&c, SIGNATURE_OUTPUTS, CPB_WIRE_LEN)) reach_info(w, cpb_get_bytes(c.bytes, MAP_VALUE));
  while (w->depth > 0) {
    c = cpb_cursor_of(w->nodes.items[w->waiting[--w->depth]]);
    while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) reach(w, c.bytes);
  }
}

static void write_variable(cpb_saved_model *m, cpb_span node) {
  cpb_span shared = cpb_get_bytes(cpb_node_attr(node, "shared_name"), ATTR_STRING);
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_span(m->viewed.answer, "node", cpb_get_bytes(node, NODE_NAME));
  cpb_json_writer_span(m->viewed.answer, "op", cpb_get_bytes(node, NODE_OP));
  if (shared.size > 0) cpb_json_writer_span(m->viewed.answer, "shared_name", shared);
  cpb_write_dtype(m->viewed.answer, "dtype", cpb_get_number(cpb_node_attr(node, "dtype"), ATTR_TYPE));
  cpb_write_shape(m->viewed.answer, "shape", cpb_get_bytes(cpb_node_attr(node, "shape"), ATTR_SHAPE));
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_functions(way *w) {
  cpb_saved_model *m = w->model;
  cpb_json_writer_open(m->viewed.answer, "functions", '[');
  for (size_t i = 0; i < w->nodes.count; i++) {
    cpb_span name;
    cpb_callees callees = cpb_callees_of(w->nodes.items[i]);
    while (w->seen[i] && cpb_callees_next(&callees, &name)) {
      if (cpb_graph_find(&m->graph, name) == CPB_NO_NAME) continue;
      cpb_json_writer_open(m->viewed.answer, NULL, '{');
      cpb_json_writer_span(m->viewed.answer, "node", cpb_get_bytes(w->nodes.items[i], NODE_NAME));
      cpb_json_writer_span(m->viewed.answer, "function", name);
      cpb_json_writer_close(m->viewed.answer, '}');
    }
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

static void write_way(way *w) {
  cpb_saved_model *m = w->model;
  cpb_json_writer_open(m->viewed.answer, "graph", '{');
  cpb_json_writer_unsigned(m->viewed.answer, "nodes", w->count);
  write_functions(w);
  cpb_page page = cpb_viewed_page(&m->viewed, "variables");
  for (size_t i = 0; i < w->nodes.count; i++)
    if (w->seen[i] && cpb_node_is_variable(w->nodes.items[i]) && cpb_page_has(&page))
      write_variable(m, w->nodes.items[i]);
  cpb_page_close(m->viewed.answer, &page);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void follow(way *w, cpb_span signature) {
  const cpb_allocator *a = &w->model->viewed.allocator;
  w->seen = cpb_alloc_zeroed(a, w->nodes.count);
  w->waiting = cpb_alloc(a, w->nodes.count * sizeof *w->waiting);
  if (w->seen && w->waiting) {
    go_back(w, signature);
    write_way(w);
  } else {
    cpb_viewed_fail_memory(&w->model->viewed);
  }
  cpb_release(a, w->seen);
  cpb_release(a, w->waiting);
}

static void write_graph(cpb_saved_model *m, cpb_span signature) {
  way w = {.model = m};
  if (cpb_nodes_build(&w.nodes, &m->graph)) follow(&w, signature);
  else cpb_viewed_fail_memory(&m->viewed);
  cpb_nodes_free(&w.nodes);
}

/* --- The answer ------------------------------------------------------------------------------- */

static void write_defaults(cpb_saved_model *m, cpb_span signature) {
  cpb_entries defaults;
  if (!cpb_saved_entries(m, signature, SIGNATURE_DEFAULTS, &defaults)) return;
  cpb_json_writer_open(m->viewed.answer, "defaults", '[');
  for (size_t i = 0; i < defaults.count; i++) {
    cpb_tensor tensor = cpb_tensor_of(&m->skeleton, defaults.items[i].value);
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_json_writer_span(m->viewed.answer, "name", defaults.items[i].key);
    cpb_write_tensor(m->viewed.answer, &tensor);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_entries_free(&defaults);
}

/* The signature for a question without a key: serving_default, which TensorFlow's own tools serve, or else the first
 * one that computes something for a caller. */
static cpb_span default_key(cpb_saved_model *m) {
  cpb_span found = {NULL, 0};
  cpb_entries all;
  if (!cpb_saved_entries(m, m->meta, META_GRAPH_SIGNATURE, &all)) return found;
  for (size_t i = 0; i < all.count; i++) {
    cpb_span key = all.items[i].key;
    if (cpb_span_is(key, "serving_default")) found = key;
    else if (!found.data && !cpb_span_is(key, "__saved_model_init_op")) found = key;
  }
  cpb_entries_free(&all);
  return found;
}

void cpb_ask_signature(cpb_saved_model *m) {
  cpb_span key = cpb_viewed_name(&m->viewed), entry = cpb_get_entry(m->meta, META_GRAPH_SIGNATURE, key);
  if (!entry.data && key.size == 0) {
    key = default_key(m);
    entry = cpb_get_entry(m->meta, META_GRAPH_SIGNATURE, key);
  }
  if (!key.data) {
    cpb_fail(m->viewed.error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the model has no signatures");
    return;
  }
  if (!entry.data) {
    cpb_viewed_not_found(&m->viewed, "signature", key);
    return;
  }
  cpb_span signature = cpb_get_bytes(entry, MAP_VALUE);
  cpb_json_writer_span(m->viewed.answer, "key", key);
  cpb_write_signature(m, signature);
  write_defaults(m, signature);
  write_objects(m, key, signature);
  write_graph(m, signature);
}
