#include "cli/show/show.h"

#include "cli/show/lists.h"
#include "cli/show/sheet.h"

#define DEPTH_MOST 6
#define PROBLEMS 5
#define CONFIGURATION "configuration"
#define MEMBERS_MOST 4 /* in an object on one line */

typedef struct view {
  cli_sheet sheet;
  cli_asker asker;
  cpb_question_kind kind;
  const char *main; /* the list that the question is about, or NULL */
  cli_table table;  /* of it */
  cli_column columns[CLI_COLUMNS_MOST];
  char way[256]; /* path of the object that is shown; for a program */
} view;

/* --- Values ------------------------------------------------------------------------ */

/* Whether there is nothing to show. */
static bool is_absent(yyjson_val *value) {
  bool page = yyjson_is_arr(cpb_json_member(value, "items"));
  yyjson_val *items = page ? cpb_json_member(value, "items") : value;
  bool empty = yyjson_is_arr(items) ? yyjson_arr_size(items) == 0 : yyjson_is_str(value) && yyjson_get_len(value) == 0;
  return yyjson_is_null(value) || empty || (yyjson_is_obj(value) && yyjson_obj_size(value) == 0);
}

static bool is_list(yyjson_val *value) {
  yyjson_val *items = cpb_json_member(value, "items");
  return yyjson_is_obj(yyjson_arr_get_first(items ? items : value));
}

static bool is_structured(const char *key, yyjson_val *value) {
  return strcmp(key, "returns") == 0 || cpb_json_member(value, "tensor_spec") || cpb_json_member(value, "dict") ||
         cpb_json_member(value, "fields") || cpb_json_member(value, "type_spec");
}

/* Whether an object does not fit on one line: it has too many members, or contains lists or objects. */
static bool is_nested(yyjson_val *value) {
  size_t i, count;
  yyjson_val *key, *member;
  if (!yyjson_is_obj(value) || is_list(value)) return false;
  if (is_structured("", value)) return false;
  yyjson_obj_foreach(value, i, count, key, member) {
    if (is_list(member) || yyjson_is_obj(member)) return true;
  }
  return yyjson_obj_size(value) > MEMBERS_MOST;
}

static bool ends(const char *key, const char *word) {
  size_t length = strlen(key), size = strlen(word);
  return length >= size && strcmp(key + length - size, word) == 0;
}

static void put_number(view *v, const char *key, yyjson_val *value, uint64_t number) {
  if (ends(key, "size") || ends(key, "bytes")) cli_put_size(&v->sheet, number);
  else if (ends(key, "id") || strcmp(key, "node") == 0) cli_put_value(&v->sheet, value);
  else cli_put_count(&v->sheet, number);
}

/* concrete_functions as "concrete functions", but not Keras's own words. */
static void put_words(view *v, const char *key) {
  bool ours = !v->sheet.plain && strncmp(v->way, CONFIGURATION, sizeof CONFIGURATION - 1) != 0;
  for (; *key; key++) cli_put_format(&v->sheet, "%c", *key == '_' && ours ? ' ' : *key);
}

/* "tensors 14, size 11.2 KiB"; kinds have the model's names. */
static void put_members(view *v, const char *of, yyjson_val *object) {
  size_t i, count;
  uint64_t number;
  yyjson_val *key, *value;
  yyjson_obj_foreach(object, i, count, key, value) {
    const char *name = yyjson_get_str(key);
    if (i > 0) cli_put(&v->sheet, ", ");
    if (strcmp(of, "kinds") == 0) cli_put(&v->sheet, name);
    else put_words(v, name);
    cli_put(&v->sheet, " ");
    if (cpb_json_unsigned(value, &number)) put_number(v, name, value, number);
    else if (is_absent(value) && !v->sheet.plain) cli_put(&v->sheet, "none");
    else cli_put_value(&v->sheet, value);
  }
}

static bool is_operation(const view *v, const char *key) {
  return v->kind == CPB_ASK_NODE && v->way[0] == 0 && strcmp(key, "operation") == 0;
}

/* "ai.onnx 13, unchanged since 11: The convolution operator consumes ..." */
static void put_operation(view *v, yyjson_val *operation) {
  yyjson_val *version = cpb_json_member(operation, "version");
  const cpb_span domain = cli_text_at(operation, "domain"), summary = cli_text_at(operation, "summary");
  const uint64_t since = cli_number_at(operation, "since");
  if (domain.size > 0) cli_put_name(&v->sheet, domain);
  else if (version) cli_put(&v->sheet, "ai.onnx");
  if (version && !yyjson_is_null(version)) {
    cli_put(&v->sheet, " ");
    cli_put_value(&v->sheet, version);
    if (since > 0 && since != cli_number_at(operation, "version"))
      cli_put_format(&v->sheet, ", unchanged since %llu", (unsigned long long)since);
  }
  if (version && summary.size > 0) cli_put(&v->sheet, ": ");
  cli_put_name(&v->sheet, summary);
}

static void put_member(view *v, const char *key, yyjson_val *value) {
  uint64_t number;
  if (is_operation(v, key)) put_operation(v, value);
  else if (is_structured(key, value)) cli_put_structured(&v->sheet, value);
  else if (cpb_json_unsigned(value, &number)) put_number(v, key, value, number);
  else if (yyjson_is_obj(value)) put_members(v, key, value);
  else cli_put_value(&v->sheet, value);
}

/* Some lists of functions also have subgraphs. The overview counts these separately. */
static const char *name_of(const view *v, const char *key) {
  if (!v->sheet.subgraphs || v->kind == CPB_ASK_OVERVIEW || v->way[0]) return key;
  if (strcmp(key, "functions") == 0) return "functions and subgraphs";
  return strcmp(key, "function_nodes") == 0 ? "nodes of these" : key;
}

/* A program also gets the path to it. */
static void put_key(view *v, const char *key) {
  if (v->sheet.plain) cli_put(&v->sheet, v->way);
  put_words(v, name_of(v, key));
}

/* --- Members on a line each --------------------------------------------------------------- */

static void show_line(view *v, const char *key, yyjson_val *value, size_t indent, size_t width) {
  cli_sheet *s = &v->sheet;
  bool whole = s->plain || s->all || yyjson_is_str(value) || is_operation(v, key);
  if (!s->plain) cli_put_format(s, "%*s", (int)indent, "");
  put_key(v, key);
  if (s->plain) cli_put(s, "\t");
  else cli_put_format(s, "%*s", (int)(width - strlen(name_of(v, key)) + 2), "");
  put_member(v, key, value);
  cli_end_line(s, CLI_NORMAL, whole ? CLI_WRAP : CLI_CUT);
}

static bool is_line(const char *key, yyjson_val *value) {
  return !is_absent(value) && (strcmp(key, "returns") == 0 || (!is_list(value) && !is_nested(value)));
}

static bool is_one_of(const char *key, const char *const *keys) {
  for (; *keys; keys++)
    if (strcmp(key, *keys) == 0) return true;
  return false;
}

/* Whether to leave out a member: problems, which are shown separately, and for a person details that other members show
 * or that only programs need. */
static bool is_left_out(const view *v, const char *key) {
  static const char *const details[] = {"function_spec", "allowed_positional_arguments", "version", NULL};
  static const char *const names[] = {"inputs", "control_inputs", "parameters", NULL}; /* `from` says more */
  static const char *const of_wrapper[] = {"node", "kind", "concrete_function", NULL};
  if (strcmp(key, "problems") == 0) return true;
  if (v->sheet.plain || v->sheet.all) return false;
  if (v->kind == CPB_ASK_CONSTANTS && strcmp(key, "parameters") == 0) return true; /* as the overview shows them */
  return is_one_of(key, details) || (v->kind == CPB_ASK_NODE && is_one_of(key, names)) ||
         (strcmp(v->way, "wrapper.") == 0 && is_one_of(key, of_wrapper));
}

static void show_lines(view *v, yyjson_val *object, size_t indent) {
  size_t i, count, width = 0;
  yyjson_val *key, *value;
  yyjson_obj_foreach(object, i, count, key, value) {
    size_t length = strlen(name_of(v, yyjson_get_str(key)));
    if (is_line(yyjson_get_str(key), value) && !is_left_out(v, yyjson_get_str(key)) && length > width) width = length;
  }
  yyjson_obj_foreach(object, i, count, key, value) {
    const char *name = yyjson_get_str(key);
    if (is_line(name, value) && !is_left_out(v, name)) show_line(v, name, value, indent, width);
  }
}

/* --- Lists -------------------------------------------------------------------------------------- */

static void put_total(view *v, const char *key, yyjson_val *list, size_t indent) {
  cli_sheet *s = &v->sheet;
  yyjson_val *items = cpb_json_member(list, "items");
  uint64_t total = items ? cli_number_at(list, "total") : yyjson_arr_size(list), first = cli_number_at(list, "first");
  cli_put_format(s, "%*s", (int)indent, "");
  put_key(v, key);
  s->bold = s->text.size;
  cli_put(s, "  ");
  cli_put_count(s, total);
  if (first > 0 && yyjson_arr_size(items) > 0) {
    cli_put(s, ", from element ");
    cli_put_count(s, first);
    cli_put(s, " on, counting from 0");
  }
  cli_end_line(s, CLI_NORMAL, CLI_CUT);
}

static void put_left(view *v, yyjson_val *list, size_t indent) {
  uint64_t next = cli_number_at(list, "first") + yyjson_arr_size(cpb_json_member(list, "items"));
  uint64_t total = cli_number_at(list, "total");
  if (v->sheet.plain || next >= total) return;
  cli_put_format(&v->sheet, "%*s", (int)indent, "");
  cli_put_count(&v->sheet, total - next);
  cli_put_format(&v->sheet, " more: --first %llu, or --all", (unsigned long long)next);
  cli_end_line(&v->sheet, CLI_FAINT, CLI_CUT);
}

static void show_list(view *v, const char *key, yyjson_val *list, size_t indent) {
  cli_member guessed[CLI_COLUMNS_MOST];
  const cli_list *known = cli_find_list(v->kind, key);
  yyjson_val *item, *items = cpb_json_member(list, "items");
  size_t i, count;
  cli_column columns[CLI_COLUMNS_MOST];
  char word[300];
  cli_table t;
  if (!items) items = list;
  const cli_member *members = known ? known->members : guessed;
  size_t num_members = known ? known->count : cli_guess_members(items, guessed);
  if (!v->sheet.plain) put_total(v, key, list, indent);
  cpb_format(word, sizeof word, "%s%s", v->way, key);
  cli_list_begin(&t, &v->sheet, indent + 2, members, num_members, columns);
  t.word = word;
  yyjson_arr_foreach(items, i, count, item) cli_list_row(&t, members, num_members, item);
  cli_table_end(&t);
  put_left(v, list, indent + 2);
}

/* --- Objects ---------------------------------------------------------------------------------------- */

/* The captures of the signature's function are those of its wrapper. */
static bool is_repeated(const view *v, const char *key) {
  bool wrapper = v->kind == CPB_ASK_SIGNATURE && strcmp(v->way, "wrapper.") == 0;
  return wrapper && !v->sheet.plain && !v->sheet.all && (strcmp(key, "captures") == 0 || strcmp(key, "calls") == 0);
}

static void show_object(view *v, yyjson_val *object, size_t indent, unsigned depth);

static void show_nested(view *v, const char *key, yyjson_val *object, size_t indent, unsigned depth) {
  size_t length = strlen(v->way);
  if (!v->sheet.plain) {
    cli_put_format(&v->sheet, "%*s", (int)indent, "");
    put_key(v, key);
    cli_end_line(&v->sheet, CLI_BOLD, CLI_CUT);
  }
  cpb_format(v->way + length, sizeof v->way - length, "%s.", key);
  show_object(v, object, indent + 2, depth + 1);
  v->way[length] = 0;
}

/* First members that fit on a line, then lists. */
static void show_object(view *v, yyjson_val *object, size_t indent, unsigned depth) {
  size_t i, count;
  yyjson_val *key, *value;
  show_lines(v, object, indent);
  yyjson_obj_foreach(object, i, count, key, value) {
    const char *name = yyjson_get_str(key);
    bool shown_later = depth == 0 && v->main && strcmp(name, v->main) == 0;
    bool plain_counts = strcmp(name, "counts") == 0 && !yyjson_is_obj(cpb_json_member(value, "copies"));
    if (plain_counts && !v->sheet.all) continue; /* the list has the same information */
    if (shown_later || is_absent(value) || is_line(name, value) || is_left_out(v, name) || is_repeated(v, name))
      continue;
    if (depth == 0) cli_blank_line(&v->sheet);
    if (is_list(value)) show_list(v, name, value, indent);
    else if (depth < DEPTH_MOST) show_nested(v, name, value, indent, depth);
  }
}

/* --- What is wrong ---------------------------------------------------------------------------------- */

static void show_damage(view *v, yyjson_val *problem) {
  if (v->asker.status == CLI_OK) v->asker.status = CLI_INCOMPLETE;
  cli_put(&v->sheet, "Damaged: ");
  cli_put_problem(&v->sheet, problem);
  cli_end_line(&v->sheet, CLI_ALARM, CLI_WRAP);
  cli_line(&v->sheet, "What could be read is shown.", CLI_NORMAL, CLI_CUT);
  cli_blank_line(&v->sheet);
}

/* For a program, damage is reported separately from the lines that it reads; so are other problems, unless lines have a
 * subject. */
static void note_problem(view *v, yyjson_val *problem, bool damage) {
  if (damage && v->asker.status == CLI_OK) v->asker.status = CLI_INCOMPLETE;
  if (!damage && !v->main) cli_put(&v->sheet, "problem\t");
  if (damage) cli_put(&v->sheet, "the model is damaged; what could be read is shown: ");
  cli_put_problem(&v->sheet, problem);
  if (!damage && !v->main) {
    cli_end_line(&v->sheet, CLI_NORMAL, CLI_WRAP);
    return;
  }
  cli_note(v->sheet.cli, cpb_model_file_path(v->asker.model), "%.*s", (int)v->sheet.text.size,
           (const char *)v->sheet.text.data);
  v->sheet.text.size = 0;
}

/* The last damage shows how far the reader came. */
static void show_damages(view *v, yyjson_val *answer) {
  size_t i, count;
  yyjson_val *problem, *last = NULL;
  yyjson_arr_foreach(cpb_json_member(answer, "problems"), i, count, problem) {
    if (yyjson_is_true(cpb_json_member(problem, "damage"))) last = problem;
  }
  if (last && v->sheet.plain) note_problem(v, last, true);
  else if (last) show_damage(v, last);
}

static void show_problems(view *v, yyjson_val *answer) {
  size_t i, count, shown = 0, others = 0;
  yyjson_val *problem;
  yyjson_arr_foreach(cpb_json_member(answer, "problems"), i, count, problem) {
    if (yyjson_is_true(cpb_json_member(problem, "damage"))) continue;
    if (shown++ >= PROBLEMS && !v->sheet.all) others++;
    else if (v->sheet.plain) note_problem(v, problem, false);
    if (v->sheet.plain || others > 0) continue;
    if (shown == 1) cli_blank_line(&v->sheet);
    cli_put(&v->sheet, "problem: ");
    cli_put_problem(&v->sheet, problem);
    cli_end_line(&v->sheet, CLI_NORMAL, CLI_WRAP);
  }
  if (others == 0) return;
  cli_put_plural(&v->sheet, others, "more problem", "more problems");
  cli_put(&v->sheet, ": --json");
  if (v->sheet.plain) v->sheet.text.size = 0;
  else cli_end_line(&v->sheet, CLI_FAINT, CLI_CUT);
}

/* --- The answer --------------------------------------------------------------------------------------- */

static yyjson_doc *ask(view *v, uint64_t first, uint64_t count) {
  const char *name = v->sheet.cli->settings.name;
  cpb_question question = cli_question(v->sheet.cli, v->kind, cli_span(name));
  question.first = first;
  if (question.count == 0) question.count = count;
  return cli_ask_tree(&v->asker, &question);
}

/* The configuration of a layer that was requested by its name. */
static void show_configuration(view *v, yyjson_val *layer) {
  yyjson_val *config = cpb_json_member(layer, "config");
  if (v->kind != CPB_ASK_LAYERS || !v->sheet.cli->settings.name || !yyjson_is_obj(config)) return;
  cli_blank_line(&v->sheet);
  show_nested(v, CONFIGURATION, config, 0, 0);
}

/* The list that the question is about comes in pages, so that it is never in memory as a whole. */
static void show_main(view *v, yyjson_doc **answer, bool whole) {
  const cli_list *known = cli_find_list(v->kind, v->main);
  yyjson_val *list = cpb_json_member(yyjson_doc_get_root(*answer), v->main), *item;
  uint64_t next = cli_number_at(list, "first");
  if (!known || !list) return;
  if (!v->sheet.plain) {
    put_total(v, v->main, list, 0);
    if (yyjson_arr_size(cpb_json_member(list, "items")) == 0) return;
  }
  if (v->sheet.cli->settings.name)
    v->sheet.depth = cli_number_at(yyjson_arr_get_first(cpb_json_member(list, "items")), "depth");
  cli_list_begin(&v->table, &v->sheet, 2, known->members, known->count, v->columns);
  while (list) {
    size_t i, count;
    yyjson_arr_foreach(cpb_json_member(list, "items"), i, count, item) {
      cli_list_row(&v->table, known->members, known->count, item);
    }
    next += count;
    if (!whole || count == 0 || next >= cli_number_at(list, "total") || !cli_can_print(v->sheet.cli)) break;
    const uint64_t page = cli_next_page(*answer, list, CLI_PAGE_SIZE);
    yyjson_doc_free(*answer);
    *answer = ask(v, next, page);
    list = *answer ? cpb_json_member(yyjson_doc_get_root(*answer), v->main) : NULL;
  }
  cli_table_end(&v->table);
  if (list) put_left(v, list, 2);
  if (list && !v->sheet.plain) show_configuration(v, yyjson_arr_get_first(cpb_json_member(list, "items")));
}

static void show_answer(view *v, yyjson_doc **answer, bool whole) {
  yyjson_val *root = yyjson_doc_get_root(*answer);
  v->main = cli_main_list(v->kind);
  show_damages(v, root);
  size_t before = v->sheet.lines;
  if (!v->sheet.plain || !v->main) show_object(v, root, 0, 0);
  if (v->main && !v->sheet.plain && v->sheet.lines > before) cli_blank_line(&v->sheet);
  show_problems(v, root);
  if (v->main) show_main(v, answer, whole);
}

int cli_show_question(cli *c, cpb_model_file *model, cpb_question_kind kind) {
  view v = {.asker = {.cli = c, .model = model}, .kind = kind};
  cli_sheet_begin(&v.sheet, c);
  v.sheet.subgraphs = !v.sheet.plain && cli_has_subgraphs(cpb_model_file_kind(model));
  bool whole = (v.sheet.plain || v.sheet.all) && !(c->settings.given & CLI_BIT(PAGE));
  bool paged = cli_main_list(kind) != NULL;
  yyjson_doc *answer = ask(&v, c->settings.first, !whole ? 0 : paged ? CLI_PAGE_SIZE : CLI_EVERYTHING);
  if (answer) show_answer(&v, &answer, whole);
  yyjson_doc_free(answer);
  int printed = cli_sheet_end(&v.sheet);
  return v.asker.status != CLI_OK ? v.asker.status : printed;
}
