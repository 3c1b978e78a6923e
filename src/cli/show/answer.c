#include "cli/show/answer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "base/utf8.h"

#define DEPTH 1000 /* of the answer: it is ours */
#define COLUMNS_MOST 16
#define CELL_MOST 60 /* characters */
#define INDENT 2

typedef struct shower {
  cli *cli;
  cpb_buffer cell; /* text of one value */
  bool failed;
} shower;

/* --- One value on a line ------------------------------------------------------------- */

static void put(shower *s, const char *text, size_t size) {
  s->failed = s->failed || !cpb_buffer_append(&s->cell, text, size);
}

static void put_text(shower *s, const char *text) { put(s, text, strlen(text)); }

/* What a terminal would act on is shown as U+FFFD. */
static void put_string(shower *s, cpb_span text) {
  while (text.size > 0) {
    size_t length = cpb_utf8_length(text);
    if (length == 0 || cpb_is_control(cpb_utf8_code(text.data, length))) put_text(s, "\xef\xbf\xbd");
    else put(s, (const char *)text.data, length);
    if (length == 0) length = 1;
    text = (cpb_span){text.data + length, text.size - length};
  }
}

static void put_value(shower *s, yyjson_val *value, unsigned depth);

/* A list: of numbers, as a shape is written; of others, one after the other. */
static void put_list(shower *s, yyjson_val *list, unsigned depth) {
  size_t i, count;
  yyjson_val *element, *first = yyjson_arr_get_first(list);
  bool shape = !first || yyjson_is_raw(first) || yyjson_is_null(first);
  if (shape) put_text(s, "[");
  yyjson_arr_foreach(list, i, count, element) {
    if (i > 0) put_text(s, ", ");
    if (shape && yyjson_is_null(element)) put_text(s, "?");
    else put_value(s, element, depth + 1);
  }
  if (shape) put_text(s, "]");
}

/* Nothing to be shown. An empty shape is a scalar's. */
static bool is_absent(const char *key, yyjson_val *value) {
  bool empty = yyjson_is_arr(value) && yyjson_arr_size(value) == 0 && strcmp(key, "shape") != 0;
  return !value || yyjson_is_null(value) || empty;
}

/* A tensor by name, dtype and shape; others as their members. */
static void put_object(shower *s, yyjson_val *object, unsigned depth) {
  size_t i, count, shown = 0;
  yyjson_val *key, *value;
  bool tensor = cpb_json_member(object, "dtype") && cpb_json_member(object, "shape");
  yyjson_obj_foreach(object, i, count, key, value) {
    const char *name = yyjson_get_str(key);
    bool plain = tensor && (strcmp(name, "name") == 0 || strcmp(name, "dtype") == 0 || strcmp(name, "shape") == 0);
    bool shape = plain && strcmp(name, "shape") == 0;
    if (!shape && is_absent(name, value)) continue;
    if (shown++ > 0) put_text(s, shape ? "" : plain ? " " : ", ");
    if (!plain) put_string(s, (cpb_span){(const uint8_t *)name, yyjson_get_len(key)});
    if (!plain) put_text(s, " ");
    if (shape && yyjson_is_null(value)) put_text(s, "[...]");
    else put_value(s, value, depth + 1);
  }
}

/* Nesting is that of the answer; what is too deep for a line is left out. */
static void put_value(shower *s, yyjson_val *value, unsigned depth) {
  cpb_span text;
  if (depth > 8) put_text(s, "...");
  else if (cpb_json_text(value, &text) || cpb_json_number(value, &text)) put_string(s, text);
  else if (yyjson_is_bool(value)) put_text(s, yyjson_get_bool(value) ? "yes" : "no");
  else if (yyjson_is_arr(value)) put_list(s, value, depth);
  else if (yyjson_is_obj(value)) put_object(s, value, depth);
  else put_text(s, "-");
}

/* --- Lines ----------------------------------------------------------------------------- */

static size_t count_characters(cpb_span text, size_t most, size_t *bytes) {
  size_t count = 0;
  *bytes = 0;
  while (*bytes < text.size && count < most) {
    size_t length = cpb_utf8_length((cpb_span){text.data + *bytes, text.size - *bytes});
    *bytes += length > 0 ? length : 1;
    count++;
  }
  return count;
}

static cpb_span format(shower *s, const char *key, yyjson_val *value) {
  s->cell.size = 0;
  if (!is_absent(key, value)) put_value(s, value, 0);
  return (cpb_span){s->cell.data, s->cell.size};
}

static void indent(shower *s, unsigned depth) { cli_print(s->cli, "%*s", (int)(INDENT * depth), ""); }

static void print_line(shower *s, const char *key, yyjson_val *value, unsigned depth) {
  cpb_span text = format(s, key, value);
  indent(s, depth);
  cli_print(s->cli, "%s: ", key);
  cli_print_bytes(s->cli, text.data, text.size);
  cli_print(s->cli, "\n");
}

/* --- Tables ------------------------------------------------------------------------------ */

typedef struct table {
  const char *keys[COLUMNS_MOST];
  size_t widths[COLUMNS_MOST]; /* 0: no row has it */
  size_t columns;
} table;

static void add_column(table *t, const char *key, size_t width) {
  size_t i = 0;
  while (i < t->columns && strcmp(t->keys[i], key) != 0) i++;
  if (i == COLUMNS_MOST) return;
  if (i == t->columns) {
    t->keys[i] = key;
    t->widths[i] = 0;
    t->columns++;
  }
  if (width > t->widths[i]) t->widths[i] = width;
}

static void drop_empty_columns(table *t) {
  size_t kept = 0;
  for (size_t i = 0; i < t->columns; i++) {
    if (t->widths[i] == 0) continue;
    size_t title = strlen(t->keys[i]);
    t->keys[kept] = t->keys[i];
    t->widths[kept++] = t->widths[i] > title ? t->widths[i] : title;
  }
  t->columns = kept;
}

/* A column for each member that any row has, in the order of the members. */
static void measure(shower *s, yyjson_val *list, table *t) {
  size_t i, count, k, members, bytes;
  yyjson_val *row, *key, *value;
  yyjson_arr_foreach(list, i, count, row) {
    yyjson_obj_foreach(row, k, members, key, value) {
      const char *name = yyjson_get_str(key);
      add_column(t, name, count_characters(format(s, name, value), CELL_MOST, &bytes));
    }
  }
  drop_empty_columns(t);
}

/* Filled up to the next column, unless it is the last. */
static void print_cell(shower *s, const table *t, size_t column, cpb_span text) {
  size_t bytes, width = t->widths[column];
  bool last = column + 1 == t->columns;
  size_t shown = count_characters(text, last ? SIZE_MAX : width, &bytes);
  cli_print_bytes(s->cli, text.data, bytes);
  if (!last) cli_print(s->cli, "%*s", (int)(width - shown + 2), "");
}

static void print_table(shower *s, yyjson_val *list, unsigned depth) {
  size_t i, count;
  yyjson_val *row;
  table t = {.columns = 0};
  measure(s, list, &t);
  indent(s, depth);
  for (size_t c = 0; c < t.columns; c++)
    print_cell(s, &t, c, (cpb_span){(const uint8_t *)t.keys[c], strlen(t.keys[c])});
  cli_print(s->cli, "\n");
  yyjson_arr_foreach(list, i, count, row) {
    indent(s, depth);
    for (size_t c = 0; c < t.columns; c++) print_cell(s, &t, c, format(s, t.keys[c], cpb_json_member(row, t.keys[c])));
    cli_print(s->cli, "\n");
  }
}

static bool is_list_of_objects(yyjson_val *value) {
  return yyjson_is_arr(value) && yyjson_is_obj(yyjson_arr_get_first(value));
}

/* --- The answer ----------------------------------------------------------------------------- */

static void print_page(shower *s, const char *key, yyjson_val *page, unsigned depth) {
  cpb_span first = {NULL, 0}, total = {NULL, 0};
  yyjson_val *items = cpb_json_member(page, "items");
  cpb_json_number(cpb_json_member(page, "first"), &first);
  cpb_json_number(cpb_json_member(page, "total"), &total);
  indent(s, depth);
  cli_print(s->cli, "%s: %.*s", key, (int)total.size, (const char *)total.data);
  if (yyjson_arr_size(items) > 0 && !(first.size == 1 && first.data[0] == '0'))
    cli_print(s->cli, ", from %.*s on", (int)first.size, (const char *)first.data);
  cli_print(s->cli, "\n");
  if (is_list_of_objects(items)) print_table(s, items, depth + 1);
}

static void print_members(shower *s, yyjson_val *object, unsigned depth);

static void print_member(shower *s, const char *key, yyjson_val *value, unsigned depth) {
  if (cpb_json_member(value, "items")) {
    print_page(s, key, value, depth);
  } else if (is_list_of_objects(value)) {
    indent(s, depth);
    cli_print(s->cli, "%s:\n", key);
    print_table(s, value, depth + 1);
  } else if (yyjson_is_obj(value) && depth < 8) {
    indent(s, depth);
    cli_print(s->cli, "%s:\n", key);
    print_members(s, value, depth + 1);
  } else {
    print_line(s, key, value, depth);
  }
}

static void print_members(shower *s, yyjson_val *object, unsigned depth) {
  size_t i, count;
  yyjson_val *key, *value;
  yyjson_obj_foreach(object, i, count, key, value) {
    if (!is_absent(yyjson_get_str(key), value)) print_member(s, yyjson_get_str(key), value, depth);
  }
}

bool cli_show_value(cli *c, yyjson_val *value) {
  shower s = {.cli = c};
  cpb_buffer_init(&s.cell, &c->allocator);
  put_value(&s, value, 0);
  cli_print_bytes(c, s.cell.data, s.cell.size);
  cpb_buffer_free(&s.cell);
  return !s.failed;
}

int cli_show_answer(cli *c, const char *json, size_t size) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  shower s = {.cli = c};
  yyjson_doc *answer = cpb_json_read(&c->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &error);
  if (!answer) return cli_fail(c, "the answer", &error);
  cpb_buffer_init(&s.cell, &c->allocator);
  print_members(&s, yyjson_doc_get_root(answer), 0);
  cpb_buffer_free(&s.cell);
  yyjson_doc_free(answer);
  return s.failed ? cli_fail_memory(c) : CLI_OK;
}
