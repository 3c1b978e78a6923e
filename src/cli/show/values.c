#include "cli/show/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

#define DEPTH_MOST 8 /* deeper values do not fit on a line */
#define TOLD_MOST 1024

/* --- Numbers ------------------------------------------------------------------------ */

void cli_put_count(cli_sheet *s, uint64_t count) {
  char digits[24], text[32];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, count), out = 0;
  for (int i = 0; i < length; i++) {
    if (!s->plain && i > 0 && (length - i) % 3 == 0) text[out++] = ',';
    text[out++] = digits[i];
  }
  text[out] = 0;
  cli_put(s, text);
}

void cli_put_size(cli_sheet *s, uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = (double)bytes;
  size_t unit = 0;
  if (s->plain) {
    cli_put_count(s, bytes);
    return;
  }
  while (size >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
    size /= 1024;
    unit++;
  }
  cli_put_format(s, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
}

void cli_put_share(cli_sheet *s, uint64_t part, uint64_t whole) {
  double share = whole > 0 ? 100 * (double)part / (double)whole : 0;
  cli_put_format(s, part > 0 && share < 0.5 ? "<1 %%" : "%.0f %%", share);
}

void cli_put_plural(cli_sheet *s, uint64_t count, const char *one, const char *more) {
  cli_put_count(s, count);
  cli_put(s, " ");
  cli_put(s, count == 1 ? one : more);
}

/* --- Tensors ---------------------------------------------------------------------------- */

bool cli_begins(cpb_span text, const char *word) {
  return text.size >= strlen(word) && memcmp(text.data, word, strlen(word)) == 0;
}

/* TensorFlow's names and ND4J's; the rest of the name, such as the digits, is kept. */
void cli_put_dtype(cli_sheet *s, cpb_span dtype) {
  static const struct {
    const char *name, *shown;
    bool whole;
  } names[] = {{"float8_", "f8_", false},   {"float4_", "f4_", false}, {"float", "f", false},
               {"bfloat16", "bf16", false}, {"uint", "u", false},      {"int", "i", false},
               {"complex", "c", false},     {"double", "f64", false},  {"half", "f16", false},
               {"FLOAT", "f32", true},      {"DOUBLE", "f64", true},   {"HALF", "f16", true},
               {"BFLOAT16", "bf16", true},  {"FLOAT8", "f8", true},    {"INT", "i", false},
               {"UINT", "u", false},        {"BOOL", "bool", true},    {"UTF8", "string", true}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i].name);
    if (!cli_begins(dtype, names[i].name) || (names[i].whole && dtype.size != length)) continue;
    cli_put(s, names[i].shown);
    cli_put_name(s, (cpb_span){dtype.data + length, dtype.size - length});
    return;
  }
  cli_put_name(s, dtype);
}

void cli_put_shape(cli_sheet *s, yyjson_val *shape) {
  size_t i, count;
  yyjson_val *dimension;
  cpb_span text;
  if (!yyjson_is_arr(shape)) {
    cli_put(s, "[*]");
    return;
  }
  cli_put(s, "[");
  yyjson_arr_foreach(shape, i, count, dimension) {
    if (i > 0) cli_put(s, ",");
    if (cpb_json_number(dimension, &text) || cpb_json_text(dimension, &text)) cli_put_name(s, text);
    else cli_put(s, "?");
  }
  cli_put(s, "]");
}

static void put_type(cli_sheet *s, yyjson_val *type, unsigned depth);

/* image[rgb,224x224] */
static void put_image(cli_sheet *s, yyjson_val *image) {
  cli_put(s, "[");
  cli_put_name(s, cli_text_at(image, "color"));
  cli_put_format(s, ",%llux%llu]", (unsigned long long)cli_number_at(image, "width"),
                 (unsigned long long)cli_number_at(image, "height"));
}

/* The name of a type other than a tensor, and its element types: sequence(f32[3]). */
static void put_named_type(cli_sheet *s, yyjson_val *type, unsigned depth) {
  yyjson_obj_iter members = yyjson_obj_iter_with(type);
  yyjson_val *key = yyjson_obj_iter_next(&members), *held = key ? yyjson_obj_iter_get_val(key) : NULL;
  if (!key) return;
  cli_put_name(s, (cpb_span){(const uint8_t *)yyjson_get_str(key), yyjson_get_len(key)});
  if (cpb_json_member(held, "color")) {
    put_image(s, held);
  } else if (yyjson_is_obj(held)) {
    yyjson_val *value = cpb_json_member(held, "value");
    cli_put(s, "(");
    if (cli_text_at(held, "key").size > 0) cli_put_dtype(s, cli_text_at(held, "key"));
    if (cli_text_at(held, "key").size > 0 && value) cli_put(s, ",");
    put_type(s, value ? value : held, depth + 1);
    cli_put(s, ")");
  }
}

static void put_type(cli_sheet *s, yyjson_val *type, unsigned depth) {
  enum { DEEPEST = 8 };
  yyjson_val *shape = cpb_json_member(type, "shape"), *other = cpb_json_member(type, "type");
  const cpb_span dtype = cli_text_at(type, "dtype");
  if (dtype.size > 0) cli_put_dtype(s, dtype);
  if (shape) cli_put_shape(s, shape);
  if (yyjson_is_obj(other) && depth < DEEPEST) put_named_type(s, other, depth);
}

void cli_put_tensor(cli_sheet *s, yyjson_val *tensor) { put_type(s, tensor, 0); }

/* --- Any value ------------------------------------------------------------------------------ */

static void put_value(cli_sheet *s, yyjson_val *value, unsigned depth);

/* A list of numbers in the notation of a shape; other items one after the other. */
static void put_list(cli_sheet *s, yyjson_val *list, unsigned depth) {
  size_t i, count;
  yyjson_val *element, *first = yyjson_arr_get_first(list);
  bool shape = !first || yyjson_is_raw(first) || yyjson_is_null(first);
  if (shape) {
    cli_put_shape(s, list);
    return;
  }
  yyjson_arr_foreach(list, i, count, element) {
    if (i > 0) cli_put(s, ", ");
    put_value(s, element, depth + 1);
  }
}

/* Whether there is nothing to show. An empty shape is that of a scalar. */
static bool is_absent(const char *key, yyjson_val *value) {
  bool empty = yyjson_is_arr(value) && yyjson_arr_size(value) == 0 && strcmp(key, "shape") != 0;
  return yyjson_is_null(value) || empty;
}

/* A tensor by name, dtype and shape; other objects by their members. */
static void put_object(cli_sheet *s, yyjson_val *object, unsigned depth) {
  size_t i, count, shown = 0;
  yyjson_val *key, *value;
  bool tensor = cpb_json_member(object, "dtype") && cpb_json_member(object, "shape");
  yyjson_obj_foreach(object, i, count, key, value) {
    const char *name = yyjson_get_str(key);
    bool plain = tensor && (strcmp(name, "name") == 0 || strcmp(name, "dtype") == 0);
    if ((tensor && strcmp(name, "shape") == 0) || is_absent(name, value)) continue;
    if (shown++ > 0) cli_put(s, plain ? " " : ", ");
    if (!plain) cli_put_name(s, (cpb_span){(const uint8_t *)name, yyjson_get_len(key)});
    if (!plain) cli_put(s, " ");
    if (plain && name[0] == 'd') cli_put_tensor(s, object);
    else if (strcmp(name, "shape") == 0) cli_put_shape(s, value);
    else put_value(s, value, depth + 1);
  }
}

/* Content that is too long to be part of an answer. */
static void put_omitted(cli_sheet *s, yyjson_val *range) {
  cli_put_size(s, cli_number_at(range, "size"));
  cli_put_format(s, " at byte %llu", (unsigned long long)cli_number_at(range, "offset"));
}

static void put_value(cli_sheet *s, yyjson_val *value, unsigned depth) {
  cpb_span text;
  yyjson_val *omitted = cpb_json_member(value, "omitted");
  if (depth > DEPTH_MOST) cli_put(s, "...");
  else if (cpb_json_text(value, &text) || cpb_json_number(value, &text)) cli_put_name(s, text);
  else if (yyjson_is_bool(value)) cli_put(s, yyjson_get_bool(value) ? "yes" : "no");
  else if (yyjson_is_arr(value)) put_list(s, value, depth);
  else if (omitted) put_omitted(s, omitted);
  else if (yyjson_is_obj(value)) put_object(s, value, depth);
  else cli_put(s, "-");
}

void cli_put_value(cli_sheet *s, yyjson_val *value) { put_value(s, value, 0); }

/* --- Structured values ------------------------------------------------------------------------ */

static void put_structured(cli_sheet *s, yyjson_val *value, unsigned depth);

static void put_elements(cli_sheet *s, yyjson_val *list, const char *brackets, unsigned depth) {
  size_t i, count;
  yyjson_val *element;
  cli_put_format(s, "%c", brackets[0]);
  yyjson_arr_foreach(list, i, count, element) {
    if (i > 0) cli_put(s, ", ");
    put_structured(s, element, depth + 1);
  }
  cli_put_format(s, "%c", brackets[1]);
}

static void put_fields(cli_sheet *s, yyjson_val *fields, const char *brackets, unsigned depth) {
  size_t i, count;
  yyjson_val *key, *value;
  cli_put_format(s, "%c", brackets[0]);
  yyjson_obj_foreach(fields, i, count, key, value) {
    if (i > 0) cli_put(s, ", ");
    cli_put_name(s, (cpb_span){(const uint8_t *)yyjson_get_str(key), yyjson_get_len(key)});
    cli_put(s, ": ");
    put_structured(s, value, depth + 1);
  }
  cli_put_format(s, "%c", brackets[1]);
}

static void put_structured(cli_sheet *s, yyjson_val *value, unsigned depth) {
  yyjson_val *spec = cpb_json_member(value, "tensor_spec"), *tuple = cpb_json_member(value, "tuple");
  yyjson_val *dict = cpb_json_member(value, "dict"), *named = cpb_json_member(value, "fields");
  if (!spec) spec = cpb_json_member(value, "tensor");
  if (depth > DEPTH_MOST) cli_put(s, "...");
  else if (spec) cli_put_tensor(s, spec);
  else if (tuple) put_elements(s, tuple, "()", depth);
  else if (dict) put_fields(s, dict, "{}", depth);
  else if (yyjson_is_arr(value)) put_elements(s, value, "[]", depth);
  else if (named) {
    cli_put_name(s, cli_text_at(value, "named_tuple"));
    put_fields(s, named, "()", depth);
  } else if (cpb_json_member(value, "type_spec")) cli_put_name(s, cli_text_at(value, "type_spec"));
  else put_value(s, value, depth);
}

void cli_put_structured(cli_sheet *s, yyjson_val *value) { put_structured(s, value, 0); }

/* --- Members ---------------------------------------------------------------------------------- */

uint64_t cli_number_at(yyjson_val *object, const char *key) {
  uint64_t number = 0;
  cpb_json_unsigned(cpb_json_member(object, key), &number);
  return number;
}

cpb_span cli_text_at(yyjson_val *object, const char *key) {
  cpb_span text = {NULL, 0};
  cpb_json_text(cpb_json_member(object, key), &text);
  return text;
}

bool cli_is_text(yyjson_val *value, const char *text) {
  cpb_span found;
  return cpb_json_text(value, &found) && cli_is_same(found, cli_span(text));
}

/* --- Messages --------------------------------------------------------------------------------- */

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(uint8_t c) { return c >= 'a' && c <= 'z'; }

/* Whether the word before `end`, or at `begin`, is one of those that go with a number. */
static bool is_one_of(cpb_span text, size_t begin, size_t end, const char *const *words) {
  for (; *words; words++)
    if (strlen(*words) == end - begin && memcmp(text.data + begin, *words, end - begin) == 0) return true;
  return false;
}

static bool is_place(cpb_span text, size_t number) {
  static const char *const words[] = {"byte", "bytes", NULL};
  size_t end = number > 0 && text.data[number - 1] == ' ' ? number - 1 : 0, begin = end;
  while (begin > 0 && is_letter(text.data[begin - 1])) begin--;
  return is_one_of(text, begin, end, words);
}

static bool is_count(cpb_span text, size_t number, size_t end) {
  static const char *const words[] = {"bytes",   "chunks", "elements", "entries",   "files", "more",  "nodes",
                                      "records", "slices", "strings",  "variables", "are",   "steps", NULL};
  if (number > 0 && text.data[number - 1] != ' ' && text.data[number - 1] != '(') return false;
  if (end >= text.size || text.data[end] != ' ') return false;
  size_t last = ++end;
  while (last < text.size && is_letter(text.data[last])) last++;
  return is_one_of(text, end, last, words);
}

static size_t put_digits(char *out, size_t at, size_t size, const uint8_t *digits, size_t count, bool grouped) {
  for (size_t i = 0; i < count && at + 2 < size; i++) {
    if (grouped && i > 0 && (count - i) % 3 == 0) out[at++] = ',';
    out[at++] = (char)digits[i];
  }
  return at;
}

void cli_tell(char *out, size_t size, cpb_span text) {
  size_t at = 0;
  for (size_t i = 0; i < text.size && at + 2 < size;) {
    size_t end = i;
    while (end < text.size && is_digit(text.data[end])) end++;
    if (end == i) {
      out[at++] = (char)text.data[i++];
      continue;
    }
    at = put_digits(out, at, size, text.data + i, end - i, is_place(text, i) || is_count(text, i, end));
    i = end;
  }
  out[at] = 0;
}

void cli_put_problem(cli_sheet *s, yyjson_val *problem) {
  char told[TOLD_MOST];
  uint64_t offset;
  const cpb_span text = cli_text_at(problem, "text");
  if (cpb_json_unsigned(cpb_json_member(problem, "offset"), &offset)) {
    cli_put(s, "byte ");
    cli_put_count(s, offset);
    cli_put(s, ": ");
  }
  cli_tell(told, sizeof told, text);
  cli_put_name(s, s->plain ? text : cli_span(told));
}
