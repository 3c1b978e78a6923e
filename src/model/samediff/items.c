#include "model/samediff/reply.h"

#include "base/checked.h"
#include "base/floats.h"
#include "model/samediff/array.h"

/* graph.c keeps only an index, so details are read from the file again. Reading may have to wait for a page of a
 * graph file: a function then returns false, and reply.c drops what it wrote and calls it again from the start. So
 * the functions here change nothing but the answer and the scratch text. */

/* --- Texts and numbers ------------------------------------------------------------ */

static bool write_text(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field) {
  w->scratch->size = 0;
  if (!cpb_flat_text_at(&w->graph->flat, table, field, w->scratch)) return false;
  cpb_json_writer_span(w->answer, key, (cpb_span){w->scratch->data, w->scratch->size});
  return true;
}

static bool write_vector_texts(const cpb_sd_writer *w, const char *key, const cpb_flat_vector *texts) {
  cpb_json_writer_open(w->answer, key, '[');
  for (uint32_t i = 0; i < texts->count; i++) {
    w->scratch->size = 0;
    if (!cpb_flat_element_text(&w->graph->flat, texts, i, w->scratch)) return false;
    cpb_json_writer_span(w->answer, NULL, (cpb_span){w->scratch->data, w->scratch->size});
  }
  cpb_json_writer_close(w->answer, ']');
  return true;
}

bool cpb_sd_write_texts(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field) {
  cpb_flat_vector texts;
  return cpb_flat_vector_at(&w->graph->flat, table, field, 4, &texts) && write_vector_texts(w, key, &texts);
}

/* Writes the member only if there are any. */
static bool write_some_texts(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field) {
  cpb_flat_vector texts;
  if (!cpb_flat_vector_at(&w->graph->flat, table, field, 4, &texts)) return false;
  return texts.count == 0 || write_vector_texts(w, key, &texts);
}

static bool write_number(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field,
                         unsigned size) {
  int64_t value;
  if (!cpb_flat_number(&w->graph->flat, table, field, size, 0, &value)) return false;
  cpb_json_writer_signed(w->answer, key, value);
  return true;
}

/* A hash of 64 bits: more than a number in JavaScript holds. */
static bool write_long(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field) {
  char text[24];
  int64_t value;
  if (!cpb_flat_number(&w->graph->flat, table, field, 8, 0, &value)) return false;
  cpb_sd_format_long(text, sizeof text, value);
  cpb_json_writer_text(w->answer, key, text);
  return true;
}

static bool write_name(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field,
                       const char *(*name_of)(int64_t)) {
  int64_t value;
  if (!cpb_flat_number(&w->graph->flat, table, field, 1, 0, &value)) return false;
  const char *name = name_of(value);
  if (name) cpb_json_writer_text(w->answer, key, name);
  else cpb_json_writer_signed(w->answer, key, value);
  return true;
}

/* --- Vectors ------------------------------------------------------------------------ */

typedef enum element { INTEGER, DOUBLE, BOOLEAN, DTYPE } element;

static void write_element(cpb_json_writer *answer, element kind, int64_t value) {
  const cpb_sd_dtype *dtype = kind == DTYPE ? cpb_sd_find_dtype(value) : NULL;
  if (kind == DOUBLE) cpb_json_writer_double(answer, NULL, cpb_double_of((uint64_t)value));
  else if (kind == BOOLEAN) cpb_json_writer_bool(answer, NULL, value != 0);
  else if (dtype) cpb_json_writer_text(answer, NULL, dtype->name);
  else if (kind == INTEGER) cpb_json_writer_exact(answer, NULL, value);
  else cpb_json_writer_signed(answer, NULL, value);
}

static bool write_elements(const cpb_sd_writer *w, const char *key, const cpb_flat_vector *vector, unsigned size,
                           element kind) {
  cpb_json_writer_open(w->answer, key, '[');
  for (uint32_t i = 0; i < vector->count; i++) {
    int64_t value;
    if (!cpb_flat_element(&w->graph->flat, vector, i, size, &value)) return false;
    write_element(w->answer, kind, value);
  }
  cpb_json_writer_close(w->answer, ']');
  return true;
}

static bool write_list(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field,
                       unsigned size, element kind) {
  cpb_flat_vector vector;
  return cpb_flat_vector_at(&w->graph->flat, table, field, size, &vector) &&
         write_elements(w, key, &vector, size, kind);
}

static bool write_some(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field,
                       unsigned size, element kind) {
  cpb_flat_vector vector;
  if (!cpb_flat_vector_at(&w->graph->flat, table, field, size, &vector)) return false;
  return vector.count == 0 || write_elements(w, key, &vector, size, kind);
}

/* --- Arrays ------------------------------------------------------------------------- */

static uint64_t offset_of(const cpb_sd_writer *w, const cpb_sd_array *array) {
  uint64_t base = w->graph->flat.base;
  return base == CPB_NO_OFFSET ? CPB_NO_OFFSET : base + array->values;
}

bool cpb_sd_write_array(const cpb_sd_writer *w, const char *key, uint64_t at) {
  cpb_flat_table table;
  cpb_sd_array array;
  if (at == 0) {
    cpb_json_writer_null(w->answer, key);
    return true;
  }
  if (!cpb_flat_open(&w->graph->flat, at, &table) || !cpb_sd_array_read(&w->graph->flat, &table, &array)) return false;
  cpb_sd_array_open(w->answer, key, &array, offset_of(w, &array));
  if (!cpb_sd_write_preview(&w->graph->flat, w->answer, &array)) return false;
  cpb_json_writer_close(w->answer, '}');
  return true;
}

/* An operand, with its values if there are few. */
static bool write_operand(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table) {
  cpb_sd_array array;
  if (table->at == 0) {
    cpb_json_writer_null(w->answer, key);
    return true;
  }
  if (!cpb_sd_array_read(&w->graph->flat, table, &array)) return false;
  cpb_json_writer_open(w->answer, key, '{');
  cpb_sd_array_open(w->answer, "array", &array, offset_of(w, &array));
  cpb_json_writer_close(w->answer, '}');
  if (!cpb_sd_write_values(&w->graph->flat, w->answer, &array)) return false;
  cpb_json_writer_close(w->answer, '}');
  return true;
}

/* --- Variables ------------------------------------------------------------------------ */

bool cpb_sd_write_variable(const cpb_sd_writer *w, const cpb_sd_variable *v) {
  cpb_flat_table table;
  cpb_json_writer *a = w->answer;
  if (!cpb_flat_open(&w->graph->flat, v->table, &table)) return false;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_sd_graph_text(w->graph, v->name));
  cpb_json_writer_text(a, "kind", cpb_sd_variable_kind(v->kind));
  cpb_sd_write_type(a, cpb_sd_variable_type(w->graph, v));
  cpb_json_writer_open(a, "id", '[');
  cpb_json_writer_signed(a, NULL, v->id[0]);
  cpb_json_writer_signed(a, NULL, v->id[1]);
  cpb_json_writer_close(a, ']');
  if (!write_number(w, "device", &table, VARIABLE_DEVICE, 4) || !cpb_sd_write_array(w, "array", v->array) ||
      !write_some_texts(w, "control_dependencies", &table, VARIABLE_CONTROL_DEPS) ||
      !write_some_texts(w, "control_dependency_of_operations", &table, VARIABLE_CONTROL_DEP_FOR_OP) ||
      !write_some_texts(w, "control_dependency_of_variables", &table, VARIABLE_CONTROL_DEPS_FOR_VAR))
    return false;
  cpb_json_writer_close(a, '}');
  return true;
}

/* --- Operations ------------------------------------------------------------------------ */

/* How the values of a property are stored: in one of these lists, and the others are empty. */
typedef struct sort {
  const char *kind;
  unsigned field, size;
  element of;
} sort;

static bool write_arrays(const cpb_sd_writer *w, const cpb_flat_vector *arrays) {
  cpb_json_writer_open(w->answer, "value", '[');
  for (uint32_t i = 0; i < arrays->count; i++) {
    cpb_flat_table array;
    if (!cpb_flat_element_table(&w->graph->flat, arrays, i, &array) || !write_operand(w, NULL, &array)) return false;
  }
  cpb_json_writer_close(w->answer, ']');
  return true;
}

static bool write_values(const cpb_sd_writer *w, const sort *s, const cpb_flat_vector *values) {
  if (s->field == PROPERTY_ARRAYS) return write_arrays(w, values);
  if (s->field == PROPERTY_STRINGS) return write_vector_texts(w, "value", values);
  return write_elements(w, "value", values, s->size, s->of);
}

static bool write_attribute(const cpb_sd_writer *w, const cpb_flat_table *table, const sort *s,
                            const cpb_flat_vector *values) {
  cpb_json_writer_open(w->answer, NULL, '{');
  if (!write_text(w, "name", table, PROPERTY_NAME)) return false;
  cpb_json_writer_text(w->answer, "kind", s->kind);
  if (!write_values(w, s, values) || !write_some(w, "shape", table, PROPERTY_SHAPE, 4, INTEGER)) return false;
  cpb_json_writer_close(w->answer, '}');
  return true;
}

/* One without values is of the last sort. */
static bool write_property(const cpb_sd_writer *w, const cpb_flat_table *table) {
  static const sort sorts[] = {{"ints", PROPERTY_INTS, 4, INTEGER},       {"longs", PROPERTY_LONGS, 8, INTEGER},
                               {"doubles", PROPERTY_DOUBLES, 8, DOUBLE},  {"booleans", PROPERTY_BOOLS, 1, BOOLEAN},
                               {"strings", PROPERTY_STRINGS, 4, INTEGER}, {"arrays", PROPERTY_ARRAYS, 4, INTEGER}};
  const size_t count = sizeof sorts / sizeof *sorts;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    cpb_flat_vector values;
    if (!cpb_flat_vector_at(&w->graph->flat, table, sorts[i].field, sorts[i].size, &values)) return false;
    if (values.count == 0 && (found || i + 1 < count)) continue;
    found = true;
    if (!write_attribute(w, table, &sorts[i], &values)) return false;
  }
  return true;
}

static bool write_properties(const cpb_sd_writer *w, const cpb_flat_table *table) {
  cpb_flat_vector properties;
  if (!cpb_flat_vector_at(&w->graph->flat, table, NODE_PROPERTIES, 4, &properties)) return false;
  cpb_json_writer_open(w->answer, "attributes", '[');
  for (uint32_t i = 0; i < properties.count; i++) {
    cpb_flat_table property;
    if (!cpb_flat_element_table(&w->graph->flat, &properties, i, &property) || !write_property(w, &property))
      return false;
  }
  cpb_json_writer_close(w->answer, ']');
  return true;
}

static bool write_arguments(const cpb_sd_writer *w, const cpb_flat_table *table) {
  cpb_json_writer_open(w->answer, "arguments", '{');
  if (!write_list(w, "integers", table, NODE_EXTRA_INTEGER, 8, INTEGER) ||
      !write_list(w, "doubles", table, NODE_EXTRA_PARAMS, 8, DOUBLE) ||
      !write_list(w, "booleans", table, NODE_EXTRA_BOOLS, 1, BOOLEAN) ||
      !write_list(w, "dtypes", table, NODE_EXTRA_TYPES, 1, DTYPE) ||
      !cpb_sd_write_texts(w, "strings", table, NODE_EXTRA_STRINGS) ||
      !write_list(w, "dimensions", table, NODE_DIMENSIONS, 4, INTEGER))
    return false;
  cpb_json_writer_close(w->answer, '}');
  return true;
}

bool cpb_sd_write_node(const cpb_sd_writer *w, const cpb_sd_node *n) {
  cpb_flat *flat = &w->graph->flat;
  cpb_flat_table table, scalar;
  return cpb_flat_open(flat, n->table, &table) && write_properties(w, &table) && write_arguments(w, &table) &&
         cpb_flat_table_at(flat, &table, NODE_SCALAR, &scalar) && write_operand(w, "scalar", &scalar) &&
         write_name(w, "type", &table, NODE_OP_TYPE, cpb_sd_op_type) && write_long(w, "number", &table, NODE_OP_NUM) &&
         write_number(w, "id", &table, NODE_ID, 4) &&
         write_list(w, "output_dtypes", &table, NODE_OUTPUT_TYPES, 1, DTYPE) &&
         write_some_texts(w, "control_dependency_of", &table, NODE_CONTROL_DEP_FOR) &&
         write_number(w, "device", &table, NODE_DEVICE, 4) && write_number(w, "scope_id", &table, NODE_SCOPE_ID, 4) &&
         write_text(w, "scope", &table, NODE_SCOPE_NAME);
}

/* --- The graph itself -------------------------------------------------------------------- */

bool cpb_sd_write_configuration(const cpb_sd_writer *w) {
  cpb_flat_table c;
  int64_t timestats;
  if (!write_number(w, "graph_id", &w->graph->root, GRAPH_ID, 8) ||
      !cpb_flat_table_at(&w->graph->flat, &w->graph->root, GRAPH_CONFIGURATION, &c))
    return false;
  if (c.at == 0) {
    cpb_json_writer_null(w->answer, "configuration");
    return true;
  }
  cpb_json_writer_open(w->answer, "configuration", '{');
  if (!write_number(w, "id", &c, CONFIG_ID, 8) ||
      !write_name(w, "execution_mode", &c, CONFIG_EXECUTION_MODE, cpb_sd_execution_mode) ||
      !write_name(w, "profiling_mode", &c, CONFIG_PROFILING_MODE, cpb_sd_profiling_mode) ||
      !write_name(w, "output_mode", &c, CONFIG_OUTPUT_MODE, cpb_sd_output_mode) ||
      !cpb_flat_number(&w->graph->flat, &c, CONFIG_TIMESTATS, 1, 0, &timestats) ||
      !write_number(w, "footprint_forward", &c, CONFIG_FOOTPRINT_FORWARD, 8) ||
      !write_number(w, "footprint_backward", &c, CONFIG_FOOTPRINT_BACKWARD, 8) ||
      !write_name(w, "direction", &c, CONFIG_DIRECTION, cpb_sd_direction))
    return false;
  cpb_json_writer_bool(w->answer, "timestats", timestats != 0);
  cpb_json_writer_close(w->answer, '}');
  return true;
}

static bool write_state(const cpb_sd_writer *w, const cpb_flat_vector *keys, const cpb_flat_vector *values,
                        uint32_t i) {
  cpb_flat_table array;
  cpb_json_writer_open(w->answer, NULL, '{');
  w->scratch->size = 0;
  if (!cpb_flat_element_text(&w->graph->flat, keys, i, w->scratch)) return false;
  cpb_json_writer_span(w->answer, "key", (cpb_span){w->scratch->data, w->scratch->size});
  if (!cpb_flat_element_table(&w->graph->flat, values, i, &array) || !cpb_sd_write_array(w, "array", array.at))
    return false;
  cpb_json_writer_close(w->answer, '}');
  return true;
}

bool cpb_sd_write_updater(const cpb_sd_writer *w, uint32_t i) {
  cpb_flat *flat = &w->graph->flat;
  cpb_flat_vector list, keys, values;
  cpb_flat_table state;
  if (!cpb_flat_vector_at(flat, &w->graph->root, GRAPH_UPDATER_STATE, 4, &list) ||
      !cpb_flat_element_table(flat, &list, i, &state) || !cpb_flat_vector_at(flat, &state, UPDATER_KEYS, 4, &keys) ||
      !cpb_flat_vector_at(flat, &state, UPDATER_VALUES, 4, &values))
    return false;
  if (keys.count != values.count)
    return cpb_flat_fail(flat, state.at, "updater state: updaterStateKeys and updaterStateValues differ in length");
  cpb_json_writer_open(w->answer, NULL, '{');
  if (!write_text(w, "parameter", &state, UPDATER_PARAMETER)) return false;
  cpb_json_writer_open(w->answer, "states", '[');
  for (uint32_t k = 0; k < keys.count; k++)
    if (!write_state(w, &keys, &values, k)) return false;
  cpb_json_writer_close(w->answer, ']');
  cpb_json_writer_close(w->answer, '}');
  return true;
}
