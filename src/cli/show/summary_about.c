/* The model's description, author, licence and metadata; and its parameters by type. */
#include "cli/show/summary.h"

/* --- Texts ------------------------------------------------------------------------------------ */

static const cli_column columns[] = {{NULL, CLI_KEPT | CLI_DIM}, {NULL, 0}};

typedef struct about {
  cli_summary *summary;
  cli_table table;
  size_t listed, left; /* left out */
  bool is_cut;         /* a text is longer than its line */
} about;

static bool is_gap(uint8_t c) { return c == '\n' || c == '\r' || c == '\t'; }

/* Line breaks and tabs of a text, which would be shown as U+FFFD, are a space. */
static void put_in_line(cli_sheet *s, cpb_span text) {
  for (size_t i = 0, end; i < text.size; i = end) {
    for (end = i; end < text.size && !is_gap(text.data[end]);) end++;
    cli_put_name(s, (cpb_span){text.data + i, end - i});
    if (end < text.size) cli_put(s, " ");
    while (end < text.size && (is_gap(text.data[end]) || text.data[end] == ' ')) end++;
  }
}

static void add(about *a, cpb_span word, yyjson_val *value) {
  cli_summary *s = a->summary;
  cpb_span text = {NULL, 0};
  const bool whole = s->sheet.plain || s->sheet.all;
  if (yyjson_is_null(value) || !value || (cpb_json_text(value, &text) && text.size == 0)) return;
  if (!whole && a->listed >= s->amounts->about) {
    a->left++;
    return;
  }
  cli_put_name(&s->sheet, word);
  const size_t width = s->sheet.text.size;
  cli_table_cell(&a->table);
  if (text.data) put_in_line(&s->sheet, text);
  else cli_put_value(&s->sheet, value);
  a->is_cut = a->is_cut || s->sheet.text.size + width + 4 > s->sheet.width;
  cli_table_cell(&a->table);
  a->listed++;
}

/* Leaves out a version of 0, which stands for an unset one. */
static void add_member(about *a, yyjson_val *object, const char *member, const char *word) {
  uint64_t number;
  yyjson_val *value = cpb_json_member(object, member);
  if (cpb_json_unsigned(value, &number) && number == 0) return;
  add(a, cli_span(word), value);
}

static void add_metadata(about *a, yyjson_val *object) {
  size_t i, count;
  yyjson_val *entry, *page = cpb_json_member(object, "metadata");
  yyjson_arr_foreach(cli_items(page), i, count, entry)
      add(a, cli_text_at(entry, "key"), cpb_json_member(entry, "value"));
  if (!a->summary->sheet.plain && cli_number_at(page, "total") > count) a->left += cli_number_at(page, "total") - count;
}

static void add_all(about *a, yyjson_val *root) {
  static const char *const members[][2] = {{"doc", "description"}, {"author", "author"},         {"license", "licence"},
                                           {"version", "version"}, {"model_version", "version"}, {"domain", "domain"}};
  yyjson_val *graph = cpb_json_member(root, "graph");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) add_member(a, root, members[i][0], members[i][1]);
  add_member(a, graph, "doc", "graph");
  add_metadata(a, root);
  add_metadata(a, graph);
}

void cli_summary_show_about(cli_summary *s) {
  about a = {.summary = s};
  size_t lines = s->sheet.lines;
  cli_table_begin(&a.table, &s->sheet, 2, columns, 2);
  a.table.word = "about";
  add_all(&a, cli_root(s->overview));
  if (a.listed > 0) cli_summary_title(s, "About");
  cli_table_end(&a.table);
  if (lines == s->sheet.lines || s->sheet.plain) return;
  if (a.left > 0) cli_summary_more(s, a.left, "overview");
  else if (a.is_cut && !s->sheet.all) cli_summary_whole(s, "overview");
}

/* --- Parameters by type ------------------------------------------------------------------------- */

void cli_summary_add_dtype(cli_summary *s, yyjson_val *item, uint64_t size) {
  const cpb_span name = cli_text_at(item, "dtype");
  const uint64_t elements = cli_number_at(item, "parameters");
  size_t i = 0;
  if (elements == 0 || name.size == 0 || name.size >= sizeof s->dtypes->name) return;
  while (i < s->num_dtypes && !cli_is_same(cli_span(s->dtypes[i].name), name)) i++;
  if (i == CLI_DTYPES_MOST) return;
  if (i == s->num_dtypes) memcpy(s->dtypes[s->num_dtypes++].name, name.data, name.size);
  s->dtypes[i].elements += elements;
  s->dtypes[i].size += size;
}

static bool add_constant(cli_summary *s, yyjson_val *item, void *user) {
  (void)user;
  cli_summary_add_dtype(s, item, cli_number_at(item, cpb_json_member(item, "bytes") ? "bytes" : "size"));
  return true;
}

/* Kinds without variables have their weights among the constants. */
void cli_summary_ask_dtypes(cli_summary *s) {
  if (s->num_dtypes > 0 || !cpb_model_kind_answers(s->kind, CPB_ASK_CONSTANTS)) return;
  cli_summary_ask_list(s, CPB_ASK_CONSTANTS, add_constant, NULL);
}
