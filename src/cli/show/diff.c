#include "cli/show/diff.h"

#include "cli/show/sheet.h"
#include "cli/show/show.h"
#include "cli/show/table.h"

#define DEPTH 1000 /* of the result, which our own code wrote */

/* For a person: the number of lines in total, and for a block. */
#define LINES_ABOUT 40
#define LINES_LEAST 4
#define LINES_MOST 20
#define NODES_MOST 10 /* of one function */

/* The smallest part of the terminal's width for each side of the counts. */
#define BAR_MOST 40
#define TITLE_MOST 60

typedef struct counts {
  uint64_t added, removed, changed, same;
} counts;

/* A section, or all sections of nodes together: the graph's and those of functions. */
typedef struct block {
  yyjson_val *result, *first;
  size_t at, sections; /* of the result's */
  counts all;
} block;

typedef struct shower {
  cli_sheet sheet;
  yyjson_val *result;
  size_t title, number; /* columns for the titles and the numbers of all blocks */
  uint64_t largest;     /* differences of a block */
  size_t most;          /* lines of a block */
} shower;

/* --- Blocks -------------------------------------------------------------------------------------- */

static counts counts_of(yyjson_val *section) {
  return (counts){cli_number_at(section, "added"), cli_number_at(section, "removed"), cli_number_at(section, "changed"),
                  cli_number_at(section, "same")};
}

static uint64_t differing(const counts *n) { return n->added + n->removed + n->changed; }

static bool is_of_nodes(yyjson_val *section) { return cli_is_text(cpb_json_member(section, "section"), "nodes"); }

static yyjson_val *section_at(yyjson_val *result, size_t i) {
  return yyjson_arr_get(cpb_json_member(result, "sections"), i);
}

static bool goes_on(const block *b, yyjson_val *section) {
  return section && is_of_nodes(b->first) && is_of_nodes(section) &&
         cli_number_at(section, "meta_graph") == cli_number_at(b->first, "meta_graph");
}

/* If functions have equal nodes, only their number is in the result, for all meta graphs. */
static uint64_t same_elsewhere(const block *b) {
  size_t i, count;
  yyjson_val *section;
  yyjson_arr_foreach(cpb_json_member(b->result, "sections"), i, count, section) {
    if (cli_number_at(section, "meta_graph") > 0) return 0;
  }
  return is_of_nodes(b->first) ? cli_number_at(cpb_json_member(b->result, "left_out"), "same") : 0;
}

/* The next block with differences; the first if `b` is zeroed except for `result`. */
static bool next_block(block *b) {
  do {
    size_t at = b->at + b->sections;
    yyjson_val *section = section_at(b->result, at);
    *b = (block){.result = b->result, .first = section, .at = at};
    if (!section) return false;
    b->all.same = same_elsewhere(b);
    do {
      counts n = counts_of(section);
      b->all.added += n.added;
      b->all.removed += n.removed;
      b->all.changed += n.changed;
      b->all.same += n.same;
      section = section_at(b->result, b->at + ++b->sections);
    } while (goes_on(b, section));
  } while (differing(&b->all) == 0);
  return true;
}

/* --- Titles --------------------------------------------------------------------------------------- */

static void put_title(cli_sheet *s, yyjson_val *section) {
  yyjson_val *tag = cpb_json_member(section, "tag");
  uint64_t meta_graph = cli_number_at(section, "meta_graph");
  if (cli_is_text(cpb_json_member(section, "section"), "tag")) cli_put(s, "overview");
  else cli_put_section(s, section);
  if (tag) cli_put(s, " of the tag ");
  if (tag) cli_put_value(s, tag);
  if (meta_graph > 0) cli_put(s, " in meta graph ");
  if (meta_graph > 0) cli_put_count(s, meta_graph);
}

static void put_number(cli_sheet *s, const counts *n) {
  cli_put_count(s, differing(n));
  if (n->same == 0) return;
  cli_put(s, " of ");
  cli_put_count(s, differing(n) + n->same);
}

/* The width of the pending text, which is discarded. */
static size_t take_width(cli_sheet *s) {
  size_t bytes, width = cli_measure((cpb_span){s->text.data, s->text.size}, SIZE_MAX, &bytes);
  s->text.size = 0;
  return width;
}

static void widen(size_t *width, size_t needed) {
  if (needed > *width) *width = needed;
}

static void measure(shower *w) {
  size_t blocks = 0;
  for (block b = {.result = w->result}; next_block(&b); blocks++) {
    put_title(&w->sheet, b.first);
    widen(&w->title, take_width(&w->sheet));
    put_number(&w->sheet, &b.all);
    widen(&w->number, take_width(&w->sheet));
    if (differing(&b.all) > w->largest) w->largest = differing(&b.all);
  }
  if (w->title > TITLE_MOST) w->title = TITLE_MOST;
  w->most = blocks > 0 ? LINES_ABOUT / blocks : 0;
  if (w->most < LINES_LEAST) w->most = LINES_LEAST;
  if (w->most > LINES_MOST) w->most = LINES_MOST;
  if (w->sheet.cli->settings.page > 0) w->most = (size_t)w->sheet.cli->settings.page;
  if (w->sheet.all) w->most = SIZE_MAX;
}

/* --- Bars ------------------------------------------------------------------------------------------- */

/* The number of signs for a count: one each, or, if `largest` does not fit, a share of `room`. */
static size_t scale(uint64_t count, uint64_t largest, size_t room) {
  if (largest <= room || count == 0) return (size_t)count;
  size_t signs = (size_t)((double)count / (double)largest * (double)room);
  return signs > 0 ? signs : 1;
}

static void put_signs(cli_sheet *s, const char *sign, size_t count) {
  while (count-- > 0) cli_put(s, sign);
}

static void put_bar(cli_sheet *s, const counts *n, uint64_t largest, size_t room) {
  put_signs(s, "+", scale(n->added, largest, room));
  put_signs(s, "-", scale(n->removed, largest, room));
  put_signs(s, "~", scale(n->changed, largest, room));
}

/* The rest of the line, with room for two more signs than the scale gives. */
static size_t room_for_bar(const shower *w) {
  size_t taken = w->title + w->number + 8;
  if (w->sheet.width < taken + 10) return 10;
  return w->sheet.width - taken < BAR_MOST ? w->sheet.width - taken : BAR_MOST;
}

static void pad(cli_sheet *s, size_t from, size_t to) {
  if (from < to) cli_put_format(s, "%*s", (int)(to - from), "");
}

/* Prints the pending text. */
static void print_part(cli_sheet *s, cli_style style) {
  cli_print_styled(s, (cpb_span){s->text.data, s->text.size}, style);
  s->text.size = 0;
}

static void show_title(shower *w, const block *b) {
  cli_sheet *s = &w->sheet;
  size_t room = room_for_bar(w);
  put_number(s, &b->all);
  size_t number = take_width(s), bytes;
  put_title(s, b->first);
  pad(s, cli_measure((cpb_span){s->text.data, s->text.size}, SIZE_MAX, &bytes) + number, w->title + 2 + w->number);
  put_number(s, &b->all);
  cli_put(s, "  ");
  print_part(s, CLI_BOLD);
  put_signs(s, "+", scale(b->all.added, w->largest, room));
  print_part(s, CLI_ADDED);
  put_signs(s, "-", scale(b->all.removed, w->largest, room));
  print_part(s, CLI_REMOVED);
  put_signs(s, "~", scale(b->all.changed, w->largest, room));
  cli_end_line(s, CLI_BOLD, CLI_KEEP);
}

/* --- Differences, for a person -------------------------------------------------------------------------- */

static cli_style style_of(char sign) {
  if (sign == '+') return CLI_ADDED;
  return sign == '-' ? CLI_REMOVED : CLI_NORMAL;
}

static void put_cell(cli_table *t, size_t indent, yyjson_val *section, yyjson_val *difference) {
  char sign = cli_diff_sign(difference);
  t->style = style_of(sign);
  cli_put_format(t->sheet, "%*s%c ", (int)indent, "", sign);
  cli_put_item(t->sheet, section, difference);
  cli_table_cell(t);
}

/* Shows at most so many differences, except those of functions that are themselves reported as missing; returns the
 * number shown. */
static size_t show_differences(cli_table *t, yyjson_val *section, size_t indent, size_t most) {
  size_t i, count, shown = 0;
  yyjson_val *difference;
  yyjson_arr_foreach(cpb_json_member(section, "differences"), i, count, difference) {
    if (shown == most) break;
    if (!t->sheet->all && cpb_json_member(difference, "with_function")) continue;
    put_cell(t, indent, section, difference);
    cli_put_difference(t->sheet, section, difference);
    cli_table_cell(t);
    shown++;
  }
  return shown;
}

/* For the graph or a function: the number of nodes that differ, then the nodes, as far as there is room. */
static void show_function(shower *w, cli_table *t, yyjson_val *section, uint64_t largest, size_t most) {
  cli_sheet *s = t->sheet;
  yyjson_val *function = cpb_json_member(section, "function");
  counts n = counts_of(section);
  t->style = CLI_NORMAL;
  cli_put(s, "~ ");
  if (function) cli_put_value(s, function);
  else cli_put(s, "the graph");
  cli_table_cell(t);
  put_number(s, &n);
  cli_put(s, "  ");
  put_bar(s, &n, largest, room_for_bar(w) / 2);
  cli_table_cell(t);
  show_differences(t, section, 4, most);
}

/* Functions come first; their nodes get the remaining lines. Returns the number of functions left out. */
static size_t show_functions(shower *w, cli_table *t, const block *b) {
  size_t functions = 0, shown = 0;
  uint64_t largest = 0;
  for (size_t i = 0; i < b->sections; i++) {
    counts n = counts_of(section_at(b->result, b->at + i));
    functions += differing(&n) > 0;
    if (differing(&n) > largest) largest = differing(&n);
  }
  size_t nodes = functions < w->most ? (w->most - functions) / functions : 0;
  if (nodes > NODES_MOST && w->most != SIZE_MAX) nodes = NODES_MOST;
  for (size_t i = 0; i < b->sections && shown < w->most; i++) {
    yyjson_val *section = section_at(b->result, b->at + i);
    counts n = counts_of(section);
    if (differing(&n) == 0) continue;
    show_function(w, t, section, largest, w->most == SIZE_MAX ? SIZE_MAX : nodes);
    shown++;
  }
  return functions - shown;
}

/* The largest distance among values that are counted but not shown; nothing unless all of them are known. */
static void put_largest_of_rest(cli_sheet *s, const block *b, size_t shown) {
  yyjson_val *list = cpb_json_member(b->first, "differences"), *difference, *found = NULL;
  size_t i, count;
  double largest = -1;
  if (yyjson_arr_size(list) < differing(&b->all)) return;
  yyjson_arr_foreach(list, i, count, difference) {
    double distance = i < shown ? -1 : cli_diff_distance(difference);
    if (distance > largest) found = difference;
    if (distance > largest) largest = distance;
  }
  if (!found) return;
  cli_put_format(s, ", by %.4g at most: ", largest);
  cli_put_value(s, cpb_json_member(found, "name"));
}

/* Prints that there is more: why, or how much. */
static void show_rest(cli_sheet *s, const block *b, uint64_t left) {
  bool all = left == differing(&b->all), nodes = is_of_nodes(b->first);
  cli_put(s, all ? "    " : "    and ");
  cli_put_count(s, left);
  cli_put(s, nodes ? " more " : all ? " in " : " more");
  if (nodes || all) cli_put_functions(s);
  if (all && !nodes) cli_put(s, " of one model");
  if (!nodes && !all) put_largest_of_rest(s, b, (size_t)(differing(&b->all) - left));
  cli_end_line(s, CLI_FAINT, CLI_KEEP);
}

static void show_block(shower *w, const block *b) {
  static const cli_column columns[] = {{NULL, CLI_KEPT}, {NULL, 0}};
  cli_table t;
  show_title(w, b);
  cli_table_begin(&t, &w->sheet, 2, columns, 2);
  t.least = w->sheet.width / 2 - 4;
  bool nodes = is_of_nodes(b->first);
  uint64_t left = nodes ? show_functions(w, &t, b) : differing(&b->all) - show_differences(&t, b->first, 0, w->most);
  cli_table_end(&t);
  if (left > 0) show_rest(&w->sheet, b, left);
}

/* --- Differences, for a program --------------------------------------------------------------------------- */

static void put_where(cli_sheet *s, yyjson_val *section) {
  yyjson_val *function = cpb_json_member(section, "function");
  put_title(s, section);
  if (function) cli_put(s, " of ");
  if (function) cli_put_value(s, function);
  cli_put(s, "\t");
}

/* Sign, section, name, and the differences, separated by tabs. */
static void print_section(cli_sheet *s, yyjson_val *section) {
  size_t i, count;
  yyjson_val *difference, *list = cpb_json_member(section, "differences");
  counts n = counts_of(section);
  yyjson_arr_foreach(list, i, count, difference) {
    cli_put_format(s, "%c\t", cli_diff_sign(difference));
    put_where(s, section);
    cli_put_value(s, cpb_json_member(difference, "name"));
    cli_put(s, "\t");
    cli_put_difference(s, section, difference);
    cli_end_line(s, CLI_NORMAL, CLI_KEEP);
  }
  if (differing(&n) == yyjson_arr_size(list)) return;
  cli_put(s, "...\t");
  put_where(s, section);
  cli_put_count(s, differing(&n) - yyjson_arr_size(list));
  cli_line(s, " more", CLI_NORMAL, CLI_KEEP);
}

/* --- All -------------------------------------------------------------------------------------------------- */

/* Which model is damaged, and where. */
static void show_damage(cli_sheet *s, yyjson_val *result) {
  const char *const paths[] = {s->cli->settings.input, s->cli->settings.question};
  const char *const members[] = {"a", "b"};
  for (int side = 0; side < 2; side++) {
    yyjson_val *damage = cpb_json_member(cpb_json_member(result, "damaged"), members[side]);
    if (!damage) continue;
    if (!s->plain) cli_put(s, "Damaged: ");
    if (!s->plain) cli_put_name(s, cli_span(cli_shown_name(s->cli, paths[side])));
    cli_put(s, s->plain ? "the model is damaged; what cannot be read is not compared: " : ": ");
    cli_put_problem(s, damage);
    if (!s->plain) {
      cli_end_line(s, CLI_ALARM, CLI_WRAP);
      continue;
    }
    cli_note(s->cli, paths[side], "%.*s", (int)s->text.size, (const char *)s->text.data);
    s->text.size = 0;
  }
  if (s->plain || !cpb_json_member(result, "damaged")) return;
  cli_line(s, "What cannot be read is not compared.", CLI_NORMAL, CLI_CUT);
  cli_blank_line(s);
}

/* Names the two models; for models of different kinds this is the entire result. */
static void show_models(cli_sheet *s, yyjson_val *result) {
  const char *const paths[] = {s->cli->settings.input, s->cli->settings.question};
  const char *const members[] = {"a", "b"};
  for (int side = 0; side < 2; side++) {
    cli_put(s, side == 0 ? "--- " : "+++ ");
    cli_put_name(s, cli_span(cli_shown_name(s->cli, paths[side])));
    cli_put(s, s->plain ? "\t" : "   ");
    cli_put_value(s, cpb_json_member(result, members[side]));
    cli_end_line(s, CLI_BOLD, CLI_KEEP);
  }
}

static void show_result(shower *w) {
  cli_sheet *s = &w->sheet;
  bool equal = yyjson_is_true(cpb_json_member(w->result, "equal"));
  bool comparable = yyjson_arr_size(cpb_json_member(w->result, "sections")) > 0;
  size_t i, count;
  yyjson_val *section;
  show_damage(s, w->result);
  if (!equal && (!s->plain || !comparable)) show_models(s, w->result);
  if (s->plain) {
    yyjson_arr_foreach(cpb_json_member(w->result, "sections"), i, count, section) print_section(s, section);
  } else {
    measure(w);
    for (block b = {.result = w->result}; next_block(&b);) show_block(w, &b);
  }
  if (!s->cli->settings.quiet) cli_show_diff_summary(s, w->result);
}

static bool has_subgraphs(yyjson_val *result) {
  for (cpb_model_kind kind = 1; cpb_model_kind_name(kind); kind++)
    if (cli_has_subgraphs(kind) && cli_is_text(cpb_json_member(result, "a"), cpb_model_kind_label(kind))) return true;
  return false;
}

uint64_t cli_diff_wanted(cli *c) { return c->settings.page == 0 && c->settings.all ? UINT64_MAX : c->settings.page; }

int cli_show_diff(cli *c, const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *result = cpb_json_read(&c->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  if (!result) return cli_fail(c, "the result", &error);
  shower w = {.result = yyjson_doc_get_root(result)};
  cli_sheet_begin(&w.sheet, c);
  w.sheet.subgraphs = has_subgraphs(w.result);
  show_result(&w);
  yyjson_doc_free(result);
  return cli_sheet_end(&w.sheet);
}
