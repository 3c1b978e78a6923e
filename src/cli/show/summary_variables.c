/* Variables: the totals, and the largest. */
#include "cli/show/summary.h"

/* --- Asking --------------------------------------------------------------------------- */

/* 0 if a dimension is unknown, or if the product is too large. */
static uint64_t elements_of(yyjson_val *shape) {
  uint64_t elements = 1, dimension;
  size_t i, count;
  yyjson_val *each;
  if (!yyjson_is_arr(shape)) return 0;
  yyjson_arr_foreach(shape, i, count, each) {
    if (!cpb_json_unsigned(each, &dimension)) return 0;
    if (dimension > 0 && elements > UINT64_MAX / dimension) return 0;
    elements *= dimension;
  }
  return elements;
}

/* The bytes of an element, from the digits of its dtype; 0 for texts and others. */
static uint64_t bytes_of(cpb_span dtype) {
  uint64_t bits = 0;
  size_t i = 0;
  while (i < dtype.size && (dtype.data[i] < '0' || dtype.data[i] > '9')) i++;
  for (; i < dtype.size && dtype.data[i] >= '0' && dtype.data[i] <= '9'; i++) bits = 10 * bits + (dtype.data[i] - '0');
  if (bits > 256) return 0;
  if (bits > 0) return (bits + 7) / 8;
  if (cli_is_same(dtype, cli_span("bool"))) return 1;
  if (cli_is_same(dtype, cli_span("half"))) return 2;
  return cli_is_same(dtype, cli_span("double")) ? 8 : 0;
}

static uint64_t hash(cpb_span text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < text.size; i++) h = (h ^ text.data[i]) * 0x100000001b3u;
  return h;
}

/* The identifier for extract --variable and for the next question. */
static cpb_span handle_of(yyjson_val *item) {
  cpb_span handle = cli_text_at(item, "path");
  if (handle.size == 0) handle = cli_text_at(item, "name");
  return handle.size > 0 ? handle : cli_text_at(item, "key");
}

static void free_variable(cli_summary *s, cli_variable *v) {
  for (size_t i = 0; i < 3; i++) cpb_release(&s->sheet.cli->allocator, v->texts[i]);
}

static void keep_variable(cli_summary *s, cli_variable *v, yyjson_val *item) {
  cpb_span name = cli_text_at(item, "name");
  cli_put_name(&s->sheet, name.size > 0 ? name : cli_text_at(item, "key"));
  v->texts[0] = cli_summary_keep(s);
  cli_put_tensor(&s->sheet, item);
  v->texts[1] = cli_summary_keep(s);
  cli_put_name(&s->sheet, handle_of(item));
  v->texts[2] = cli_summary_keep(s);
}

/* Keeps the largest. */
static void rank(cli_summary *s, yyjson_val *item, uint64_t size) {
  cli_variables *all = &s->variables;
  cli_variable v = {.size = size, .name = hash(cli_text_at(item, "name"))};
  size_t at = all->num_top;
  while (at > 0 && all->top[at - 1].size < size) at--;
  if (at == CLI_TOP) return;
  if (all->num_top == CLI_TOP) free_variable(s, &all->top[--all->num_top]);
  memmove(&all->top[at + 1], &all->top[at], (all->num_top - at) * sizeof v);
  keep_variable(s, &v, item);
  all->top[at] = v;
  all->num_top++;
}

/* Keras 3 stores each weight twice. */
static bool is_copy(yyjson_val *item) { return yyjson_is_obj(cpb_json_member(item, "copy_of")); }

/* The stored size; a part of a variable has the entry of the whole. */
static uint64_t size_of(yyjson_val *item, uint64_t elements) {
  yyjson_val *stored = cpb_json_member(item, "stored");
  const bool is_own = yyjson_is_obj(stored) && !cpb_json_member(item, "part_of");
  return is_own ? cli_number_at(stored, "size") : elements * bytes_of(cli_text_at(item, "dtype"));
}

static bool add_variable(cli_summary *s, yyjson_val *item, void *user) {
  cli_variables *v = &s->variables;
  uint64_t elements = elements_of(cpb_json_member(item, "shape")), size = size_of(item, elements);
  uint64_t name = hash(cli_text_at(item, "name"));
  (void)user;
  if (!cli_is_text(cpb_json_member(item, "kind"), "variable")) return true;
  if (is_copy(item)) {
    v->copies++;
    return true;
  }
  if (!cpb_buffer_append(&v->names, &name, sizeof name)) s->sheet.failed = true;
  cli_summary_add_dtype(s, item, size);
  v->variables++;
  v->elements += elements;
  v->size += size;
  rank(s, item, size);
  return true;
}

void cli_summary_ask_variables(cli_summary *s) { cli_summary_ask_list(s, CPB_ASK_VARIABLES, add_variable, NULL); }

void cli_summary_free_variables(cli_summary *s) {
  cpb_buffer_free(&s->variables.names);
  for (size_t i = 0; i < s->variables.num_top; i++) free_variable(s, &s->variables.top[i]);
}

/* --- Showing ------------------------------------------------------------------------------ */

static const cli_column columns[] = {
    {NULL, CLI_KEPT}, {NULL, CLI_WHOLE}, {NULL, CLI_RIGHT}, {NULL, CLI_RIGHT}, {NULL, CLI_DIM}};
static const cli_column all_columns[] = {{NULL, CLI_KEPT}, {NULL, CLI_WHOLE}, {NULL, CLI_RIGHT}, {NULL, CLI_DIM}};

static bool put_variable(cli_summary *s, yyjson_val *item, void *table) {
  cli_table *t = table;
  (void)s;
  const bool is_stored = yyjson_is_obj(cpb_json_member(item, "stored"));
  cli_cell_name(t, handle_of(item));
  cli_cell_tensor(t, item);
  cli_cell_size(t, is_stored ? size_of(item, elements_of(cpb_json_member(item, "shape"))) : 0);
  cli_cell_name(t, cli_text_at(item, "name"));
  return true;
}

/* A program gets all of them, in the model's order. */
static void show_all(cli_summary *s) {
  cli_table t;
  cli_table_begin(&t, &s->sheet, 2, all_columns, 4);
  t.word = "variable";
  cli_summary_ask_list(s, CPB_ASK_VARIABLES, put_variable, &t);
  cli_table_end(&t);
}

static void put_rest(cli_summary *s, cli_table *t, uint64_t count, uint64_t size) {
  cli_cell_more(t, count);
  cli_table_cell(t);
  if (size > 0) cli_put_size(&s->sheet, size);
  cli_table_cell(t);
  if (size > 0) cli_put_share(&s->sheet, size, s->variables.size);
  cli_table_cell(t);
  cli_table_cell(t);
}

/* A unique name can be used in questions; otherwise the path is shown as well. */
static bool is_unique(const cli_summary *s, uint64_t name) {
  const cpb_buffer *names = &s->variables.names;
  size_t found = 0;
  for (size_t i = 0; i < names->size / sizeof name; i++)
    found += memcmp(names->data + i * sizeof name, &name, sizeof name) == 0;
  return found == 1;
}

static void put_top(cli_summary *s, cli_table *t, const cli_variable *top) {
  bool unique = is_unique(s, top->name);
  const char *texts[] = {top->texts[unique ? 0 : 2], top->texts[1], unique ? NULL : top->texts[0]};
  for (size_t cell = 0; cell < 5; cell++) {
    const char *text = cell < 2 ? texts[cell] : cell == 4 ? texts[2] : NULL;
    if (text) cli_put(&s->sheet, text);
    if (cell == 2) cli_put_size(&s->sheet, top->size);
    if (cell == 3) cli_put_share(&s->sheet, top->size, s->variables.size);
    cli_table_cell(t);
  }
}

static void show_top(cli_summary *s) {
  const cli_variables *v = &s->variables;
  size_t shown = v->num_top < s->amounts->top ? v->num_top : s->amounts->top;
  uint64_t size = 0;
  cli_table t;
  cli_table_begin(&t, &s->sheet, 2, columns, 5);
  for (size_t i = 0; i < shown; i++) {
    put_top(s, &t, &v->top[i]);
    size += v->top[i].size;
  }
  if (v->variables > shown) put_rest(s, &t, v->variables - shown, v->size > size ? v->size - size : 0);
  cli_table_end(&t);
}

void cli_summary_show_variables(cli_summary *s) {
  if (s->variables.variables == 0) return;
  cli_summary_title(s, s->sheet.all ? "Variables" : "Largest variables");
  if (s->sheet.all || s->sheet.plain) show_all(s);
  else show_top(s);
}
