/* The contents of the graph: large constants, operations, functions. */
#include "cli/show/summary.h"

#define LARGE ((uint64_t)16 << 10) /* a constant */
#define NAMED_MOST 4

/* --- Constants ------------------------------------------------------------------------ */

static const cli_column columns[] = {
    {NULL, CLI_KEPT}, {NULL, CLI_WHOLE}, {NULL, CLI_RIGHT}, {NULL, CLI_KEPT | CLI_DIM}};

static uint64_t size_of(yyjson_val *item) {
  return cli_number_at(item, cpb_json_member(item, "entry") ? "bytes" : "size");
}

/* Reports that a damaged zip lacks the file of a parameter, or a part of it. */
static void put_size(cli_summary *s, yyjson_val *item) {
  if (yyjson_is_null(cpb_json_member(item, "entry"))) cli_put(&s->sheet, "missing");
  else if (yyjson_is_true(cpb_json_member(item, "cut"))) cli_put(&s->sheet, "cut off");
  else if (!cpb_json_member(item, "entry") || cpb_json_member(item, "bytes")) cli_put_size(&s->sheet, size_of(item));
}

static bool put_constant(cli_summary *s, yyjson_val *item, void *table) {
  cli_table *t = table;
  cpb_span function = cli_text_at(item, "function");
  cli_cell_name(t, cli_text_at(item, "node"));
  cli_cell_tensor(t, item);
  put_size(s, item);
  cli_table_cell(t);
  if (function.size > 0 && !s->sheet.plain) cli_put(&s->sheet, "in ");
  cli_cell_name(t, function);
  return true;
}

static bool is_one_of(cpb_span text, const char *a, const char *b) {
  return cli_is_same(text, cli_span(a)) || cli_is_same(text, cli_span(b));
}

/* The name of a node, without the number of its output. */
static cpb_span node_of(cpb_span tensor) {
  const uint8_t *colon = tensor.size > 0 ? memchr(tensor.data, ':', tensor.size) : NULL;
  return colon ? (cpb_span){tensor.data, (size_t)(colon - tensor.data)} : tensor;
}

static bool is_same(cpb_span a, cpb_span b) { return a.size > 0 && cli_is_same(a, b); }

static bool saves(const cli_summary *s, yyjson_val *node) {
  yyjson_val *saver = cpb_json_member(cli_root(s->overview), "saver");
  cpb_span name = cli_text_at(node, "name");
  return is_one_of(cli_text_at(node, "op"), "SaveV2", "RestoreV2") ||
         is_same(name, node_of(cli_text_at(saver, "save_tensor"))) ||
         is_same(name, node_of(cli_text_at(saver, "restore_operation")));
}

/* Whether all nodes that take the text save or restore variables. */
static bool is_for_saving(cli_summary *s, yyjson_val *item) {
  cpb_span function = cli_text_at(item, "function");
  size_t i, count, found = 0;
  yyjson_val *taker;
  if (!cli_is_text(cpb_json_member(item, "dtype"), "string")) return false;
  cpb_question question = cli_question(s->sheet.cli, CPB_ASK_CONSUMERS, cli_text_at(item, "node"));
  question.scope = (const char *)function.data;
  question.scope_size = function.size;
  yyjson_doc *answer = cli_ask_tree(&s->asker, &question);
  yyjson_val *takers = cli_items(cpb_json_member(cli_root(answer), "consumers"));
  yyjson_arr_foreach(takers, i, count, taker) found += saves(s, taker);
  bool all = found > 0 && found == yyjson_arr_size(takers);
  yyjson_doc_free(answer);
  return all;
}

void cli_summary_ask_constants(cli_summary *s) {
  size_t i, count;
  yyjson_val *item;
  s->constants = cli_summary_ask(s, CPB_ASK_CONSTANTS, (cpb_span){NULL, 0}, 0, 2 * CLI_TOP);
  if (!cli_is_saved_model(s) || s->sheet.plain || s->sheet.all) return;
  yyjson_arr_foreach(cli_items(cpb_json_member(cli_root(s->constants), "constants")), i, count, item) {
    if (i < 2 * CLI_TOP && size_of(item) >= LARGE) s->savers[i] = is_for_saving(s, item);
  }
}

yyjson_val *cli_summary_parameters(const cli_summary *s) {
  yyjson_val *all = cpb_json_member(cli_root(s->overview), "parameters");
  yyjson_val *read = cpb_json_member(cli_root(s->constants), "parameters");
  const bool is_unread = yyjson_is_true(cpb_json_member(all, "partial")) && cli_number_at(all, "tensors") == 0;
  return is_unread && read ? read : all;
}

/* A program gets all of them, in pages. */
static void show_all_constants(cli_summary *s) {
  cli_table t;
  cli_table_begin(&t, &s->sheet, 2, columns, 4);
  t.word = "constant";
  cli_summary_ask_list(s, CPB_ASK_CONSTANTS, put_constant, &t);
  cli_table_end(&t);
}

static void show_no_large_constants(cli_summary *s, uint64_t total, uint64_t size, bool saving) {
  cli_summary_heading(s, "Constants");
  cli_put_count(&s->sheet, total);
  cli_put(&s->sheet, ", ");
  cli_put_size(&s->sheet, size);
  cli_line(&s->sheet, saving ? " in all; those over 16 KiB serve only for saving" : " in all; none over 16 KiB",
           CLI_NORMAL, CLI_WRAP);
}

/* Whether the constant is one to list. */
static bool is_large(const cli_summary *s, yyjson_val *item, size_t i) {
  return size_of(item) >= LARGE && !(i < 2 * CLI_TOP && s->savers[i]);
}

static void show_largest(cli_summary *s, yyjson_val *items, uint64_t total, bool parameters) {
  uint64_t listed = 0;
  size_t i, count;
  yyjson_val *item;
  cli_table t;
  bool initializers = s->kind == CPB_MODEL_ONNX;
  yyjson_arr_foreach(items, i, count, item) {
    const bool is_other = !cli_is_text(cpb_json_member(item, "is"), "initializer");
    if (is_large(s, item, i) && is_other) initializers = false;
  }
  const char *title = initializers ? "Large initializers" : "Large constants";
  cli_summary_title(s, parameters ? "Largest parameters" : title);
  cli_table_begin(&t, &s->sheet, 2, columns, 4);
  yyjson_arr_foreach(items, i, count, item) {
    if (listed == s->amounts->top || !(parameters || is_large(s, item, i))) continue;
    put_constant(s, item, &t);
    listed++;
  }
  cli_table_end(&t);
  if (total > listed) cli_summary_more(s, total - listed, "constants");
}

void cli_summary_show_constants(cli_summary *s) {
  yyjson_val *root = cli_root(s->constants), *item;
  yyjson_val *constants = cpb_json_member(root, "constants"), *items = cli_items(constants);
  uint64_t total = cli_number_at(constants, "total");
  bool parameters = s->kind == CPB_MODEL_SAMEDIFF_ZIP || s->kind == CPB_MODEL_SAMEDIFF_GRAPH,
       whole = s->sheet.all || s->sheet.plain, large = false;
  size_t i, count;
  if (total == 0) return;
  yyjson_arr_foreach(items, i, count, item) large = large || is_large(s, item, i);
  if (whole) {
    cli_summary_title(s, parameters ? "Parameters" : "Constants");
    show_all_constants(s);
  } else if (parameters || large) {
    show_largest(s, items, total, parameters);
  } else {
    show_no_large_constants(s, total, cli_number_at(root, "size"), size_of(yyjson_arr_get_first(items)) >= LARGE);
  }
}

/* --- Operations -------------------------------------------------------------------------- */

static void put_op(cli_summary *s, yyjson_val *op) {
  cli_put_name(&s->sheet, cli_text_at(op, "op"));
  cli_put(&s->sheet, " ");
  cli_put_count(&s->sheet, cli_number_at(op, "count"));
}

/* Puts as many as fit into some lines; returns the number. */
static size_t flow(cli_summary *s, yyjson_val *ops, size_t lines) {
  cli_sheet *sheet = &s->sheet;
  size_t shown = 0, i, count, bytes;
  yyjson_val *op;
  yyjson_arr_foreach(ops, i, count, op) {
    size_t before = sheet->text.size;
    cli_put(sheet, "  ");
    put_op(s, op);
    cpb_span line = {sheet->text.data, sheet->text.size};
    if (before > 0 && cli_measure(line, SIZE_MAX, &bytes) > sheet->width) {
      sheet->text.size = before;
      cli_end_line(sheet, CLI_NORMAL, CLI_WRAP);
      if (--lines == 0) return shown;
      cli_put(sheet, "  ");
      put_op(s, op);
    }
    shown++;
  }
  if (sheet->text.size > 0) cli_end_line(sheet, CLI_NORMAL, CLI_WRAP);
  return shown;
}

/* Puts the title and the operations that are from there; returns whether there are any. */
static bool put_from(cli_summary *s, yyjson_val *ops, const char *from, const char *title) {
  size_t i, count, found = 0;
  yyjson_val *op;
  yyjson_arr_foreach(ops, i, count, op) {
    if (!cli_is_text(cpb_json_member(op, "from"), from)) continue;
    if (found++ >= NAMED_MOST) continue;
    cli_put(&s->sheet, found == 1 ? title : ", ");
    cli_put_name(&s->sheet, cli_text_at(op, "op"));
  }
  if (found > NAMED_MOST) cli_put_format(&s->sheet, " and %d more", (int)(found - NAMED_MOST));
  return found > 0;
}

static void put_origins(cli_summary *s, yyjson_val *ops) {
  const bool other = put_from(s, ops, "onnxruntime", "; ONNX Runtime's: ");
  const bool custom = put_from(s, ops, "custom", "; custom: ");
  if (!other && !custom && cpb_json_member(yyjson_arr_get_first(ops), "from")) cli_put(&s->sheet, ", none custom");
}

static void show_plain_ops(cli_summary *s, yyjson_val *ops) {
  size_t i, count;
  yyjson_val *op;
  yyjson_arr_foreach(ops, i, count, op) {
    cli_put(&s->sheet, "op\t");
    cli_put_name(&s->sheet, cli_text_at(op, "op"));
    cli_put(&s->sheet, "\t");
    cli_put_count(&s->sheet, cli_number_at(op, "count"));
    cli_put(&s->sheet, "\t");
    cli_put_name(&s->sheet, cli_text_at(op, "from"));
    cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
  }
}

/* The counts of the default signature's function, if there is one, and then of the whole model. */
static void put_counts(cli_summary *s, uint64_t total) {
  uint64_t all = cli_number_at(cpb_json_member(cli_root(s->all_ops), "ops"), "total");
  bool some = s->ops && !s->sheet.all;
  cli_put_heading(&s->sheet, "Operations");
  if (some) cli_put(&s->sheet, " of ");
  if (some) cli_put_name(&s->sheet, cli_summary_default_signature(s));
  cli_put(&s->sheet, "  ");
  cli_put_plural(&s->sheet, total, "kind", "kinds");
  if (some) cli_put_format(&s->sheet, "; the whole model has %d", (int)all);
}

void cli_summary_show_ops(cli_summary *s) {
  yyjson_val *all = cli_items(cpb_json_member(cli_root(s->all_ops), "ops"));
  yyjson_val *page = cpb_json_member(cli_root(s->ops && !s->sheet.all ? s->ops : s->all_ops), "ops");
  uint64_t total = cli_number_at(page, "total");
  if (s->sheet.plain) {
    show_plain_ops(s, all);
    return;
  }
  if (total == 0) return;
  cli_summary_gap(s);
  put_counts(s, total);
  put_origins(s, all);
  cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
  size_t shown = flow(s, cli_items(page), s->sheet.all ? SIZE_MAX : s->amounts->ops);
  if (total > shown) cli_summary_more(s, total - shown, "ops");
}
