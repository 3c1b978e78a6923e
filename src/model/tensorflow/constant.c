/* The values of a tensor in a node's attribute, usually the "value" of a Const. */
#include "model/tensorflow/constant.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/part.h"
#include "model/common/tensor/values.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/state.h"
#include "model/tensorflow/view.h"

/* Two outlines find the tensor, because a SavedModel may have many meta graphs and the caller wants a node of only
 * one of them. The first outline keeps nothing but where the meta graphs are. The second outline reads the graph of
 * one meta graph, and keeps little more than names. Neither is made if the caller gives the tensor's place in the
 * file.
 *
 * The graph's outline may take the memory that the first outline left, but always a minimum: otherwise the number of
 * meta graphs would decide whether a constant can be read. */
#define MOST_KEPT 256 /* largest size of texts to keep, in bytes */
#define LEAST_MEMORY ((uint64_t)1 << 20)
#define SHOWN 80
#define SHOWN_SHORT 48

typedef struct reader {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_values_options *options;
  cpb_span node, attribute;
  bool is_graph, is_alone; /* a GraphDef; a MetaGraphDef */
  cpb_error error;
  cpb_part skeleton, graph;
  cpb_input input; /* the tensor is read from it */
  cpb_tensor_values tensor;
  bool found;
} reader;

/* --- Creation ------------------------------------------------------------------------ */

/* NODE or NODE:ATTRIBUTE: names of nodes have no colon. */
static void take_name(reader *r, cpb_span name) {
  const size_t size = name.size;
  r->node = cpb_span_take(&name, ':');
  r->attribute = r->node.size < size ? name : cpb_span_of("value");
}

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->allocator = *a;
  r->meter = meter;
  r->options = options;
  r->is_graph = kind == CPB_MODEL_GRAPH_DEF;
  r->is_alone = kind == CPB_MODEL_META_GRAPH;
  r->error.offset = CPB_NO_OFFSET;
  take_name(r, name);
  cpb_input_init(&r->input);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  if (r->found) cpb_tensor_values_free(&r->tensor);
  cpb_part_free(&r->graph);
  cpb_part_free(&r->skeleton);
  cpb_release(&a, r);
}

static cpb_input *input(void *state) {
  reader *r = state;
  if (r->graph.outline) return r->graph.read ? &r->input : cpb_outline_input(r->graph.outline);
  return r->skeleton.outline && !r->skeleton.read ? cpb_outline_input(r->skeleton.outline) : &r->input;
}

static cpb_error *error(void *state) { return &((reader *)state)->error; }

/* --- Parts ------------------------------------------------------------------------------ */

static cpb_have fails_memory(reader *r) { return cpb_fail_memory(&r->error), CPB_FAILED; }

static cpb_have have_of(cpb_step step) {
  return step == CPB_STEP_DONE ? CPB_HAVE : step == CPB_STEP_NEED ? CPB_WAIT : CPB_FAILED;
}

/* If a part is damaged at its very beginning, that is the error. */
static cpb_have step_part(reader *r, cpb_part *part) {
  bool was_read = part->read;
  cpb_have have = have_of(cpb_part_step(part, &r->error));
  if (have != CPB_HAVE || was_read || part->damage.code == CPB_OK || part->message.size > 0) return have;
  r->error = part->damage;
  return CPB_FAILED;
}

static bool begin_part(reader *r, cpb_part *part, const cpb_message_type *view, const cpb_range *ranges, size_t count) {
  uint64_t left = r->options->max_memory - cpb_min_u64(r->skeleton.message.size, r->options->max_memory);
  const cpb_outline_options how = {
      .max_value = MOST_KEPT, .max_size = cpb_max_u64(left, LEAST_MEMORY), .limits = r->options->limits};
  return cpb_part_begin(part, &r->allocator, view, ranges, count, &how);
}

static cpb_have read_skeleton(reader *r) {
  if (r->is_graph || r->skeleton.read) return CPB_HAVE;
  const cpb_message_type *view = r->is_alone ? &cpb_view_no_fields : &cpb_view_meta_graphs;
  bool begun = r->skeleton.outline || begin_part(r, &r->skeleton, view, NULL, 0);
  return begun ? step_part(r, &r->skeleton) : fails_memory(r);
}

static cpb_have find_meta_graph(reader *r, cpb_span *meta) {
  uint32_t count = 0;
  cpb_meta_graphs all = cpb_meta_graphs_of(r->skeleton.message, r->is_alone);
  while (cpb_meta_graphs_next(&all, meta))
    if (count++ == r->options->meta_graph) return CPB_HAVE;
  cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
           "meta_graph is %u; expected less than %u, the number of meta graphs", (unsigned)r->options->meta_graph,
           (unsigned)count);
  return CPB_FAILED;
}

static cpb_have begin_graph(reader *r) {
  static const cpb_range nothing = {0, 0};
  cpb_span meta;
  cpb_range *ranges = NULL;
  size_t count = 0;
  if (r->is_graph) return begin_part(r, &r->graph, &cpb_view_tensors, NULL, 0) ? CPB_HAVE : fails_memory(r);
  if (find_meta_graph(r, &meta) != CPB_HAVE) return CPB_FAILED;
  bool begun = cpb_part_ranges(&r->skeleton, &r->allocator, meta, META_GRAPH_GRAPH, &ranges, &count) &&
               begin_part(r, &r->graph, &cpb_view_tensors, count > 0 ? ranges : &nothing, count > 0 ? count : 1);
  cpb_release(&r->allocator, ranges);
  if (!begun) return fails_memory(r);
  cpb_input_end(cpb_outline_input(r->graph.outline), cpb_outline_input(r->skeleton.outline)->size);
  return CPB_HAVE;
}

/* --- Which tensor ------------------------------------------------------------------------- */

/* Names of nodes are unique within one function only. Without a scope, the graph itself comes first, then all
 * functions. A name that is in two functions is an error: a guess would return the values of another constant. */

static bool find_named(cpb_cursor *c, uint32_t number, uint32_t name, cpb_span wanted) {
  while (cpb_cursor_find(c, number, CPB_WIRE_LEN))
    if (cpb_span_equal(cpb_get_bytes(c->bytes, name), wanted)) return true;
  return false;
}

/* The next function of the library; continues from `library` and `functions`. */
static bool next_function(cpb_cursor *library, cpb_cursor *functions, cpb_span *function) {
  while (!cpb_cursor_find(functions, LIBRARY_FUNCTION, CPB_WIRE_LEN)) {
    if (!cpb_cursor_find(library, GRAPH_LIBRARY, CPB_WIRE_LEN)) return false;
    *functions = cpb_cursor_of(library->bytes);
  }
  *function = functions->bytes;
  return true;
}

static cpb_span name_of(cpb_span function) {
  return cpb_get_bytes(cpb_get_bytes(function, FUNCTION_SIGNATURE), OP_NAME);
}

static bool find_function(const reader *r, cpb_span wanted, cpb_span *function) {
  cpb_cursor library = cpb_cursor_of(r->graph.message), functions = cpb_cursor_of((cpb_span){NULL, 0});
  while (next_function(&library, &functions, function))
    if (cpb_span_equal(name_of(*function), wanted)) return true;
  return false;
}

/* If the graph is damaged, the missing name may have been in the damaged part: then the damage is the error. */
static bool is_hidden(reader *r) {
  if (r->graph.damage.code != CPB_OK) r->error = r->graph.damage;
  return r->graph.damage.code != CPB_OK;
}

typedef struct shown {
  char text[SHOWN];
} shown;

static shown show(cpb_span name) {
  shown s;
  cpb_quote(s.text, sizeof s.text, name.data ? name.data : (const uint8_t *)"", name.size);
  return s;
}

static cpb_have no_function(reader *r, cpb_span function) {
  if (!is_hidden(r))
    cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no function \"%s\"", show(function).text);
  return CPB_FAILED;
}

static cpb_have no_tensor(reader *r) {
  cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "node \"%s\" has no attribute \"%s\" that is a tensor",
           show(r->node).text, show(r->attribute).text);
  return CPB_FAILED;
}

static cpb_have no_node(reader *r) {
  if (!is_hidden(r)) cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no node \"%s\"", show(r->node).text);
  return CPB_FAILED;
}

static cpb_span tensor_of(const reader *r, cpb_span node) {
  return cpb_get_bytes(cpb_get_bytes(cpb_get_entry(node, NODE_ATTR, r->attribute), MAP_VALUE), ATTR_TENSOR);
}

static cpb_have fail_several(reader *r, const cpb_span functions[2]) {
  char names[2][SHOWN_SHORT], node[SHOWN_SHORT];
  for (size_t i = 0; i < 2; i++) cpb_quote(names[i], sizeof names[i], functions[i].data, functions[i].size);
  cpb_quote(node, sizeof node, r->node.data, r->node.size);
  cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
           "\"%s\" is in several functions; expected one of them as the scope, such as \"%s\" or \"%s\" (the question "
           "constants lists them)",
           node, names[0], names[1]);
  return CPB_FAILED;
}

/* For a name that is not in the graph itself, and has no scope: finds the only function that has it. */
static cpb_have find_elsewhere(reader *r, cpb_span *tensor) {
  cpb_span function, found[2] = {{NULL, 0}, {NULL, 0}};
  size_t count = 0;
  cpb_cursor library = cpb_cursor_of(r->graph.message), functions = cpb_cursor_of((cpb_span){NULL, 0});
  while (count < 2 && next_function(&library, &functions, &function)) {
    cpb_cursor nodes = cpb_cursor_of(function);
    if (!find_named(&nodes, FUNCTION_NODE, NODE_NAME, r->node) || !tensor_of(r, nodes.bytes).data) continue;
    if (count == 0) *tensor = tensor_of(r, nodes.bytes);
    found[count++] = name_of(function);
  }
  return count == 1 ? CPB_HAVE : count == 2 ? fail_several(r, found) : no_node(r);
}

static cpb_have find_tensor(reader *r, cpb_range *where) {
  cpb_span of = r->graph.message, tensor, scope = {(const uint8_t *)r->options->scope, r->options->scope_size};
  if (scope.data && !find_function(r, scope, &of)) return no_function(r, scope);
  cpb_cursor nodes = cpb_cursor_of(of);
  if (find_named(&nodes, scope.data ? FUNCTION_NODE : GRAPH_NODE, NODE_NAME, r->node)) {
    tensor = tensor_of(r, nodes.bytes);
    if (!tensor.data) return no_tensor(r);
  } else if (scope.data) {
    return no_node(r);
  } else if (find_elsewhere(r, &tensor) != CPB_HAVE) {
    return CPB_FAILED;
  }
  *where = cpb_part_where(&r->graph, tensor);
  return CPB_HAVE;
}

static cpb_have begin_tensor(reader *r, cpb_range where) {
  r->found = true;
  bool begun = cpb_tensor_values_init(&r->tensor, &r->allocator, r->meter, &cpb_tensorflow_layout, &r->input, &r->error,
                                      where, r->options->exact_texts != 0);
  return begun ? CPB_HAVE : fails_memory(r);
}

/* --- Steps -------------------------------------------------------------------------------- */

static cpb_have no_place(reader *r) {
  return cpb_fail(&r->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more"), CPB_FAILED;
}

static cpb_have find(reader *r) {
  cpb_range where = {r->options->tensor_offset, r->options->tensor_size};
  if (where.length > INT64_MAX || where.offset > INT64_MAX) return no_place(r);
  if (where.length > 0) return begin_tensor(r, where);
  cpb_have have = read_skeleton(r);
  if (have == CPB_HAVE && !r->graph.outline) have = begin_graph(r);
  if (have == CPB_HAVE) have = step_part(r, &r->graph);
  if (have == CPB_HAVE) have = find_tensor(r, &where);
  if (have != CPB_HAVE) return have;
  cpb_input_end(&r->input, cpb_outline_input(r->graph.outline)->size);
  return begin_tensor(r, where);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->found ? CPB_HAVE : find(r);
  return have == CPB_HAVE ? cpb_tensor_values_next(&r->tensor, info, data) : have;
}

const cpb_values_reader cpb_constant_values = {create, destroy, next, input, error};
