/* The model's inputs and outputs: its signatures, or those of a graph. */
#include "cli/show/summary.h"

static const cli_column columns[] = {
    {NULL, CLI_DIM | CLI_WHOLE}, {NULL, CLI_KEPT}, {NULL, CLI_KEPT}, {NULL, CLI_WHOLE}};

static yyjson_val *signatures_of(const cli_summary *s) {
  return cli_items(cpb_json_member(cli_root(s->overview), "signatures"));
}

/* Whether this is TensorFlow's own signature, which computes nothing for a caller. */
static bool is_initializer(yyjson_val *signature) {
  return cli_is_text(cpb_json_member(signature, "key"), "__saved_model_init_op");
}

static yyjson_val *find_default(const cli_summary *s) {
  size_t i, count;
  yyjson_val *signature, *first = NULL;
  yyjson_arr_foreach(signatures_of(s), i, count, signature) {
    if (cli_is_text(cpb_json_member(signature, "key"), "serving_default")) return signature;
    if (!first && !is_initializer(signature)) first = signature;
  }
  return first;
}

cpb_span cli_summary_default_signature(const cli_summary *s) { return cli_text_at(find_default(s), "key"); }

/* --- Tensors ----------------------------------------------------------------------- */

static void put_row(cli_summary *s, cli_table *t, const char *role, cpb_span key, yyjson_val *tensor) {
  yyjson_val *sparse = cpb_json_member(tensor, "sparse"); /* of TensorFlow its parts */
  cli_cell(t, role);
  if (s->sheet.plain) cli_put_name(&s->sheet, key);
  cli_table_cell(t);
  cli_cell_name(t, cli_text_at(tensor, "name"));
  if (cpb_json_member(tensor, "dtype") || yyjson_is_obj(cpb_json_member(tensor, "type")))
    cli_put_tensor(&s->sheet, tensor);
  else if (!s->sheet.plain) cli_put(&s->sheet, "operation ");
  cli_put_name(&s->sheet, cli_text_at(tensor, "op"));
  if (yyjson_is_obj(sparse) || yyjson_is_true(sparse)) cli_put(&s->sheet, " sparse");
  if (cpb_json_member(tensor, "composite")) cli_put(&s->sheet, " of several tensors");
  cli_table_cell(t);
}

static void put_tensors(cli_summary *s, cli_table *t, const char *role, yyjson_val *object, const char *member) {
  bool whole = s->sheet.plain || s->sheet.all;
  yyjson_val *tensor, *tensors = cpb_json_member(object, member), *items = cli_items(tensors);
  uint64_t total = items ? cli_number_at(tensors, "total") : yyjson_arr_size(tensors);
  size_t i, count, most = s->amounts->tensors;
  yyjson_arr_foreach(items ? items : tensors, i, count, tensor) {
    if (!whole && i + 1 >= most && total > most) break;
    put_row(s, t, i == 0 || s->sheet.plain ? role : "", cli_text_at(object, "key"), tensor);
  }
  if (i >= total || s->sheet.plain) return;
  cli_table_cell(t);
  cli_table_cell(t);
  cli_cell_more(t, total - i);
  cli_table_cell(t);
}

static void show_tensors(cli_summary *s, yyjson_val *object, size_t indent) {
  cli_table t;
  cli_table_begin(&t, &s->sheet, indent, columns, 4);
  put_tensors(s, &t, s->sheet.plain ? "input" : "in", object, "inputs");
  put_tensors(s, &t, s->sheet.plain ? "output" : "out", object, "outputs");
  put_tensors(s, &t, "state", object, "states");
  put_tensors(s, &t, s->sheet.plain ? "training_input" : "training", object, "training_inputs");
  cli_table_end(&t);
}

/* --- Signatures ------------------------------------------------------------------------- */

static void put_captures(cli_summary *s, yyjson_val *captures) {
  size_t i, count;
  uint64_t variables = 0;
  yyjson_val *capture;
  yyjson_arr_foreach(captures, i, count, capture) {
    variables += cli_is_text(cpb_json_member(capture, "kind"), "variable");
  }
  uint64_t others = yyjson_arr_size(captures) - variables;
  if (yyjson_arr_size(captures) == 0) return;
  cli_put_dot(&s->sheet);
  cli_put(&s->sheet, "captures ");
  if (variables > 0) cli_put_plural(&s->sheet, variables, "variable", "variables");
  if (variables > 0 && others > 0) cli_put(&s->sheet, " and ");
  if (others > 0)
    cli_put_plural(&s->sheet, others, variables > 0 ? "other object" : "object",
                   variables > 0 ? "other objects" : "objects");
}

/* The function behind the default signature, whose name the next question needs. */
static void show_function(cli_summary *s) {
  yyjson_val *root = cli_root(s->signature), *function = cpb_json_member(root, "function");
  cpb_span name = cli_text_at(function, "name");
  if (name.size == 0 || s->sheet.plain) return;
  cli_put(&s->sheet, "    calls ");
  cli_put_name(&s->sheet, name);
  cli_put_dot(&s->sheet);
  cli_put_plural(&s->sheet, cli_number_at(function, "nodes"), "node", "nodes");
  put_captures(s, cpb_json_member(function, "captures"));
  cli_end_line(&s->sheet, CLI_NORMAL, CLI_WRAP);
}

static void show_signature(cli_summary *s, yyjson_val *signature) {
  if (!s->sheet.plain) {
    cli_put(&s->sheet, "  ");
    cli_put_name(&s->sheet, cli_text_at(signature, "key"));
    cli_end_line(&s->sheet, CLI_BOLD, CLI_WRAP);
  }
  show_tensors(s, signature, 4);
}

static void show_others(cli_summary *s, yyjson_val *shown) {
  bool whole = s->sheet.plain || s->sheet.all;
  size_t i, count;
  uint64_t total = cli_number_at(cpb_json_member(cli_root(s->overview), "signatures"), "total"), listed = 0;
  yyjson_val *signature;
  yyjson_arr_foreach(signatures_of(s), i, count, signature) {
    if (signature == shown || is_initializer(signature)) total -= signature != shown;
    if (signature == shown || is_initializer(signature) || (!whole && listed >= s->amounts->signatures)) continue;
    listed++;
    if (whole) {
      show_signature(s, signature);
      continue;
    }
    cli_put(&s->sheet, "  ");
    cli_put_name(&s->sheet, cli_text_at(signature, "key"));
    cli_end_line(&s->sheet, CLI_BOLD, CLI_WRAP);
  }
  if (!s->sheet.plain && total > listed + 1) cli_summary_more(s, total - listed - 1, "overview");
}

void cli_summary_show_signatures(cli_summary *s) {
  yyjson_val *root = cli_root(s->overview), *shown = find_default(s);
  if (shown) {
    cli_summary_title(s, "Signatures");
    show_signature(s, shown);
    show_function(s);
    show_others(s, shown);
    return;
  }
  if (cli_is_saved_model(s) && !s->sheet.plain) {
    cli_summary_gap(s);
    cli_put_heading(&s->sheet, "Signatures");
    const bool has_functions = cli_number_at(root, "concrete_functions") > 0;
    if (s->damage) cli_put(&s->sheet, "  none in what could be read");
    else cli_put(&s->sheet, has_functions ? "  none; for its functions see cpb inspect MODEL objects" : "  none");
    cli_end_line(&s->sheet, CLI_NORMAL, CLI_CUT);
  }
  yyjson_val *outputs = cpb_json_member(root, "outputs");
  if (!cpb_json_member(root, "inputs") || (!outputs && !yyjson_arr_size(cli_items(cpb_json_member(root, "inputs")))))
    return;
  cli_summary_title(s, outputs ? "Inputs and outputs" : "Placeholders");
  show_tensors(s, root, 2);
}
