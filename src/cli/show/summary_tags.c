/* The tags of a SameDiff file. */
#include "cli/show/summary_state.h"

static const cli_column columns[] = {{"tag", CLI_KEPT | CLI_STRONG},
                                     {"graph.fb", CLI_RIGHT},
                                     {"params/", CLI_RIGHT},
                                     {"updater/", CLI_RIGHT},
                                     {"training", 0}};

static void put_row(cli_summary *s, cli_table *t, yyjson_val *tag) {
  yyjson_val *updater = cpb_json_member(tag, "updater");
  bool is_default = yyjson_is_true(cpb_json_member(tag, "default"));
  cli_put_name(&s->sheet, cli_text_at(tag, "tag"));
  cli_table_cell(t);
  if (yyjson_is_null(cpb_json_member(tag, "graph_bytes"))) cli_put(&s->sheet, "missing");
  else cli_put_size(&s->sheet, cli_number_at(tag, "graph_bytes"));
  cli_table_cell(t);
  cli_put_size(&s->sheet, cli_number_at(cpb_json_member(tag, "parameters"), "bytes"));
  cli_table_cell(t);
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
  cli_summary_gap(s);
  cli_put_heading(&s->sheet, "Variables");
  cli_put(&s->sheet, "  ");
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
  size_t i, count, listed = 0;
  cli_table t;
  if (yyjson_arr_size(cli_items(page)) > 0) {
    cli_summary_title(s, "Tags");
    cli_table_begin(&t, &s->sheet, 2, columns, 5);
    t.word = "tag";
    t.lines_most = s->sheet.all ? 0 : s->amounts->top;
    yyjson_arr_foreach(cli_items(page), i, count, tag) put_row(s, &t, tag);
    listed = yyjson_arr_size(cli_items(page)) - cli_table_end(&t);
    if (cli_number_at(page, "total") > listed) cli_summary_more(s, cli_number_at(page, "total") - listed, "overview");
  }
  show_variables(s);
}
