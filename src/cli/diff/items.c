/* Reading lists of both models, and what the result says of them. */
#include "base/checked.h"
#include "base/status.h"
#include "cli/diff/diff.h"

#define PAGE 2000
#define DEPTH 1000 /* of an answer: it is ours */

bool diff_ok(const diff *d) { return d->status == CLI_OK; }

bool diff_fail_memory(diff *d) {
  if (diff_ok(d)) d->status = cli_fail_memory(d->cli);
  return false;
}

yyjson_doc *diff_ask(diff *d, int side, cpb_question_kind kind, cpb_span name, uint64_t first) {
  size_t size;
  cpb_error error;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = kind,
                                 .meta_graph = d->meta_graph,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .scope = (const char *)d->tag.data,
                                 .scope_size = d->tag.size,
                                 .first = first,
                                 .count = PAGE};
  yyjson_doc *doc = NULL;
  const char *json = cpb_model_file_ask(d->files[side], &question, &size, &error);
  if (json) doc = cpb_json_read(&d->cli->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  if (!doc) d->status = cli_model_fail(d->cli, d->files[side], &error);
  return doc;
}

uint64_t diff_number(yyjson_val *object, const char *key) {
  uint64_t number = 0;
  cpb_json_unsigned(cpb_json_member(object, key), &number);
  return number;
}

/* --- Items ---------------------------------------------------------------------------- */

void diff_items_init(diff *d, diff_items *items) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_table_init(&items->plain[side], &d->cli->allocator);
    cpb_diff_table_init(&items->whole[side], &d->cli->allocator);
  }
}

void diff_items_free(diff_items *items) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_table_free(&items->plain[side]);
    cpb_diff_table_free(&items->whole[side]);
  }
}

/* Functions go by their names in the first model, where both have them. */
static cpb_span common_name(const diff *d, int side, cpb_span text) {
  const cpb_diff_pair *pair = side == 1 ? cpb_diff_pairs_find(&d->pairs, side, text) : NULL;
  return pair && pair->names[0].data ? pair->names[0] : text;
}

typedef struct key_writer {
  const diff *d;
  int side;
  cpb_buffer *key;
  bool failed;
  size_t begin;
} key_writer;

static void put_part(key_writer *w, cpb_span text) {
  const char *between = w->key->size > w->begin ? " " : "";
  cpb_span name = common_name(w->d, w->side, text);
  w->failed = w->failed || !cpb_buffer_append(w->key, between, strlen(between)) ||
              !cpb_buffer_append(w->key, name.data, name.size);
}

/* A member's text, or those of a list of texts. */
static void put_member(key_writer *w, yyjson_val *value) {
  size_t i, count;
  yyjson_val *element;
  cpb_span text;
  if (cpb_json_text(value, &text)) put_part(w, text);
  if (!yyjson_is_arr(value)) return;
  yyjson_arr_foreach(value, i, count, element) {
    if (cpb_json_text(element, &text)) put_part(w, text);
  }
}

static bool put_key(key_writer *w, const cpb_diff_list *list, yyjson_val *item) {
  for (size_t i = 0; list->keys[i]; i++) {
    bool instead = list->keys[i][0] == '?';
    if (!instead || w->key->size == w->begin) put_member(w, cpb_json_member(item, list->keys[i] + instead));
  }
  return !w->failed;
}

static bool add(diff *d, const cpb_diff_list *list, int side, cpb_span key, yyjson_val *item, diff_items *items) {
  return (cpb_diff_table_add(&items->plain[side], key, item, list->ignored, list->deep) &&
          cpb_diff_table_add_whole(&items->whole[side], key, item)) ||
         diff_fail_memory(d);
}

static bool add_list(diff *d, const cpb_diff_list *list, int side, yyjson_val *from, cpb_span prefix,
                     diff_items *items) {
  size_t i, count;
  yyjson_val *item;
  cpb_buffer key;
  cpb_buffer_init(&key, &d->cli->allocator);
  yyjson_arr_foreach(from, i, count, item) {
    key.size = 0;
    key_writer w = {d, side, &key, !cpb_buffer_append(&key, prefix.data, prefix.size), prefix.size};
    if (!put_key(&w, list, item)) diff_fail_memory(d);
    if (!diff_ok(d) || !add(d, list, side, (cpb_span){key.data, key.size}, item, items)) break;
  }
  cpb_buffer_free(&key);
  return diff_ok(d);
}

/* Each member of the answer is an item. */
static bool add_members(diff *d, const cpb_diff_list *list, int side, yyjson_val *answer, diff_items *items) {
  size_t i, count;
  yyjson_val *name, *value;
  yyjson_obj_foreach(answer, i, count, name, value) {
    cpb_span key = {(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)};
    bool ignored = false;
    for (size_t k = 0; list->ignored && list->ignored[k]; k++) ignored = ignored || cpb_span_is(key, list->ignored[k]);
    if (!ignored && !add(d, list, side, key, value, items)) return false;
  }
  return true;
}

bool diff_read(diff *d, const cpb_diff_list *list, int side, cpb_span name, cpb_span prefix, diff_items *items) {
  for (uint64_t first = 0;;) {
    yyjson_doc *doc = diff_ask(d, side, list->question, name, first);
    if (!doc) return false;
    yyjson_val *answer = yyjson_doc_get_root(doc), *value = list->member ? cpb_json_member(answer, list->member) : NULL;
    yyjson_val *page = cpb_json_member(value, "items");
    size_t count = yyjson_arr_size(page);
    if (!list->member) add_members(d, list, side, answer, items);
    else add_list(d, list, side, page ? page : value, prefix, items);
    yyjson_doc_free(doc);
    first += count;
    if (!diff_ok(d) || count < PAGE) return diff_ok(d);
  }
}

bool diff_read_one(diff *d, const cpb_diff_list *list, int side, cpb_span name, cpb_span key, diff_items *items) {
  yyjson_doc *doc = diff_ask(d, side, list->question, name, 0);
  if (doc) add(d, list, side, key, yyjson_doc_get_root(doc), items);
  yyjson_doc_free(doc);
  return diff_ok(d);
}

bool diff_sort(diff *d, diff_items *items) {
  for (int side = 0; side < 2; side++) {
    if (!cpb_diff_table_sort(&items->plain[side]) || !cpb_diff_table_sort(&items->whole[side]))
      return diff_fail_memory(d);
  }
  return true;
}

cpb_diff_join diff_join(const diff_items *items) {
  return (cpb_diff_join){.tables = {&items->plain[0], &items->plain[1]}};
}

/* --- Sections --------------------------------------------------------------------------- */

diff_section diff_begin(diff *d, const char *name, cpb_span function) {
  diff_section s = {.begin = d->out.out.size, .comma = d->out.comma};
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "section", name);
  if (d->kinds[0] == CPB_MODEL_SAVED_MODEL) cpb_json_writer_unsigned(&d->out, "meta_graph", d->meta_graph);
  if (d->tag.data) cpb_json_writer_span(&d->out, "tag", d->tag);
  if (function.data) cpb_json_writer_span(&d->out, "function", function);
  cpb_json_writer_open(&d->out, "differences", '[');
  return s;
}

void diff_end(diff *d, diff_section *s, bool even_if_same) {
  bool differs = s->added + s->removed + s->changed > 0;
  d->different = d->different || differs;
  cpb_json_writer_close(&d->out, ']');
  cpb_json_writer_unsigned(&d->out, "added", s->added);
  cpb_json_writer_unsigned(&d->out, "removed", s->removed);
  cpb_json_writer_unsigned(&d->out, "changed", s->changed);
  cpb_json_writer_unsigned(&d->out, "same", s->same);
  cpb_json_writer_close(&d->out, '}');
  if (!cpb_json_writer_ok(&d->out)) diff_fail_memory(d);
  if (differs || (even_if_same && s->same > 0)) return;
  d->out.out.size = s->begin;
  d->out.comma = s->comma;
}

bool diff_open_one(diff *d, diff_section *s, const char *change, cpb_span name, uint64_t *counter) {
  bool room = s->added + s->removed + s->changed < d->most;
  ++*counter;
  if (!room) return false;
  cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_text(&d->out, "change", change);
  cpb_json_writer_span(&d->out, "name", name);
  return true;
}

void diff_close_one(diff *d) { cpb_json_writer_close(&d->out, '}'); }

static bool lonely(diff *d, diff_section *s, const cpb_diff_table *table, const cpb_diff_item *item, int side) {
  uint64_t *counter = side == 0 ? &s->removed : &s->added;
  if (!diff_open_one(d, s, side == 0 ? "removed" : "added", cpb_diff_key(table, item), counter)) return true;
  cpb_json_writer_raw(&d->out, side == 0 ? "a" : "b", cpb_diff_text(table, item));
  diff_close_one(d);
  return true;
}

static bool changed(diff *d, diff_section *s, cpb_span name, const cpb_span texts[2]) {
  bool differs;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  size_t begin = d->out.out.size;
  bool comma = d->out.comma;
  uint64_t counted = s->changed;
  bool shown = diff_open_one(d, s, "changed", name, &counted);
  if (!shown) cpb_json_writer_open(&d->out, NULL, '{');
  cpb_json_writer_open(&d->out, "members", '[');
  bool done = cpb_diff_members(&d->cli->allocator, &d->pairs, texts, &d->out, &differs, &error);
  cpb_json_writer_close(&d->out, ']');
  diff_close_one(d);
  if (!done) d->status = cli_fail(d->cli, "the answers", &error);
  if (!differs || !shown) {
    d->out.out.size = begin;
    d->out.comma = comma;
  }
  *(differs ? &s->changed : &s->same) += 1;
  return done;
}

bool diff_item(diff *d, diff_section *s, const diff_items *items, const cpb_diff_join *join) {
  cpb_span texts[2];
  for (int side = 0; side < 2; side++) {
    if (!join->items[!side]) return lonely(d, s, &items->plain[side], join->items[side], side);
    texts[side] = join->items[side] ? cpb_diff_text(&items->plain[side], join->items[side]) : (cpb_span){NULL, 0};
  }
  if (!cpb_span_equal(texts[0], texts[1])) return changed(d, s, cpb_diff_key(&items->plain[0], join->items[0]), texts);
  s->same++;
  return true;
}

bool diff_section_of(diff *d, const char *name, cpb_span function, diff_items *items) {
  diff_section s = diff_begin(d, name, function);
  if (diff_sort(d, items)) {
    cpb_diff_join join = diff_join(items);
    while (diff_ok(d) && cpb_diff_join_next(&join)) diff_item(d, &s, items, &join);
  }
  diff_end(d, &s, !function.data);
  return diff_ok(d);
}
