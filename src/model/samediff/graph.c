#include "model/samediff/graph.h"

#include <string.h>

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"

void cpb_sd_graph_init(cpb_sd_graph *g, const cpb_allocator *a, uint64_t max_memory, cpb_error *error) {
  *g = (cpb_sd_graph){.allocator = *a, .max_memory = max_memory, .error = error};
  cpb_buffer_init(&g->names, a);
  cpb_names_init(&g->by_name, a);
}

void cpb_sd_graph_free(cpb_sd_graph *g) {
  cpb_release(&g->allocator, g->variables);
  cpb_release(&g->allocator, g->nodes);
  cpb_release(&g->allocator, g->ids);
  cpb_names_free(&g->by_name);
  cpb_buffer_free(&g->names);
  *g = (cpb_sd_graph){0};
}

cpb_span cpb_sd_graph_text(const cpb_sd_graph *g, cpb_sd_text text) {
  return (cpb_span){text.size > 0 ? g->names.data + text.at : NULL, text.size};
}

/* --- Orders ------------------------------------------------------------------- */

static uint64_t key_of(int64_t first, int64_t second) { return (uint64_t)(uint32_t)first << 32 | (uint32_t)second; }

static int by_key(const void *a, const void *b) {
  uint64_t x = ((const cpb_sd_id *)a)->key, y = ((const cpb_sd_id *)b)->key;
  return x < y ? -1 : x > y;
}

const cpb_sd_variable *cpb_sd_find_id(const cpb_sd_graph *g, int64_t first, int64_t second) {
  uint64_t key = key_of(first, second);
  size_t low = 0, high = g->num_variables;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->ids[middle].key == key) return &g->variables[g->ids[middle].variable];
    if (g->ids[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

const cpb_sd_variable *cpb_sd_find_variable(const cpb_sd_graph *g, cpb_span name) {
  uint32_t i = cpb_names_find(&g->by_name, name);
  return i != CPB_NO_NAME ? &g->variables[i] : NULL;
}

/* --- The pass ------------------------------------------------------------------- */

static bool no_memory(cpb_sd_graph *g) {
  cpb_fail_memory(g->error);
  return false;
}

static bool has_room(cpb_sd_graph *g) {
  uint64_t taken =
      g->num_variables * (uint64_t)sizeof *g->variables + g->num_nodes * (uint64_t)sizeof *g->nodes + g->names.size;
  if (taken <= g->max_memory) return true;
  cpb_fail(g->error, CPB_E_LIMIT, CPB_NO_OFFSET,
           "the index of the graph takes more than max_memory, %llu bytes: at least %llu are needed",
           (unsigned long long)g->max_memory, (unsigned long long)taken);
  return false;
}

static bool read_text(cpb_sd_graph *g, const cpb_flat_table *table, unsigned field, cpb_sd_text *text) {
  text->at = g->names.size;
  if (!cpb_flat_text_at(&g->flat, table, field, &g->names)) return false;
  text->size = g->names.size - text->at;
  return true;
}

static bool open_graph(cpb_sd_graph *g) {
  return cpb_flat_root(&g->flat, &g->root) &&
         cpb_flat_vector_at(&g->flat, &g->root, GRAPH_VARIABLES, 4, &g->variable_tables) &&
         cpb_flat_vector_at(&g->flat, &g->root, GRAPH_NODES, 4, &g->node_tables);
}

static bool read_id(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v) {
  cpb_flat_table pair;
  int64_t first, second;
  if (!cpb_flat_table_at(&g->flat, table, VARIABLE_ID, &pair) ||
      !cpb_flat_number(&g->flat, &pair, PAIR_FIRST, 4, 0, &first) ||
      !cpb_flat_number(&g->flat, &pair, PAIR_SECOND, 4, 0, &second))
    return false;
  v->id[0] = (int32_t)first;
  v->id[1] = (int32_t)second;
  return true;
}

static bool read_types(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v) {
  int64_t dtype, kind;
  if (!cpb_flat_number(&g->flat, table, VARIABLE_DTYPE, 1, 0, &dtype) ||
      !cpb_flat_number(&g->flat, table, VARIABLE_KIND, 1, 0, &kind))
    return false;
  v->dtype = cpb_sd_find_dtype(dtype);
  v->kind = (uint8_t)kind;
  if (!v->dtype) return cpb_flat_fail(&g->flat, table->at, "variable: datatype is not a DType of ND4J");
  return cpb_sd_variable_kind(kind) ||
         cpb_flat_fail(&g->flat, table->at, "variable: variabletype is not a VarType of ND4J");
}

/* The variable's own shape, where it has one, is that of its array; a negative dimension is any. */
static bool check_shape(cpb_sd_graph *g, const cpb_flat_table *table, const cpb_sd_array *array) {
  cpb_flat_vector shape;
  if (!cpb_flat_vector_at(&g->flat, table, VARIABLE_SHAPE, 8, &shape)) return false;
  bool same = shape.at == 0 || shape.count == array->rank;
  for (uint32_t i = 0; shape.at != 0 && i < array->rank && same; i++) {
    int64_t told;
    if (!cpb_flat_element(&g->flat, &shape, i, 8, &told)) return false;
    same = told < 0 || told == array->shape[i];
  }
  return same || cpb_flat_fail(&g->flat, table->at, "variable: shape is not that of its array");
}

static bool read_array(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v) {
  cpb_flat_table sub;
  cpb_sd_array array;
  if (!cpb_flat_table_at(&g->flat, table, VARIABLE_ARRAY, &sub)) return false;
  if (sub.at == 0) return true;
  if (!cpb_sd_array_read(&g->flat, &sub, &array) || !check_shape(g, table, &array)) return false;
  v->array = sub.at;
  v->bytes = array.values_size;
  v->elements = array.count;
  v->has_elements = true;
  return true;
}

/* The values of others lie in files of their own, or nowhere. */
static bool read_shape(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v) {
  cpb_flat_vector shape;
  if (v->array != 0 || (v->kind != KIND_VARIABLE && v->kind != KIND_CONSTANT)) return true;
  if (!cpb_flat_vector_at(&g->flat, table, VARIABLE_SHAPE, 8, &shape)) return false;
  v->elements = 1;
  v->has_elements = shape.at != 0;
  for (uint32_t i = 0; i < shape.count && v->has_elements; i++) {
    int64_t size;
    if (!cpb_flat_element(&g->flat, &shape, i, 8, &size)) return false;
    v->has_elements = size >= 0 && cpb_mul_u64(v->elements, (uint64_t)size, &v->elements);
  }
  return true;
}

static bool read_variable(cpb_sd_graph *g, uint32_t i) {
  cpb_flat_table table;
  cpb_sd_variable v = {0};
  if (!cpb_flat_element_table(&g->flat, &g->variable_tables, i, &table) || !read_id(g, &table, &v) ||
      !read_types(g, &table, &v) || !read_array(g, &table, &v) || !read_shape(g, &table, &v) ||
      !read_text(g, &table, VARIABLE_NAME, &v.name))
    return false;
  void *list = g->variables;
  if (!cpb_reserve(&g->allocator, &list, &g->variables_capacity, g->num_variables + 1, sizeof v)) return no_memory(g);
  g->variables = list;
  v.table = table.at;
  g->variables[g->num_variables++] = v;
  return true;
}

/* Each input of the operation must be a variable; marks these as used. */
static bool check_inputs(cpb_sd_graph *g, const cpb_flat_table *table) {
  cpb_flat_vector pairs;
  if (!cpb_flat_vector_at(&g->flat, table, NODE_INPUT_PAIRED, 4, &pairs)) return false;
  for (uint32_t i = 0; i < pairs.count; i++) {
    cpb_flat_table pair;
    int64_t first, second;
    if (!cpb_flat_element_table(&g->flat, &pairs, i, &pair) ||
        !cpb_flat_number(&g->flat, &pair, PAIR_FIRST, 4, 0, &first) ||
        !cpb_flat_number(&g->flat, &pair, PAIR_SECOND, 4, 0, &second))
      return false;
    const cpb_sd_variable *v = cpb_sd_find_id(g, first, second);
    if (!v) return cpb_flat_fail(&g->flat, pair.at, "operation: an id in inputPaired is not that of a variable");
    g->variables[v - g->variables].used = true;
  }
  return true;
}

static bool read_node(cpb_sd_graph *g, uint32_t i) {
  cpb_flat_table table;
  cpb_sd_node n = {0};
  int64_t type, id;
  if (!cpb_flat_element_table(&g->flat, &g->node_tables, i, &table) ||
      !cpb_flat_number(&g->flat, &table, NODE_OP_TYPE, 1, 0, &type) ||
      !cpb_flat_number(&g->flat, &table, NODE_ID, 4, 0, &id) || !check_inputs(g, &table) ||
      !read_text(g, &table, NODE_NAME, &n.name) || !read_text(g, &table, NODE_OP_NAME, &n.op))
    return false;
  if (!cpb_sd_op_type(type)) return cpb_flat_fail(&g->flat, table.at, "operation: opType is not an OpType of ND4J");
  void *list = g->nodes;
  if (!cpb_reserve(&g->allocator, &list, &g->nodes_capacity, g->num_nodes + 1, sizeof n)) return no_memory(g);
  g->nodes = list;
  n.table = table.at;
  n.id = (int32_t)id;
  g->nodes[g->num_nodes++] = n;
  return true;
}

static bool order_ids(cpb_sd_graph *g) {
  if (g->ids) return true;
  g->ids = cpb_alloc(&g->allocator, g->num_variables * sizeof *g->ids);
  if (!g->ids) return no_memory(g);
  for (size_t i = 0; i < g->num_variables; i++)
    g->ids[i] = (cpb_sd_id){key_of(g->variables[i].id[0], g->variables[i].id[1]), (uint32_t)i};
  if (g->num_variables > 1) qsort(g->ids, g->num_variables, sizeof *g->ids, by_key);
  return true;
}

/* Refuses two variables of one name, as all questions refer to variables by name. */
static bool order_names(cpb_sd_graph *g) {
  for (size_t i = 0; i < g->num_variables; i++) {
    if (!cpb_names_add(&g->by_name, cpb_sd_graph_text(g, g->variables[i].name), (uint32_t)i)) return no_memory(g);
  }
  cpb_names_sort(&g->by_name);
  for (size_t i = 0; i < g->num_variables; i++) {
    const cpb_sd_variable *v = &g->variables[i];
    if (cpb_sd_find_variable(g, cpb_sd_graph_text(g, v->name)) != v)
      return cpb_flat_fail(&g->flat, v->table, "variable: another one has the same name");
  }
  return true;
}

static bool go_on(cpb_sd_graph *g) {
  if (!has_room(g)) return false;
  if (!g->opened) return g->opened = open_graph(g);
  if (g->num_variables < g->variable_tables.count) return read_variable(g, (uint32_t)g->num_variables);
  if (!order_ids(g)) return false;
  if (g->num_nodes < g->node_tables.count) return read_node(g, (uint32_t)g->num_nodes);
  return g->ready = order_names(g);
}

cpb_have cpb_sd_graph_load(cpb_sd_graph *g) {
  while (!g->ready) {
    size_t names = g->names.size;
    uint64_t spent = g->flat.spent;
    g->flat.wait = false;
    if (go_on(g)) {
      if (g->flat.pages) cpb_pages_turn(g->flat.pages);
      continue;
    }
    g->names.size = names; /* undo what was begun: it is repeated from its beginning */
    g->flat.spent = spent;
    return g->flat.wait && g->error->code == CPB_OK ? CPB_WAIT : CPB_FAILED;
  }
  return CPB_HAVE;
}

const cpb_sd_node *cpb_sd_find_node(const cpb_sd_graph *g, cpb_span name) {
  for (size_t i = 0; i < g->num_nodes; i++) {
    if (cpb_span_equal(cpb_sd_graph_text(g, g->nodes[i].name), name)) return &g->nodes[i];
  }
  return NULL;
}

const cpb_sd_node *cpb_sd_find_maker(const cpb_sd_graph *g, const cpb_sd_variable *v) {
  for (size_t i = 0; i < g->num_nodes && v->kind == KIND_ARRAY; i++) {
    if (g->nodes[i].id == v->id[0]) return &g->nodes[i];
  }
  return NULL;
}

/* --- What counts --------------------------------------------------------------------------------- */

static bool is_weight_like(const cpb_sd_dtype *dtype) {
  static const char *const names[] = {"FLOAT8", "HALF", "FLOAT", "DOUBLE", "QINT8", "QINT16", "BFLOAT16"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(dtype->name, names[i]) == 0) return true;
  }
  return false;
}

cpb_tensor_use cpb_sd_variable_use(const cpb_sd_variable *v) {
  const bool is_like = is_weight_like(v->dtype) && v->has_elements && v->elements > 1;
  const bool is_weight = v->kind == KIND_VARIABLE || (v->kind == KIND_CONSTANT && is_like);
  return is_weight ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT;
}

uint64_t cpb_sd_variable_parameters(const cpb_sd_variable *v) {
  return cpb_sd_variable_use(v) == CPB_TENSOR_WEIGHT && v->has_elements ? v->elements : 0;
}
