#include "model/samediff/write/writer.h"

#include "base/checked.h"
#include "base/status.h"

/* Copies a graph without the arrays of its variables. Tables wait in a queue and are copied one after the other:
 * nothing recurses, and each offset leads forwards, as FlatBuffers demands. A table with several referrers is copied
 * for each of them; the limit of cpb_flat on shared reads bounds that.
 *
 * Each field takes 8 bytes, whatever its type. The tables are a little larger than a builder's, but a field's place
 * needs no computation, and tables of one kind share their vtable. */

#define FIELDS_MAX 24
#define SLOT 8 /* of every field in a table, so that each is aligned */
#define TABLE_HEAD 8

/* --- What the tables hold ------------------------------------------------------------- */

typedef enum kind { LEFT_OUT, NUMBER, TEXT, NUMBERS, TEXTS, TABLE, TABLES } kind;
typedef enum table_layout { PAIR, ARRAY, PROPERTY, CONFIGURATION, VARIABLE, NODE, GRAPH, NUM_LAYOUTS } table_layout;

typedef struct field {
  uint8_t kind;
  uint8_t of; /* bytes of a number, or the layout of a table */
} field;

static const field fields[NUM_LAYOUTS][FIELDS_MAX] = {
    [PAIR] = {[PAIR_FIRST] = {NUMBER, 4}, [PAIR_SECOND] = {NUMBER, 4}},
    [ARRAY] = {[ARRAY_SHAPE] = {NUMBERS, 8},
               [ARRAY_BUFFER] = {NUMBERS, 1},
               [ARRAY_DTYPE] = {NUMBER, 1},
               [ARRAY_BYTE_ORDER] = {NUMBER, 1}},
    [PROPERTY] = {[PROPERTY_NAME] = {TEXT, 0},
                  [PROPERTY_INTS] = {NUMBERS, 4},
                  [PROPERTY_LONGS] = {NUMBERS, 8},
                  [PROPERTY_DOUBLES] = {NUMBERS, 8},
                  [PROPERTY_ARRAYS] = {TABLES, ARRAY},
                  [PROPERTY_BOOLS] = {NUMBERS, 1},
                  [PROPERTY_STRINGS] = {TEXTS, 0},
                  [PROPERTY_SHAPE] = {NUMBERS, 4}},
    [CONFIGURATION] = {[CONFIG_ID] = {NUMBER, 8},
                       [CONFIG_EXECUTION_MODE] = {NUMBER, 1},
                       [CONFIG_PROFILING_MODE] = {NUMBER, 1},
                       [CONFIG_OUTPUT_MODE] = {NUMBER, 1},
                       [CONFIG_TIMESTATS] = {NUMBER, 1},
                       [CONFIG_FOOTPRINT_FORWARD] = {NUMBER, 8},
                       [CONFIG_FOOTPRINT_BACKWARD] = {NUMBER, 8},
                       [CONFIG_DIRECTION] = {NUMBER, 1}},
    [VARIABLE] = {[VARIABLE_ID] = {TABLE, PAIR},
                  [VARIABLE_NAME] = {TEXT, 0},
                  [VARIABLE_DTYPE] = {NUMBER, 1},
                  [VARIABLE_SHAPE] = {NUMBERS, 8},
                  [VARIABLE_DEVICE] = {NUMBER, 4},
                  [VARIABLE_KIND] = {NUMBER, 1},
                  [VARIABLE_CONTROL_DEPS] = {TEXTS, 0},
                  [VARIABLE_CONTROL_DEP_FOR_OP] = {TEXTS, 0},
                  [VARIABLE_CONTROL_DEPS_FOR_VAR] = {TEXTS, 0}},
    [NODE] = {[NODE_ID] = {NUMBER, 4},
              [NODE_NAME] = {TEXT, 0},
              [NODE_OP_TYPE] = {NUMBER, 1},
              [NODE_OP_NUM] = {NUMBER, 8},
              [NODE_PROPERTIES] = {TABLES, PROPERTY},
              [NODE_INPUT] = {NUMBERS, 4},
              [NODE_INPUT_PAIRED] = {TABLES, PAIR},
              [NODE_OUTPUT] = {NUMBERS, 4},
              [NODE_EXTRA_PARAMS] = {NUMBERS, 8},
              [NODE_EXTRA_INTEGER] = {NUMBERS, 8},
              [NODE_EXTRA_BOOLS] = {NUMBERS, 1},
              [NODE_DIMENSIONS] = {NUMBERS, 4},
              [NODE_DEVICE] = {NUMBER, 4},
              [NODE_SCOPE_ID] = {NUMBER, 4},
              [NODE_SCOPE_NAME] = {TEXT, 0},
              [NODE_OUTPUT_NAMES] = {TEXTS, 0},
              [NODE_OP_NAME] = {TEXT, 0},
              [NODE_OUTPUT_TYPES] = {NUMBERS, 1},
              [NODE_SCALAR] = {TABLE, ARRAY},
              [NODE_CONTROL_DEPS] = {TEXTS, 0},
              [NODE_VAR_CONTROL_DEPS] = {TEXTS, 0},
              [NODE_CONTROL_DEP_FOR] = {TEXTS, 0},
              [NODE_EXTRA_TYPES] = {NUMBERS, 1},
              [NODE_EXTRA_STRINGS] = {TEXTS, 0}},
    [GRAPH] = {[GRAPH_ID] = {NUMBER, 8},
               [GRAPH_VARIABLES] = {TABLES, VARIABLE},
               [GRAPH_NODES] = {TABLES, NODE},
               [GRAPH_OUTPUTS] = {TABLES, PAIR},
               [GRAPH_CONFIGURATION] = {TABLE, CONFIGURATION},
               [GRAPH_PLACEHOLDERS] = {TEXTS, 0},
               [GRAPH_LOSS_VARIABLES] = {TEXTS, 0},
               [GRAPH_TRAINING_CONFIG] = {TEXT, 0}},
};

static const uint8_t num_fields[NUM_LAYOUTS] = {2, 4, 8, 8, 10, 24, 8};

/* --- Putting ---------------------------------------------------------------------------- */

/* A table that is still to be copied, and the place of the offset to it. */
typedef struct pending {
  cpb_flat_table table;
  size_t slot;
  table_layout layout;
} pending;

typedef struct stripper {
  cpb_sd_graph *graph;
  cpb_flat *flat;
  cpb_buffer *out;
  size_t base;    /* size of `out` before */
  pending *queue; /* first in, first out */
  size_t count, capacity;
  size_t vtables[NUM_LAYOUTS]; /* the last vtable of each layout; 0: none */
} stripper;

static bool no_memory(stripper *s) { return cpb_fail_memory(s->graph->error), false; }

static bool put(stripper *s, uint64_t value, unsigned bytes) {
  uint8_t number[8];
  cpb_store64(number, value);
  return cpb_buffer_append(s->out, number, bytes) || no_memory(s);
}

static size_t here(const stripper *s) { return s->out->size - s->base; }

static bool align(stripper *s, unsigned to, unsigned before) {
  while ((here(s) + before) % to != 0)
    if (!put(s, 0, 1)) return false;
  return true;
}

/* Makes the offset at `slot` point to the end of the output. */
static bool lead(stripper *s, size_t slot) {
  if (here(s) > cpb_min_u64(CPB_SD_BUFFER_MAX, s->graph->max_memory))
    return CPB_FAILS(s->graph->error, CPB_E_LIMIT, CPB_NO_OFFSET,
                     "the graph without its arrays exceeds max_memory, or 2 GiB, the limit of FlatBuffers");
  cpb_store32(s->out->data + s->base + slot, (uint32_t)(here(s) - slot));
  return true;
}

static bool put_later(stripper *s, const cpb_flat_table *table, table_layout layout, size_t slot) {
  if (!CPB_RESERVE(&s->graph->allocator, &s->queue, &s->capacity, s->count + 1)) return no_memory(s);
  s->queue[s->count++] = (pending){*table, slot, layout};
  return true;
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* The length comes first but is known last. */
static bool begin_text(stripper *s, size_t slot, size_t *begin) {
  if (!align(s, 4, 0) || !lead(s, slot) || !put(s, 0, 4)) return false;
  *begin = s->out->size;
  return true;
}

static bool end_text(stripper *s, size_t begin) {
  cpb_store32(s->out->data + begin - 4, (uint32_t)(s->out->size - begin));
  return put(s, 0, 1);
}

static bool put_text(stripper *s, const cpb_flat_table *table, unsigned number, size_t slot) {
  size_t begin;
  return begin_text(s, slot, &begin) && cpb_flat_text_at(s->flat, table, number, s->out) && end_text(s, begin);
}

static bool begin_vector(stripper *s, uint32_t count, unsigned size, size_t slot) {
  return align(s, 4, 0) && align(s, size, 4) && lead(s, slot) && put(s, count, 4);
}

static bool put_numbers(stripper *s, const cpb_flat_vector *from, unsigned size, size_t slot) {
  if (!begin_vector(s, from->count, size, slot)) return false;
  for (uint32_t i = 0; i < from->count; i++) {
    int64_t value;
    if (!cpb_flat_element(s->flat, from, i, size, &value) || !put(s, (uint64_t)value, size)) return false;
  }
  return true;
}

static bool put_texts(stripper *s, const cpb_flat_vector *from, size_t slot) {
  if (!begin_vector(s, from->count, 4, slot)) return false;
  size_t first = here(s), begin;
  for (uint32_t i = 0; i < from->count; i++)
    if (!put(s, 0, 4)) return false;
  for (uint32_t i = 0; i < from->count; i++)
    if (!begin_text(s, first + 4 * (size_t)i, &begin) || !cpb_flat_element_text(s->flat, from, i, s->out) ||
        !end_text(s, begin))
      return false;
  return true;
}

static bool put_tables(stripper *s, const cpb_flat_vector *from, table_layout layout, size_t slot) {
  if (!begin_vector(s, from->count, 4, slot)) return false;
  for (uint32_t i = 0; i < from->count; i++) {
    cpb_flat_table table;
    if (!cpb_flat_element_table(s->flat, from, i, &table) || !put_later(s, &table, layout, here(s)) || !put(s, 0, 4))
      return false;
  }
  return true;
}

static bool put_shape(stripper *s, const cpb_sd_array *array, size_t slot) {
  if (!begin_vector(s, array->rank, 8, slot)) return false;
  for (uint32_t i = 0; i < array->rank; i++)
    if (!put(s, (uint64_t)array->shape[i], 8)) return false;
  return true;
}

/* --- Tables ------------------------------------------------------------------------------------- */

static bool has_field(const cpb_flat_table *table, unsigned number) { return 4 + 2 * number + 2 <= table->vtable_size; }

/* Fields beyond the source's vtable are absent; other absent fields are written as 0. */
static bool put_vtable(stripper *s, const pending *p, bool *is_there) {
  unsigned count = num_fields[p->layout];
  uint8_t vtable[4 + 2 * FIELDS_MAX] = {(uint8_t)(4 + 2 * count), 0, (uint8_t)(TABLE_HEAD + SLOT * count), 0};
  for (unsigned i = 0; i < count; i++) vtable[4 + 2 * i] = is_there[i] ? (uint8_t)(TABLE_HEAD + SLOT * i) : 0;
  size_t size = 4 + 2 * (size_t)count, last = s->vtables[p->layout];
  if (last != 0 && memcmp(s->out->data + s->base + last, vtable, size) == 0) return true;
  if (!align(s, 2, 0)) return false;
  s->vtables[p->layout] = here(s);
  return cpb_buffer_append(s->out, vtable, size) || no_memory(s);
}

static bool offset_is_there(stripper *s, const cpb_flat_table *table, unsigned number, field f, bool *there) {
  cpb_flat_vector vector = {0, 0};
  cpb_flat_table sub = {0};
  bool good = f.kind == TABLE ? cpb_flat_table_at(s->flat, table, number, &sub)
                              : cpb_flat_vector_at(s->flat, table, number,
                                                   f.kind == NUMBERS ? f.of
                                                   : f.kind == TEXT  ? 1
                                                                     : 4,
                                                   &vector);
  *there = sub.at != 0 || vector.at != 0;
  return good;
}

static bool find_fields(stripper *s, const pending *p, bool *is_there) {
  for (unsigned i = 0; i < num_fields[p->layout]; i++) {
    field f = fields[p->layout][i];
    is_there[i] = f.kind != LEFT_OUT && has_field(&p->table, i);
    if (is_there[i] && f.kind != NUMBER && !offset_is_there(s, &p->table, i, f, &is_there[i])) return false;
  }
  return true;
}

/* Finds the array of a variable. `array->dtype` is NULL if it has none. */
static bool find_array(stripper *s, const pending *p, cpb_sd_array *array) {
  cpb_flat_table table;
  array->dtype = NULL;
  if (p->layout != VARIABLE) return true;
  if (!cpb_flat_table_at(s->flat, &p->table, VARIABLE_ARRAY, &table)) return false;
  return table.at == 0 || cpb_sd_array_read(s->flat, &table, array);
}

static bool put_numbers_of_table(stripper *s, const pending *p, const bool *is_there) {
  for (unsigned i = 0; i < num_fields[p->layout]; i++) {
    field f = fields[p->layout][i];
    int64_t value = 0;
    if (is_there[i] && f.kind == NUMBER && !cpb_flat_number(s->flat, &p->table, i, f.of, 0, &value)) return false;
    if (!put(s, (uint64_t)value, SLOT)) return false;
  }
  return true;
}

static bool put_offset(stripper *s, const pending *p, unsigned number, size_t slot) {
  field f = fields[p->layout][number];
  cpb_flat_vector vector;
  cpb_flat_table sub;
  if (f.kind == TEXT) return put_text(s, &p->table, number, slot);
  if (f.kind == TABLE)
    return cpb_flat_table_at(s->flat, &p->table, number, &sub) && put_later(s, &sub, (table_layout)f.of, slot);
  if (!cpb_flat_vector_at(s->flat, &p->table, number, f.kind == NUMBERS ? f.of : 4, &vector)) return false;
  if (f.kind == NUMBERS) return put_numbers(s, &vector, f.of, slot);
  return f.kind == TEXTS ? put_texts(s, &vector, slot) : put_tables(s, &vector, (table_layout)f.of, slot);
}

static bool put_table(stripper *s, const pending *p) {
  bool is_there[FIELDS_MAX];
  cpb_sd_array array;
  if (!find_fields(s, p, is_there) || !find_array(s, p, &array)) return false;
  if (array.dtype) is_there[VARIABLE_SHAPE] = true;
  if (!put_vtable(s, p, is_there) || !align(s, SLOT, 0) || !lead(s, p->slot)) return false;
  size_t table = here(s);
  if (!put(s, table - s->vtables[p->layout], TABLE_HEAD) || !put_numbers_of_table(s, p, is_there)) return false;
  for (unsigned i = 0; i < num_fields[p->layout]; i++) {
    size_t slot = table + TABLE_HEAD + SLOT * (size_t)i;
    if (!is_there[i] || fields[p->layout][i].kind == NUMBER) continue;
    bool shape = array.dtype && i == VARIABLE_SHAPE;
    if (!(shape ? put_shape(s, &array, slot) : put_offset(s, p, i, slot))) return false;
  }
  return true;
}

/* --- All of it ------------------------------------------------------------------------------------- */

bool cpb_sd_has_arrays(const cpb_sd_graph *graph) {
  for (size_t i = 0; i < graph->num_variables; i++)
    if (graph->variables[i].array != 0) return true;
  return false;
}

bool cpb_sd_strip(cpb_sd_graph *graph, cpb_buffer *out) {
  graph->flat.spent = 0; /* by loading it */
  stripper s = {.graph = graph, .flat = &graph->flat, .out = out, .base = out->size};
  bool good = put(&s, 0, 4) && put_later(&s, &graph->root, GRAPH, 0);
  for (size_t i = 0; i < s.count && good; i++) {
    const pending next = s.queue[i];
    good = put_table(&s, &next);
  }
  cpb_release(&graph->allocator, s.queue);
  return good;
}
