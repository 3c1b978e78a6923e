#include "model/samediff/consumers.h"

#include "base/status.h"
#include "model/common/cursor.h"

typedef cpb_sd_reply reply;

/* --- An operation ---------------------------------------------------------------- */

typedef struct inputs {
  cpb_flat_table table; /* of the operation */
  cpb_flat_vector pairs;
} inputs;

static bool open_inputs(reply *r, const cpb_sd_node *n, inputs *in) {
  cpb_flat *flat = &r->model->graph.flat;
  return cpb_flat_open(flat, n->table, &in->table) &&
         cpb_flat_vector_at(flat, &in->table, NODE_INPUT_PAIRED, 4, &in->pairs);
}

/* Whether that input is the variable, or any output of the operation; `*output` is which one. */
static bool is_consumed(reply *r, const inputs *in, uint32_t i, bool *is, int64_t *output) {
  cpb_flat *flat = &r->model->graph.flat;
  const cpb_sd_variable *v = r->consumed.variable;
  cpb_flat_table pair;
  int64_t first;
  if (!cpb_flat_element_table(flat, &in->pairs, i, &pair) || !cpb_flat_number(flat, &pair, PAIR_FIRST, 4, 0, &first) ||
      !cpb_flat_number(flat, &pair, PAIR_SECOND, 4, 0, output))
    return false;
  *is = v ? first == v->id[0] && *output == v->id[1] : first == r->consumed.maker->id;
  return true;
}

/* Whether the texts have this one. */
static bool has_text(reply *r, const cpb_flat_table *table, unsigned field, cpb_sd_text text, bool *has) {
  cpb_sd_graph *g = &r->model->graph;
  cpb_flat_vector texts;
  *has = false;
  if (!cpb_flat_vector_at(&g->flat, table, field, 4, &texts)) return false;
  for (uint32_t i = 0; i < texts.count && !*has; i++) {
    r->scratch.size = 0;
    if (!cpb_flat_element_text(&g->flat, &texts, i, &r->scratch)) return false;
    *has = cpb_span_equal((cpb_span){r->scratch.data, r->scratch.size}, cpb_sd_graph_text(g, text));
  }
  return true;
}

/* An operation waits for other operations, or for variables that none makes. */
static bool is_control(reply *r, const inputs *in, bool *control) {
  const cpb_sd_node *maker = r->consumed.maker;
  return maker ? has_text(r, &in->table, NODE_CONTROL_DEPS, maker->name, control)
               : has_text(r, &in->table, NODE_VAR_CONTROL_DEPS, r->consumed.variable->name, control);
}

/* --- Looking through the operations ------------------------------------------------- */

static bool look_for_maker(reply *r, const cpb_sd_node *n) {
  bool makes;
  cpb_flat_table table;
  if (!cpb_flat_open(&r->model->graph.flat, n->table, &table) ||
      !has_text(r, &table, NODE_OUTPUT_NAMES, r->consumed.variable->name, &makes))
    return false;
  if (makes) r->consumed.maker = n;
  return true;
}

static bool look_for_consumer(reply *r, const cpb_sd_node *n) {
  inputs in;
  int64_t output;
  bool takes = false;
  if (!open_inputs(r, n, &in)) return false;
  for (uint32_t i = 0; i < in.pairs.count && !takes; i++) {
    if (!is_consumed(r, &in, i, &takes, &output)) return false;
  }
  if (!takes && !is_control(r, &in, &takes)) return false;
  if (takes) r->order[r->num_ordered++] = (uint32_t)r->element;
  return true;
}

/* One after the other, and on from where bytes were missing. */
static bool look_through(reply *r, bool (*look)(reply *r, const cpb_sd_node *n)) {
  cpb_sd_graph *g = &r->model->graph;
  for (; r->element < g->num_nodes; r->element++) {
    uint64_t spent = g->flat.spent;
    if (!look(r, &g->nodes[r->element])) {
      g->flat.spent = spent;
      return false;
    }
    if (g->flat.pages) cpb_pages_turn(g->flat.pages);
  }
  return true;
}

/* An operation, else a variable. */
static bool begin(reply *r) {
  cpb_sd_graph *g = &r->model->graph;
  const cpb_span name = {(const uint8_t *)r->question.name, r->question.name_size};
  const cpb_sd_node *n = cpb_sd_find_node(g, name);
  const cpb_sd_variable *v = n ? NULL : cpb_sd_find_variable(g, name);
  if (!n && !v)
    cpb_fail(&r->model->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no operation and no variable has this name");
  if ((!n && !v) || !cpb_sd_make_order(r, g->num_nodes)) return false;
  r->consumed.variable = v;
  r->consumed.maker = n;
  r->consumed.pass = n || v->kind != KIND_ARRAY; /* others are made by nobody */
  return true;
}

bool cpb_sd_prepare_consumers(reply *r) {
  static bool (*const looks[])(reply *, const cpb_sd_node *) = {look_for_maker, look_for_consumer};
  if (!r->consumed.variable && !r->consumed.maker && !begin(r)) return false;
  for (; r->consumed.pass < sizeof looks / sizeof *looks; r->consumed.pass++, r->element = 0) {
    if (!look_through(r, looks[r->consumed.pass])) return false;
  }
  return true;
}

bool cpb_sd_prepare_node(reply *r) {
  const cpb_span name = {(const uint8_t *)r->question.name, r->question.name_size};
  if (cpb_sd_find_node(&r->model->graph, name)) return cpb_sd_prepare_consumers(r);
  cpb_fail(&r->model->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no operation has this name");
  return false;
}

/* --- The answer ------------------------------------------------------------------------ */

bool cpb_sd_write_consumed(reply *r, uint64_t i) {
  const cpb_sd_graph *g = &r->model->graph;
  const cpb_sd_variable *v = r->consumed.variable;
  (void)i;
  cpb_json_writer_span(r->answer, "node", cpb_sd_graph_text(g, v ? v->name : r->consumed.maker->name));
  if (v) cpb_json_writer_null(r->answer, "op");
  else cpb_json_writer_span(r->answer, "op", cpb_sd_graph_text(g, r->consumed.maker->op));
  return true;
}

static bool write_inputs(reply *r, const inputs *in) {
  bool is;
  int64_t output;
  const cpb_sd_variable *v = r->consumed.variable;
  cpb_json_writer_open(r->answer, "inputs", '[');
  for (uint32_t i = 0; i < in->pairs.count; i++) {
    if (!is_consumed(r, in, i, &is, &output)) return false;
    if (!is) continue;
    const cpb_sd_variable *taken = v ? v : cpb_sd_find_id(&r->model->graph, r->consumed.maker->id, output);
    cpb_json_writer_open(r->answer, NULL, '{');
    cpb_json_writer_unsigned(r->answer, "input", i);
    if (taken) cpb_json_writer_span(r->answer, "output", cpb_sd_graph_text(&r->model->graph, taken->name));
    else cpb_json_writer_null(r->answer, "output");
    cpb_json_writer_signed(r->answer, "index", v ? 0 : output);
    cpb_json_writer_close(r->answer, '}');
  }
  cpb_json_writer_close(r->answer, ']');
  return true;
}

bool cpb_sd_write_consumer(reply *r, uint64_t i) {
  inputs in;
  bool control;
  const cpb_sd_graph *g = &r->model->graph;
  const cpb_sd_node *n = &g->nodes[r->order[i]];
  if (!open_inputs(r, n, &in) || !is_control(r, &in, &control)) return false;
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_text(r->answer, "is", "node");
  cpb_json_writer_span(r->answer, "name", cpb_sd_graph_text(g, n->name));
  cpb_json_writer_span(r->answer, "op", cpb_sd_graph_text(g, n->op));
  if (!write_inputs(r, &in)) return false;
  cpb_json_writer_bool(r->answer, "control", control);
  cpb_json_writer_close(r->answer, '}');
  return true;
}
