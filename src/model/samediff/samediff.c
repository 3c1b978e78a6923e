#include "model/samediff/samediff.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/kind.h"
#include "model/samediff/reply.h"

/* --- Steps ------------------------------------------------------------------------------------- */

typedef cpb_sd_reply reply;

/* --- The tag and its parts ---------------------------------------------------------------- */

/* First reports where the file ends. */
static void note_damage(reply *r) {
  char text[192];
  uint64_t offset;
  const cpb_sd_parts *parts = &r->model->parts;
  r->noted = true;
  if (!r->model->is_zip || !parts->zip.partial) return;
  cpb_zip_walk_tell(&parts->walk, text, sizeof text, &offset);
  cpb_problems_add_damage(&r->problems, offset, text);
  if (!parts->told)
    cpb_problems_add(&r->problems, CPB_NO_OFFSET, "tags.txt is missing: the tags are the folders that have a graph");
}

/* Whether the question's name is a tag, which is a graph of its own; otherwise the scope is. */
static bool names_tag(const cpb_question *q) {
  switch (q->kind) {
    case CPB_ASK_NODES:
    case CPB_ASK_SCOPES: return true;
    case CPB_ASK_OPS:
    case CPB_ASK_FUNCTION:
    case CPB_ASK_TAG: return q->name != NULL;
    default: return false;
  }
}

/* Opens the tag; the rest of the question then concerns only its graph. */
static cpb_have open_tag(reply *r) {
  const cpb_question *q = &r->question;
  cpb_question *asked = &r->viewed.question;
  const bool by_name = names_tag(q);
  *asked = *q;
  if (by_name) asked->name = NULL, asked->name_size = 0;
  if (!by_name || q->kind == CPB_ASK_TAG) asked->scope = NULL, asked->scope_size = 0;
  cpb_have have = cpb_sd_model_open(r->model, by_name ? q->name : q->scope, by_name ? q->name_size : q->scope_size);
  if (have == CPB_HAVE && !r->noted) note_damage(r);
  return have;
}

/* Whether a question can be answered without the graph, if that is damaged. */
static bool goes_without(const reply *r) {
  const cpb_question_kind kind = r->question.kind;
  return kind == CPB_ASK_OVERVIEW || (kind == CPB_ASK_CONSTANTS && r->model->parts.zip.partial);
}

static cpb_have load(reply *r) {
  cpb_sd_model *m = r->model;
  const unsigned parts = cpb_sd_parts_of(r->question.kind);
  if (r->without_graph) return cpb_sd_model_load(m, parts & CPB_SD_PARAMS);
  cpb_have have = cpb_sd_model_load(m, parts);
  if (have != CPB_FAILED || !goes_without(r) || !cpb_is_of_content(&m->error)) return have;
  cpb_problems_add(&r->problems, m->error.offset, m->error.message);
  cpb_sd_model_reset(m);
  r->without_graph = true;
  /* only once: the mark is set */
  return load(r);
}

/* Reports the lines needed by a question whose files are missing or incomplete. */
static void note_missing(reply *r, const cpb_sd_lines *lines, const char *file) {
  char text[160];
  size_t missing = 0, cut = 0;
  for (size_t i = 0; i < lines->num_references; i++) {
    const cpb_zip_entry *e = lines->references[i].entry;
    missing += !e;
    cut += e && e->cut != CPB_ZIP_WHOLE;
  }
  if (missing + cut == 0) return;
  cpb_format(text, sizeof text, "%s names %zu files: %zu of them are missing, and of %zu the end is", file,
             lines->num_references, missing, cut);
  cpb_problems_add(&r->problems, CPB_NO_OFFSET, text);
}

static void note_lacking(reply *r) {
  static const struct {
    cpb_sd_part part;
    const char *file;
  } parts[] = {{CPB_SD_PARAMS, "params.txt"}, {CPB_SD_MAPS, "params_maps.txt"}, {CPB_SD_UPDATER, "updater.txt"}};
  cpb_sd_model *m = r->model;
  const cpb_sd_lines *const lines[] = {&m->params, &m->maps, &m->updater};
  if (!m->is_zip || !m->parts.zip.partial) return;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!(cpb_sd_parts_of(r->question.kind) & m->has & parts[i].part)) continue;
    note_missing(r, lines[i], parts[i].file);
    const cpb_zip_entry *e = cpb_sd_parts_find(&m->parts, m->tag, parts[i].file);
    bool needed = parts[i].part == CPB_SD_PARAMS;
    if (e ? e->cut == CPB_ZIP_WHOLE : !needed) continue;
    char text[64];
    cpb_format(text, sizeof text, "the tag's %s is missing, or its end is", parts[i].file);
    cpb_problems_add(&r->problems, CPB_NO_OFFSET, text);
  }
}

/* The beginning of a graph file's list of states gives their number. */
static cpb_have prepare(reply *r) {
  cpb_sd_graph *g = &r->model->graph;
  cpb_flat_vector states = {0};
  if (r->prepared) return CPB_HAVE;
  g->flat.wait = false;
  g->flat.spent = 0; /* counted separately for each answer */
  if (r->question.kind == CPB_ASK_TAG && !cpb_flat_vector_at(&g->flat, &g->root, GRAPH_UPDATER_STATE, 4, &states))
    return cpb_sd_reply_cut_short(r);
  r->num_states = states.count;
  note_lacking(r);
  r->prepared = true;
  return CPB_HAVE;
}

/* --- The one array that is asked for -------------------------------------------------------- */

static bool find_wanted(reply *r) {
  const cpb_span name = {(const uint8_t *)r->question.name, r->question.name_size};
  const cpb_sd_lines *params = &r->model->params;
  const cpb_sd_variable *v = cpb_sd_find_variable(&r->model->graph, name);
  for (size_t i = 0; r->by_lines && i < params->count; i++) {
    const cpb_sd_line *line = &params->list[i];
    if (!cpb_span_equal(line->name, name)) continue;
    if (line->kind.size == 0) r->wanted = params->references[line->first].entry;
    return true;
  }
  if (!r->by_lines && v && v->array != 0) return true;
  return CPB_FAILS(&r->model->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "no parameter has this name");
}

/* A question about a single parameter also reports the parameter's own table, at the cost of one more read. */
static cpb_have read_head(reply *r) {
  cpb_sd_model *m = r->model;
  if (r->question.kind != CPB_ASK_CONSTANTS || !r->question.name || r->has_array || r->without_head) return CPB_HAVE;
  if (!r->wanted && !find_wanted(r)) return CPB_FAILED;
  if (!r->wanted) return CPB_HAVE;
  cpb_have have = cpb_sd_parts_head(&m->parts, r->wanted, &r->head, &r->array);
  r->has_array = have == CPB_HAVE;
  if (have != CPB_FAILED || r->wanted->cut == CPB_ZIP_WHOLE || !cpb_is_of_content(&m->error)) return have;
  cpb_problems_add(&r->problems, m->error.offset, m->error.message);
  cpb_sd_model_reset(m);
  r->without_head = true;
  return CPB_HAVE;
}

/* --- The answer ------------------------------------------------------------------------ */

static cpb_have draft(reply *r) {
  const cpb_view_graph graph = {.role = CPB_GRAPH_MAIN, .nodes = r->model->graph.num_nodes};
  if (r->drafted) return CPB_HAVE;
  r->viewed.answer = r->answer;
  r->viewed.error = &r->model->error;
  if (!cpb_view_graphs_add(&r->viewed.view.graphs, graph)) cpb_viewed_fail_memory(&r->viewed);
  else cpb_sd_write_answer(r);
  if (r->model->error.code != CPB_OK) return CPB_FAILED;
  cpb_sd_reply_draft(r);
  r->drafted = true;
  return CPB_HAVE;
}

/* CPB_HAVE: the answer is complete. */
/* All stages run again in each step. A stage that is done has a mark in `r`, and returns at once. */
static cpb_have sd_go_on(reply *r, cpb_json_writer *answer) {
  static cpb_have (*const stages[])(reply *) = {open_tag, load, prepare, read_head, draft, cpb_sd_reply_fill};
  r->answer = answer;
  cpb_have have = CPB_HAVE;
  for (size_t i = 0; i < sizeof stages / sizeof *stages && have == CPB_HAVE; i++) have = stages[i](r);
  return have;
}

typedef struct reader {
  cpb_meter *meter;
  uint64_t spent; /* reads of the graph already charged for this question */
  size_t entries; /* the same for its variables and operations */
  cpb_sd_model model;
  cpb_sd_reply reply;
} reader;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->meter = meter;
  cpb_sd_model_init(&r->model, a, meter, kind == CPB_MODEL_SAMEDIFF_ZIP, options);
  cpb_sd_model_keep_damaged(&r->model);
  cpb_sd_reply_init(&r->reply, &r->model, &cpb_sd_view);
  return r;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->model.allocator;
  cpb_sd_reply_free(&r->reply);
  cpb_sd_model_free(&r->model);
  cpb_release(&a, r);
}

static void ask(void *state, const cpb_question *question) {
  reader *r = state;
  cpb_sd_model_reset(&r->model);
  r->spent = 0;
  r->entries = 0;
  cpb_sd_reply_begin(&r->reply, question);
}

/* Charges the increase since the last call. The count of reads restarts with each answer. */
static bool charge(reader *r) {
  const cpb_sd_graph *g = &r->model.graph;
  uint64_t spent = r->model.graph_begun ? g->flat.spent : 0;
  size_t entries = r->model.graph_begun ? g->num_variables + g->num_nodes + g->num_links : 0;
  uint64_t walked = spent >= r->spent ? spent - r->spent : spent;
  size_t made = entries >= r->entries ? entries - r->entries : entries;
  r->spent = spent;
  r->entries = entries;
  return cpb_meter_charge(r->meter, CPB_WORK_WALKED, walked, CPB_NO_OFFSET, &r->model.error) &&
         cpb_meter_charge(r->meter, CPB_WORK_ENTRIES, made, CPB_NO_OFFSET, &r->model.error);
}

static cpb_step step(void *state, cpb_json_writer *answer, cpb_error *error) {
  reader *r = state;
  cpb_have have = sd_go_on(&r->reply, answer);
  if (have != CPB_FAILED && !charge(r)) have = CPB_FAILED;
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  cpb_input_let_go(&r->model.input);
  if (have == CPB_HAVE) return CPB_STEP_DONE;
  *error = r->model.error;
  return CPB_STEP_ERROR;
}

static cpb_input *input(void *state) { return &((reader *)state)->model.input; }

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return cpb_sd_answers(question);
}

const cpb_model_reader cpb_samediff_reader = {
    .create = create, .destroy = destroy, .ask = ask, .step = step, .input = input, .answers = answers};
