#include "model/samediff/model.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/samediff/graph.h"

#define SHOWN 80

void cpb_sd_model_init(cpb_sd_model *m, const cpb_allocator *a, cpb_meter *meter, bool is_zip,
                       const cpb_model_options *options) {
  *m = (cpb_sd_model){.allocator = *a, .meter = meter, .options = *options, .is_zip = is_zip};
  m->depth = cpb_limits_or_default(options->limits).depth;
  m->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&m->input);
  cpb_sd_parts_init(&m->parts, a, &m->input, options->max_memory, meter, &m->error);
  cpb_pages_init(&m->pages, a, &m->input, options->max_memory, &m->error);
  cpb_buffer_init(&m->bytes, a);
  cpb_buffer_init(&m->training, a);
  cpb_sd_lines_init(&m->params, a);
  cpb_sd_lines_init(&m->maps, a);
  cpb_sd_lines_init(&m->updater, a);
}

void cpb_sd_model_keep_damaged(cpb_sd_model *m) { m->keep_damaged = m->parts.keep_damaged = true; }

/* --- Dropping ------------------------------------------------------------------ */

static void drop(cpb_sd_model *m, unsigned parts) {
  if (parts & CPB_SD_GRAPH) {
    if (m->graph_begun) cpb_sd_graph_free(&m->graph);
    m->graph_begun = false;
    cpb_buffer_free(&m->bytes);
  }
  if (parts & CPB_SD_PARAMS) cpb_sd_lines_free(&m->params);
  if (parts & CPB_SD_MAPS) cpb_sd_lines_free(&m->maps);
  if (parts & CPB_SD_UPDATER) cpb_sd_lines_free(&m->updater);
  if (parts & CPB_SD_TRAINING) cpb_buffer_free(&m->training);
  m->has &= ~parts;
}

void cpb_sd_model_free(cpb_sd_model *m) {
  drop(m, ~0u);
  cpb_sd_parts_free(&m->parts);
  cpb_pages_free(&m->pages);
}

void cpb_sd_model_reset(cpb_sd_model *m) {
  m->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  drop(m, ~m->has);
  cpb_sd_parts_stop(&m->parts);
  if (m->parts.ready) return;
  cpb_sd_parts_free(&m->parts);
  cpb_sd_parts_init(&m->parts, &m->allocator, &m->input, m->options.max_memory, m->meter, &m->error);
  m->parts.keep_damaged = m->keep_damaged;
}

/* --- Opening ---------------------------------------------------------------------- */

cpb_have cpb_sd_model_open(cpb_sd_model *m, const char *name, size_t size) {
  if (!m->is_zip) {
    if (name) {
      cpb_fail(&m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "a SameDiff graph file has no tags; expected no scope");
      return CPB_FAILED;
    }
    if (m->pages.size > 0) return CPB_HAVE; /* later sizes from the host do not change the pages */
    return cpb_zip_settle(cpb_input_size(&m->input, 0, &m->pages.size), &m->input, &m->error);
  }
  cpb_have have = cpb_sd_parts_open(&m->parts);
  if (have != CPB_HAVE) return have;
  const cpb_sd_tag *tag = cpb_sd_parts_tag(&m->parts, name, size);
  if (!tag) return CPB_FAILED;
  if (tag != m->tag) drop(m, ~0u);
  m->tag = tag;
  return CPB_HAVE;
}

/* --- The graph ---------------------------------------------------------------------- */

/* A zip's graph.fb is compressed, and held as a whole. A graph file is read in pages, because the arrays within it
 * may be large. */

static cpb_have lacks(cpb_sd_model *m, const char *file) {
  char shown[SHOWN];
  bool partial = m->parts.zip.partial;
  cpb_fail(&m->error, partial ? CPB_E_TRUNCATED : CPB_E_DAMAGED, partial ? m->parts.zip.directory : CPB_NO_OFFSET,
           "tag %s has no %s%s", cpb_quote(shown, sizeof shown, m->tag->name.data, m->tag->name.size), file,
           partial ? ", or not all of it: the zip archive ends before that" : "");
  return CPB_FAILED;
}

/* A file of the tag. It may be missing: `*entry` is then NULL. Its end may also be missing. */
static cpb_have load_file(cpb_sd_model *m, const char *file, cpb_buffer *out, const cpb_zip_entry **entry) {
  *entry = cpb_sd_parts_find(&m->parts, m->tag, file);
  if (*entry && (*entry)->cut != CPB_ZIP_WHOLE) *entry = NULL;
  if (*entry) return cpb_sd_parts_load(&m->parts, *entry, out);
  return m->error.code == CPB_OK ? CPB_HAVE : CPB_FAILED;
}

static cpb_have begin_graph(cpb_sd_model *m) {
  const cpb_zip_entry *entry;
  uint64_t base = CPB_NO_OFFSET;
  if (m->is_zip) {
    cpb_have have = load_file(m, "graph.fb", &m->bytes, &entry);
    if (have != CPB_HAVE) return have;
    if (!entry) return lacks(m, "graph.fb");
    if (!cpb_zip_stream_offset(&m->parts.stream, &base)) base = CPB_NO_OFFSET;
  }
  cpb_sd_graph_init(&m->graph, &m->allocator, m->options.max_memory, &m->error);
  if (m->is_zip)
    cpb_flat_begin(&m->graph.flat, (cpb_span){m->bytes.data, m->bytes.size}, m->bytes.size, base, &m->error);
  else cpb_flat_begin_pages(&m->graph.flat, &m->pages, &m->error);
  m->graph_begun = true;
  return CPB_HAVE;
}

static cpb_have load_graph(cpb_sd_model *m) {
  cpb_have have = m->graph_begun ? CPB_HAVE : begin_graph(m);
  return have == CPB_HAVE ? cpb_sd_graph_load(&m->graph) : have;
}

/* --- Lines -------------------------------------------------------------------------- */

static bool is_variable(const void *graph, cpb_span name) { return cpb_sd_find_variable(graph, name) != NULL; }

static cpb_have load_lines(cpb_sd_model *m, const char *file, const char *folder, bool several, cpb_sd_lines *lines,
                           bool *found) {
  const cpb_zip_entry *entry;
  cpb_have have = load_file(m, file, &lines->text, &entry);
  if (have != CPB_HAVE) return have;
  *found = entry != NULL;
  const cpb_sd_lines_in in = {.zip = &m->parts.zip,
                              .tags = &m->parts.tags,
                              .tag = m->tag,
                              .file = file,
                              .folder = folder,
                              .several = several,
                              .is_known = is_variable,
                              .user = &m->graph,
                              .error = &m->error};
  return cpb_sd_lines_read(lines, &in) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have fails_for(cpb_sd_model *m, cpb_span name, const char *what) {
  char shown[SHOWN];
  cpb_fail(&m->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "variable %s %s",
           cpb_quote(shown, sizeof shown, name.data, name.size), what);
  return CPB_FAILED;
}

static bool has_values(const cpb_sd_variable *v) { return v->kind == KIND_VARIABLE || v->kind == KIND_CONSTANT; }

static bool order_names(cpb_sd_model *m, const cpb_sd_lines *lines, cpb_names *names) {
  for (size_t i = 0; i < lines->count; i++) {
    if (cpb_names_add(names, lines->list[i].name, (uint32_t)i)) continue;
    return cpb_fail_memory(&m->error), false;
  }
  cpb_names_sort(names);
  return true;
}

/* Every variable that has values must have a line. */
static cpb_have check_params(cpb_sd_model *m, bool found) {
  cpb_names names;
  cpb_names_init(&names, &m->allocator);
  cpb_have have = order_names(m, &m->params, &names) ? CPB_HAVE : CPB_FAILED;
  for (size_t i = 0; i < m->graph.num_variables && have == CPB_HAVE; i++) {
    const cpb_sd_variable *v = &m->graph.variables[i];
    cpb_span name = cpb_sd_graph_text(&m->graph, v->name);
    if (!has_values(v) || cpb_names_find(&names, name) != CPB_NO_NAME || (!found && m->parts.zip.partial)) continue;
    have = found ? fails_for(m, name, "is in the graph but not in params.txt") : lacks(m, "params.txt");
  }
  cpb_names_free(&names);
  return have;
}

static cpb_have load_params(cpb_sd_model *m) {
  bool found;
  cpb_have have = load_lines(m, "params.txt", "params", false, &m->params, &found);
  return have == CPB_HAVE ? check_params(m, found) : have;
}

static cpb_have load_maps(cpb_sd_model *m) {
  bool found;
  return load_lines(m, "params_maps.txt", "params_maps", false, &m->maps, &found);
}

static cpb_have load_updater(cpb_sd_model *m) {
  bool found;
  cpb_have have = load_lines(m, "updater.txt", "updater", true, &m->updater, &found);
  for (size_t i = 0; have == CPB_HAVE && i < m->updater.count; i++)
    if (!is_variable(&m->graph, m->updater.list[i].name))
      have = fails_for(m, m->updater.list[i].name, "is in updater.txt but not in the graph");
  return have;
}

/* --- The training configuration --------------------------------------------------------- */

static cpb_have check_json(cpb_sd_model *m) {
  cpb_span text = {m->training.data, m->training.size};
  return text.size == 0 || cpb_sd_check_training(&m->allocator, text, m->depth, &m->error) ? CPB_HAVE : CPB_FAILED;
}

/* The text in a graph table that may contain nothing else. */
static bool take_out_text(cpb_sd_model *m, cpb_buffer *file) {
  cpb_flat flat;
  cpb_flat_table root;
  cpb_buffer text;
  cpb_buffer_init(&text, &m->allocator);
  cpb_flat_begin(&flat, (cpb_span){file->data, file->size}, file->size, CPB_NO_OFFSET, &m->error);
  bool good = cpb_flat_root(&flat, &root) && cpb_flat_text_at(&flat, &root, GRAPH_TRAINING_CONFIG, &text);
  cpb_buffer_free(file);
  *file = text;
  return good;
}

/* A FlatBuffers table begins with the offset of its root, which is even. */
static bool is_bare_json(const cpb_buffer *file) {
  size_t i = 0;
  while (i < file->size && memchr(" \t\r\n", file->data[i], 4)) i++;
  return i < file->size && file->data[i] == '{';
}

static cpb_have load_training(cpb_sd_model *m) {
  const cpb_zip_entry *entry = NULL;
  if (m->is_zip) {
    cpb_have have = load_file(m, "trainingConfig.fb", &m->training, &entry);
    if (have != CPB_HAVE) return have;
    if (entry && !is_bare_json(&m->training) && !take_out_text(m, &m->training)) return CPB_FAILED;
  }
  if (!entry) {
    m->graph.flat.wait = false;
    m->training.size = 0;
    if (!cpb_flat_text_at(&m->graph.flat, &m->graph.root, GRAPH_TRAINING_CONFIG, &m->training))
      return m->graph.flat.wait ? CPB_WAIT : CPB_FAILED;
  }
  return check_json(m);
}

/* --- All of them -------------------------------------------------------------------------- */

/* The parts are loaded in this order, since lines are split and checked with the names of the graph's variables. A
 * part that was loaded stays until a question names another tag. */

cpb_have cpb_sd_model_load(cpb_sd_model *m, unsigned parts) {
  static const struct {
    cpb_sd_part part;
    bool of_zip_only;
    cpb_have (*load)(cpb_sd_model *m);
  } loaders[] = {
      {CPB_SD_GRAPH, false, load_graph},    {CPB_SD_PARAMS, true, load_params},      {CPB_SD_MAPS, true, load_maps},
      {CPB_SD_UPDATER, true, load_updater}, {CPB_SD_TRAINING, false, load_training},
  };
  for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
    unsigned part = loaders[i].part;
    if (!(parts & part) || (m->has & part) || (loaders[i].of_zip_only && !m->is_zip)) continue;
    cpb_have have = loaders[i].load(m);
    if (have != CPB_HAVE) return have;
    m->has |= part;
  }
  return CPB_HAVE;
}
