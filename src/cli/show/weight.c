#include "cli/show/show.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/show/sheet.h"

#define DEPTH 100
#define SHOWN 8   /* of the first values */
#define HEIGHT 4  /* lines of the histogram */
#define EIGHTHS 8 /* in a character of it */

typedef struct weight {
  cli_sheet sheet;
  cli_asker asker;
  cpb_span name;
  yyjson_doc *statistics;
  yyjson_val *item; /* of the list; NULL if it is not listed */
  size_t width;     /* of the words */
} weight;

/* --- Asking ------------------------------------------------------------------------------------- */

/* The statistics as text, or NULL after the message. */
static const char *count_values(weight *w, size_t *size) {
  cpb_error error;
  const cli_settings *s = &w->sheet.cli->settings;
  const cpb_values_options values = {.struct_size = sizeof values,
                                     .scope = s->scope,
                                     .scope_size = s->scope ? strlen(s->scope) : 0,
                                     .meta_graph = cli_number32(s->meta_graph)};
  const cpb_model_statistics_options how = {
      .struct_size = sizeof how, .axis = s->given & CLI_BIT(AXIS) ? cli_number32(s->axis) + 1 : 0, .values = &values};
  const char *json = cpb_model_file_statistics(w->asker.model, s->name, w->name.size, &how, size, &error);
  if (!json) w->asker.status = cli_model_fail(w->sheet.cli, w->asker.model, &error);
  return json;
}

/* --- Lines -------------------------------------------------------------------------------------- */

/* The word, in its column; for a program a field. */
static void begin(weight *w, const char *word) {
  if (w->sheet.plain) cli_put_format(&w->sheet, "%s\t", word);
  else cli_put_format(&w->sheet, "  %-*s  ", (int)w->width, word);
}

static void end(weight *w) { cli_end_line(&w->sheet, CLI_NORMAL, CLI_WRAP); }

static void show_text(weight *w, const char *word, cpb_span text) {
  if (text.size == 0) return;
  begin(w, word);
  cli_put_name(&w->sheet, text);
  end(w);
}

static double number_of(yyjson_val *value) {
  char digits[64];
  cpb_span text;
  if (!cpb_json_number(value, &text)) return 0;
  snprintf(digits, sizeof digits, "%.*s", (int)text.size, (const char *)text.data);
  return strtod(digits, NULL);
}

/* Five digits of a fraction are enough for a person. */
static void put_number(weight *w, yyjson_val *value) {
  cpb_span text;
  const bool fraction = cpb_json_number(value, &text) && strspn((const char *)text.data, "-0123456789") < text.size;
  if (w->sheet.plain || !fraction) cli_put_value(&w->sheet, value);
  else cli_put_format(&w->sheet, "%.5g", number_of(value));
}

static void show_number(weight *w, const char *word, yyjson_val *number) {
  if (!number) return;
  begin(w, word);
  put_number(w, number);
  end(w);
}

static void show_count(weight *w, const char *word, yyjson_val *numbers, const char *member, uint64_t all) {
  const uint64_t count = cli_number_at(numbers, member);
  if (count == 0 && !w->sheet.plain) return;
  begin(w, word);
  cli_put_count(&w->sheet, count);
  if (!w->sheet.plain) cli_put(&w->sheet, "  ");
  if (!w->sheet.plain) cli_put_share(&w->sheet, count, all);
  end(w);
}

/* --- What it is ---------------------------------------------------------------------------------- */

static void put_offset(weight *w, uint64_t offset) {
  cli_put(&w->sheet, w->sheet.plain ? "\t" : ", at byte ");
  cli_put_count(&w->sheet, offset);
}

/* The file with the values; for those in the model itself, their place in the message. */
static void show_place(weight *w) {
  yyjson_val *stored = cpb_json_member(w->item, "stored"), *external = cpb_json_member(w->item, "external");
  yyjson_val *values = cpb_json_member(w->item, "values"), *at = yyjson_is_obj(stored) ? stored : external;
  const uint32_t shard = (uint32_t)cli_number_at(stored, "shard");
  const char *path = yyjson_is_obj(stored) ? cpb_model_file_shard(w->asker.model, shard) : NULL;
  const cpb_span entry = cli_text_at(w->item, "entry");
  if (!yyjson_is_obj(at) && !yyjson_is_obj(values) && entry.size == 0) return;
  begin(w, "stored in");
  if (path) cli_put_name(&w->sheet, cli_span(path));
  else if (yyjson_is_obj(external)) cli_put_name(&w->sheet, cli_text_at(external, "location"));
  else if (entry.size > 0) cli_put_name(&w->sheet, entry);
  else cli_put(&w->sheet, "the model");
  if (yyjson_is_obj(at) || yyjson_is_obj(values))
    put_offset(w, cli_number_at(yyjson_is_obj(at) ? at : values, "offset"));
  cli_end_line(&w->sheet, CLI_NORMAL, CLI_KEEP);
}

static void show_title(weight *w, yyjson_val *statistics) {
  if (w->sheet.plain) cli_put(&w->sheet, "name\t");
  cli_put_name(&w->sheet, w->name);
  w->sheet.bold = w->sheet.text.size;
  cli_put(&w->sheet, w->sheet.plain ? "\t" : "  ");
  cli_put_tensor(&w->sheet, statistics);
  cli_put(&w->sheet, w->sheet.plain ? "\t" : "  ");
  cli_put_size(&w->sheet, cli_number_at(statistics, "size"));
  cli_end_line(&w->sheet, CLI_NORMAL, CLI_WRAP);
}

static void show_item(weight *w) {
  const cpb_span layer = cli_text_at(cpb_json_member(w->item, "layer"), "name"), path = cli_text_at(w->item, "path");
  show_text(w, "use", cli_text_at(w->item, "use"));
  show_text(w, "layer", layer);
  if (!cli_is_same(path, w->name)) show_text(w, "path", path);
  show_text(w, "function", cli_text_at(w->item, "function"));
  show_place(w);
}

/* --- The numbers --------------------------------------------------------------------------------- */

static void show_first(weight *w, yyjson_val *first, uint64_t all) {
  size_t i, count;
  yyjson_val *number;
  if (yyjson_arr_size(first) == 0) return;
  begin(w, "first");
  yyjson_arr_foreach(first, i, count, number) {
    if (i == SHOWN && !w->sheet.plain) break;
    if (i > 0) cli_put(&w->sheet, " ");
    put_number(w, number);
  }
  if (all > i && !w->sheet.plain) cli_put(&w->sheet, w->sheet.utf8 ? " \xe2\x80\xa6" : " ...");
  end(w);
}

static void put_range(weight *w, yyjson_val *range) {
  put_number(w, yyjson_arr_get(range, 0));
  cli_put(&w->sheet, w->sheet.plain ? "\t" : " to ");
  put_number(w, yyjson_arr_get(range, 1));
}

static void show_quantized(weight *w, yyjson_val *quantized) {
  if (!yyjson_is_obj(quantized)) return;
  begin(w, "quantized");
  put_range(w, cpb_json_member(quantized, "stored"));
  if (w->sheet.plain) cli_put(&w->sheet, "\t");
  else cli_put(&w->sheet, cpb_json_member(quantized, "scale") ? " with the scale " : " with ");
  if (cpb_json_member(quantized, "scale")) {
    put_number(w, cpb_json_member(quantized, "scale"));
    cli_put(&w->sheet, w->sheet.plain ? "\t" : " and the zero point ");
    put_number(w, cpb_json_member(quantized, "zero_point"));
  } else {
    cli_put_count(&w->sheet, cli_number_at(quantized, "scales"));
    if (!w->sheet.plain) cli_put(&w->sheet, " scales");
  }
  if (!w->sheet.plain) cli_put(&w->sheet, "; these are the real values:");
  end(w);
}

static void show_part(weight *w, const char *word, yyjson_val *part) {
  if (!part) return;
  begin(w, word);
  put_range(w, cpb_json_member(part, "range"));
  cli_put(&w->sheet, w->sheet.plain ? "\t" : "  part ");
  cli_put_count(&w->sheet, cli_number_at(part, "index"));
  end(w);
}

static void show_parts(weight *w, yyjson_val *parts) {
  if (!yyjson_is_obj(parts)) return;
  begin(w, "parts");
  cli_put_count(&w->sheet, cli_number_at(parts, "count"));
  cli_put(&w->sheet, w->sheet.plain ? "\t" : " along dimension ");
  cli_put_count(&w->sheet, cli_number_at(parts, "axis"));
  end(w);
  show_part(w, "narrowest", cpb_json_member(parts, "narrowest"));
  show_part(w, "widest", cpb_json_member(parts, "widest"));
}

/* --- The histogram ------------------------------------------------------------------------------- */

/* A column in a line of the histogram: eighths of a character. */
static void put_bar(weight *w, uint64_t count, uint64_t most, unsigned below) {
  static const char *const bars[] = {" ",
                                     "\xe2\x96\x81",
                                     "\xe2\x96\x82",
                                     "\xe2\x96\x83",
                                     "\xe2\x96\x84",
                                     "\xe2\x96\x85",
                                     "\xe2\x96\x86",
                                     "\xe2\x96\x87",
                                     "\xe2\x96\x88"};
  const double height = (double)count / (double)most * HEIGHT * EIGHTHS;
  unsigned filled = (unsigned)height + (count > 0 && height < 1);
  filled = filled > below ? filled - below : 0;
  if (filled > EIGHTHS) filled = EIGHTHS;
  if (w->sheet.utf8) cli_put(&w->sheet, bars[filled]);
  else cli_put(&w->sheet, filled > EIGHTHS / 2 ? "#" : filled > 0 ? "." : " ");
}

static uint64_t most_of(yyjson_val *counts) {
  size_t i, count;
  uint64_t most = 0, number;
  yyjson_val *each;
  yyjson_arr_foreach(counts, i, count, each) {
    if (cpb_json_unsigned(each, &number) && number > most) most = number;
  }
  return most;
}

/* Where the first bar begins, and where the last one ends. */
static void show_scale(weight *w, yyjson_val *histogram, size_t bars) {
  char low[32], high[32];
  const double begin = number_of(cpb_json_member(histogram, "low"));
  const double step = number_of(cpb_json_member(histogram, "step"));
  snprintf(low, sizeof low, "%.4g", begin);
  snprintf(high, sizeof high, "%.4g", begin + step * (double)bars);
  const size_t width = strlen(low) + strlen(high) + 1;
  cli_put_format(&w->sheet, "  %s%*s%s", low, (int)(bars > width ? bars - width + 1 : 1), "", high);
  cli_end_line(&w->sheet, CLI_FAINT, CLI_CUT);
}

static void show_histogram(weight *w, yyjson_val *histogram) {
  size_t i, bars;
  uint64_t number;
  yyjson_val *each, *counts = cpb_json_member(histogram, "counts");
  const uint64_t most = most_of(counts);
  if (w->sheet.plain || yyjson_arr_size(counts) < 2) return;
  cli_blank_line(&w->sheet);
  for (unsigned line = HEIGHT; line-- > 0;) {
    cli_put(&w->sheet, "  ");
    yyjson_arr_foreach(counts, i, bars, each) {
      if (cpb_json_unsigned(each, &number)) put_bar(w, number, most, line * EIGHTHS);
    }
    cli_end_line(&w->sheet, CLI_NORMAL, CLI_CUT);
  }
  show_scale(w, histogram, yyjson_arr_size(counts));
}

/* --- All ------------------------------------------------------------------------------------------ */

static void show_numbers(weight *w, yyjson_val *statistics) {
  yyjson_val *numbers = cpb_json_member(statistics, "numbers");
  const uint64_t all = cli_number_at(statistics, "elements");
  const bool magnitudes = yyjson_is_true(cpb_json_member(numbers, "magnitudes"));
  show_quantized(w, cpb_json_member(statistics, "quantized"));
  begin(w, magnitudes ? "absolute" : "values");
  cli_put_count(&w->sheet, all);
  end(w);
  if (!yyjson_is_obj(numbers)) return;
  show_number(w, "minimum", cpb_json_member(numbers, "minimum"));
  show_number(w, "maximum", cpb_json_member(numbers, "maximum"));
  show_number(w, "mean", cpb_json_member(numbers, "mean"));
  show_number(w, "deviation", cpb_json_member(numbers, "deviation"));
  show_count(w, "zeros", numbers, "zeros", all);
  show_count(w, "NaN", numbers, "nan", all);
  show_count(w, "infinite", numbers, "infinite", all);
  show_first(w, cpb_json_member(statistics, "first"), all);
  show_parts(w, cpb_json_member(statistics, "parts"));
  show_histogram(w, cpb_json_member(numbers, "histogram"));
}

static void show(weight *w, const char *json, size_t size) {
  w->statistics =
      cpb_json_read(&w->sheet.cli->allocator, (cpb_span){(const uint8_t *)json, size}, DEPTH, &w->asker.error);
  yyjson_val *root = yyjson_doc_get_root(w->statistics);
  if (!root) w->asker.status = cli_fail(w->sheet.cli, "the statistics", &w->asker.error);
  if (!root) return;
  w->item = cpb_json_member(root, "listed");
  show_title(w, root);
  if (w->item) show_item(w);
  show_numbers(w, root);
}

int cli_show_weight(cli *c, cpb_model_file *model) {
  size_t size;
  weight w = {.asker = {.cli = c, .model = model, .silent = true}, .name = cli_span(c->settings.name), .width = 9};
  cli_sheet_begin(&w.sheet, c);
  const char *json = count_values(&w, &size);
  if (json && c->settings.json) cli_print_answer(c, json, size);
  else if (json) show(&w, json, size);
  yyjson_doc_free(w.statistics);
  const int printed = cli_sheet_end(&w.sheet);
  return w.asker.status != CLI_OK ? w.asker.status : printed;
}
