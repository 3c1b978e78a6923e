/* Checks each new tag against its graph, and writes its lists. */
#include "model/samediff/write/tags.h"

#include "base/status.h"
#include "model/common/cursor.h"
#include "model/samediff/write/strip.h"

typedef struct tag_case {
  cpb_samediff_writer *w;
  cpb_sd_new_tag *tag;
  cpb_sd_graph graph;
} tag_case;

static bool refuse(const tag_case *c, const cpb_sd_new_part *part, const char *what) {
  return cpb_sd_refuse_part(c->w, part, what);
}

static cpb_span name_of(const tag_case *c, const cpb_sd_new_part *part) { return cpb_sd_writer_text(c->w, part->name); }

/* --- Against the graph ---------------------------------------------------------------- */

static bool load_graph(tag_case *c) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_sd_graph_init(&c->graph, &c->w->allocator, c->w->options.max_memory, &error);
  cpb_flat_begin(&c->graph.flat, c->tag->graph, c->tag->graph.size, 0, &error);
  cpb_have have = cpb_sd_graph_load(&c->graph);
  c->graph.error = c->graph.flat.error = &c->w->error;
  if (have == CPB_HAVE) return true;
  if (error.code == CPB_E_MEMORY) return cpb_sd_writer_no_memory(c->w);
  return cpb_sd_refuse_tag(c->w, c->tag, error.code != CPB_OK ? error.message : "the graph is truncated");
}

/* The array must have the shape that the graph declares, if any; there -1 stands for any size. */
static bool check_shape(tag_case *c, const cpb_sd_new_part *part, const cpb_sd_variable *v, const cpb_sd_array *array) {
  cpb_flat_table table;
  cpb_flat_vector shape;
  int64_t n;
  cpb_flat *flat = &c->graph.flat;
  if (!cpb_flat_open(flat, v->table, &table) || !cpb_flat_vector_at(flat, &table, VARIABLE_SHAPE, 8, &shape))
    return false;
  if (shape.at == 0) return true;
  bool same = shape.count == array->rank;
  for (uint32_t i = 0; i < array->rank && same; i++) {
    if (!cpb_flat_element(flat, &shape, i, 8, &n)) return false;
    same = n == array->shape[i] || n < 0;
  }
  return same || refuse(c, part, "the array's shape differs from the one in the graph");
}

static bool check_array(tag_case *c, const cpb_sd_new_part *part) {
  const cpb_sd_variable *v = cpb_sd_find_variable(&c->graph, name_of(c, part));
  cpb_span head = cpb_sd_writer_text(c->w, part->head);
  cpb_flat flat;
  cpb_flat_table root;
  cpb_sd_array array;
  if (!v || head.size == 0 || part->section != CPB_SAMEDIFF_PARAMETER) return true;
  cpb_flat_begin(&flat, head, head.size + part->size, CPB_NO_OFFSET, &c->w->error);
  if (!cpb_flat_root(&flat, &root) || !cpb_sd_array_read(&flat, &root, &array)) return false;
  if (array.dtype != v->dtype) return refuse(c, part, "dtype differs from the one in the graph");
  return check_shape(c, part, v, &array);
}

static bool check_variables(tag_case *c) {
  const cpb_names *names = &c->tag->names[CPB_SAMEDIFF_PARAMETER];
  for (size_t i = 0; i < c->graph.num_variables; i++) {
    const cpb_sd_variable *v = &c->graph.variables[i];
    cpb_span name = cpb_sd_graph_text(&c->graph, v->name);
    if ((v->kind != KIND_VARIABLE && v->kind != KIND_CONSTANT) || cpb_names_find(names, name) != CPB_NO_NAME) continue;
    char shown[80], what[160];
    cpb_format(what, sizeof what, "variable %s of the graph has no parameter",
               cpb_quote(shown, sizeof shown, name.data, name.size));
    return cpb_sd_refuse_tag(c->w, c->tag, what);
  }
  return true;
}

static bool check_parts(tag_case *c) {
  for (size_t i = 0; i < c->tag->count; i++) {
    const cpb_sd_new_part *part = &c->w->parts[c->tag->first + i];
    if (!check_array(c, part)) return false;
    if (part->section == CPB_SAMEDIFF_STATE && !cpb_sd_find_variable(&c->graph, name_of(c, part)))
      return refuse(c, part, "a state of the updater, but this variable is not in the graph");
  }
  return check_variables(c);
}

/* --- Lines -------------------------------------------------------------------------------- */

static bool put(const tag_case *c, cpb_span text) {
  return cpb_buffer_append(&c->w->lines, text.data, text.size) || cpb_sd_writer_no_memory(c->w);
}

static bool put_text(const tag_case *c, const char *text) { return put(c, cpb_span_of(text)); }

static cpb_span base_text(const tag_case *c, cpb_sd_text text) {
  return (cpb_span){text.size > 0 ? c->w->base_texts.data + text.at : NULL, text.size};
}

static bool put_reference(const tag_case *c, const cpb_sd_new_part *part) {
  const cpb_sd_new_part *file = &c->w->parts[part->leads_to];
  char number[24];
  if (file->reference.size > 0) return put(c, base_text(c, file->reference));
  cpb_format(number, sizeof number, "%llu", (unsigned long long)file->number);
  if (file->tag == part->tag) return put_text(c, number);
  return put(c, cpb_sd_writer_text(c->w, c->w->tags[file->tag].name)) && put_text(c, "/") && put_text(c, number);
}

static cpb_span kind_of(const tag_case *c, const cpb_sd_new_part *part) {
  const cpb_sd_new_part *file = &c->w->parts[part->leads_to];
  return file->reference.size > 0 ? base_text(c, file->base_kind) : cpb_sd_writer_text(c->w, file->kind);
}

static bool is_variable(const void *graph, cpb_span name) { return cpb_sd_find_variable(graph, name) != NULL; }

/* Splits the line as a reader does: it must find the same name. */
static bool check_line(const tag_case *c, const cpb_sd_new_part *part, size_t begin) {
  const cpb_sd_section *section = &cpb_sd_sections[part->section];
  const cpb_sd_lines_in in = {
      .tags = &c->w->all_tags, .several = section->several, .is_known = is_variable, .user = &c->graph};
  cpb_span line = {c->w->lines.data + begin, c->w->lines.size - begin}, kind;
  if (line.size > CPB_SD_LINE_MAX) return refuse(c, part, "the line of this name has more than 65536 bytes");
  bool same = cpb_sd_line_split(&in, line, &kind) == part->name.size && cpb_span_equal(kind, kind_of(c, part));
  return same || refuse(c, part, "ambiguous: with this name, tag and kind, a reader cannot tell where the name ends");
}

/* Writes one line: a part, and the states of the same name that follow it. */
static bool put_line(const tag_case *c, size_t *i) {
  const cpb_sd_new_part *part = &c->w->parts[*i];
  size_t begin = c->w->lines.size, end = c->tag->first + c->tag->count;
  if (!put(c, name_of(c, part))) return false;
  do {
    if (!put_text(c, " ") || !put_reference(c, &c->w->parts[*i])) return false;
    ++*i;
  } while (cpb_sd_sections[part->section].several && *i < end && c->w->parts[*i].section == part->section &&
           cpb_span_equal(name_of(c, part), name_of(c, &c->w->parts[*i])));
  cpb_span kind = kind_of(c, part);
  if (kind.size > 0 && (!put_text(c, " ") || !put(c, kind))) return false;
  return check_line(c, part, begin) && put_text(c, "\n");
}

static bool put_lines(const tag_case *c, unsigned section) {
  cpb_sd_text *lines = &c->tag->lines[section];
  lines->at = c->w->lines.size;
  for (size_t i = c->tag->first; i < c->tag->first + c->tag->count;) {
    if (c->w->parts[i].section != section) i++;
    else if (!put_line(c, &i)) return false;
  }
  lines->size = c->w->lines.size - lines->at;
  return true;
}

/* Leaves out arrays inside of the graph, where ND4J saves them in a graph file: in a zip they are
 * files of their own. */
static bool strip(tag_case *c) {
  cpb_buffer *out = &c->tag->stripped;
  if (!cpb_sd_has_arrays(&c->graph)) return true;
  if (!cpb_sd_strip(&c->graph, out)) return false;
  c->tag->graph = (cpb_span){out->data, out->size};
  return true;
}

static bool write_tag(tag_case *c) {
  bool good = load_graph(c) && check_parts(c) && strip(c);
  for (unsigned s = 0; s < CPB_SD_SECTIONS && good; s++) good = put_lines(c, s);
  cpb_sd_graph_free(&c->graph);
  return good;
}

bool cpb_sd_write_lines(cpb_samediff_writer *w) {
  for (size_t i = 0; i < w->num_tags; i++) {
    tag_case c = {.w = w, .tag = &w->tags[i]};
    if (!write_tag(&c)) return false;
  }
  return true;
}
