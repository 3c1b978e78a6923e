/* The SameDiff writer: its stages, and the results of a step. */
#include "model/samediff/write/writer.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/common/cursor.h"

/* --- The zip that tags are added to ------------------------------------------------------------ */

/* These return values like the functions of zip.h. */

#define ENTRY_SIZE 46
#define TAGS "tags.txt"

static cpb_have no_memory(cpb_samediff_writer *w) { return cpb_sd_writer_no_memory(w), CPB_FAILED; }

/* --- The directory ---------------------------------------------------------------- */

static cpb_have read_range(cpb_samediff_writer *w, uint64_t offset, uint64_t length, cpb_buffer *out) {
  size_t size;
  if (length > w->options.max_memory || !cpb_to_size(length, &size)) {
    cpb_fail(&w->error, CPB_E_LIMIT, offset, "zip: the central directory has %llu bytes, more than max_memory, %llu",
             (unsigned long long)length, (unsigned long long)w->options.max_memory);
    return CPB_FAILED;
  }
  if (!cpb_buffer_reserve(out, size)) return no_memory(w);
  cpb_have have = cpb_input_gather(&w->base.input, offset, size, out->data, &out->size);
  return cpb_zip_settle(have, &w->base.input, &w->error);
}

static bool fail_changed(cpb_samediff_writer *w, size_t at) {
  return CPB_FAILS(&w->error, CPB_E_DAMAGED, w->base.parts.zip.directory + at,
                   "zip: the central directory has changed since it was first read");
}

/* Keeps the records of all entries but tags.txt, which is written again. The zip reader has checked them, but the host
 * may have supplied other bytes this time. */
static bool keep_records(cpb_samediff_writer *w) {
  const cpb_buffer *all = &w->base_directory;
  for (size_t at = 0; at < all->size;) {
    const uint8_t *record = all->data + at;
    if (all->size - at < ENTRY_SIZE) return fail_changed(w, at);
    size_t name = cpb_load16(record + 28), size = ENTRY_SIZE + name + cpb_load16(record + 30) + cpb_load16(record + 32);
    if (size > all->size - at) return fail_changed(w, at);
    at += size;
    if (cpb_compare_names((cpb_span){record + ENTRY_SIZE, name}, cpb_span_of(TAGS)) == 0) continue;
    if (!cpb_buffer_append(&w->zip.directory, record, size)) return cpb_sd_writer_no_memory(w);
    w->zip.count++;
  }
  return true;
}

/* Reads its directory and its tags. */
static cpb_have sd_write_open_base(cpb_samediff_writer *w) {
  cpb_have have = cpb_sd_parts_open(&w->base.parts);
  if (have != CPB_HAVE) return have;
  const cpb_zip *zip = &w->base.parts.zip;
  have = read_range(w, zip->directory, zip->directory_size, &w->base_directory);
  if (have == CPB_HAVE) have = read_range(w, zip->comment.offset, zip->comment.length, &w->base_comment);
  if (have != CPB_HAVE) return have;
  w->zip.at = zip->size;
  return keep_records(w) ? CPB_HAVE : CPB_FAILED;
}

/* --- Shares -------------------------------------------------------------------------- */

static bool is_of_base(const cpb_samediff_writer *w, const cpb_sd_new_part *part) {
  return part->shared && !cpb_sd_find_new_tag(w, cpb_sd_writer_text(w, part->of_tag));
}

static const cpb_sd_lines *lines_of(const cpb_sd_model *base, unsigned section) {
  const cpb_sd_lines *const lines[CPB_SD_SECTIONS] = {&base->params, &base->updater, &base->maps};
  return lines[section];
}

/* Keeps a reference in the form that another tag writes: with the tag. */
static bool keep_reference(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_sd_reference *r, cpb_span kind) {
  cpb_buffer *out = &w->base_texts;
  cpb_span tag = w->base.tag->name;
  bool has_tag = memchr(r->text.data, '/', r->text.size) != NULL;
  part->reference.at = out->size;
  if (!has_tag && !(cpb_buffer_append(out, tag.data, tag.size) && cpb_buffer_append(out, "/", 1)))
    return cpb_sd_writer_no_memory(w);
  if (!cpb_buffer_append(out, r->text.data, r->text.size)) return cpb_sd_writer_no_memory(w);
  part->reference.size = out->size - part->reference.at;
  part->base_kind = (cpb_sd_text){out->size, kind.size};
  return cpb_buffer_append(out, kind.data, kind.size) || cpb_sd_writer_no_memory(w);
}

static bool share_one(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_names *names) {
  const cpb_sd_lines *lines = lines_of(&w->base, part->section);
  uint32_t i = cpb_names_find(names, cpb_sd_writer_text(w, part->of));
  if (i == CPB_NO_NAME || part->state >= lines->list[i].count)
    return cpb_sd_refuse_part(w, part, "the tag to share with does not have this part");
  const cpb_sd_line *line = &lines->list[i];
  return keep_reference(w, part, &lines->references[line->first + part->state], line->kind);
}

/* All parts from `first` on that share with the same list of the same tag, which is loaded. */
static bool share_list(cpb_samediff_writer *w, size_t first) {
  const cpb_sd_lines *lines = lines_of(&w->base, w->parts[first].section);
  cpb_names names;
  cpb_names_init(&names, &w->allocator);
  bool good = true;
  for (size_t i = 0; i < lines->count && good; i++)
    good = cpb_names_add(&names, lines->list[i].name, (uint32_t)i) || cpb_sd_writer_no_memory(w);
  cpb_names_sort(&names);
  for (size_t i = first; i < w->num_parts && good; i++) {
    cpb_sd_new_part *part = &w->parts[i];
    bool same = part->shared && part->section == w->parts[first].section && part->reference.size == 0 &&
                cpb_compare_names(cpb_sd_writer_text(w, part->of_tag), w->base.tag->name) == 0;
    if (same) good = share_one(w, part, &names);
  }
  cpb_names_free(&names);
  return good;
}

static cpb_have share_from(cpb_samediff_writer *w, size_t first) {
  cpb_sd_new_part *part = &w->parts[first];
  cpb_span tag = cpb_sd_writer_text(w, part->of_tag);
  if (!w->options.append || !cpb_sd_find_tag(&w->base.parts.tags, tag)) {
    cpb_sd_refuse_part(w, part, "the tag to share with does not exist");
    return CPB_FAILED;
  }
  cpb_have have = cpb_sd_model_open(&w->base, (const char *)tag.data, tag.size);
  if (have == CPB_HAVE) have = cpb_sd_model_load(&w->base, CPB_SD_GRAPH | cpb_sd_sections[part->section].of_base);
  if (have != CPB_HAVE) return have;
  return share_list(w, first) ? CPB_HAVE : CPB_FAILED;
}

/* Finds files that new parts share with the base. */
static cpb_have sd_write_share_with_base(cpb_samediff_writer *w) {
  for (; w->next_share < w->num_parts; w->next_share++) {
    const cpb_sd_new_part *part = &w->parts[w->next_share];
    if (part->reference.size > 0 || !is_of_base(w, part)) continue;
    cpb_have have = share_from(w, w->next_share);
    if (have != CPB_HAVE) return have;
  }
  return CPB_HAVE;
}

/* --- Tags -------------------------------------------------------------------------------------- */

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

/* ND4J would load a wrong zip and fail later, or not at all. The new tag is therefore checked by reading it: its
 * graph, arrays and lines go through the functions that read a file. */

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

/* The array must have the shape that the graph declares, if any; -1 in it means any size. */
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
  for (size_t i = c->tag->first; i < c->tag->first + c->tag->count;)
    if (c->w->parts[i].section != section) i++;
    else if (!put_line(c, &i)) return false;
  lines->size = c->w->lines.size - lines->at;
  return true;
}

/* Leaves out arrays inside of the graph, which ND4J's graph files have: in a zip they are separate files. */
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

/* False with the error set. */
static bool sd_write_lines(cpb_samediff_writer *w) {
  for (size_t i = 0; i < w->num_tags; i++) {
    tag_case c = {.w = w, .tag = &w->tags[i]};
    if (!write_tag(&c)) return false;
  }
  return true;
}

/* --- Creation ------------------------------------------------------------------ */

cpb_samediff_writer *cpb_samediff_writer_new(const cpb_allocator *allocator, const cpb_samediff_options *options) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_samediff_writer *w = cpb_alloc_zeroed(&a, sizeof *w);
  if (!w) return NULL;
  w->allocator = a;
  w->error.offset = CPB_NO_OFFSET;
  cpb_options_copy(&w->options, sizeof w->options, options);
  w->options.max_memory = cpb_max_memory_or_default(w->options.max_memory);
  cpb_model_options how = {.struct_size = sizeof how, .max_memory = w->options.max_memory, .limits = w->options.limits};
  cpb_sd_model_init(&w->base, &a, NULL, true, &how);
  cpb_sd_tags_init(&w->all_tags, &a);
  cpb_zip_writing_init(&w->zip, &a);
  cpb_buffer *const buffers[] = {&w->texts,          &w->lines,        &w->file_names, &w->base_texts,
                                 &w->base_directory, &w->base_comment, &w->out};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) cpb_buffer_init(buffers[i], &a);
  w->swap.out = cpb_alloc(&a, CPB_SD_SWAP_OUT);
  if (w->swap.out) return w;
  cpb_samediff_writer_free(w);
  return NULL;
}

void cpb_samediff_writer_free(cpb_samediff_writer *w) {
  if (!w) return;
  cpb_allocator a = w->allocator;
  cpb_buffer *const buffers[] = {&w->texts,          &w->lines,        &w->file_names, &w->base_texts,
                                 &w->base_directory, &w->base_comment, &w->out};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) cpb_buffer_free(buffers[i]);
  for (size_t i = 0; i < w->num_tags; i++) {
    cpb_buffer_free(&w->tags[i].stripped);
    for (int s = 0; s < CPB_SD_SECTIONS; s++) cpb_names_free(&w->tags[i].names[s]);
  }
  cpb_sd_model_free(&w->base);
  cpb_sd_tags_free(&w->all_tags);
  cpb_zip_writing_free(&w->zip);
  cpb_deflate_free(w->deflate);
  cpb_release(&a, w->tags);
  cpb_release(&a, w->parts);
  cpb_release(&a, w->files);
  cpb_release(&a, w->swap.out);
  cpb_release(&a, w->room);
  cpb_release(&a, w);
}

/* --- Steps ----------------------------------------------------------------------------------- */

/* All that can be refused is checked before the first byte goes out: prepare() runs every stage before
 * CPB_SD_WRITE_FIRST. After that, only reading, memory or the caller's values can fail. */

uint64_t cpb_samediff_writer_source(const cpb_samediff_writer *w) {
  return w->wants_values ? w->files[w->next_file - 1].part->source : CPB_SAMEDIFF_BASE;
}

cpb_input *cpb_samediff_writer_input(cpb_samediff_writer *w) { return w->wants_values ? &w->values : &w->base.input; }

const uint8_t *cpb_samediff_writer_output(const cpb_samediff_writer *w, uint64_t *offset, size_t *length) {
  *offset = w->at;
  *length = w->piece.size;
  return w->piece.data;
}

int cpb_samediff_writer_needs_sync(const cpb_samediff_writer *w) { return w->needs_sync; }
const cpb_error *cpb_samediff_writer_error(const cpb_samediff_writer *w) { return &w->error; }

void cpb_samediff_writer_progress(const cpb_samediff_writer *w, uint64_t *done, uint64_t *total) {
  *done = w->done;
  *total = w->total;
}

static bool check(cpb_samediff_writer *w) {
  if (w->num_tags == 0) return cpb_sd_writer_misused(w, "no tag was added; expected at least one");
  if (w->options.in_place && (w->options.in_order || !w->options.append))
    return cpb_sd_writer_misused(w, "in_place is set; expected append to be set, too, and in_order not to be");
  return cpb_sd_write_index(w);
}

static cpb_have done(bool good) { return good ? CPB_HAVE : CPB_FAILED; }

/* All that comes before the first output. */
static cpb_have prepare(cpb_samediff_writer *w) {
  switch (w->stage) {
    case CPB_SD_WRITE_CHECK: return done(check(w));
    case CPB_SD_WRITE_BASE: return w->options.append ? sd_write_open_base(w) : CPB_HAVE;
    case CPB_SD_WRITE_TAGS: return done(cpb_sd_write_tags(w));
    case CPB_SD_WRITE_SHARES: return sd_write_share_with_base(w);
    default: return done(cpb_sd_write_share(w) && sd_write_lines(w) && cpb_sd_write_list(w));
  }
}

static cpb_step failed(cpb_samediff_writer *w) {
  if (w->error.code == CPB_OK) w->error = w->base.error;
  cpb_input_let_go(&w->base.input);
  cpb_input_let_go(&w->values);
  return CPB_STEP_ERROR;
}

cpb_step cpb_samediff_writer_step(cpb_samediff_writer *w) {
  if (w->error.code != CPB_OK) return failed(w);
  while (w->stage < CPB_SD_WRITE_FIRST) {
    cpb_have have = prepare(w);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE) return failed(w);
    w->stage++;
  }
  cpb_step step = cpb_sd_write_files(w);
  return step == CPB_STEP_ERROR ? failed(w) : step;
}
