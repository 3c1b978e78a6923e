#include "model/samediff/reply.h"

#include "base/checked.h"
#include "base/status.h"

typedef cpb_sd_reply reply;

void cpb_sd_reply_init(reply *r, cpb_sd_model *model) {
  *r = (reply){.model = model};
  cpb_problems_init(&r->problems, &model->allocator);
  cpb_buffer_init(&r->head, &model->allocator);
  cpb_buffer_init(&r->scratch, &model->allocator);
}

void cpb_sd_reply_free(reply *r) {
  cpb_problems_free(&r->problems);
  cpb_buffer_free(&r->head);
  cpb_buffer_free(&r->scratch);
  cpb_release(&r->model->allocator, r->order);
  r->order = NULL;
}

void cpb_sd_reply_begin(reply *r, const cpb_question *question, const cpb_sd_plan *plan) {
  cpb_sd_model *model = r->model;
  cpb_sd_reply_free(r);
  cpb_sd_reply_init(r, model);
  r->question = *question;
  r->plan = plan;
}

/* --- What a list has, in which order ------------------------------------------------- */

bool cpb_sd_make_order(reply *r, size_t most) {
  r->num_ordered = 0;
  r->order = cpb_alloc(&r->model->allocator, cpb_max_size(most, 1) * sizeof *r->order);
  if (!r->order) cpb_fail_memory(&r->model->error);
  return r->order != NULL;
}

/* --- Before the answer -------------------------------------------------------------- */

/* First where the file ends. */
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

/* The tag is the question's name when that is what it asks for, or its scope. */
static cpb_have open_tag(reply *r) {
  const cpb_question *q = &r->question;
  bool by_name = q->kind == CPB_ASK_TAG && q->name;
  cpb_have have = cpb_sd_model_open(r->model, by_name ? q->name : q->scope, by_name ? q->name_size : q->scope_size);
  if (have == CPB_HAVE && !r->noted) note_damage(r);
  return have;
}

static bool is_damage(const cpb_error *error) {
  return error->code != CPB_E_MEMORY && error->code != CPB_E_READ && error->code != CPB_E_CANCELLED;
}

/* Whether a question can do without the graph, where that is damaged. */
static bool goes_without(const reply *r) {
  return r->plan->without_graph || (r->plan->kind == CPB_ASK_CONSTANTS && r->model->parts.zip.partial);
}

static cpb_have load(reply *r) {
  cpb_sd_model *m = r->model;
  if (r->without_graph) return cpb_sd_model_load(m, r->plan->parts & CPB_SD_PARAMS);
  cpb_have have = cpb_sd_model_load(m, r->plan->parts);
  if (have != CPB_FAILED || !goes_without(r) || !is_damage(&m->error)) return have;
  cpb_problems_add(&r->problems, m->error.offset, m->error.message);
  cpb_sd_model_reset(m);
  r->without_graph = true;
  return load(r);
}

/* Of the lines that a question needed, those whose files are not there, or not all of them. */
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
    if (!(r->plan->parts & m->has & parts[i].part)) continue;
    note_missing(r, lines[i], parts[i].file);
    const cpb_zip_entry *e = cpb_sd_parts_find(&m->parts, m->tag, parts[i].file);
    bool needed = parts[i].part == CPB_SD_PARAMS;
    if (e ? e->cut == CPB_ZIP_WHOLE : !needed) continue;
    char text[64];
    cpb_format(text, sizeof text, "the tag's %s is missing, or its end is", parts[i].file);
    cpb_problems_add(&r->problems, CPB_NO_OFFSET, text);
  }
}

/* Bytes that are missing, or the error. */
static cpb_have cut_short(reply *r) {
  return r->model->error.code == CPB_OK && r->model->graph.flat.wait ? CPB_WAIT : CPB_FAILED;
}

static cpb_have prepare(reply *r) {
  if (r->prepared) return CPB_HAVE;
  r->model->graph.flat.wait = false;
  if (!r->begun) r->model->graph.flat.spent = 0; /* it is each answer's own */
  r->begun = true;
  if (r->plan->prepare && !r->plan->prepare(r)) return cut_short(r);
  note_lacking(r);
  r->prepared = true;
  cpb_json_writer_open(r->answer, NULL, '{');
  return CPB_HAVE;
}

/* Of one parameter also what its own table says is told, for one more read. */
static cpb_have read_head(reply *r) {
  cpb_sd_model *m = r->model;
  if (r->question.kind != CPB_ASK_CONSTANTS || !r->question.name || !m->is_zip || r->has_array) return CPB_HAVE;
  const cpb_sd_line *line = &m->params.list[r->order[0]];
  if (line->kind.size > 0) return CPB_HAVE;
  const cpb_zip_entry *entry = m->params.references[line->first].entry;
  if (!entry || r->without_head) return CPB_HAVE;
  cpb_have have = cpb_sd_parts_head(&m->parts, entry, &r->head, &r->array);
  r->has_array = have == CPB_HAVE;
  if (have != CPB_FAILED || entry->cut == CPB_ZIP_WHOLE || !is_damage(&m->error)) return have;
  cpb_problems_add(&r->problems, m->error.offset, m->error.message);
  cpb_sd_model_reset(m);
  r->without_head = true;
  return CPB_HAVE;
}

/* --- The answer ------------------------------------------------------------------------ */

static void turn(reply *r) {
  if (!r->model->is_zip) cpb_pages_turn(&r->model->pages);
}

/* One element or member, or nothing of it. */
static cpb_have write(reply *r, const cpb_sd_member *member, uint64_t i) {
  cpb_json_writer *a = r->answer;
  size_t size = a->out.size;
  bool comma = a->comma;
  uint64_t spent = r->model->graph.flat.spent;
  r->model->graph.flat.wait = false;
  if (member->write(r, i)) {
    turn(r);
    return CPB_HAVE;
  }
  a->out.size = size;
  a->comma = comma;
  r->model->graph.flat.spent = spent;
  return cut_short(r);
}

static void open_list(reply *r, const cpb_sd_member *member, uint64_t total) {
  r->page = cpb_page_open_sized(r->answer, &r->question, member->key, total);
  r->open = true;
  r->element = r->question.first;
}

static void close_list(reply *r) {
  cpb_page_close(r->answer, &r->page);
  r->open = false;
}

static cpb_have write_list(reply *r, const cpb_sd_member *member) {
  uint64_t total = member->count(r), end;
  if (!r->open) open_list(r, member, total);
  if (!cpb_add_u64(r->question.first, r->question.count, &end) || end > total) end = total;
  for (; r->element < end; r->element++) {
    cpb_have have = write(r, member, r->element);
    if (have != CPB_HAVE) return have;
  }
  close_list(r);
  return CPB_HAVE;
}

static cpb_have write_members(reply *r) {
  for (; r->plan->members[r->member].write; r->member++) {
    const cpb_sd_member *member = &r->plan->members[r->member];
    cpb_have have = member->count ? write_list(r, member) : write(r, member, 0);
    if (have != CPB_HAVE) return have;
  }
  cpb_json_writer_close(r->answer, '}');
  return CPB_HAVE;
}

cpb_have cpb_sd_reply_go_on(reply *r, cpb_json_writer *answer) {
  static cpb_have (*const stages[])(reply *) = {open_tag, load, prepare, read_head, write_members};
  r->answer = answer;
  cpb_have have = CPB_HAVE;
  for (size_t i = 0; i < sizeof stages / sizeof *stages && have == CPB_HAVE; i++) have = stages[i](r);
  return have;
}
