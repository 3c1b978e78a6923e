#include "model/samediff/reply.h"

#include "base/checked.h"

typedef cpb_sd_reply reply;

bool cpb_sd_answers(cpb_question_kind kind) {
  return kind == CPB_ASK_OVERVIEW || kind == CPB_ASK_TAG || cpb_question_find(kind);
}

unsigned cpb_sd_parts_of(cpb_question_kind kind) {
  switch (kind) {
    case CPB_ASK_TAG: return CPB_SD_GRAPH | CPB_SD_PARAMS | CPB_SD_MAPS | CPB_SD_UPDATER | CPB_SD_TRAINING;
    case CPB_ASK_CONSTANTS: return CPB_SD_GRAPH | CPB_SD_PARAMS;
    default: return CPB_SD_GRAPH;
  }
}

static void write_tag(reply *r) {
  const cpb_sd_model *m = r->model;
  if (m->tag) cpb_json_writer_span(r->answer, "tag", m->tag->name);
  else cpb_json_writer_null(r->answer, "tag");
  cpb_json_writer_bool(r->answer, "default", !m->tag || m->tag->number == m->parts.standard);
}

static bool write_loss_variables(reply *r, uint64_t i) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  (void)i;
  return cpb_sd_write_texts(&w, "loss_variables", &r->model->graph.root, GRAPH_LOSS_VARIABLES);
}

/* --- Lists of a tag -------------------------------------------------------------------------------- */

/* Writes a list whose elements are gaps, filled in later (reply.c). Only elements on the page become gaps, so a page
 * costs nothing for the others. */
static void write_list(reply *r, const char *key, uint64_t total, cpb_sd_write *write) {
  cpb_page page = cpb_page_open_sized(r->answer, &r->question, key, total);
  const uint64_t first = r->question.first, left = first < total ? total - first : 0;
  for (uint64_t i = 0; i < left && i < r->question.count && cpb_json_writer_ok(r->answer); i++)
    cpb_sd_later(r, write, first + i);
  cpb_page_close(r->answer, &page);
}

static bool write_variable(reply *r, uint64_t i) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  return cpb_sd_write_variable(&w, &r->model->graph.variables[i]);
}

static bool write_state(reply *r, uint64_t i) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  return cpb_sd_write_updater(&w, (uint32_t)i);
}

static bool write_state_line(reply *r, uint64_t i) {
  const cpb_sd_lines *lines = &r->model->updater;
  const cpb_sd_line *line = &lines->list[i];
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "parameter", line->name);
  cpb_json_writer_open(r->answer, "states", '[');
  for (size_t k = 0; k < line->count; k++) {
    cpb_json_writer_open(r->answer, NULL, '{');
    cpb_sd_write_entry(r->answer, &lines->references[line->first + k]);
    cpb_json_writer_close(r->answer, '}');
  }
  cpb_json_writer_close(r->answer, ']');
  cpb_json_writer_close(r->answer, '}');
  return true;
}

static bool write_map(reply *r, uint64_t i) {
  cpb_json_writer_open(r->answer, NULL, '{');
  cpb_json_writer_span(r->answer, "node", r->model->maps.list[i].name);
  cpb_sd_write_line(r, &r->model->maps, (size_t)i);
  cpb_json_writer_close(r->answer, '}');
  return true;
}

/* Writes the variables with values, in the file's order. */
static void write_tensors(reply *r) {
  const cpb_inventory *l = cpb_viewed_inventory(&r->viewed);
  cpb_page page = cpb_viewed_page(&r->viewed, "constants");
  for (size_t i = 0; l && i < l->count; i++) {
    if (l->items[i].measure.is_absent || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(r->answer, NULL, '{');
    cpb_viewed_write_item(&r->viewed, &l->items[i]);
    cpb_json_writer_close(r->answer, '}');
  }
  cpb_page_close(r->answer, &page);
}

/* --- A tag ------------------------------------------------------------------------------------------- */

static bool write_facts(reply *r, uint64_t i) {
  const cpb_sd_writer w = cpb_sd_reply_writer(r);
  return cpb_sd_write_configuration(&w) &&
         cpb_sd_write_texts(&w, "placeholders", &r->model->graph.root, GRAPH_PLACEHOLDERS) &&
         write_loss_variables(r, i);
}

static void write_training(reply *r) {
  const cpb_buffer *json = &r->model->training;
  if (json->size > 0) cpb_json_writer_raw(r->answer, "training_config", (cpb_span){json->data, json->size});
  else cpb_json_writer_null(r->answer, "training_config");
}

static void write_all(reply *r) {
  const cpb_sd_model *m = r->model;
  cpb_sd_later(r, write_facts, 0);
  write_list(r, "variables", m->graph.num_variables, write_variable);
  cpb_question_nodes(&r->viewed);
  write_tensors(r);
  write_list(r, "maps", m->maps.count, write_map);
  if (m->is_zip) write_list(r, "updater_state", m->updater.count, write_state_line);
  else write_list(r, "updater_state", r->num_states, write_state);
  write_training(r);
}

/* --- The overview ------------------------------------------------------------------------------------ */

static void write_file(reply *r) {
  const cpb_sd_model *m = r->model;
  cpb_json_writer_text(r->answer, "format", m->is_zip ? "SameDiff zip" : "SameDiff graph");
  cpb_json_writer_unsigned(r->answer, "bytes", m->input.size);
  if (!m->is_zip) return;
  cpb_json_writer_unsigned(r->answer, "entries", m->parts.zip.num_entries);
  cpb_json_writer_span(r->answer, "default_tag", m->parts.tags.list[m->parts.standard].name);
}

/* Writes the entries of the folder tag/folder/, which are contiguous. */
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

static void write_graph(reply *r) {
  cpb_json_writer_open(r->answer, "graph", '{');
  write_tag(r);
  cpb_json_writer_unsigned(r->answer, "variables", r->model->graph.num_variables);
  write_kinds(r);
  cpb_sd_later(r, write_loss_variables, 0);
  cpb_json_writer_close(r->answer, '}');
}

static void write_ends(reply *r, const char *key, bool outputs) {
  const cpb_view *view = &r->viewed.view;
  cpb_view_value value;
  cpb_view_values values = view->kind->values(view, cpb_view_graph_of(view, 0), NULL, outputs);
  cpb_page page = cpb_viewed_page(&r->viewed, key);
  while (cpb_view_values_next(&values, &value))
    if (cpb_page_has(&page)) cpb_view_write_value(r->answer, view, NULL, &value);
  cpb_page_close(r->answer, &page);
}

/* Writes nothing about a damaged graph. */
static void write_overview(reply *r) {
  write_file(r);
  write_list(r, "tags", r->model->is_zip ? r->model->parts.tags.count : 0, write_tag_summary);
  if (r->without_graph) {
    cpb_json_writer_null(r->answer, "graph");
    cpb_json_writer_null(r->answer, "parameters");
    return;
  }
  write_ends(r, "inputs", false);
  write_ends(r, "outputs", true);
  cpb_viewed_write_counts(&r->viewed);
  write_graph(r);
  cpb_viewed_write_parameters(&r->viewed);
}

/* --- The answer ----------------------------------------------------------------------------------------- */

void cpb_sd_write_answer(reply *r) {
  const cpb_question_kind kind = r->question.kind;
  cpb_json_writer_open(r->answer, NULL, '{');
  if (kind != CPB_ASK_OVERVIEW) write_tag(r);
  if (kind == CPB_ASK_OVERVIEW) write_overview(r);
  else if (kind == CPB_ASK_TAG) write_all(r);
  else cpb_question_find(kind)(&r->viewed);
  cpb_json_writer_open(r->answer, "problems", '[');
  cpb_problems_write(&r->problems, r->answer);
  cpb_json_writer_close(r->answer, ']');
  cpb_json_writer_close(r->answer, '}');
}
