#include "model/samediff/questions.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/samediff/consumers.h"
#include "model/samediff/items.h"
#include "model/samediff/numbers.h"

typedef cpb_sd_reply reply;

static cpb_sd_writer writer_of(reply *r) {
  return (cpb_sd_writer){.graph = &r->model->graph, .answer = r->answer, .scratch = &r->scratch};
}

static cpb_span name_of(const reply *r, const cpb_sd_variable *v) {
  return cpb_sd_graph_text(&r->model->graph, v->name);
}

/* --- Members of an answer: each writes one, or one element of a list --------------- */

static bool write_tag(reply *r, uint64_t i) {
  (void)i;
  const cpb_sd_model *m = r->model;
  if (m->tag) {
    cpb_json_writer_span(r->answer, "tag", m->tag->name);
    cpb_json_writer_bool(r->answer, "default", m->tag->number == m->parts.standard);
  } else {
    cpb_json_writer_null(r->answer, "tag");
    cpb_json_writer_bool(r->answer, "default", true);
  }
  return true;
}

static bool write_configuration(reply *r, uint64_t i) {
  (void)i;
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_configuration(&w);
}

static bool write_placeholders(reply *r, uint64_t i) {
  (void)i;
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_texts(&w, "placeholders", &r->model->graph.root, GRAPH_PLACEHOLDERS);
}

static bool write_loss_variables(reply *r, uint64_t i) {
  (void)i;
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_texts(&w, "loss_variables", &r->model->graph.root, GRAPH_LOSS_VARIABLES);
}

/* What the graph tells of itself. */
static bool write_graph_facts(reply *r, uint64_t i) {
  return write_tag(r, i) && write_configuration(r, i) && write_placeholders(r, i) && write_loss_variables(r, i);
}

static bool write_training(reply *r, uint64_t i) {
  (void)i;
  const cpb_buffer *json = &r->model->training;
  if (json->size > 0) cpb_json_writer_raw(r->answer, "training_config", (cpb_span){json->data, json->size});
  else cpb_json_writer_null(r->answer, "training_config");
  return true;
}

static bool write_problems(reply *r, uint64_t i) {
  (void)i;
  cpb_json_writer_open(r->answer, "problems", '[');
  cpb_problems_write(&r->problems, r->answer);
  cpb_json_writer_close(r->answer, ']');
  return true;
}

/* --- Variables and operations -------------------------------------------------------- */

static uint64_t count_variables(const reply *r) { return r->model->graph.num_variables; }

static bool write_variable(reply *r, uint64_t i) {
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_variable(&w, &r->model->graph.variables[i]);
}

static uint64_t count_nodes(const reply *r) { return r->model->graph.num_nodes; }

static bool write_operation(reply *r, uint64_t i) {
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_node(&w, &r->model->graph.nodes[i], false);
}

static uint64_t count_ordered(const reply *r) { return r->num_ordered; }

/* The node that is asked for. */
static bool write_one_node(reply *r, uint64_t i) {
  cpb_sd_writer w = writer_of(r);
  (void)i;
  return cpb_sd_write_node_members(&w, r->consumed.maker, true) && cpb_sd_write_sources(&w, r->consumed.maker);
}

static bool write_node(reply *r, uint64_t i) {
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_node(&w, &r->model->graph.nodes[r->order[i]], true);
}

/* --- Parameters ------------------------------------------------------------------------ */

static void write_entry(cpb_json_writer *a, const cpb_sd_reference *reference) {
  const cpb_zip_entry *e = reference->entry;
  cpb_json_writer_span(a, "reference", reference->text);
  cpb_json_writer_bool(a, "shared", reference->shared);
  if (!e) {
    cpb_json_writer_null(a, "entry"); /* the archive ends before it */
    cpb_json_writer_null(a, "entry_bytes");
    return;
  }
  cpb_json_writer_span(a, "entry", e->name);
  if (e->cut == CPB_ZIP_UNSIZED) cpb_json_writer_null(a, "entry_bytes");
  else cpb_json_writer_unsigned(a, "entry_bytes", e->size);
  if (e->cut != CPB_ZIP_WHOLE) cpb_json_writer_bool(a, "cut", true);
  cpb_json_writer_bool(a, "compressed", e->method != 0);
  if (e->method != 0) cpb_json_writer_unsigned(a, "compressed_bytes", e->packed);
}

/* The array of the one parameter that is asked for, from the first bytes of its entry. */
static bool write_array_of_entry(reply *r) {
  cpb_flat flat;
  cpb_sd_parts *parts = &r->model->parts;
  cpb_flat_begin(&flat, (cpb_span){r->head.data, r->head.size}, r->head.size, CPB_NO_OFFSET, &r->model->error);
  cpb_sd_array_open(r->answer, "array", &r->array, cpb_sd_parts_offset(parts, &r->array));
  if (!cpb_sd_write_preview(&flat, r->answer, &r->array)) return false;
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* Of no variable of the graph nothing is known. */
static void write_use(cpb_json_writer *a, const cpb_sd_variable *v) {
  if (v) cpb_json_writer_text(a, "use", cpb_tensor_use_name(cpb_sd_variable_use(v)));
  else cpb_json_writer_null(a, "use");
  cpb_json_writer_exact_unsigned(a, "parameters", v ? cpb_sd_variable_parameters(v) : 0);
}

/* A line of params.txt or params_maps.txt. */
static bool write_line(reply *r, const cpb_sd_lines *lines, uint64_t i) {
  const cpb_sd_line *line = &lines->list[i];
  const cpb_sd_variable *v = cpb_sd_find_variable(&r->model->graph, line->name);
  cpb_sd_writer w = writer_of(r);
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "name", line->name);
  if (v) cpb_json_writer_text(r->answer, "kind", cpb_sd_variable_kind(v->kind));
  else cpb_json_writer_null(r->answer, "kind");
  write_use(r->answer, v);
  if (v && (!cpb_sd_write_shape(&w, v) || !cpb_sd_write_bytes(&w, v))) return false;
  if (line->kind.size > 0) cpb_json_writer_span(r->answer, "holds", line->kind);
  write_entry(r->answer, &lines->references[line->first]);
  if (r->has_array && !write_array_of_entry(r)) return false;
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* A variable that has its array with it. */
static bool write_own(reply *r, const cpb_sd_variable *v) {
  cpb_sd_writer w = writer_of(r);
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "name", name_of(r, v));
  cpb_json_writer_text(r->answer, "kind", cpb_sd_variable_kind(v->kind));
  write_use(r->answer, v);
  if (!cpb_sd_write_array(&w, "array", v->array)) return false;
  cpb_json_writer_close(r->answer, '}');
  return true;
}

static bool write_parameter(reply *r, uint64_t i) {
  uint32_t which = r->order[i];
  return r->model->is_zip ? write_line(r, &r->model->params, which) : write_own(r, &r->model->graph.variables[which]);
}

static uint64_t count_maps(const reply *r) { return r->model->maps.count; }
static bool write_map(reply *r, uint64_t i) { return write_line(r, &r->model->maps, i); }

static bool write_updater_line(reply *r, const cpb_sd_line *line) {
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "parameter", line->name);
  cpb_json_writer_open(r->answer, "states", '[');
  for (size_t k = 0; k < line->count; k++) {
    cpb_json_writer_open(r->answer, NULL, '{');
    write_entry(r->answer, &r->model->updater.references[line->first + k]);
    cpb_json_writer_close(r->answer, '}');
  }
  cpb_json_writer_close(r->answer, ']');
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* Found out before the answer is begun. */
static uint64_t count_updater(const reply *r) { return r->model->is_zip ? r->model->updater.count : r->num_states; }

static bool write_updater(reply *r, uint64_t i) {
  if (r->model->is_zip) return write_updater_line(r, &r->model->updater.list[i]);
  cpb_sd_writer w = writer_of(r);
  return cpb_sd_write_updater(&w, (uint32_t)i);
}

/* --- Searching ---------------------------------------------------------------------------- */

static bool write_found(reply *r, uint64_t i) {
  const cpb_sd_graph *g = &r->model->graph;
  size_t which = r->order[i];
  bool is_node = which >= g->num_variables;
  const cpb_sd_node *n = is_node ? &g->nodes[which - g->num_variables] : NULL;
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_text(r->answer, "what", is_node ? "operation" : "variable");
  cpb_json_writer_span(r->answer, "name", is_node ? cpb_sd_graph_text(g, n->name) : name_of(r, &g->variables[which]));
  if (is_node) cpb_json_writer_span(r->answer, "op", cpb_sd_graph_text(g, n->op));
  else cpb_json_writer_text(r->answer, "kind", cpb_sd_variable_kind(g->variables[which].kind));
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* --- Operations by use ---------------------------------------------------------------------- */

static bool write_op(reply *r, uint64_t i) {
  const cpb_sd_graph *g = &r->model->graph;
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "op", cpb_sd_graph_text(g, g->nodes[r->order[2 * i]].op));
  cpb_json_writer_unsigned(r->answer, "count", r->order[2 * i + 1]);
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* --- The overview ------------------------------------------------------------------------------ */

static bool write_file(reply *r, uint64_t i) {
  (void)i;
  const cpb_sd_model *m = r->model;
  cpb_json_writer_text(r->answer, "format", m->is_zip ? "SameDiff zip" : "SameDiff graph");
  cpb_json_writer_unsigned(r->answer, "bytes", m->input.size);
  if (!m->is_zip) return true;
  cpb_json_writer_unsigned(r->answer, "entries", m->parts.zip.num_entries);
  cpb_json_writer_span(r->answer, "default_tag", m->parts.tags.list[m->parts.standard].name);
  return true;
}

static uint64_t count_tags(const reply *r) { return r->model->is_zip ? r->model->parts.tags.count : 0; }

/* Entries of the folder tag/folder/, which lie together in their order. */
static void write_folder(reply *r, const char *key, const cpb_sd_tag *tag, const char *folder) {
  const cpb_zip *zip = &r->model->parts.zip;
  uint64_t files = 0, bytes = 0;
  cpb_buffer *path = &r->scratch;
  path->size = 0;
  bool good = cpb_buffer_append(path, tag->name.data, tag->name.size) && cpb_buffer_append(path, "/", 1) &&
              cpb_buffer_append(path, folder, strlen(folder)) && cpb_buffer_append(path, "/", 1);
  if (!good) r->answer->failed = true;
  for (size_t i = good ? cpb_zip_first(zip, (cpb_span){path->data, path->size}) : zip->num_entries;
       i < zip->num_entries; i++) {
    const cpb_zip_entry *e = &zip->entries[i];
    cpb_span begin = {e->name.data, cpb_min_size(e->name.size, path->size)};
    if (cpb_compare_names(begin, (cpb_span){path->data, path->size}) != 0) break;
    if (e->cut != CPB_ZIP_WHOLE) continue;
    files += e->name.size > path->size;
    bytes += e->size;
  }
  cpb_json_writer_open(r->answer, key, '{');
  cpb_json_writer_unsigned(r->answer, "files", files);
  cpb_json_writer_unsigned(r->answer, "bytes", bytes);
  cpb_json_writer_close(r->answer, '}');
}

static bool write_tag_summary(reply *r, uint64_t i) {
  cpb_sd_parts *parts = &r->model->parts;
  const cpb_sd_tag *tag = &parts->tags.list[i];
  const cpb_zip_entry *graph = cpb_sd_parts_find(parts, tag, "graph.fb");
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "tag", tag->name);
  cpb_json_writer_bool(r->answer, "default", i == parts->standard);
  if (graph && graph->cut == CPB_ZIP_WHOLE) cpb_json_writer_unsigned(r->answer, "graph_bytes", graph->size);
  else cpb_json_writer_null(r->answer, "graph_bytes");
  write_folder(r, "parameters", tag, "params");
  write_folder(r, "updater", tag, "updater");
  cpb_json_writer_bool(r->answer, "training_config", cpb_sd_parts_find(parts, tag, "trainingConfig.fb") != NULL);
  cpb_json_writer_close(r->answer, '}');
  return r->model->error.code == CPB_OK;
}

static void write_kinds(reply *r) {
  const cpb_sd_graph *g = &r->model->graph;
  uint64_t counts[KIND_SEQUENCE + 1] = {0}, bytes = 0;
  for (size_t i = 0; i < g->num_variables; i++) {
    counts[g->variables[i].kind]++;
    bytes += g->variables[i].bytes;
  }
  cpb_json_writer_open(r->answer, "kinds", '{');
  for (int kind = 0; kind <= KIND_SEQUENCE; kind++)
    cpb_json_writer_unsigned(r->answer, cpb_sd_variable_kind(kind), counts[kind]);
  cpb_json_writer_close(r->answer, '}');
  if (!r->model->is_zip) cpb_json_writer_unsigned(r->answer, "parameter_bytes", bytes);
}

/* Of a graph file those that have values in it; of a zip's tag all, which have files. */
static bool write_parameters(reply *r, uint64_t i) {
  const cpb_sd_graph *g = &r->model->graph;
  cpb_parameters p = {.knows_trainable = true};
  (void)i;
  if (r->without_graph) {
    cpb_json_writer_null(r->answer, "parameters");
    return true;
  }
  for (size_t k = 0; k < g->num_variables; k++) {
    const cpb_sd_variable *v = &g->variables[k];
    const uint64_t elements = cpb_sd_variable_parameters(v);
    uint64_t bytes = v->bytes;
    const bool has_values = v->array != 0 || (r->model->is_zip && v->kind <= KIND_CONSTANT);
    if (!has_values || cpb_sd_variable_use(v) != CPB_TENSOR_WEIGHT) continue;
    if (v->array == 0 && !cpb_mul_u64(elements, v->dtype->size, &bytes)) bytes = UINT64_MAX;
    p.tensors++;
    p.partial = p.partial || !v->has_elements;
    cpb_parameters_add(&p, elements, bytes, bytes, v->kind == KIND_VARIABLE);
  }
  cpb_parameters_write(&p, r->answer);
  return true;
}

/* The variables at one end of the graph, its inputs or its outputs, as a list. */
static bool write_ends(reply *r, const char *key, uint8_t kind, bool (*is_end)(const cpb_sd_variable *)) {
  const cpb_sd_graph *g = &r->model->graph;
  cpb_sd_writer w = writer_of(r);
  uint64_t left = r->question.count;
  cpb_json_writer_open(r->answer, key, '[');
  for (size_t i = 0; i < g->num_variables && left > 0; i++) {
    const cpb_sd_variable *v = &g->variables[i];
    if (v->kind != kind || !is_end(v)) continue;
    cpb_json_writer_open(r->answer, NULL, '{');
    cpb_json_writer_span(r->answer, "name", name_of(r, v));
    if (!cpb_sd_write_shape(&w, v)) return false;
    cpb_json_writer_close(r->answer, '}');
    left--;
  }
  cpb_json_writer_close(r->answer, ']');
  return true;
}

static bool always(const cpb_sd_variable *v) { return v != NULL; }
static bool is_unused(const cpb_sd_variable *v) { return !v->used; }

static bool write_graph_summary(reply *r, uint64_t i) {
  if (r->without_graph) {
    cpb_json_writer_null(r->answer, "graph");
    return true;
  }
  cpb_json_writer_open(r->answer, "graph", '{');
  write_tag(r, i);
  cpb_json_writer_unsigned(r->answer, "variables", r->model->graph.num_variables);
  cpb_json_writer_unsigned(r->answer, "operations", r->model->graph.num_nodes);
  write_kinds(r);
  if (!write_ends(r, "inputs", KIND_PLACEHOLDER, always) || !write_ends(r, "outputs", KIND_ARRAY, is_unused) ||
      !write_loss_variables(r, i))
    return false;
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* --- What a list has, in which order ------------------------------------------------------------- */

static bool is_wanted(const reply *r, cpb_span name) {
  const cpb_question *q = &r->question;
  return !q->name || cpb_span_equal((cpb_span){(const uint8_t *)q->name, q->name_size}, name);
}

static bool order_params(reply *r, bool all) {
  const cpb_sd_lines *params = &r->model->params;
  if (!cpb_sd_make_order(r, params->count)) return false;
  for (size_t i = 0; i < params->count; i++) {
    if (all || is_wanted(r, params->list[i].name)) r->order[r->num_ordered++] = (uint32_t)i;
  }
  return true;
}

static bool order_own(reply *r, bool all) {
  const cpb_sd_graph *g = &r->model->graph;
  if (!cpb_sd_make_order(r, g->num_variables)) return false;
  for (size_t i = 0; i < g->num_variables; i++) {
    if (g->variables[i].array != 0 && (all || is_wanted(r, name_of(r, &g->variables[i]))))
      r->order[r->num_ordered++] = (uint32_t)i;
  }
  return true;
}

/* Those with arrays, in the file's order. */
static bool prepare_tag(reply *r) {
  cpb_sd_graph *g = &r->model->graph;
  cpb_flat_vector states;
  if (!cpb_flat_vector_at(&g->flat, &g->root, GRAPH_UPDATER_STATE, 4, &states)) return false;
  r->num_states = states.count;
  return r->model->is_zip ? order_params(r, true) : order_own(r, true);
}

static uint64_t bytes_of(const reply *r, uint32_t which) {
  const cpb_sd_lines *params = &r->model->params;
  if (!r->model->is_zip) return r->model->graph.variables[which].bytes;
  const cpb_zip_entry *entry = params->references[params->list[which].first].entry;
  return entry ? entry->size : 0;
}

typedef struct sized {
  uint64_t bytes;
  uint32_t which;
} sized;

/* The largest first; the file's order where sizes are the same. */
static int by_size(const void *a, const void *b) {
  const sized *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return (x->which > y->which) - (x->which < y->which);
}

static bool sort_by_size(reply *r) {
  const cpb_allocator *a = &r->model->allocator;
  sized *list = cpb_alloc(a, r->num_ordered * sizeof *list);
  if (!list) {
    cpb_fail_memory(&r->model->error);
    return false;
  }
  for (size_t i = 0; i < r->num_ordered; i++) list[i] = (sized){bytes_of(r, r->order[i]), r->order[i]};
  if (r->num_ordered > 1) qsort(list, r->num_ordered, sizeof *list, by_size);
  for (size_t i = 0; i < r->num_ordered; i++) r->order[i] = list[i].which;
  cpb_release(a, list);
  return true;
}

static bool prepare_constants(reply *r) {
  if (!(r->model->is_zip ? order_params(r, false) : order_own(r, false))) return false;
  if (r->num_ordered == 0 && r->question.name) {
    cpb_fail(&r->model->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no parameter has this name");
    return false;
  }
  return sort_by_size(r);
}

static bool begins_with(cpb_span text, const cpb_question *q) {
  return q->name_size <= text.size && (q->name_size == 0 || memcmp(text.data, q->name, q->name_size) == 0);
}

static bool prepare_nodes(reply *r) {
  const cpb_sd_graph *g = &r->model->graph;
  if (!cpb_sd_make_order(r, g->num_nodes)) return false;
  for (size_t i = 0; i < g->num_nodes; i++) {
    if (begins_with(cpb_sd_graph_text(g, g->nodes[i].name), &r->question)) r->order[r->num_ordered++] = (uint32_t)i;
  }
  return true;
}

static bool prepare_search(reply *r) {
  const cpb_sd_graph *g = &r->model->graph;
  cpb_span wanted = {(const uint8_t *)r->question.name, r->question.name_size};
  size_t total = g->num_variables + g->num_nodes;
  if (!cpb_sd_make_order(r, total)) return false;
  for (size_t i = 0; i < total; i++) {
    cpb_sd_text name = i < g->num_variables ? g->variables[i].name : g->nodes[i - g->num_variables].name;
    if (cpb_span_contains(cpb_sd_graph_text(g, name), wanted)) r->order[r->num_ordered++] = (uint32_t)i;
  }
  return true;
}

typedef struct op_use {
  uint32_t node, count;
} op_use;

static int by_use(const void *a, const void *b) {
  const op_use *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                              : (x->node > y->node) - (x->node < y->node);
}

/* Pairs of a node that has the operation, and how many have it. */
static bool prepare_ops(reply *r) {
  const cpb_sd_graph *g = &r->model->graph;
  cpb_names names;
  cpb_names_init(&names, &r->model->allocator);
  bool good = cpb_sd_make_order(r, 2 * g->num_nodes);
  for (size_t i = 0; i < g->num_nodes && good; i++) {
    good = cpb_names_add(&names, cpb_sd_graph_text(g, g->nodes[i].op), (uint32_t)i);
    if (!good) cpb_fail_memory(&r->model->error);
  }
  cpb_names_sort(&names);
  op_use *uses = (op_use *)(void *)r->order;
  for (size_t i = 0; i < names.count && good; i++) {
    bool same = i > 0 && cpb_span_equal(names.items[i].text, names.items[i - 1].text);
    if (!same) uses[r->num_ordered++] = (op_use){names.items[i].what, 0};
    uses[r->num_ordered - 1].count++;
  }
  if (good && r->num_ordered > 1) qsort(uses, r->num_ordered, sizeof *uses, by_use);
  cpb_names_free(&names);
  return good;
}

/* --- Plans --------------------------------------------------------------------------------------- */

#define ALL (CPB_SD_GRAPH | CPB_SD_PARAMS | CPB_SD_MAPS | CPB_SD_UPDATER | CPB_SD_TRAINING)

static const cpb_sd_plan plans[] = {
    {CPB_ASK_OVERVIEW,
     CPB_SD_GRAPH,
     true,
     NULL,
     {{NULL, NULL, write_file},
      {"tags", count_tags, write_tag_summary},
      {NULL, NULL, write_graph_summary},
      {NULL, NULL, write_parameters},
      {NULL, NULL, write_problems}}},
    {CPB_ASK_TAG,
     ALL,
     false,
     prepare_tag,
     {{NULL, NULL, write_graph_facts},
      {"variables", count_variables, write_variable},
      {"operations", count_nodes, write_operation},
      {"parameters", count_ordered, write_parameter},
      {"maps", count_maps, write_map},
      {"updater_state", count_updater, write_updater},
      {NULL, NULL, write_training},
      {NULL, NULL, write_problems}}},
    {CPB_ASK_NODES,
     CPB_SD_GRAPH,
     false,
     prepare_nodes,
     {{NULL, NULL, write_tag}, {"nodes", count_ordered, write_node}, {NULL, NULL, write_problems}}},
    {CPB_ASK_CONSTANTS,
     CPB_SD_GRAPH | CPB_SD_PARAMS,
     false,
     prepare_constants,
     {{NULL, NULL, write_tag}, {"constants", count_ordered, write_parameter}, {NULL, NULL, write_problems}}},
    {CPB_ASK_OPS,
     CPB_SD_GRAPH,
     false,
     prepare_ops,
     {{NULL, NULL, write_tag}, {"ops", count_ordered, write_op}, {NULL, NULL, write_problems}}},
    {CPB_ASK_SEARCH,
     CPB_SD_GRAPH,
     false,
     prepare_search,
     {{NULL, NULL, write_tag}, {"found", count_ordered, write_found}, {NULL, NULL, write_problems}}},
    {CPB_ASK_NODE,
     CPB_SD_GRAPH,
     false,
     cpb_sd_prepare_node,
     {{NULL, NULL, write_tag},
      {NULL, NULL, write_one_node},
      {"consumers", count_ordered, cpb_sd_write_consumer},
      {NULL, NULL, write_problems}}},
    {CPB_ASK_CONSUMERS,
     CPB_SD_GRAPH,
     false,
     cpb_sd_prepare_consumers,
     {{NULL, NULL, write_tag},
      {NULL, NULL, cpb_sd_write_consumed},
      {"consumers", count_ordered, cpb_sd_write_consumer},
      {NULL, NULL, write_problems}}},
};

const cpb_sd_plan *cpb_sd_find_plan(cpb_question_kind kind) {
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    if (plans[i].kind == kind) return &plans[i];
  }
  return NULL;
}
