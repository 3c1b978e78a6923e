#include "cli/show/diff_words.h"

#define ANY NULL

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

static bool is(cpb_span text, const char *word) {
  return word && text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

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
  static const cpb_span none = {NULL, 0};
  if (s->plain) cli_put_value(s, cpb_json_member(section, "section"));
  else put_words(s, find(section, none, none), cli_text_at(section, "section"));
}

void cli_put_item(cli_sheet *s, yyjson_val *section, yyjson_val *difference) {
  static const cpb_span none = {NULL, 0};
  cpb_span name = cli_text_at(difference, "name");
  bool facts = is_of(section, "overview") || is_of(section, "tag");
  if (s->plain || !facts) cli_put_name(s, name);
  else put_words(s, find(section, name, none), name);
}

void cli_put_member(cli_sheet *s, yyjson_val *section, yyjson_val *difference, cpb_span member) {
  static const char kinds[] = "kinds.";
  const size_t prefix = sizeof kinds - 1;
  if (s->plain) {
    cli_put_name(s, member);
  } else if (is_of(section, "overview") && member.size > prefix && memcmp(member.data, kinds, prefix) == 0) {
    put_spaced(s, (cpb_span){member.data + prefix, member.size - prefix});
    cli_put(s, "s");
  } else if (member.size > 0) {
    put_words(s, find(section, cli_text_at(difference, "name"), member), member);
  }
}

bool cli_is_count(yyjson_val *section, cpb_span member) {
  return is_of(section, "overview") || is_of(section, "ops") || is(member, "parameters") ||
         is(member, "trainable_parameters");
}
