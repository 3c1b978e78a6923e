/* Files with their sizes, and the parameters; the tags of a SameDiff file. */
#include "cli/os/os.h"
#include "cli/show/summary.h"

#define NOTE_SHORT 32 /* leaves room for a type on a narrow terminal */

static const cli_column columns[] = {{NULL, CLI_KEPT | CLI_STRONG}, {NULL, CLI_RIGHT}, {NULL, CLI_KEPT}};

/* The pending text becomes the note about the file. */
static void add_file(cli_summary *s, cli_table *t, cpb_span name, uint64_t size, bool may_lack) {
  char *note = cli_summary_keep(s);
  cli_cell_name(t, name);
  if (size > 0 || !may_lack || s->sheet.plain) cli_put_size(&s->sheet, size);
  cli_table_cell(t);
  cli_cell(t, note);
  cpb_release(&s->sheet.cli->allocator, note);
}

/* --- Files ------------------------------------------------------------------------------ */

static void add_own(cli_summary *s, cli_table *t) {
  char shown[1024];
  cpb_error error;
  uint64_t message = 0, size = cpb_model_file_size(s->asker.model, 0);
  yyjson_val *root = cli_root(s->overview);
  const char *path = cpb_url_name(cpb_model_file_path(s->asker.model), shown, sizeof shown);
  const cpb_index *index = cpb_message_file_index(cpb_model_file_message(s->asker.model));
  yyjson_val *meta_graph =
      yyjson_arr_get(cli_items(cpb_json_member(root, "meta_graphs")), (size_t)cli_number_at(root, "meta_graph"));
  uint64_t graph = cli_number_at(cpb_json_member(meta_graph, "graph"), "size");
  cpb_message_file_size(cpb_model_file_message(s->asker.model), &message, &error);
  if (graph > 0) cli_put(&s->sheet, "graph ");
  if (graph > 0) cli_put_size(&s->sheet, graph);
  if (graph > 0 && index) cli_put_dot(&s->sheet);
  if (index) {
    cli_put_plural(&s->sheet, cpb_index_num_chunks(index), "chunk", "chunks");
    cli_put(&s->sheet, ", merged ");
    cli_put_size(&s->sheet, message);
  }
  if (cpb_json_member(root, "entries")) cli_put_plural(&s->sheet, cli_number_at(root, "entries"), "entry", "entries");
  const char *name = cli_last_part(path);
  add_file(s, t, cli_span(*name ? name : path), size > 0 ? size : message, true);
}

/* The number of data files that are missing; only for local files outside of archives. */
static uint64_t count_missing(cli_summary *s, uint32_t shards) {
  cpb_model_file *model = s->asker.model;
  const char *path = cpb_model_file_path(model);
  uint64_t missing = 0;
  if (cpb_is_url(path) || strstr(path, "!/")) return 0;
  for (uint32_t i = 0; i < shards && i < 1000; i++) {
    const char *name = cpb_model_file_shard(model, i);
    if (name) missing += !os_is_file(name);
    else s->sheet.failed = true;
  }
  return missing;
}

/* For a checkpoint as the model, all files but its index, which is the model's own file. */
static void add_checkpoint(cli_summary *s, cli_table *t) {
  cli_sheet *sheet = &s->sheet;
  yyjson_val *root = cli_root(s->overview);
  const bool is_alone = s->kind == CPB_MODEL_CHECKPOINT && cli_number_at(root, "checkpoint_version") > 1;
  yyjson_val *stored = is_alone ? root : cpb_json_member(cpb_json_member(root, "variables"), "stored");
  uint64_t shards = cli_number_at(stored, "shards"), without = cli_number_at(stored, "without_value"), missing;
  if (!yyjson_is_obj(stored)) return;
  missing = count_missing(s, (uint32_t)shards);
  cli_put_plural(sheet, cli_number_at(stored, "tensors"), "tensor", "tensors");
  cli_put(sheet, " in ");
  cli_put_plural(sheet, shards, "data file", "data files");
  if (missing > 0 && missing == shards) cli_put(sheet, shards > 1 ? ", which are missing" : ", which is missing");
  else if (missing > 0) cli_put_format(sheet, ", of which %d %s missing", (int)missing, missing > 1 ? "are" : "is");
  if (without > 0) cli_put(sheet, "; ");
  if (without > 0) cli_put_plural(sheet, without, "variable without a value", "variables without a value");
  const char *name = is_alone ? "values" : s->kind == CPB_MODEL_META_GRAPH ? "checkpoint" : "variables/";
  add_file(s, t, cli_span(name), cli_number_at(stored, "size"), true);
}

/* --- Parameters ---------------------------------------------------------------------------- */

static void add_row(cli_summary *s, cli_table *t, const char *name, uint64_t count) {
  char *note = cli_summary_keep(s);
  cli_cell(t, name);
  if (count > 0 || *name) cli_put_count(&s->sheet, count);
  cli_table_cell(t);
  cli_cell(t, note);
  cpb_release(&s->sheet.cli->allocator, note);
}

/* A program gets a row for the trainable ones. Kinds that do not distinguish them have null. */
static void put_trainable(cli_summary *s, cli_table *t, yyjson_val *parameters) {
  uint64_t all = cli_number_at(parameters, "total"), trainable = cli_number_at(parameters, "trainable");
  if (yyjson_is_null(cpb_json_member(parameters, "trainable"))) return;
  if (s->sheet.plain) {
    add_row(s, t, "trainable_parameters", trainable);
    return;
  }
  if (all <= trainable) {
    cli_put(&s->sheet, "all trainable");
    return;
  }
  cli_put_count(&s->sheet, trainable);
  cli_put(&s->sheet, " trainable");
  cli_put_dot(&s->sheet);
  cli_put_count(&s->sheet, all - trainable);
  cli_put(&s->sheet, " non-trainable");
}

static void put_dot_between(cli_summary *s) {
  if (s->sheet.text.size > 0) cli_put_dot(&s->sheet);
}

/* Variables that are not parameters. */
static void add_rest(cli_summary *s, cli_table *t, uint64_t all) {
  const cli_variables *v = &s->variables;
  if (s->sheet.plain) return;
  if (v->elements > all) {
    cli_put(&s->sheet, "+ ");
    cli_put_count(&s->sheet, v->elements - all);
    cli_put(&s->sheet, " of optimizer and state");
    cli_put_dot(&s->sheet);
    cli_put_size(&s->sheet, v->size);
    cli_put(&s->sheet, " in all");
    add_row(s, t, "", 0);
  }
  if (v->copies == 0) return;
  cli_put(&s->sheet, "Keras 3 stored ");
  cli_put_plural(&s->sheet, v->copies, "variable", "variables");
  cli_put(&s->sheet, " twice");
  add_row(s, t, "", 0);
}

/* Parameters of each type, the most bytes first. */
static void sort_dtypes(cli_dtype *dtypes, size_t count) {
  for (size_t i = 1; i < count; i++) {
    for (size_t at = i; at > 0 && dtypes[at].size > dtypes[at - 1].size; at--) {
      const cli_dtype moved = dtypes[at];
      dtypes[at] = dtypes[at - 1];
      dtypes[at - 1] = moved;
    }
  }
}

static void put_dtype(cli_summary *s, const cli_dtype *d) {
  cli_put_dtype(&s->sheet, cli_span(d->name));
  cli_put(&s->sheet, " ");
  cli_put_size(&s->sheet, d->size);
}

/* A program gets a row for each, a person one for all, if there are several. */
static void add_dtypes(cli_summary *s, cli_table *t) {
  sort_dtypes(s->dtypes, s->num_dtypes);
  for (size_t i = 0; i < s->num_dtypes && !s->sheet.plain && s->num_dtypes > 1; i++) {
    if (i > 0) cli_put_dot(&s->sheet);
    put_dtype(s, &s->dtypes[i]);
  }
  if (s->sheet.text.size > 0) add_row(s, t, "", 0);
  t->word = "dtype";
  for (size_t i = 0; i < s->num_dtypes && s->sheet.plain; i++) {
    cli_put_size(&s->sheet, s->dtypes[i].size);
    add_row(s, t, s->dtypes[i].name, s->dtypes[i].elements);
  }
}

/* The other files with some of the weights. */
static void add_external(cli_summary *s, cli_table *t) {
  const bool whole = s->sheet.plain || s->sheet.all;
  const size_t most = s->amounts->files;
  size_t i, count;
  uint64_t left = 0, size = 0;
  yyjson_val *file;
  yyjson_arr_foreach(cpb_json_member(cli_root(s->overview), "external_data"), i, count, file) {
    if (!whole && i + 1 >= most && count > most) {
      left++;
      size += cli_number_at(file, "bytes");
      continue;
    }
    cli_put_plural(&s->sheet, cli_number_at(file, "tensors"), "tensor", "tensors");
    add_file(s, t, cli_text_at(file, "location"), cli_number_at(file, "bytes"), false);
  }
  if (left == 0) return;
  cli_cell_more(t, left);
  cli_cell_size(t, size);
  cli_cell(t, "cpb inspect MODEL overview");
}

/* With --brief. */
static void add_unread(cli_summary *s, cli_table *t, yyjson_val *unread) {
  cli_cell(t, s->sheet.plain ? "unread" : "initializers");
  cli_cell_size(t, cli_number_at(unread, "size"));
  cli_cell(t, "not read: --brief");
}

/* The row below has the types as stored. */
static void put_bytes(cli_summary *s, yyjson_val *parameters) {
  const uint64_t bytes = cli_number_at(parameters, "bytes"), size = cli_number_at(parameters, "size");
  const bool is_packed = cli_is_exported(s) && !s->sheet.plain && size > 0 && size < bytes;
  cli_put_size(&s->sheet, is_packed ? size : bytes);
  if (!is_packed) return;
  cli_put(&s->sheet, ", unpacked ");
  cli_put_size(&s->sheet, bytes);
}

static void add_parameters(cli_summary *s, cli_table *t) {
  yyjson_val *parameters = cli_summary_parameters(s), *bytes = cpb_json_member(parameters, "bytes");
  uint64_t all = cli_number_at(parameters, "total");
  const uint64_t tensors = cli_number_at(parameters, "tensors");
  const bool is_exported = cli_is_exported(s) && (tensors > 0 || s->sheet.plain);
  if (!yyjson_is_obj(parameters) || !(all > 0 || s->variables.variables > 0 || is_exported)) return;
  put_trainable(s, t, parameters);
  if (is_exported) {
    put_dot_between(s);
    cli_put(&s->sheet, "in ");
    cli_put_plural(&s->sheet, tensors, "tensor", "tensors");
  }
  const bool has_type = s->num_dtypes == 1 && !s->sheet.plain && s->sheet.text.size < NOTE_SHORT;
  if (!yyjson_is_null(bytes) && (cli_number_at(parameters, "bytes") > 0 || is_exported)) {
    put_dot_between(s);
    put_bytes(s, parameters);
    if (has_type) cli_put(&s->sheet, " ");
    if (has_type) cli_put_dtype(&s->sheet, cli_span(s->dtypes->name));
  }
  if (yyjson_is_true(cpb_json_member(parameters, "partial"))) cli_put(&s->sheet, "; not all can be counted");
  add_row(s, t, "parameters", all);
  add_dtypes(s, t);
  add_rest(s, t, all);
}

void cli_summary_show_files(cli_summary *s) {
  yyjson_val *root = cli_root(s->overview), *keras = cpb_json_member(root, "keras");
  uint64_t keras_size = cpb_model_file_size(s->asker.model, CPB_BESIDE_KERAS_METADATA);
  uint64_t fingerprint = cpb_model_file_size(s->asker.model, CPB_BESIDE_FINGERPRINT);
  cli_table t;
  cli_table_begin(&t, &s->sheet, 2, columns, 3);
  t.word = "file";
  add_own(s, &t);
  add_external(s, &t);
  uint64_t layers = cli_number_at(keras, "layers"); /* including the model itself */
  if (keras_size > 0) cli_put_plural(&s->sheet, layers > 1 ? layers - 1 : layers, "layer", "layers");
  if (keras_size > 0) add_file(s, &t, cli_span("keras_metadata.pb"), keras_size, true);
  add_checkpoint(s, &t);
  if (fingerprint > 0) add_file(s, &t, cli_span("fingerprint.pb"), fingerprint, true);
  t.word = "count";
  yyjson_val *unread = cpb_json_member(root, "unread");
  if (unread) add_unread(s, &t, unread);
  else add_parameters(s, &t);
  cli_table_end(&t);
}

/* --- Tags --------------------------------------------------------------------------------- */

static const cli_column tag_columns[] = {{"tag", CLI_KEPT | CLI_STRONG},
                                         {"graph.fb", CLI_RIGHT},
                                         {"params/", CLI_RIGHT},
                                         {"updater/", CLI_RIGHT},
                                         {"training", 0}};

static void put_tag(cli_summary *s, cli_table *t, yyjson_val *tag) {
  yyjson_val *updater = cpb_json_member(tag, "updater");
  bool is_default = yyjson_is_true(cpb_json_member(tag, "default"));
  cli_cell_name(t, cli_text_at(tag, "tag"));
  if (yyjson_is_null(cpb_json_member(tag, "graph_bytes"))) cli_put(&s->sheet, "missing");
  else cli_put_size(&s->sheet, cli_number_at(tag, "graph_bytes"));
  cli_table_cell(t);
  cli_cell_size(t, cli_number_at(cpb_json_member(tag, "parameters"), "bytes"));
  if (s->sheet.plain || cli_number_at(updater, "files") > 0) cli_put_size(&s->sheet, cli_number_at(updater, "bytes"));
  cli_table_cell(t);
  if (yyjson_is_true(cpb_json_member(tag, "training_config"))) cli_put(&s->sheet, "configured");
  if (is_default && !s->sheet.plain)
    cli_put(&s->sheet, s->sheet.text.size > 0 ? "; graph shown below" : "graph shown below");
  cli_table_cell(t);
}

static void show_variables(cli_summary *s) {
  yyjson_val *graph = cpb_json_member(cli_root(s->overview), "graph"), *key, *value;
  yyjson_val *kinds = cpb_json_member(graph, "kinds");
  size_t i, count, shown = 0;
  uint64_t number;
  cpb_span kind = {NULL, 0};
  if (!yyjson_is_obj(graph) || s->sheet.plain) return;
  cli_summary_heading(s, "Variables");
  cli_put_count(&s->sheet, cli_number_at(graph, "variables"));
  yyjson_obj_foreach(kinds, i, count, key, value) {
    if (!cpb_json_unsigned(value, &number) || number == 0) continue;
    cli_put(&s->sheet, shown++ == 0 ? ": " : ", ");
    cpb_json_text(key, &kind);
    cli_put_name(&s->sheet, kind);
    cli_put(&s->sheet, " ");
    cli_put_count(&s->sheet, number);
  }
  cli_put_dot(&s->sheet);
  cli_put_plural(&s->sheet, cli_number_at(cli_root(s->overview), "nodes"), "node", "nodes");
  cli_end_line(&s->sheet, CLI_NORMAL, CLI_CUT);
}

void cli_summary_show_tags(cli_summary *s) {
  yyjson_val *page = cpb_json_member(cli_root(s->overview), "tags"), *tag;
  size_t i, count, most = s->sheet.plain || s->sheet.all ? SIZE_MAX : s->amounts->top;
  cli_table t;
  if (yyjson_arr_size(cli_items(page)) > 0) {
    cli_summary_title(s, "Tags");
    cli_table_begin(&t, &s->sheet, 2, tag_columns, 5);
    t.word = "tag";
    yyjson_arr_foreach(cli_items(page), i, count, tag) {
      if (i == most) break;
      put_tag(s, &t, tag);
    }
    cli_table_end(&t);
    if (cli_number_at(page, "total") > i) cli_summary_more(s, cli_number_at(page, "total") - i, "overview");
  }
  show_variables(s);
}
