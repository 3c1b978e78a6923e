#include "model/diff/plain.h"

/* The text of an item without the members that only say where it is stored: equal texts are equal items, so most
 * items are compared by their bytes alone. Two files with the same model but another order of fields or other
 * padding must give the same texts. The item as it was answered is kept apart, for the values. */

typedef struct writer {
  cpb_json_writer *out;
  const char *const *ignored;
  bool deep, as_it_is;
} writer;

static bool is_range(yyjson_val *value) {
  return yyjson_is_obj(value) && yyjson_obj_size(value) == 2 && cpb_json_member(value, "offset") &&
         cpb_json_member(value, "size");
}

/* Whether the object has values, in the message or in another file. */
static bool is_tensor(yyjson_val *object) {
  static const char *const members[] = {"external", "field", "elements"};
  if (is_range(cpb_json_member(object, "tensor"))) return true;
  if (!cpb_json_member(object, "dtype") || !cpb_json_member(object, "size")) return false;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (cpb_json_member(object, members[i])) return true;
  return false;
}

/* Members of an object that describe its storage, and are left out. */
static const char *const *storage_of(yyjson_val *object) {
  static const char *const of_tensor[] =
      {"size",    "field",   "values",       "tensor",   "elements", "bytes",
       "weights", "preview", "preview_more", "external", NULL}, /* how it is stored */
      *const of_range[] = {"offset", NULL}, *const none[] = {NULL};
  if (is_tensor(object)) return of_tensor;
  return is_range(object) ? of_range : none;
}

static bool is_in(const char *const *list, const char *key) {
  for (size_t i = 0; list && list[i]; i++)
    if (strcmp(list[i], key) == 0) return true;
  return false;
}

/* Whether this is the name of an argument without a user's name: TensorFlow numbers these in each run. */
static bool is_of_one_run(const char *key, yyjson_val *value) {
  cpb_span text;
  if (strcmp(key, "user_name") != 0 || !cpb_json_text(value, &text)) return false;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return true;
}

/* Whether this is the number of an item without a name. */
static bool is_number(const char *key, yyjson_val *value) {
  cpb_span text;
  return strcmp(key, "name") == 0 && cpb_json_text(value, &text) && text.size > 0 && text.data[0] == '#';
}

static void write_value(writer *w, const char *key, yyjson_val *value, unsigned depth);

static void write_list(writer *w, const char *key, yyjson_val *list, unsigned depth) {
  size_t i, count;
  yyjson_val *element;
  cpb_json_writer_open(w->out, key, '[');
  yyjson_arr_foreach(list, i, count, element) write_value(w, NULL, element, depth + 1);
  cpb_json_writer_close(w->out, ']');
}

static void write_object(writer *w, const char *key, yyjson_val *object, unsigned depth) {
  size_t i, count;
  yyjson_val *name, *value;
  const char *const *ignored = depth == 0 || w->deep ? w->ignored : NULL;
  const char *const *storage = w->as_it_is ? NULL : storage_of(object);
  cpb_json_writer_open(w->out, key, '{');
  yyjson_obj_foreach(object, i, count, name, value) {
    if (is_in(ignored, yyjson_get_str(name)) || is_in(storage, yyjson_get_str(name))) continue;
    if (!w->as_it_is && is_of_one_run(yyjson_get_str(name), value)) continue;
    if (!w->as_it_is && depth == 0 && is_number(yyjson_get_str(name), value)) continue;
    cpb_json_writer_key(w->out, (cpb_span){(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)});
    write_value(w, NULL, value, depth + 1);
  }
  cpb_json_writer_close(w->out, '}');
}

static void write_value(writer *w, const char *key, yyjson_val *value, unsigned depth) {
  cpb_span text;
  if (!value || depth > CPB_DIFF_DEPTH) cpb_json_writer_null(w->out, key);
  else if (cpb_json_text(value, &text)) cpb_json_writer_span(w->out, key, text);
  else if (cpb_json_number(value, &text)) cpb_json_writer_raw(w->out, key, text);
  else if (yyjson_is_bool(value)) cpb_json_writer_bool(w->out, key, yyjson_get_bool(value));
  else if (yyjson_is_arr(value)) write_list(w, key, value, depth);
  else if (yyjson_is_obj(value)) write_object(w, key, value, depth);
  else cpb_json_writer_null(w->out, key);
}

void cpb_diff_plain(cpb_json_writer *out, yyjson_val *value, const char *const *ignored, bool deep) {
  writer w = {out, ignored, deep, false};
  write_value(&w, NULL, value, 0);
}

void cpb_diff_copy(cpb_json_writer *out, const char *key, yyjson_val *value) {
  writer w = {.out = out, .as_it_is = true};
  write_value(&w, key, value, 0);
}
