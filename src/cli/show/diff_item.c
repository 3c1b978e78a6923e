#include "cli/show/diff.h"

#include <stdlib.h>
#include <string.h>

/* --- Words --------------------------------------------------------------------------------------- */

#define ANY NULL

static const cpb_span none = {NULL, 0};

/* Names that say too little by themselves; in all others, "_" becomes a space. */
static const struct words {
  const char *section, *item, *member, *shown;
} known[] = {
    {"ops", ANY, NULL, "kinds of operations"},
    {"ops", ANY, "count", "used"},
    {"ops", ANY, "in_graph", "in the graph"},
    {"ops", ANY, "in_functions", "in functions"},
    {"overview", "ops", NULL, "operations"},
    {"overview", "ops", "total", "kinds that the exporter lists"},
    {"overview", ANY, "total", ""},
};

static bool is(cpb_span text, const char *word) { return word && cli_is_same(text, cli_span(word)); }

static bool is_of(yyjson_val *section, const char *name) {
  return cli_is_text(cpb_json_member(section, "section"), name);
}

/* The words for a member, for an item (`member` is empty), or for a section (`item` is empty as well). */
static const char *find(yyjson_val *section, cpb_span item, cpb_span member) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct words *w = &known[i];
    bool fits = w->member ? is(member, w->member) && (w->item == ANY || is(item, w->item))
                          : member.size == 0 && (w->item == ANY ? item.size == 0 : is(item, w->item));
    if (fits && is_of(section, w->section)) return w->shown;
  }
  return NULL;
}

/* Up to the first dot, the name is ours and not the model's. */
static void put_spaced(cli_sheet *s, cpb_span name) {
  const uint8_t *dot = memchr(name.data, '.', name.size);
  size_t ours = dot ? (size_t)(dot - name.data) : name.size;
  for (size_t i = 0; i < ours; i++) cli_put_format(s, "%c", name.data[i] == '_' ? ' ' : name.data[i]);
  cli_put_name(s, (cpb_span){name.data + ours, name.size - ours});
}

static void put_words(cli_sheet *s, const char *words, cpb_span name) {
  if (words) cli_put(s, words);
  else put_spaced(s, name);
}

void cli_put_section(cli_sheet *s, yyjson_val *section) {
  if (s->plain) cli_put_value(s, cpb_json_member(section, "section"));
  else if (s->subgraphs && is_of(section, "functions")) cli_put_functions(s);
  else put_words(s, find(section, none, none), cli_text_at(section, "section"));
}

void cli_put_item(cli_sheet *s, yyjson_val *section, yyjson_val *difference) {
  cpb_span name = cli_text_at(difference, "name");
  if (!s->plain && name.size == 0 && is_of(section, "opset_imports")) name = cli_span("ai.onnx");
  bool facts = is_of(section, "overview") || is_of(section, "tag");
  if (s->plain || !facts) cli_put_name(s, name);
  else put_words(s, find(section, name, none), name);
}

/* "user objects" for kinds.user_object; nothing if the item's name is sufficient. */
static void put_name_of(cli_sheet *s, yyjson_val *section, yyjson_val *difference, cpb_span member) {
  if (s->plain) {
    cli_put_name(s, member);
  } else if (is_of(section, "overview") && cli_begins(member, "kinds.")) {
    put_spaced(s, (cpb_span){member.data + strlen("kinds."), member.size - strlen("kinds.")});
    cli_put(s, "s");
  } else if (s->subgraphs && is(member, "in_functions")) {
    cli_put(s, "in ");
    cli_put_functions(s);
  } else if (member.size > 0) {
    put_words(s, find(section, cli_text_at(difference, "name"), member), member);
  }
}

/* As 3,538,984. */
static bool has_counts(yyjson_val *section, cpb_span member) {
  return is_of(section, "overview") || is_of(section, "ops") || is(member, "parameters") ||
         is(member, "trainable_parameters");
}

/* --- Differences ----------------------------------------------------------------------------------- */

char cli_diff_sign(yyjson_val *difference) {
  if (cpb_json_member(difference, "a")) return '-';
  return cpb_json_member(difference, "b") ? '+' : '~';
}

double cli_diff_distance(yyjson_val *difference) {
  char digits[40];
  cpb_span text;
  yyjson_val *values = yyjson_arr_get_last(cpb_json_member(difference, "members"));
  yyjson_val *distance = cpb_json_member(cpb_json_member(values, "largest"), "difference");
  bool there = cpb_json_number(distance, &text) || cpb_json_text(distance, &text);
  if (!there || text.size >= sizeof digits) return -1;
  memcpy(digits, text.data, text.size);
  digits[text.size] = 0;
  return strtod(digits, NULL);
}

/* --- An item that one model lacks --------------------------------------------------------------- */

static bool same_text(yyjson_val *a, yyjson_val *b) {
  cpb_span x, y;
  return cpb_json_text(a, &x) && cpb_json_text(b, &y) && cli_is_same(x, y);
}

/* Puts the members that identify the item. */
static void put_summary(cli_sheet *s, yyjson_val *name, yyjson_val *item) {
  static const char *const of_layer[] = {"name", "class", NULL}, *const of_others[] = {"op", "kind", "type", NULL};
  const char *const *members = cpb_json_member(item, "class") ? of_layer : of_others;
  size_t shown = 0;
  for (size_t i = 0; members[i]; i++) {
    yyjson_val *value = cpb_json_member(item, members[i]);
    if (!value || yyjson_is_null(value) || same_text(value, name)) continue;
    if (shown++ > 0) cli_put(s, " ");
    cli_put_value(s, value);
  }
  if (!cpb_json_member(item, "dtype")) return;
  if (shown > 0) cli_put(s, " ");
  cli_put_tensor(s, item);
}

/* --- Two values -------------------------------------------------------------------------------------- */

/* A number with a fraction, with as many digits as a person compares. */
static void put_value(cli_sheet *s, yyjson_val *value, bool is_count) {
  char digits[40];
  cpb_span text;
  uint64_t number;
  if (is_count && cpb_json_unsigned(value, &number)) {
    cli_put_count(s, number);
    return;
  }
  if (is_count && yyjson_is_null(value) && !s->plain) {
    cli_put(s, "none");
    return;
  }
  bool fraction = !s->plain && cpb_json_number(value, &text) && text.size < sizeof digits &&
                  (memchr(text.data, '.', text.size) || memchr(text.data, 'e', text.size));
  if (!fraction) {
    cli_put_value(s, value);
    return;
  }
  memcpy(digits, text.data, text.size);
  digits[text.size] = 0;
  cli_put_format(s, "%.4g", strtod(digits, NULL));
}

static void put_change(cli_sheet *s, yyjson_val *from, bool is_count) {
  put_value(s, cpb_json_member(from, "a"), is_count);
  cli_put(s, " -> ");
  put_value(s, cpb_json_member(from, "b"), is_count);
}

/* Sizes may be names. */
static void put_shapes(cli_sheet *s, yyjson_val *from) {
  cli_put_shape(s, cpb_json_member(from, "a"));
  cli_put(s, " -> ");
  cli_put_shape(s, cpb_json_member(from, "b"));
}

/* --- Values ---------------------------------------------------------------------------------------- */

static void put_index(cli_sheet *s, yyjson_val *index) {
  if (yyjson_arr_size(index) == 0) return;
  cli_put(s, " at ");
  cli_put_shape(s, index);
}

static void put_largest(cli_sheet *s, yyjson_val *largest) {
  cli_put(s, ", by ");
  put_value(s, cpb_json_member(largest, "difference"), false);
  cli_put(s, " at most");
  put_index(s, cpb_json_member(largest, "index"));
  cli_put(s, ": ");
  put_change(s, largest, false);
}

/* A scalar is shown like any other member. */
static void put_values(cli_sheet *s, yyjson_val *values) {
  yyjson_val *largest = cpb_json_member(values, "largest"), *unreadable = cpb_json_member(values, "unreadable");
  uint64_t different = cli_number_at(values, "different"), of = cli_number_at(values, "of");
  bool one = of == 1 && largest && !unreadable;
  if (one) {
    put_change(s, largest, false);
    return;
  }
  if (of > 0) {
    cli_put_count(s, different);
    cli_put(s, " of ");
    if (cpb_json_member(values, "bytes")) cli_put_plural(s, of, "byte", "bytes");
    else cli_put_plural(s, of, "value", "values");
    cli_put(s, different == 1 ? " differs" : " differ");
  }
  if (largest) put_largest(s, largest);
  if (!unreadable) return;
  cli_put(s, of > 0 ? "; not all can be read in " : "values cannot be read in ");
  cli_put(s, cli_is_text(unreadable, "a") ? "the first model" : cli_is_text(unreadable, "b") ? "the second" : "both");
}

/* --- Members ---------------------------------------------------------------------------------------- */

static bool is_values(yyjson_val *member) { return cpb_json_member(member, "of") != NULL; }

static bool ends_with(cpb_span text, const char *end) {
  size_t size = strlen(end);
  return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

static bool is_of_storage(yyjson_val *member) { return cli_begins(cli_text_at(member, "member"), "stored."); }

/* Whether to leave out a checksum or a stored size, because another member is more informative. */
static bool is_left_out(yyjson_val *members, yyjson_val *member) {
  yyjson_val *first = yyjson_arr_get_first(members), *last = yyjson_arr_get_last(members);
  return is_of_storage(member) && (!is_of_storage(first) || (member != last && is_values(last)));
}

static bool is_checksum(yyjson_val *member) { return ends_with(cli_text_at(member, "member"), "crc32c"); }

static bool is_of_shape(yyjson_val *member) {
  yyjson_val *a = cpb_json_member(member, "a"), *b = cpb_json_member(member, "b");
  return ends_with(cli_text_at(member, "member"), "shape") && (yyjson_is_arr(a) || yyjson_is_arr(b));
}

/* A part that one model lacks, such as an argument of a function; without a name, the contents of the item itself. */
static void put_part(cli_sheet *s, cpb_span name, char sign, yyjson_val *part) {
  if (name.size == 0) {
    cli_put(s, sign == '-' ? "only in the first model" : "only in the second model");
    if (!s->plain) cli_put(s, ": ");
    if (!s->plain) cli_put_value(s, part);
    return;
  }
  cli_put_format(s, "%c", sign);
  cli_put_name(s, name);
  if (!cpb_json_member(part, "dtype")) return;
  cli_put(s, " ");
  cli_put_tensor(s, part);
}

/* "user objects: 12 -> 14" */
static void put_changed_member(cli_sheet *s, yyjson_val *section, yyjson_val *difference, yyjson_val *member) {
  cpb_span name = cli_text_at(member, "member");
  size_t before = s->text.size;
  if (cpb_json_member(member, "renamed")) cli_put(s, "renamed");
  else put_name_of(s, section, difference, name);
  if (s->text.size > before) cli_put(s, ": ");
  if (is_of_shape(member)) put_shapes(s, member);
  else put_change(s, member, has_counts(section, name));
}

static void put_member(cli_sheet *s, yyjson_val *section, yyjson_val *difference, yyjson_val *member) {
  cpb_span name = cli_text_at(member, "member");
  yyjson_val *a = cpb_json_member(member, "a"), *b = cpb_json_member(member, "b");
  if (is_values(member)) put_values(s, member);
  else if (is_checksum(member)) cli_put(s, "values differ, by their checksums");
  else if (ends_with(name, "stored.slices")) cli_put(s, "other slices, or other values in these");
  else if (yyjson_is_obj(a) && yyjson_is_null(b)) put_part(s, name, '-', a);
  else if (yyjson_is_null(a) && yyjson_is_obj(b)) put_part(s, name, '+', b);
  else put_changed_member(s, section, difference, member);
}

void cli_put_difference(cli_sheet *s, yyjson_val *section, yyjson_val *difference) {
  yyjson_val *a = cpb_json_member(difference, "a"), *b = cpb_json_member(difference, "b");
  yyjson_val *member, *members = cpb_json_member(difference, "members");
  size_t i, count, shown = 0;
  if (a || b) put_summary(s, cpb_json_member(difference, "name"), a ? a : b);
  yyjson_arr_foreach(members, i, count, member) {
    if (is_left_out(members, member)) continue;
    if (shown++ > 0) cli_put(s, "; ");
    put_member(s, section, difference, member);
  }
}
