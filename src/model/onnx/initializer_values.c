/* An initializer by its name, or a tensor among a node's attributes: that of a Constant by the name of its output,
 * any by NODE:ATTRIBUTE. The scope is a function or subgraph. */
#include "model/onnx/initializer_values.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/common/part.h"
#include "model/common/tensor/values.h"
#include "model/onnx/dtypes.h"
#include "model/onnx/graphs.h"
#include "model/onnx/views.h"

#define MOST_KEPT 256 /* bytes of what is of no interest here */
#define SHOWN 80

typedef struct reader {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_values_options *options;
  cpb_span name;
  cpb_error error;
  cpb_part part;
  cpb_onnx_graphs graphs;
  cpb_problems problems;
  cpb_input input; /* from where the tensor is read */
  cpb_tensor_values tensor;
  bool found;
} reader;

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  r->allocator = *a;
  r->meter = meter;
  r->options = options;
  r->name = name;
  r->error.offset = CPB_NO_OFFSET;
  cpb_onnx_graphs_init(&r->graphs, a);
  cpb_problems_init(&r->problems, a);
  cpb_input_init(&r->input);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  if (r->found) cpb_tensor_values_free(&r->tensor);
  cpb_onnx_graphs_free(&r->graphs);
  cpb_problems_free(&r->problems);
  cpb_part_free(&r->part);
  cpb_release(&a, r);
}

static cpb_input *input(void *state) {
  reader *r = state;
  return r->part.outline && !r->part.read ? cpb_outline_input(r->part.outline) : &r->input;
}

static cpb_error *error(void *state) { return &((reader *)state)->error; }

/* --- Reading the model ----------------------------------------------------------------- */

static cpb_have fails_memory(reader *r) {
  cpb_fail_memory(&r->error);
  return CPB_FAILED;
}

/* A model that is damaged at its very begin is the error. */
static cpb_have read_model(reader *r) {
  const cpb_outline_options how = {
      .max_value = MOST_KEPT, .max_size = r->options->max_memory, .limits = r->options->limits};
  if (r->part.read) return CPB_HAVE;
  if (!r->part.outline && !cpb_part_begin(&r->part, &r->allocator, &cpb_view_onnx_tensors, NULL, 0, &how))
    return fails_memory(r);
  cpb_step step = cpb_part_step(&r->part, &r->error);
  if (step != CPB_STEP_DONE) return step == CPB_STEP_NEED ? CPB_WAIT : CPB_FAILED;
  if (r->part.damage.code != CPB_OK && r->part.message.size == 0) r->error = r->part.damage;
  if (r->error.code != CPB_OK) return CPB_FAILED;
  bool built = cpb_onnx_graphs_build(&r->graphs, &r->part, &r->problems, r->meter, &r->error);
  return built ? CPB_HAVE : CPB_FAILED;
}

/* --- Which tensor ------------------------------------------------------------------------- */

/* The tensor of an attribute: of a sparse one its values. */
static cpb_span tensor_of(cpb_span attribute) {
  cpb_span tensor = cpb_get_bytes(attribute, ATTRIBUTE_TENSOR);
  return tensor.data ? tensor : cpb_get_bytes(cpb_get_bytes(attribute, ATTRIBUTE_SPARSE_TENSOR), SPARSE_VALUES);
}

static cpb_span find_attribute(cpb_span node, cpb_span name) {
  cpb_span tensor = {NULL, 0};
  cpb_cursor c = cpb_cursor_of(node);
  while (!tensor.data && cpb_cursor_find(&c, NODE_ATTRIBUTE, CPB_WIRE_LEN)) {
    if (!name.data || cpb_span_equal(cpb_get_bytes(c.bytes, ATTRIBUTE_NAME), name)) tensor = tensor_of(c.bytes);
  }
  return tensor;
}

/* Names of nodes may have colons: the attribute is behind the last one. */
static bool split(cpb_span name, cpb_span *node, cpb_span *attribute) {
  size_t at = name.size;
  while (at > 0 && name.data[at - 1] != ':') at--;
  if (at == 0) return false;
  *node = (cpb_span){name.data, at - 1};
  *attribute = cpb_span_from(name, at);
  return true;
}

static cpb_span find_in_node(const reader *r, cpb_span node, uint64_t number) {
  char label[CPB_ONNX_NUMBER];
  static const cpb_span any = {NULL, 0};
  cpb_span of, attribute;
  if (cpb_span_equal(cpb_get_bytes(node, NODE_OUTPUT), r->name)) {
    cpb_span tensor = find_attribute(node, any);
    if (tensor.data) return tensor;
  }
  bool is_it = split(r->name, &of, &attribute) &&
               cpb_span_equal(cpb_onnx_node_label(cpb_get_bytes(node, NODE_NAME), number, label), of);
  return is_it ? find_attribute(node, attribute) : any;
}

static cpb_span find_in_field(const reader *r, const cpb_onnx_graph *g, const cpb_cursor *c, uint64_t *number) {
  static const cpb_span none = {NULL, 0};
  if (c->type != CPB_WIRE_LEN) return none;
  if (c->number == cpb_onnx_node_field(g)) return find_in_node(r, c->bytes, (*number)++);
  if (g->kind == CPB_ONNX_FUNCTION) return none;
  cpb_span tensor = none;
  if (c->number == GRAPH_INITIALIZER) tensor = c->bytes;
  if (c->number == GRAPH_SPARSE_INITIALIZER) tensor = cpb_get_bytes(c->bytes, SPARSE_VALUES);
  return tensor.data && cpb_span_equal(cpb_get_bytes(tensor, TENSOR_NAME), r->name) ? tensor : none;
}

static cpb_have not_found(reader *r, const char *what, cpb_span name) {
  char text[SHOWN];
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  if (r->part.damage.code != CPB_OK) r->error = r->part.damage; /* it may be behind that */
  else cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"", what, text);
  return CPB_FAILED;
}

static cpb_have find_tensor(reader *r, cpb_range *where) {
  uint32_t graph = 0;
  uint64_t number = 0;
  cpb_span tensor = {NULL, 0}, scope = {(const uint8_t *)r->options->scope, r->options->scope_size};
  if (scope.data && !cpb_onnx_graph_find(&r->graphs, scope, r->meter, &graph, &r->error)) return CPB_FAILED;
  if (graph == CPB_NO_GRAPH) return not_found(r, "function or subgraph", scope);
  const cpb_onnx_graph *g = &r->graphs.items[graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  while (!tensor.data && cpb_cursor_next(&c)) tensor = find_in_field(r, g, &c, &number);
  if (!tensor.data) return not_found(r, "initializer or constant", r->name);
  *where = cpb_part_where(&r->part, tensor);
  return CPB_HAVE;
}

/* --- Steps -------------------------------------------------------------------------------- */

static cpb_have begin(reader *r, cpb_range where) {
  r->found = true;
  bool begun = cpb_tensor_values_init(&r->tensor, &r->allocator, &cpb_onnx_layout, &r->input, &r->error, where,
                                      r->options->exact_texts != 0);
  return begun ? CPB_HAVE : fails_memory(r);
}

static cpb_have find(reader *r) {
  cpb_range where = {r->options->tensor_offset, r->options->tensor_size};
  if (where.length > INT64_MAX || where.offset > INT64_MAX) {
    cpb_fail(&r->error, CPB_E_USAGE, CPB_NO_OFFSET, "tensor_offset or tensor_size is 2^63 or more");
    return CPB_FAILED;
  }
  if (where.length > 0) return begin(r, where);
  cpb_have have = read_model(r);
  if (have == CPB_HAVE) have = find_tensor(r, &where);
  if (have != CPB_HAVE) return have;
  cpb_input_end(&r->input, cpb_outline_input(r->part.outline)->size);
  return begin(r, where);
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_have have = r->found ? CPB_HAVE : find(r);
  return have == CPB_HAVE ? cpb_tensor_values_next(&r->tensor, info, data) : have;
}

const cpb_values_reader cpb_onnx_values = {create, destroy, next, input, error};
