/* The result of cpb diff, for a person. */
#include "cli/show/diff.h"

#include "cli/show/answer.h"

#define DEPTH 1000 /* of the result: it is ours */

typedef struct printer {
  cli *cli;
  bool failed; /* memory was short */
} printer;

static void print_text(printer *p, yyjson_val *value) { p->failed = !cli_show_value(p->cli, value) || p->failed; }

static uint64_t number_of(yyjson_val *object, const char *key) {
  uint64_t number = 0;
  cpb_json_unsigned(cpb_json_member(object, key), &number);
  return number;
}

static bool same_text(yyjson_val *a, yyjson_val *b) {
  cpb_span x, y;
  return cpb_json_text(a, &x) && cpb_json_text(b, &y) && x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
}

/* What an item is, in a few words, of those of its members that say it. */
static void print_summary(printer *p, yyjson_val *name, yyjson_val *item) {
  static const char *const members[] = {"op", "kind", "class", "type", "dtype", "shape", NULL};
  for (size_t i = 0; members[i]; i++) {
    yyjson_val *value = cpb_json_member(item, members[i]);
    if (!value || yyjson_is_null(value) || same_text(value, name)) continue;
    cli_print(p->cli, "  ");
    print_text(p, value);
  }
}

static void print_member(printer *p, yyjson_val *member) {
  yyjson_val *name = cpb_json_member(member, "member");
  cli_print(p->cli, "      ");
  if (yyjson_get_len(name) > 0) print_text(p, name);
  if (cpb_json_member(member, "of")) {
    yyjson_val *unreadable = cpb_json_member(member, "unreadable");
    cli_print(p->cli, ": %llu of %llu differ", (unsigned long long)number_of(member, "different"),
              (unsigned long long)number_of(member, "of"));
    if (unreadable) cli_print(p->cli, "; not all can be read: ");
    if (unreadable) print_text(p, unreadable);
    cli_print(p->cli, "\n");
    return;
  }
  cli_print(p->cli, yyjson_get_len(name) > 0 ? ": " : "");
  print_text(p, cpb_json_member(member, "a"));
  cli_print(p->cli, "  ->  ");
  print_text(p, cpb_json_member(member, "b"));
  cli_print(p->cli, "\n");
}

static void print_difference(printer *p, yyjson_val *difference) {
  size_t i, count;
  yyjson_val *member, *a = cpb_json_member(difference, "a"), *b = cpb_json_member(difference, "b");
  cli_print(p->cli, a ? "  - " : b ? "  + " : "  ~ ");
  print_text(p, cpb_json_member(difference, "name"));
  if (a || b) print_summary(p, cpb_json_member(difference, "name"), a ? a : b);
  cli_print(p->cli, "\n");
  yyjson_arr_foreach(cpb_json_member(difference, "members"), i, count, member) print_member(p, member);
}

static void print_title(printer *p, yyjson_val *section) {
  static const char *const counts[] = {"added", "removed", "changed", "same", NULL};
  uint64_t meta_graph = number_of(section, "meta_graph");
  yyjson_val *function = cpb_json_member(section, "function"), *tag = cpb_json_member(section, "tag");
  print_text(p, cpb_json_member(section, "section"));
  if (function) cli_print(p->cli, " of ");
  if (function) print_text(p, function);
  if (tag) cli_print(p->cli, " of the tag ");
  if (tag) print_text(p, tag);
  if (meta_graph > 0) cli_print(p->cli, " in meta graph %llu", (unsigned long long)meta_graph);
  cli_print(p->cli, ":");
  for (size_t i = 0; counts[i]; i++) {
    uint64_t number = number_of(section, counts[i]);
    if (number > 0) cli_print(p->cli, " %llu %s", (unsigned long long)number, counts[i]);
  }
  cli_print(p->cli, "\n");
}

/* False when there is nothing to tell. */
static bool print_section(printer *p, yyjson_val *section) {
  size_t i, shown;
  uint64_t total = number_of(section, "added") + number_of(section, "removed") + number_of(section, "changed");
  yyjson_val *difference, *differences = cpb_json_member(section, "differences");
  if (total == 0) return false;
  print_title(p, section);
  yyjson_arr_foreach(differences, i, shown, difference) print_difference(p, difference);
  if (total > yyjson_arr_size(differences))
    cli_print(p->cli, "  ... and %llu more\n", (unsigned long long)(total - yyjson_arr_size(differences)));
  return true;
}

static void print_kinds(printer *p, yyjson_val *result) {
  cli_print(p->cli, "  - ");
  print_text(p, cpb_json_member(result, "a"));
  cli_print(p->cli, "\n  + ");
  print_text(p, cpb_json_member(result, "b"));
  cli_print(p->cli, "\n");
}

static void print_result(printer *p, yyjson_val *result) {
  size_t i, count, differing = 0;
  yyjson_val *section;
  yyjson_arr_foreach(cpb_json_member(result, "sections"), i, count, section) differing += print_section(p, section);
  if (yyjson_is_true(cpb_json_member(result, "equal")))
    cli_print(p->cli, yyjson_is_true(cpb_json_member(result, "values"))
                          ? "The models are the same.\n"
                          : "The models are the same, as far as their values were left out.\n");
  else if (differing == 0) print_kinds(p, result);
}

int cli_show_diff(cli *c, const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  yyjson_doc *result = cpb_json_read(&c->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  if (!result) return cli_fail(c, "the result", &error);
  printer p = {.cli = c};
  print_result(&p, yyjson_doc_get_root(result));
  yyjson_doc_free(result);
  return p.failed ? cli_fail_memory(c) : CLI_OK;
}
