#include "cli/show/diff.h"

/* Sections, in the order in which their items are listed, and the word for one item. */
static const struct unit {
  const char *section, *one, *more;
  enum { SAID, QUIET, DERIVED } how; /* QUIET: not mentioned if equal; DERIVED: follows from the others */
} units[] = {{"meta_graphs", "meta graph", "meta graphs", QUIET},
             {"tags", "tag", "tags", SAID},
             {"signatures", "signature", "signatures", SAID},
             {"layers", "layer", "layers", SAID},
             {"functions", "function", "functions", SAID},
             {"nodes", "node", "nodes", SAID},
             {"constants", "constant", "constants", SAID},
             {"variables", "variable", "variables", SAID},
             {"updater_state", "state of the updater", "states of the updater", SAID},
             {"maps", "map", "maps", SAID},
             {"assets", "asset", "assets", SAID},
             {"initializers", "initializer", "initializers", QUIET},
             {"collections", "collection", "collections", QUIET},
             {"objects", "object", "objects", QUIET},
             {"ops", "kind of operation", "kinds of operations", DERIVED},
             {"overview", "fact of the overview", "facts of the overview", DERIVED},
             {"tag", "fact of the tag", "facts of the tags", DERIVED},
             {"inputs", "input", "inputs", QUIET},
             {"outputs", "output", "outputs", QUIET},
             {"states", "state", "states", QUIET},
             {"training_inputs", "training input", "training inputs", QUIET},
             {"attributes", "attribute", "attributes", QUIET},
             {"opset_imports", "opset import", "opset imports", QUIET},
             {"metadata", "entry of the metadata", "entries of the metadata", QUIET},
             {"problems", "problem", "problems", QUIET},
             {NULL, "other item", "other items", QUIET}};
#define NUM_UNITS (sizeof units / sizeof *units)

typedef struct counts {
  uint64_t differing, same;
} counts;

/* NULL stands for the sections that no unit names. */
static bool is_of(yyjson_val *section, const char *name) {
  yyjson_val *found = cpb_json_member(section, "section");
  if (name) return cli_is_text(found, name);
  for (size_t i = 0; i < NUM_UNITS; i++)
    if (units[i].section && cli_is_text(found, units[i].section)) return false;
  return true;
}

/* Functions with equal nodes have no section. */
static counts count(yyjson_val *result, const char *name) {
  counts n = {0, 0};
  size_t i, number;
  yyjson_val *section;
  yyjson_arr_foreach(cpb_json_member(result, "sections"), i, number, section) {
    if (!is_of(section, name)) continue;
    n.differing +=
        cli_number_at(section, "added") + cli_number_at(section, "removed") + cli_number_at(section, "changed");
    n.same += cli_number_at(section, "same");
  }
  if (name && strcmp(name, "nodes") == 0) n.same += cli_number_at(cpb_json_member(result, "left_out"), "same");
  return n;
}

static void put_items(cli_sheet *s, const struct unit *unit, uint64_t count) {
  const bool both = s->subgraphs && strcmp(unit->more, "functions") == 0;
  cli_put_plural(s, count, both ? "function or subgraph" : unit->one, both ? "functions and subgraphs" : unit->more);
}

static void put_differing(cli_sheet *s, const struct unit *unit, counts n) {
  uint64_t all = n.differing + n.same;
  if (n.same > 0) {
    cli_put_count(s, n.differing);
    cli_put(s, " of ");
  }
  put_items(s, unit, all);
}

/* Chooses the units to list: those that differ, or those that are equal. Returns how many. */
static size_t choose(const counts all[NUM_UNITS], bool differing, int how, bool listed[NUM_UNITS]) {
  size_t chosen = 0;
  for (size_t i = 0; i < NUM_UNITS; i++) {
    listed[i] =
        (int)units[i].how <= how && (differing ? all[i].differing > 0 : all[i].differing == 0 && all[i].same > 0);
    chosen += listed[i];
  }
  return chosen;
}

/* A list of units; returns how many, and in `*last` the items of the last. */
static size_t put_units(cli_sheet *s, yyjson_val *result, bool differing, uint64_t *last) {
  size_t shown = 0;
  counts all[NUM_UNITS];
  bool listed[NUM_UNITS];
  for (size_t i = 0; i < NUM_UNITS; i++) all[i] = count(result, units[i].section);
  size_t left = choose(all, differing, differing ? QUIET : SAID, listed);
  if (left == 0 && differing) left = choose(all, differing, DERIVED, listed);
  for (size_t i = 0; i < NUM_UNITS; i++) {
    if (!listed[i]) continue;
    if (shown++ > 0) cli_put(s, left == 1 ? " and " : ", ");
    left--;
    if (differing) put_differing(s, &units[i], all[i]);
    else put_items(s, &units[i], all[i].same);
    *last = differing ? all[i].differing : all[i].same;
  }
  return shown;
}

static void put_difference(cli_sheet *s, yyjson_val *result) {
  uint64_t last = 0;
  if (!cli_is_same(cli_text_at(result, "a"), cli_text_at(result, "b"))) {
    cli_put(s, "Models of different kinds are not compared");
    return;
  }
  size_t shown = put_units(s, result, true, &last);
  cli_put(s, shown == 1 && last == 1 ? " differs" : " differ");
  size_t before = s->text.size;
  cli_put(s, "; ");
  if (put_units(s, result, false, &last) > 0) cli_put(s, " the same");
  else s->text.size = before;
}

/* The sum over all sections. */
static uint64_t sum(yyjson_val *result, const char *member) {
  uint64_t all = 0;
  size_t i, number;
  yyjson_val *section;
  yyjson_arr_foreach(cpb_json_member(result, "sections"), i, number, section) all += cli_number_at(section, member);
  return all;
}

/* For models that are equal as far as they can be read. */
static void put_unknown(cli_sheet *s, yyjson_val *result) {
  uint64_t last = 0;
  cli_put(s, "Whether the models are the same cannot be said; what can be read of both is the same");
  size_t before = s->text.size;
  cli_put(s, ": ");
  if (put_units(s, result, false, &last) == 0) s->text.size = before;
}

static void put_equal(cli_sheet *s, yyjson_val *result) {
  uint64_t last = 0;
  cli_put(s, "The models are the same");
  if (yyjson_is_true(cpb_json_member(result, "same_file"))) cli_put(s, " file");
  size_t before = s->text.size;
  cli_put(s, ": ");
  if (put_units(s, result, false, &last) == 0) s->text.size = before;
  if (!yyjson_is_true(cpb_json_member(result, "values"))) cli_put(s, "; their values were not compared");
}

void cli_show_diff_summary(cli_sheet *s, yyjson_val *result) {
  yyjson_val *equal = cpb_json_member(result, "equal");
  uint64_t unread = sum(result, "unread"), elsewhere = sum(result, "elsewhere");
  if (yyjson_is_true(equal)) put_equal(s, result);
  else if (yyjson_is_null(equal)) put_unknown(s, result);
  else put_difference(s, result);
  if (unread > 0) {
    cli_put(s, "; ");
    cli_put_plural(s, unread, "item was not compared", "items were not compared");
  }
  if (elsewhere > 0) {
    cli_put(s, "; the values of ");
    cli_put_plural(s, elsewhere, "constant lie elsewhere", "constants lie elsewhere");
  }
  cli_end_line(s, CLI_BOLD, CLI_WRAP);
}
