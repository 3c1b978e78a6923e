#include "model/samediff/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/json_read.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/common/cursor.h"

/* --- graph ------------------------------------------------------------------------------------ */

/* The file may be read in pages, so any read can find that its bytes are not there yet. The pass then stops, and
 * cpb_sd_graph_load() repeats the variable or operation from its beginning when it is called again. A step must
 * therefore be undone by cutting the lists to their former sizes: it only appends to them, and takes its variable or
 * node into the graph last. */

#define TYPE_HEAD 2 /* bytes of a type before its dimensions */

void cpb_sd_graph_init(cpb_sd_graph *g, const cpb_allocator *a, uint64_t max_memory, cpb_error *error) {
  *g = (cpb_sd_graph){.allocator = *a, .max_memory = max_memory, .error = error};
  cpb_buffer_init(&g->names, a);
  cpb_buffer_init(&g->types, a);
  cpb_names_init(&g->by_name, a);
}

void cpb_sd_graph_free(cpb_sd_graph *g) {
  cpb_release(&g->allocator, g->variables);
  cpb_release(&g->allocator, g->nodes);
  cpb_release(&g->allocator, g->links);
  cpb_release(&g->allocator, g->ids);
  cpb_names_free(&g->by_name);
  cpb_buffer_free(&g->names);
  cpb_buffer_free(&g->types);
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

static uint32_t find_id(const cpb_sd_graph *g, int64_t first, int64_t second) {
  uint64_t key = key_of(first, second);
  size_t low = 0, high = g->num_variables;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->ids[middle].key == key) return g->ids[middle].variable;
    if (g->ids[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return CPB_NO_NAME;
}

const cpb_sd_variable *cpb_sd_find_variable(const cpb_sd_graph *g, cpb_span name) {
  uint32_t i = cpb_names_find(&g->by_name, name);
  return i != CPB_NO_NAME ? &g->variables[i] : NULL;
}

/* --- The pass ------------------------------------------------------------------- */

static bool no_memory(cpb_sd_graph *g) { return cpb_fail_memory(g->error), false; }

static bool has_room(cpb_sd_graph *g) {
  uint64_t taken = g->num_variables * (uint64_t)sizeof *g->variables + g->num_nodes * (uint64_t)sizeof *g->nodes +
                   g->num_links * (uint64_t)sizeof *g->links + g->names.size + g->types.size;
  if (taken <= g->max_memory) return true;
  return CPB_FAILS(g->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                   "the index of the graph takes more than max_memory, %llu bytes: at least %llu are needed",
                   (unsigned long long)g->max_memory, (unsigned long long)taken);
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

static bool read_array(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v, cpb_sd_array *array) {
  cpb_flat_table sub;
  if (!cpb_flat_table_at(&g->flat, table, VARIABLE_ARRAY, &sub)) return false;
  if (sub.at == 0) return true;
  if (!cpb_sd_array_read(&g->flat, &sub, array)) return false;
  v->array = sub.at;
  v->bytes = array->values_size;
  v->elements = array->count;
  v->has_elements = true;
  return true;
}

static bool begin_type(cpb_sd_graph *g, cpb_sd_variable *v, bool has_shape) {
  const uint8_t head[TYPE_HEAD] = {(uint8_t)v->dtype->number, has_shape};
  v->type = (cpb_sd_text){g->types.size, TYPE_HEAD};
  return cpb_buffer_append(&g->types, head, sizeof head) || no_memory(g);
}

static bool add_dimension(cpb_sd_graph *g, cpb_sd_variable *v, int64_t size) {
  v->type.size += sizeof size;
  return cpb_buffer_append(&g->types, &size, sizeof size) || no_memory(g);
}

static bool take_shape_of(cpb_sd_graph *g, cpb_sd_variable *v, const cpb_sd_array *array) {
  if (!begin_type(g, v, v->array != 0)) return false;
  for (uint32_t i = 0; v->array != 0 && i < array->rank; i++)
    if (!add_dimension(g, v, array->shape[i])) return false;
  return true;
}

/* A variable's own shape, if it has one, is that of its array; a negative dimension is any size. The values of other
 * variables are in separate files, or missing. */
static bool read_shape(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_variable *v, const cpb_sd_array *array) {
  cpb_flat_vector shape;
  if (!cpb_flat_vector_at(&g->flat, table, VARIABLE_SHAPE, 8, &shape)) return false;
  if (shape.at == 0) return take_shape_of(g, v, array);
  bool same = v->array == 0 || shape.count == array->rank, known = true;
  uint64_t elements = 1;
  if (!begin_type(g, v, true)) return false;
  for (uint32_t i = 0; i < shape.count && same; i++) {
    int64_t size;
    if (!cpb_flat_element(&g->flat, &shape, i, 8, &size) || !add_dimension(g, v, size)) return false;
    same = v->array == 0 || size < 0 || size == array->shape[i];
    known = known && size >= 0 && cpb_mul_u64(elements, (uint64_t)size, &elements);
  }
  if (!same) return cpb_flat_fail(&g->flat, table->at, "variable: shape is not that of its array");
  if (v->array != 0) return true;
  v->has_elements = known;
  v->elements = elements;
  return true;
}

static bool read_variable(cpb_sd_graph *g, uint32_t i) {
  cpb_flat_table table;
  cpb_sd_variable v = {0};
  cpb_sd_array array;
  if (!cpb_flat_element_table(&g->flat, &g->variable_tables, i, &table) || !read_id(g, &table, &v) ||
      !read_types(g, &table, &v) || !read_array(g, &table, &v, &array) || !read_shape(g, &table, &v, &array) ||
      !read_text(g, &table, VARIABLE_NAME, &v.name))
    return false;
  if (!CPB_RESERVE(&g->allocator, &g->variables, &g->variables_capacity, g->num_variables + 1)) return no_memory(g);
  v.table = table.at;
  g->variables[g->num_variables++] = v;
  return true;
}

static bool add_link(cpb_sd_graph *g, cpb_sd_text name, uint32_t variable) {
  if (!CPB_RESERVE(&g->allocator, &g->links, &g->links_capacity, g->num_links + 1)) return no_memory(g);
  g->links[g->num_links++] = (cpb_sd_link){name, variable};
  return true;
}

/* Each input of the operation must be a variable; marks these as used. */
static bool read_inputs(cpb_sd_graph *g, const cpb_flat_table *table) {
  cpb_flat_vector pairs;
  if (!cpb_flat_vector_at(&g->flat, table, NODE_INPUT_PAIRED, 4, &pairs)) return false;
  for (uint32_t i = 0; i < pairs.count; i++) {
    cpb_flat_table pair;
    int64_t first, second;
    if (!cpb_flat_element_table(&g->flat, &pairs, i, &pair) ||
        !cpb_flat_number(&g->flat, &pair, PAIR_FIRST, 4, 0, &first) ||
        !cpb_flat_number(&g->flat, &pair, PAIR_SECOND, 4, 0, &second))
      return false;
    const uint32_t v = find_id(g, first, second);
    if (v == CPB_NO_NAME)
      return cpb_flat_fail(&g->flat, pair.at, "operation: an id in inputPaired is not that of a variable");
    g->variables[v].used = true;
    if (!add_link(g, g->variables[v].name, v)) return false;
  }
  return true;
}

static bool read_names(cpb_sd_graph *g, const cpb_flat_table *table, unsigned field) {
  cpb_flat_vector texts;
  if (!cpb_flat_vector_at(&g->flat, table, field, 4, &texts)) return false;
  for (uint32_t i = 0; i < texts.count; i++) {
    cpb_sd_text text = {g->names.size, 0};
    if (!cpb_flat_element_text(&g->flat, &texts, i, &g->names)) return false;
    text.size = g->names.size - text.at;
    if (!add_link(g, text, CPB_NO_NAME)) return false;
  }
  return true;
}

static bool read_links(cpb_sd_graph *g, const cpb_flat_table *table, cpb_sd_node *n) {
  static const unsigned fields[] = {[CPB_SD_OUTPUTS] = NODE_OUTPUT_NAMES,
                                    [CPB_SD_CONTROLS] = NODE_CONTROL_DEPS,
                                    [CPB_SD_VARIABLE_CONTROLS] = NODE_VAR_CONTROL_DEPS};
  n->links[CPB_SD_INPUTS] = g->num_links;
  if (!read_inputs(g, table)) return false;
  for (unsigned i = CPB_SD_OUTPUTS; i < CPB_SD_NUM_LINKS; i++) {
    n->links[i] = g->num_links;
    if (!read_names(g, table, fields[i])) return false;
  }
  n->links[CPB_SD_NUM_LINKS] = g->num_links;
  return true;
}

static bool read_node(cpb_sd_graph *g, uint32_t i) {
  cpb_flat_table table;
  cpb_sd_node n = {0};
  int64_t type;
  if (!cpb_flat_element_table(&g->flat, &g->node_tables, i, &table) ||
      !cpb_flat_number(&g->flat, &table, NODE_OP_TYPE, 1, 0, &type) || !read_links(g, &table, &n) ||
      !read_text(g, &table, NODE_NAME, &n.name) || !read_text(g, &table, NODE_OP_NAME, &n.op))
    return false;
  if (!cpb_sd_op_type(type)) return cpb_flat_fail(&g->flat, table.at, "operation: opType is not an OpType of ND4J");
  if (!CPB_RESERVE(&g->allocator, &g->nodes, &g->nodes_capacity, g->num_nodes + 1)) return no_memory(g);
  n.table = table.at;
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

/* Rejects two variables with one name, because all questions refer to variables by name. */
static bool order_names(cpb_sd_graph *g) {
  for (size_t i = 0; i < g->num_variables; i++)
    if (!cpb_names_add(&g->by_name, cpb_sd_graph_text(g, g->variables[i].name), (uint32_t)i)) return no_memory(g);
  cpb_names_sort(&g->by_name);
  for (size_t i = 0; i < g->num_variables; i++) {
    const cpb_sd_variable *v = &g->variables[i];
    if (cpb_sd_find_variable(g, cpb_sd_graph_text(g, v->name)) != v)
      return cpb_flat_fail(&g->flat, v->table, "variable: another one has the same name");
  }
  return true;
}

/* Inputs have their numbers already. */
static bool name_links(cpb_sd_graph *g) {
  if (!order_names(g)) return false;
  for (size_t i = 0; i < g->num_links; i++) {
    cpb_sd_link *link = &g->links[i];
    if (link->variable == CPB_NO_NAME) link->variable = cpb_names_find(&g->by_name, cpb_sd_graph_text(g, link->name));
  }
  for (size_t i = 0; i < g->num_nodes; i++) {
    const size_t *links = &g->nodes[i].links[CPB_SD_OUTPUTS];
    for (size_t k = links[0]; k < links[1]; k++)
      if (g->links[k].variable != CPB_NO_NAME) g->variables[g->links[k].variable].made = true;
  }
  return true;
}

/* The order follows from the references: operations name their inputs by the ids of variables, and everything else
 * by names, which are known at the end. */
static bool go_on(cpb_sd_graph *g) {
  if (!has_room(g)) return false;
  if (!g->opened) return g->opened = open_graph(g);
  if (g->num_variables < g->variable_tables.count) return read_variable(g, (uint32_t)g->num_variables);
  if (!order_ids(g)) return false;
  if (g->num_nodes < g->node_tables.count) return read_node(g, (uint32_t)g->num_nodes);
  return g->ready = name_links(g);
}

cpb_have cpb_sd_graph_load(cpb_sd_graph *g) {
  while (!g->ready) {
    const size_t names = g->names.size, types = g->types.size, links = g->num_links;
    uint64_t spent = g->flat.spent;
    g->flat.wait = false;
    if (go_on(g)) {
      if (g->flat.pages) cpb_pages_turn(g->flat.pages);
      continue;
    }
    g->names.size = names; /* undo what was begun: it is repeated from its beginning */
    g->types.size = types;
    g->num_links = links;
    g->flat.spent = spent;
    return g->flat.wait && g->error->code == CPB_OK ? CPB_WAIT : CPB_FAILED;
  }
  return CPB_HAVE;
}

/* --- Types ---------------------------------------------------------------------------------------- */

cpb_span cpb_sd_variable_type(const cpb_sd_graph *g, const cpb_sd_variable *v) {
  return (cpb_span){g->types.data + v->type.at, v->type.size};
}

void cpb_sd_write_type(cpb_json_writer *a, cpb_span type) {
  cpb_json_writer_text(a, "dtype", cpb_sd_find_dtype(type.data[0])->name);
  if (!type.data[1]) {
    cpb_json_writer_null(a, "shape");
    return;
  }
  cpb_json_writer_open(a, "shape", '[');
  for (size_t at = TYPE_HEAD; at < type.size; at += sizeof(int64_t)) {
    int64_t size;
    memcpy(&size, type.data + at, sizeof size);
    if (size >= 0) cpb_json_writer_signed(a, NULL, size);
    else cpb_json_writer_null(a, NULL); /* any */
  }
  cpb_json_writer_close(a, ']');
}

/* --- What counts --------------------------------------------------------------------------------- */

static bool is_weight_like(const cpb_sd_dtype *dtype) {
  static const char *const names[] = {"FLOAT8", "HALF", "FLOAT", "DOUBLE", "QINT8", "QINT16", "BFLOAT16"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(dtype->name, names[i]) == 0) return true;
  return false;
}

cpb_tensor_use cpb_sd_variable_use(const cpb_sd_variable *v) {
  const bool is_like = is_weight_like(v->dtype) && v->has_elements && v->elements > 1;
  const bool is_weight = v->kind == KIND_VARIABLE || (v->kind == KIND_CONSTANT && is_like);
  return is_weight ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT;
}

/* --- training --------------------------------------------------------------------------------- */

/* Whether `text`, which is JSON otherwise, contains NaN or Infinity. Python's JSON reader and
 * ours take them, but they are not JSON, and the text is copied into our answers. */
static bool has_odd_numbers(cpb_span text) {
  bool within = false;
  for (size_t i = 0; i < text.size; i++) {
    uint8_t c = text.data[i];
    if (within && c == '\\') i++;
    else if (c == '"') within = !within;
    else if (!within &&
             (c == 'N' || c == 'I' || c == 'i' || (c == 'n' && i + 1 < text.size && text.data[i + 1] != 'u')))
      return true;
  }
  return false;
}

bool cpb_sd_check_training(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error) {
  cpb_error why = {.offset = CPB_NO_OFFSET};
  yyjson_doc *doc = cpb_json_read(a, text, depth, &why);
  bool good = doc && !has_odd_numbers(text) && cpb_utf8_valid(text);
  yyjson_doc_free(doc);
  if (good) return true;
  if (why.code == CPB_E_MEMORY) cpb_fail_memory(error);
  else
    cpb_fail(error, why.code == CPB_E_LIMIT ? CPB_E_LIMIT : CPB_E_DAMAGED, CPB_NO_OFFSET, "training configuration: %s",
             why.code != CPB_OK ? why.message : "not valid JSON");
  return false;
}
