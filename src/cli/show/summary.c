#include "cli/show/summary.h"

#include "cli/show/sheet.h"

#define OPS_MOST 1000
#define LAYERS_PAGE 200

static const cpb_span none = {NULL, 0};

/* --- What is wrong ------------------------------------------------------------------------- */

char *cli_summary_keep(cli_summary *s) {
  cpb_buffer *text = &s->sheet.text;
  char *kept = cpb_alloc(&s->sheet.cli->allocator, text->size + 1);
  if (kept && text->size > 0) memcpy(kept, text->data, text->size);
  if (kept) kept[text->size] = 0;
  s->sheet.failed = s->sheet.failed || !kept;
  text->size = 0;
  return kept;
}

static bool is_known(const cli_summary *s, const char *text) {
  for (size_t i = 0; i < s->num_problems && i < CLI_TOP; i++)
    if (strcmp(s->problems[i], text) == 0) return true;
  return s->damage && strcmp(s->damage, text) == 0;
}

/* The last question that met damage has read the most. */
static void replace_damage(cli_summary *s, char *text) {
  cpb_release(&s->sheet.cli->allocator, s->damage);
  s->damage = text;
}

static void keep_problem(cli_summary *s, yyjson_val *problem) {
  bool damage = yyjson_is_true(cpb_json_member(problem, "damage")), has_room = s->num_problems < CLI_TOP;
  cli_put_problem(&s->sheet, problem);
  char *text = cli_summary_keep(s);
  bool known = !text || is_known(s, text);
  if (!known && damage) replace_damage(s, text);
  else if (!known && has_room) s->problems[s->num_problems++] = text;
  else cpb_release(&s->sheet.cli->allocator, text);
  s->num_problems += !known && !damage && !has_room;
}

yyjson_doc *cli_summary_ask(cli_summary *s, cpb_question_kind kind, cpb_span name, uint64_t first, uint64_t count) {
  size_t i, n;
  yyjson_val *problem;
  cpb_question question = cli_question(s->sheet.cli, kind, name);
  question.first = first;
  question.count = count;
  yyjson_doc *answer = cli_ask_tree(&s->asker, &question);
  if (!answer && s->failed.code == CPB_OK) s->failed = s->asker.error;
  yyjson_arr_foreach(cpb_json_member(cli_root(answer), "problems"), i, n, problem) keep_problem(s, problem);
  return answer;
}

/* Layers come with their configurations. */
static uint64_t page_of(cpb_question_kind kind) { return kind == CPB_ASK_LAYERS ? LAYERS_PAGE : CLI_PAGE_SIZE; }

uint64_t cli_summary_ask_list(cli_summary *s, cpb_question_kind kind, cli_summary_element *each, void *user) {
  uint64_t seen = 0, size = page_of(kind), total;
  bool more = true;
  do {
    size_t i, count;
    yyjson_val *element;
    yyjson_doc *page = cli_summary_ask(s, kind, none, seen, size);
    yyjson_val *list = cpb_json_member(cli_root(page), cli_main_list(kind));
    yyjson_arr_foreach(cli_items(list), i, count, element) more = more && each(s, element, user);
    seen += count;
    total = count > 0 ? cli_number_at(list, "total") : seen;
    size = cli_next_page(page, list, page_of(kind));
    yyjson_doc_free(page);
  } while (more && seen < total && cli_can_print(s->sheet.cli));
  return total;
}

/* --- Asking ------------------------------------------------------------------------------------ */

static cpb_span function_of_signature(const cli_summary *s) {
  yyjson_val *root = cli_root(s->signature);
  cpb_span name = cli_text_at(cpb_json_member(root, "function"), "name");
  return name.size > 0 ? name : cli_text_at(cpb_json_member(root, "wrapper"), "function");
}

static bool add_function(cli_summary *s, yyjson_val *function, void *user) {
  (void)user;
  s->function_nodes += cli_number_at(function, "nodes");
  s->uncalled += cli_number_at(function, "called_by") == 0;
  return true;
}

static void ask_saved_model(cli_summary *s) {
  cpb_span key = cli_summary_default_signature(s);
  if (key.size > 0) s->signature = cli_summary_ask(s, CPB_ASK_SIGNATURE, key, 0, 0);
  cpb_span function = function_of_signature(s);
  if (function.size > 0) s->ops = cli_summary_ask(s, CPB_ASK_OPS, function, 0, OPS_MOST);
  cli_summary_ask_variables(s);
  cli_summary_ask_layers(s);
}

static void ask_all(cli_summary *s) {
  s->overview = cli_summary_ask(s, CPB_ASK_OVERVIEW, none, 0, s->sheet.plain || s->sheet.all ? CLI_EVERYTHING : 0);
  bool has_tensors = !cpb_json_member(cli_root(s->overview), "unread");
  if (cli_is_saved_model(s)) ask_saved_model(s);
  if (s->kind == CPB_MODEL_CHECKPOINT) cli_summary_ask_variables(s);
  bool by_names = cli_is_exported(s) || cli_is_samediff(s) || s->kind == CPB_MODEL_GRAPH_DEF;
  if (s->kind == CPB_MODEL_KERAS_METADATA || s->kind == CPB_MODEL_CHECKPOINT || (by_names && has_tensors))
    cli_summary_ask_layers(s);
  if (s->kind == CPB_MODEL_KERAS_METADATA || s->kind == CPB_MODEL_CHECKPOINT) return;
  s->all_ops = cli_summary_ask(s, CPB_ASK_OPS, none, 0, OPS_MOST);
  if (has_tensors) cli_summary_ask_constants(s);
  if (has_tensors) cli_summary_ask_dtypes(s);
  if (!cli_is_samediff(s)) s->functions = cli_summary_ask_list(s, CPB_ASK_FUNCTIONS, add_function, NULL);
}

/* --- Headings -------------------------------------------------------------------------------------- */

void cli_summary_gap(cli_summary *s) {
  if (!s->amounts->close) cli_blank_line(&s->sheet);
}

void cli_summary_title(cli_summary *s, const char *title) {
  if (s->sheet.plain) return;
  cli_summary_gap(s);
  cli_line(&s->sheet, title, CLI_BOLD, CLI_CUT);
}

void cli_summary_heading(cli_summary *s, const char *heading) {
  cli_summary_gap(s);
  cli_put_heading(&s->sheet, heading);
  cli_put(&s->sheet, "  ");
}

void cli_summary_whole(cli_summary *s, const char *words) {
  cli_put_format(&s->sheet, "  Whole texts: cpb inspect MODEL %s", words);
  cli_end_line(&s->sheet, CLI_FAINT, CLI_CUT);
}

void cli_summary_more(cli_summary *s, uint64_t count, const char *words) {
  if (s->sheet.plain) return;
  cli_put(&s->sheet, "  ");
  cli_put_count(&s->sheet, count);
  cli_put_format(&s->sheet, " more: cpb inspect MODEL %s", words);
  cli_end_line(&s->sheet, CLI_FAINT, CLI_CUT);
}

static yyjson_val *meta_graph_at(const cli_summary *s, uint64_t number) {
  return yyjson_arr_get(cli_items(cpb_json_member(cli_root(s->overview), "meta_graphs")), (size_t)number);
}

static void put_tags(cli_summary *s, yyjson_val *meta_graph) {
  cli_put(&s->sheet, yyjson_arr_size(cpb_json_member(meta_graph, "tags")) > 0 ? "tags: " : "no tags");
  if (yyjson_arr_size(cpb_json_member(meta_graph, "tags")) > 0)
    cli_put_value(&s->sheet, cpb_json_member(meta_graph, "tags"));
}

static void put_fact(cli_summary *s, const char *word, cpb_span text) {
  if (text.size == 0) return;
  cli_put_dot(&s->sheet);
  cli_put(&s->sheet, word);
  cli_put_name(&s->sheet, text);
}

/* For a graph its nodes, for a SameDiff file the tag that is shown. */
static void put_counts(cli_summary *s, yyjson_val *root) {
  if (s->kind == CPB_MODEL_GRAPH_DEF || cli_is_exported(s)) {
    cli_put_dot(&s->sheet);
    cli_put_plural(&s->sheet, cli_number_at(root, "nodes"), "node", "nodes");
  }
  put_fact(s, "tag ", cli_text_at(cpb_json_member(root, "graph"), "tag"));
}

/* Whether one of the first imports has the same domain and version. */
static bool is_repeated(yyjson_val *opsets, yyjson_val *opset) {
  enum { FIRST = 100 };
  size_t i, count;
  yyjson_val *earlier;
  yyjson_arr_foreach(opsets, i, count, earlier) {
    if (earlier == opset || i == FIRST) return false;
    if (cli_is_same(cli_text_at(earlier, "domain"), cli_text_at(opset, "domain")) &&
        cli_number_at(earlier, "version") == cli_number_at(opset, "version"))
      return true;
  }
  return false;
}

/* opset 17, ai.onnx.ml 3 */
static void put_opsets(cli_summary *s, yyjson_val *root) {
  size_t i, count;
  yyjson_val *opset;
  yyjson_val *opsets = cli_items(cpb_json_member(root, "opset_imports"));
  yyjson_arr_foreach(opsets, i, count, opset) {
    cpb_span domain = cli_text_at(opset, "domain");
    if (is_repeated(opsets, opset)) continue;
    if (i == 0) cli_put_dot(&s->sheet);
    else cli_put(&s->sheet, ", ");
    if (domain.size > 0) cli_put_name(&s->sheet, domain);
    else cli_put(&s->sheet, "opset");
    cli_put_format(&s->sheet, " %llu", (unsigned long long)cli_number_at(opset, "version"));
  }
}

/* mlProgram · CoreML7 · by pytorch 2.6 · IR version 10 */
static void put_facts(cli_summary *s, yyjson_val *root) {
  static const struct {
    const char *word, *member;
  } versions[] = {{"IR version", "ir_version"},
                  {"specification version", "specification_version"},
                  {"version", "checkpoint_version"}};
  yyjson_val *producer = cpb_json_member(root, "producer");
  put_opsets(s, root);
  put_fact(s, "", cli_text_at(root, "type"));
  put_fact(s, "", cli_text_at(root, "opset"));
  if (yyjson_is_true(cpb_json_member(root, "updatable"))) put_fact(s, "", cli_span("updatable"));
  put_fact(s, "by ", cli_text_at(producer, "name"));
  if (cli_text_at(producer, "version").size > 0) cli_put(&s->sheet, " ");
  cli_put_name(&s->sheet, cli_text_at(producer, "version"));
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    if (!cpb_json_member(root, versions[i].member)) continue;
    cli_put_dot(&s->sheet);
    cli_put_format(&s->sheet, "%s %llu", versions[i].word, (unsigned long long)cli_number_at(root, versions[i].member));
  }
}

static void put_header(cli_summary *s) {
  yyjson_val *root = cli_root(s->overview), *keras = cpb_json_member(root, "keras");
  yyjson_val *meta_graph = meta_graph_at(s, cli_number_at(root, "meta_graph"));
  if (!yyjson_is_obj(keras)) keras = cpb_json_member(root, "model");
  cli_put(&s->sheet, cpb_model_kind_label(s->kind));
  put_counts(s, root);
  put_facts(s, root);
  put_fact(s, "Keras ", cli_text_at(keras, "class"));
  if (cli_text_at(keras, "name").size > 0) {
    cli_put(&s->sheet, " \"");
    cli_put_name(&s->sheet, cli_text_at(keras, "name"));
    cli_put(&s->sheet, "\"");
  }
  put_fact(s, "Keras ", cli_text_at(keras, "keras_version"));
  put_fact(s, "TensorFlow ", cli_text_at(meta_graph, "tensorflow_version"));
  if (!meta_graph) return;
  cli_put_dot(&s->sheet);
  put_tags(s, meta_graph);
}

static void show_header(cli_summary *s) {
  char shown[1024];
  if (s->sheet.plain) {
    cli_put(&s->sheet, "model\t");
    put_header(s);
    cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
    return;
  }
  cli_put_name(&s->sheet, cli_span(cpb_url_name(s->sheet.cli->settings.input, shown, sizeof shown)));
  cli_end_line(&s->sheet, CLI_BOLD, CLI_WRAP);
  cli_put(&s->sheet, "  ");
  put_header(s);
  cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
}

/* Which of several meta graphs is shown, and how to see the others. */
static void show_meta_graphs(cli_summary *s) {
  yyjson_val *root = cli_root(s->overview);
  uint64_t total = cli_number_at(cpb_json_member(root, "meta_graphs"), "total");
  uint64_t shown = cli_number_at(root, "meta_graph"), i = 0;
  if (total < 2) return;
  for (; i < total && (s->sheet.plain || s->sheet.all || i < 4); i++) {
    if (s->sheet.plain) cli_put_format(&s->sheet, "meta_graph\t%llu\t", (unsigned long long)i);
    else cli_put_format(&s->sheet, "  meta graph %llu of %llu", (unsigned long long)i, (unsigned long long)total);
    if (!s->sheet.plain) cli_put_dot(&s->sheet);
    put_tags(s, meta_graph_at(s, i));
    if (!s->sheet.plain && i == shown) cli_put(&s->sheet, "  <- shown");
    else if (!s->sheet.plain) cli_put_format(&s->sheet, "  --meta-graph %llu", (unsigned long long)i);
    cli_end_line(&s->sheet, CLI_NORMAL, CLI_CUT);
  }
  if (total > i) cli_summary_more(s, total - i, "overview");
}

/* --- The rest ------------------------------------------------------------------------------------------ */

static void show_damage(cli_summary *s) {
  if (!s->damage || s->sheet.plain) return;
  cli_put(&s->sheet, "Damaged: ");
  cli_line(&s->sheet, s->damage, CLI_ALARM, CLI_WRAP);
  cli_line(&s->sheet, "What could be read is shown.", CLI_NORMAL, CLI_CUT);
  cli_summary_gap(s);
}

static void show_problems(cli_summary *s) {
  size_t most = s->sheet.plain || s->sheet.all ? CLI_TOP : s->amounts->problems;
  size_t listed = s->num_problems < most ? s->num_problems : most;
  for (size_t i = 0; i < listed && s->sheet.plain; i++) {
    cli_put(&s->sheet, "problem\t");
    cli_line(&s->sheet, s->problems[i], CLI_NORMAL, CLI_WRAP);
  }
  if (s->sheet.plain || (listed == 0 && s->failed.code == CPB_OK)) return;
  cli_summary_title(s, "Problems");
  for (size_t i = 0; i < listed; i++) {
    cli_put(&s->sheet, "  ");
    cli_line(&s->sheet, s->problems[i], CLI_NORMAL, CLI_WRAP);
  }
  if (s->num_problems > listed) cli_summary_more(s, s->num_problems - listed, "--json");
  if (s->failed.code == CPB_OK) return;
  cli_put(&s->sheet, "  Not everything can be shown: ");
  cli_put_name(&s->sheet, cli_span(s->failed.message));
  cli_end_line(&s->sheet, CLI_ALARM, CLI_WRAP);
}

static void show_functions(cli_summary *s) {
  if (s->functions == 0) return;
  if (s->sheet.plain) {
    cli_put_format(&s->sheet, "count\tfunctions\t%llu", (unsigned long long)s->functions);
    cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
    return;
  }
  cli_summary_heading(s, cli_has_subgraphs(s->kind) ? "Functions and subgraphs" : "Functions");
  cli_put_count(&s->sheet, s->functions);
  cli_put(&s->sheet, " with ");
  cli_put_plural(&s->sheet, s->function_nodes, "node", "nodes");
  if (s->uncalled > 0 && !cli_is_exported(s)) {
    cli_put_dot(&s->sheet);
    cli_put_count(&s->sheet, s->uncalled);
    cli_put(&s->sheet, " called by no other");
  }
  cli_end_line(&s->sheet, CLI_NORMAL, CLI_CUT);
}

/* Lists further questions without arguments that the model answers. */
static void show_more(cli_summary *s) {
  if (s->sheet.plain) return;
  cli_summary_gap(s);
  cli_put(&s->sheet, "More: cpb inspect MODEL QUESTION, such as ");
  for (cpb_question_kind kind = CPB_ASK_OVERVIEW + 1, first = kind; cpb_question_name(kind); kind++) {
    const char *argument = cpb_question_argument(kind);
    if ((*argument && *argument != '[') || !cpb_model_kind_answers(s->kind, kind)) continue;
    cli_put_format(&s->sheet, "%s%s", first ? "" : ", ", cpb_question_name(kind));
    first = 0;
  }
  cli_end_line(&s->sheet, CLI_FAINT, CLI_WRAP);
  cli_line(&s->sheet, "  --all shows everything, --json is for programs; see cpb help inspect", CLI_FAINT, CLI_WRAP);
}

static void show_parts(cli_summary *s) {
  show_damage(s);
  show_header(s);
  show_meta_graphs(s);
  cli_summary_gap(s);
  cli_summary_show_files(s);
  cli_summary_show_about(s);
  if (cli_is_samediff(s)) cli_summary_show_tags(s);
  cli_summary_show_signatures(s);
  cli_summary_show_layers(s);
  cli_summary_show_variables(s);
  cli_summary_show_constants(s);
  cli_summary_show_ops(s);
  show_functions(s);
  show_problems(s);
  show_more(s);
}

/* Finds the largest amounts of each part that together fit on a screen, by trying without printing. */
static void show_all(cli_summary *s) {
  static const cli_amounts amounts[] = {{10, 5, 8, 8, 3, 2, 3, 8, false}, {10, 5, 6, 4, 3, 2, 3, 8, false},
                                        {8, 3, 5, 4, 2, 2, 3, 6, false},  {6, 3, 4, 3, 1, 1, 2, 4, false},
                                        {5, 2, 3, 2, 1, 1, 1, 3, false},  {3, 1, 2, 2, 0, 1, 1, 1, true}};
  const size_t count = sizeof amounts / sizeof *amounts;
  for (size_t i = 0; i < count; i++) {
    bool fits = s->sheet.plain || s->sheet.all || i + 1 == count;
    s->amounts = &amounts[i];
    cli_summary_fold_layers(s);
    s->sheet.lines = 0;
    s->sheet.counts = true;
    if (!fits) show_parts(s);
    s->sheet.counts = false;
    if (!fits && s->sheet.lines > CLI_SUMMARY_MOST) continue;
    show_parts(s);
    return;
  }
}

/* For a program, problems are reported separately from the lines that it reads. */
static void note_problems(cli_summary *s) {
  const char *path = cpb_model_file_path(s->asker.model);
  if (s->damage && s->sheet.plain)
    cli_note(s->sheet.cli, path, "the model is damaged; what could be read is shown: %s", s->damage);

  if (s->failed.code != CPB_OK && s->sheet.plain) cli_fail(s->sheet.cli, path, &s->failed);
}

static void free_summary(cli_summary *s) {
  const cpb_allocator *a = &s->sheet.cli->allocator;
  size_t listed = s->num_problems < CLI_TOP ? s->num_problems : CLI_TOP;
  yyjson_doc_free(s->overview);
  yyjson_doc_free(s->signature);
  yyjson_doc_free(s->ops);
  yyjson_doc_free(s->all_ops);
  yyjson_doc_free(s->constants);
  cli_summary_free_layers(s);
  cli_summary_free_variables(s);
  for (size_t i = 0; i < listed; i++) cpb_release(a, s->problems[i]);
  cpb_release(a, s->damage);
}

int cli_show_summary(cli *c, cpb_model_file *model) {
  cli_summary s = {.asker = {.cli = c, .model = model, .silent = true}, .kind = cpb_model_file_kind(model)};
  cli_sheet_begin(&s.sheet, c);
  cpb_buffer_init(&s.layers.texts, &c->allocator);
  cpb_buffer_init(&s.layers.rows, &c->allocator);
  cpb_buffer_init(&s.layers.names, &c->allocator);
  cpb_buffer_init(&s.variables.names, &c->allocator);
  ask_all(&s);
  int status = s.asker.status;
  if (s.overview) {
    note_problems(&s);
    show_all(&s);
    if (status == CLI_OK && s.damage) status = CLI_INCOMPLETE;
  } else if (s.failed.code != CPB_OK) {
    status = cli_model_fail(c, model, &s.failed);
  }
  free_summary(&s);
  int printed = cli_sheet_end(&s.sheet);
  return status != CLI_OK ? status : printed;
}
