#include "model/onnx/ask/initializers.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/common/files.h"
#include "model/onnx/tensor_json.h"

cpb_span cpb_onnx_initializer_name(uint32_t field, cpb_span message) {
  return cpb_get_bytes(field == GRAPH_SPARSE_INITIALIZER ? cpb_get_bytes(message, SPARSE_VALUES) : message,
                       TENSOR_NAME);
}

static bool is_initializer(const cpb_cursor *c) {
  return c->type == CPB_WIRE_LEN && (c->number == GRAPH_INITIALIZER || c->number == GRAPH_SPARSE_INITIALIZER);
}

bool cpb_onnx_name_initializers(cpb_span graph, cpb_names *names) {
  uint32_t number = 0;
  cpb_cursor c = cpb_cursor_of(graph);
  while (cpb_cursor_next(&c)) {
    if (!is_initializer(&c) || number == CPB_NO_NAME) continue;
    if (!cpb_names_add(names, cpb_onnx_initializer_name(c.number, c.bytes), number++)) return false;
  }
  cpb_names_sort(names);
  return true;
}

/* --- Which there are ------------------------------------------------------------------------ */

typedef struct constant {
  uint64_t size;
  size_t order;
  uint32_t graph, number; /* of a node: which one */
  uint32_t field;         /* of the graph, or ATTRIBUTE_... of a node's attribute */
  bool of_node;
  cpb_span message, owner; /* the tensor; the node that has it */
} constant;

typedef struct constants {
  cpb_onnx_model *model;
  constant *items;
  size_t count, capacity;
  uint64_t size;
} constants;

static uint64_t size_of(const constants *list, cpb_span tensor) {
  return cpb_onnx_tensor_of(&list->model->whole.part, tensor).size;
}

static bool add(constants *list, constant c) {
  void *items = list->items;
  const bool sparse = c.field == (c.of_node ? ATTRIBUTE_SPARSE_TENSOR : GRAPH_SPARSE_INITIALIZER);
  if (!cpb_reserve(&list->model->whole.allocator, &items, &list->capacity, list->count + 1, sizeof *list->items))
    return cpb_whole_fail_memory(&list->model->whole);
  list->items = items;
  if (sparse)
    c.size = size_of(list, cpb_get_bytes(c.message, SPARSE_VALUES)) +
             size_of(list, cpb_get_bytes(c.message, SPARSE_INDICES));
  else c.size = size_of(list, c.message);
  c.order = list->count;
  list->items[list->count++] = c;
  list->size += c.size;
  return true;
}

static bool add_attributes(constants *list, uint32_t graph, uint32_t number, cpb_span node) {
  cpb_cursor attributes = cpb_cursor_of(node);
  while (cpb_cursor_find(&attributes, NODE_ATTRIBUTE, CPB_WIRE_LEN)) {
    cpb_cursor c = cpb_cursor_of(attributes.bytes);
    while (cpb_cursor_next(&c)) {
      const bool is_tensor =
          c.type == CPB_WIRE_LEN && (c.number == ATTRIBUTE_TENSOR || c.number == ATTRIBUTE_SPARSE_TENSOR);
      const constant found = {
          .graph = graph, .number = number, .field = c.number, .of_node = true, .message = c.bytes, .owner = node};
      if (is_tensor && !add(list, found)) return false;
    }
  }
  return true;
}

static bool add_graph(constants *list, uint32_t graph) {
  uint32_t number = 0;
  const cpb_onnx_graph *g = &list->model->graphs.items[graph];
  cpb_cursor c = cpb_cursor_of(g->message);
  while (cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == cpb_onnx_node_field(g)) {
      if (!add_attributes(list, graph, number++, c.bytes)) return false;
    } else if (g->kind != CPB_ONNX_FUNCTION && is_initializer(&c)) {
      if (!add(list, (constant){.graph = graph, .field = c.number, .message = c.bytes})) return false;
    }
  }
  return true;
}

static int largest_first(const void *a, const void *b) {
  const constant *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->order > y->order) - (x->order < y->order);
}

/* --- Quantization ---------------------------------------------------------------------------- */

/* The annotation of a tensor, by its name; of several the first. */
typedef struct annotations {
  cpb_names names;
  cpb_span *items;
  size_t count;
} annotations;

static bool read_annotations(cpb_onnx_model *m, annotations *list) {
  cpb_span graph = m->graphs.items[0].message;
  cpb_cursor c = cpb_cursor_of(graph);
  size_t count = (size_t)cpb_count_bytes(graph, GRAPH_QUANTIZATION);
  cpb_names_init(&list->names, &m->whole.allocator);
  if (count == 0) return true;
  list->items = cpb_alloc(&m->whole.allocator, count * sizeof *list->items);
  while (list->items && list->count < count && cpb_cursor_find(&c, GRAPH_QUANTIZATION, CPB_WIRE_LEN)) {
    list->items[list->count] = c.bytes;
    if (!cpb_names_add(&list->names, cpb_get_bytes(c.bytes, ANNOTATION_TENSOR), (uint32_t)list->count++)) return false;
  }
  cpb_names_sort(&list->names);
  return list->items != NULL;
}

static void write_annotation(cpb_json_writer *a, const annotations *list, cpb_span name) {
  uint32_t i = cpb_names_find(&list->names, name);
  if (i == CPB_NO_NAME) return;
  cpb_cursor c = cpb_cursor_of(list->items[i]);
  cpb_json_writer_open(a, "quantization", '[');
  while (cpb_cursor_find(&c, ANNOTATION_PARAMETER, CPB_WIRE_LEN)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "parameter", cpb_get_bytes(c.bytes, ENTRY_KEY));
    cpb_json_writer_span(a, "tensor", cpb_get_bytes(c.bytes, ENTRY_VALUE));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

/* --- The answer ---------------------------------------------------------------------------------- */

/* A constant's node goes by the name of its output, which others take. */
static cpb_span name_of(const constant *c, char *number) {
  cpb_span output = cpb_get_bytes(c->owner, NODE_OUTPUT);
  if (!c->of_node) return cpb_onnx_initializer_name(c->field, c->message);
  if (cpb_span_is(cpb_get_bytes(c->owner, NODE_OP), "Constant") && output.size > 0) return output;
  return cpb_onnx_node_label(cpb_get_bytes(c->owner, NODE_NAME), c->number, number);
}

static void write_constant(cpb_onnx_model *m, const constant *c, const annotations *quantized) {
  char number[CPB_ONNX_NUMBER];
  cpb_json_writer *a = m->whole.answer;
  cpb_span name = name_of(c, number);
  const bool sparse = c->field == (c->of_node ? ATTRIBUTE_SPARSE_TENSOR : GRAPH_SPARSE_INITIALIZER);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "node", name);
  cpb_json_writer_text(a, "is", c->of_node ? "attribute" : "initializer");
  cpb_onnx_write_graph_name(m, "function", c->graph);
  if (sparse) {
    cpb_onnx_write_sparse(a, &m->whole.part, c->message);
  } else {
    const cpb_onnx_tensor tensor = cpb_onnx_tensor_of(&m->whole.part, c->message);
    cpb_onnx_write_tensor(a, &tensor);
  }
  if (c->graph == 0) write_annotation(a, quantized, name);
  cpb_json_writer_close(a, '}');
}

static void write_constants(constants *list) {
  cpb_onnx_model *m = list->model;
  annotations quantized = {.items = NULL};
  if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, largest_first);
  cpb_json_writer_unsigned(m->whole.answer, "size", list->size);
  if (read_annotations(m, &quantized)) {
    cpb_page page = cpb_onnx_open_page(m, "constants");
    for (size_t i = 0; i < list->count; i++) {
      if (cpb_page_has(&page)) write_constant(m, &list->items[i], &quantized);
    }
    cpb_page_close(m->whole.answer, &page);
  } else {
    cpb_whole_fail_memory(&m->whole);
  }
  cpb_names_free(&quantized.names);
  cpb_release(&m->whole.allocator, quantized.items);
}

void cpb_onnx_constants(cpb_onnx_model *m) {
  constants list = {.model = m};
  bool done = true;
  for (size_t i = 0; done && i < m->graphs.count; i++) done = add_graph(&list, (uint32_t)i);
  if (done) write_constants(&list);
  cpb_release(&m->whole.allocator, list.items);
}

/* --- In all ------------------------------------------------------------------------------------------ */

typedef struct totals {
  uint64_t elements, bytes, size;
  cpb_files files;
  bool failed;
} totals;

static void add_tensor(cpb_onnx_model *m, totals *t, cpb_span message) {
  const cpb_onnx_tensor tensor = cpb_onnx_tensor_of(&m->whole.part, message);
  if (tensor.has_elements && !cpb_add_u64(t->elements, tensor.elements, &t->elements)) t->elements = UINT64_MAX;
  if (tensor.has_elements && !cpb_add_u64(t->bytes, tensor.bytes, &t->bytes)) t->bytes = UINT64_MAX;
  if (!cpb_add_u64(t->size, tensor.size, &t->size)) t->size = UINT64_MAX;
  if (tensor.is_external && !cpb_files_add(&t->files, tensor.external.location, tensor.size)) t->failed = true;
}

void cpb_onnx_write_parameters(cpb_onnx_model *m) {
  totals t = {.failed = false};
  cpb_json_writer *a = m->whole.answer;
  cpb_cursor c = cpb_cursor_of(m->graphs.items[0].message);
  cpb_files_init(&t.files, &m->whole.allocator);
  while (cpb_cursor_next(&c) && !t.failed) {
    if (is_initializer(&c))
      add_tensor(m, &t, c.number == GRAPH_INITIALIZER ? c.bytes : cpb_get_bytes(c.bytes, SPARSE_VALUES));
  }
  if (t.failed) cpb_whole_fail_memory(&m->whole);
  cpb_json_writer_open(a, "parameters", '{');
  cpb_json_writer_exact_unsigned(a, "total", t.elements);
  cpb_json_writer_exact_unsigned(a, "bytes", t.bytes);
  cpb_json_writer_exact_unsigned(a, "size", t.size);
  cpb_json_writer_close(a, '}');
  cpb_files_write(&t.files, a);
  cpb_files_free(&t.files);
}
