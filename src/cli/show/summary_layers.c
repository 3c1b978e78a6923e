/* Layers with their parameters. If there are many, runs of similar ones are folded. */
#include <stdlib.h>

#include "base/checked.h"
#include "cli/show/summary.h"

#define LAYERS_MOST ((size_t)1 << 16) /* that are examined */
#define COMMON_LEAST 5                /* shortest common beginning of similar names */

static cli_layer *layer_at(const cli_layers *l, size_t i) { return (cli_layer *)(void *)l->rows.data + i; }
static size_t count_layers(const cli_layers *l) { return l->rows.size / sizeof(cli_layer); }
static const char *text_at(const cli_layers *l, size_t at) { return (const char *)l->texts.data + at; }

/* --- Asking ----------------------------------------------------------------------------- */

/* Moves the pending text to the texts. */
static size_t keep(cli_summary *s) {
  cpb_buffer *texts = &s->layers.texts;
  size_t at = texts->size;
  cli_sheet *sheet = &s->sheet;
  bool kept = cpb_buffer_append(texts, sheet->text.data, sheet->text.size) && cpb_buffer_append(texts, "", 1);
  sheet->failed = sheet->failed || !kept;
  sheet->text.size = 0;
  return kept ? at : 0;
}

/* The shape of one input, or of each. */
static void put_shapes(cli_sheet *sheet, yyjson_val *shape) {
  size_t i, count;
  yyjson_val *each, *first = yyjson_arr_get_first(shape);
  if (!yyjson_is_arr(first)) {
    if (yyjson_is_arr(shape)) cli_put_shape(sheet, shape);
    else if (yyjson_is_obj(shape)) cli_put_value(sheet, shape);
    return;
  }
  yyjson_arr_foreach(shape, i, count, each) {
    if (i > 0) cli_put(sheet, " ");
    cli_put_shape(sheet, each);
  }
}

/* The end of the name's first number that a separator follows: conv2_ of conv2_block1_1_conv. */
static size_t stem_of(const char *name) {
  for (size_t i = 1; name[i]; i++) {
    bool separates = name[i] == '_' || name[i] == '/' || name[i] == '.';
    if (separates && name[i - 1] >= '0' && name[i - 1] <= '9') return i + 1;
  }
  return 0;
}

static bool add_layer(cli_summary *s, yyjson_val *item, void *user) {
  cli_layers *l = &s->layers;
  cli_layer layer = {.count = 1, .alike = true, .depth = (uint32_t)cli_number_at(item, "depth")};
  cli_put_name(&s->sheet, cli_text_at(item, "name"));
  layer.name = layer.last_name = keep(s);
  cli_put_name(&s->sheet, cli_text_at(item, "class"));
  layer.class = keep(s);
  put_shapes(&s->sheet, cpb_json_member(item, "input_shape"));
  layer.input = keep(s);
  cli_put_name(&s->sheet, cli_text_at(item, "path"));
  layer.path = keep(s);
  layer.parameters = cli_number_at(item, "parameters");
  if (!s->sheet.failed) layer.stem = stem_of(text_at(l, layer.name));
  if (!s->sheet.failed && !cpb_buffer_append(&l->rows, &layer, sizeof layer)) s->sheet.failed = true;
  (void)user;
  return !s->sheet.failed && count_layers(l) < LAYERS_MOST;
}

/* The smallest depth with several layers: deeper ones are within them. */
static uint32_t find_depth(const cli_layers *l) {
  for (uint32_t depth = 0; depth < 8; depth++) {
    size_t found = 0;
    for (size_t i = 0; i < count_layers(l); i++) found += layer_at(l, i)->depth == depth;
    if (found > 1) return depth;
  }
  return UINT32_MAX;
}

void cli_summary_ask_layers(cli_summary *s) {
  cli_summary_ask_list(s, CPB_ASK_LAYERS, add_layer, NULL);
  s->layers.depth = find_depth(&s->layers);
}

void cli_summary_free_layers(cli_summary *s) {
  cpb_buffer_free(&s->layers.texts);
  cpb_buffer_free(&s->layers.rows);
  cpb_buffer_free(&s->layers.names);
}

/* --- Folding ---------------------------------------------------------------------------------- */

/* The common beginning of two names, up to a separator. */
static size_t common_stem(const char *a, const char *b) {
  size_t end = 0;
  for (size_t i = 0; a[i] && a[i] == b[i]; i++)
    if (a[i] == '_' || a[i] == '/' || a[i] == '.') end = i + 1;
  return end >= COMMON_LEAST ? end : 0;
}

static void join(const cli_layers *l, cli_layer *a, const cli_layer *b, size_t stem) {
  a->alike = a->alike && b->alike && strcmp(text_at(l, a->class), text_at(l, b->class)) == 0;
  a->last_name = b->last_name;
  a->last_stem = b->last_stem;
  if (stem > 0) a->stem = a->last_stem = stem;
  a->count += b->count;
  a->parameters += b->parameters;
  a->repeats = 0;
}

/* Keeps only the layers of the depth that is shown. */
static size_t take_depth(cli_layers *l) {
  size_t kept = 0;
  for (size_t i = 0; i < count_layers(l); i++)
    if (layer_at(l, i)->depth == l->depth) *layer_at(l, kept++) = *layer_at(l, i);
  return kept;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void sort_names(cli_summary *s, size_t count) {
  cli_layers *l = &s->layers;
  for (size_t i = 0; i < count && !s->sheet.failed; i++) {
    const char *name = text_at(l, layer_at(l, i)->name);
    s->sheet.failed = !cpb_buffer_append(&l->names, &name, sizeof name);
  }
  if (count > 1 && !s->sheet.failed) qsort(l->names.data, count, sizeof(char *), by_text);
}

/* The first of the sorted names that does not come before those with this beginning; or, with `after`, that comes after
 * them. */
static size_t find_name(const cli_layers *l, const char *beginning, size_t length, bool after) {
  const char *const *names = (const char *const *)(const void *)l->names.data;
  size_t low = 0, high = l->names.size / sizeof *names;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strncmp(names[middle], beginning, length);
    if (order < 0 || (after && order == 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Whether no layer elsewhere has a name that begins like the run's. */
static bool is_whole(const cli_layers *l, const cli_layer *run) {
  const char *name = text_at(l, run->name);
  return find_name(l, name, run->stem, true) - find_name(l, name, run->stem, false) == run->count;
}

/* Joins neighbours whose names begin alike into one run. It is called by that beginning only if it has all of them. */
static size_t fold_stems(cli_layers *l, size_t count) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    cli_layer *next = layer_at(l, i), *run = runs > 0 ? layer_at(l, runs - 1) : NULL;
    const char *name = text_at(l, next->name);
    size_t stem = 0;
    const bool may_join = run && (next->count == 1 || next->stem >= run->stem);
    if (may_join && run->stem > 0 && strncmp(text_at(l, run->name), name, run->stem) == 0) stem = run->stem;
    else if (run && run->count == 1 && next->stem == 0) stem = common_stem(text_at(l, run->name), name);
    if (stem > 0) join(l, run, next, stem);
    else *layer_at(l, runs++) = *next;
  }
  for (size_t i = 0; i < runs; i++) {
    cli_layer *run = layer_at(l, i);
    run->last_stem = run->stem = run->count > 1 && is_whole(l, run) ? run->stem : 0;
    if (run->stem > 0) run->last_name = run->name;
  }
  return runs;
}

/* The end of the number that distinguishes the run's name from its neighbours': before the stem's separator, or at the
 * end of the name. 0: no number. */
static size_t number_end(const cli_layers *l, size_t name, size_t stem) {
  const char *text = text_at(l, name);
  const size_t end = stem > 0 ? stem - 1 : strlen(text);
  return end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9' ? end : 0;
}

/* The number itself, and where it begins. */
static uint64_t number_before(const char *text, size_t end, size_t *begin) {
  uint64_t number = 0, place = 1;
  for (*begin = end; *begin > 0 && end - *begin < 9 && text[*begin - 1] >= '0' && text[*begin - 1] <= '9'; place *= 10)
    number += place * (uint64_t)(text[--*begin] - '0');
  return number;
}

/* Whether `next` repeats the run with the next number. */
static bool repeats(const cli_layers *l, const cli_layer *run, const cli_layer *next, uint64_t each) {
  size_t begin, next_begin;
  const char *name = text_at(l, run->last_name), *other = text_at(l, next->name);
  const size_t end = number_end(l, run->last_name, run->last_stem), next_end = number_end(l, next->name, next->stem);
  if (end == 0 || next_end == 0 || next->parameters != each) return false;
  const uint64_t number = number_before(name, end, &begin);
  return number_before(other, next_end, &next_begin) == number + 1 && begin == next_begin &&
         memcmp(name, other, begin) == 0 && strcmp(text_at(l, run->class), text_at(l, next->class)) == 0;
}

/* Joins equal neighbours with consecutive numbers into one run: layer.0 .. layer.11, 12 of them. */
static size_t fold_repeats(cli_layers *l, size_t count) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    cli_layer *next = layer_at(l, i), *run = runs > 0 ? layer_at(l, runs - 1) : NULL;
    const uint32_t times = run && run->repeats > 0 ? run->repeats : 1;
    const size_t many = run ? run->count / times : 0;
    if (!run || next->count != many || !repeats(l, run, next, run->parameters / times)) {
      *layer_at(l, runs++) = *next;
      continue;
    }
    const size_t stem = run->stem;
    join(l, run, next, 0);
    run->stem = stem;
    run->last_stem = next->stem;
    run->repeats = times + 1;
  }
  return runs;
}

/* Joins the neighbours with the fewest parameters into one run, until few rows are left; the first and the last layer
 * stay separate, as do those with most of the parameters. */
static size_t fold_small(cli_layers *l, size_t runs, size_t most) {
  while (runs > most && runs > 3) {
    size_t best = 1;
    for (size_t i = 1; i + 2 < runs; i++) {
      const cli_layer *a = layer_at(l, i), *b = layer_at(l, best);
      uint64_t sum = a->parameters + a[1].parameters, least = b->parameters + b[1].parameters;
      if (sum < least || (sum == least && a->count + a[1].count < b->count + b[1].count)) best = i;
    }
    join(l, layer_at(l, best), layer_at(l, best + 1), 0);
    memmove(layer_at(l, best + 1), layer_at(l, best + 2), (runs - best - 2) * sizeof(cli_layer));
    runs--;
  }
  return runs;
}

/* --- Showing ------------------------------------------------------------------------------------ */

static void put_label(cli_summary *s, size_t name, size_t stem) {
  const char *text = text_at(&s->layers, name);
  if (stem > 0) cli_put_name(&s->sheet, (cpb_span){(const uint8_t *)text, stem});
  cli_put(&s->sheet, stem > 0 ? "*" : text);
}

static void put_up_to_number(cli_summary *s, size_t name, size_t stem) {
  const size_t end = number_end(&s->layers, name, stem);
  cli_put_name(&s->sheet, (cpb_span){(const uint8_t *)text_at(&s->layers, name), end});
}

/* Conv1, block_1_*, Conv1 .. block_1_*, or layer.0 .. layer.11 */
static void put_run(cli_summary *s, const cli_layer *run) {
  if (run->repeats > 0) {
    put_up_to_number(s, run->name, run->stem);
    cli_put(&s->sheet, " .. ");
    put_up_to_number(s, run->last_name, run->last_stem);
    return;
  }
  put_label(s, run->name, run->count > 1 ? run->stem : 0);
  if (run->last_name == run->name) return;
  cli_put(&s->sheet, " .. ");
  /* Long names do not repeat what they begin with. */
  const char *first = text_at(&s->layers, run->name), *last = text_at(&s->layers, run->last_name);
  const size_t common = strlen(first) + strlen(last) > s->sheet.width / 2 ? common_stem(first, last) : 0;
  if (common > run->last_stem) {
    cli_put(&s->sheet, s->sheet.utf8 ? "\xe2\x80\xa6" : "...");
    cli_put(&s->sheet, last + common);
    return;
  }
  put_label(s, run->last_name, run->last_stem);
}

static void put_class(cli_summary *s, const cli_layer *run) {
  cli_sheet *sheet = &s->sheet;
  const char *class = text_at(&s->layers, run->class);
  if (run->count == 1) {
    cli_put(sheet, class);
    return;
  }
  cli_put_count(sheet, run->repeats > 0 ? run->repeats : run->count);
  if (run->repeats > 0) {
    cli_put(sheet, sheet->utf8 ? " \xc3\x97 " : " x ");
    cli_put_count(sheet, run->parameters / run->repeats);
    return;
  }
  cli_put(sheet, run->alike && *class ? sheet->utf8 ? " \xc3\x97 " : " x " : " layers");
  if (run->alike) cli_put(sheet, class);
}

static void put_rows(cli_summary *s, cli_table *t, size_t count, bool nested) {
  for (size_t i = 0; i < count; i++) {
    const cli_layer *run = layer_at(&s->layers, i);
    if (nested && !s->sheet.plain) cli_put_format(&s->sheet, "%*s", (int)(run->depth % 20 * 2), "");
    put_run(s, run);
    cli_table_cell(t);
    put_class(s, run);
    cli_table_cell(t);
    if (run->count == 1) cli_put(&s->sheet, text_at(&s->layers, run->input));
    cli_table_cell(t);
    cli_cell_count(t, run->parameters);
    if (nested) cli_put(&s->sheet, text_at(&s->layers, run->path));
    cli_table_cell(t);
  }
}

/* The number without the model itself, which is the first of its own layers. */
static uint64_t count_shown(const cli_layers *l) {
  uint64_t count = 0;
  for (size_t i = 0; i < l->runs; i++) count += layer_at(l, i)->count;
  return count > 1 && layer_at(l, 0)->depth < l->depth ? count - 1 : count;
}

static void put_total(cli_summary *s, cli_table *t) {
  yyjson_val *parameters = cli_summary_parameters(s);
  if (s->sheet.plain || !yyjson_is_obj(parameters)) return;
  cli_cell(t, "total");
  cli_put_plural(&s->sheet, count_shown(&s->layers), "layer", "layers");
  if (yyjson_is_true(cpb_json_member(parameters, "partial"))) cli_put(&s->sheet, ", not all counted");
  cli_table_cell(t);
  cli_table_cell(t);
  cli_cell_count(t, cli_number_at(parameters, "total"));
  cli_table_cell(t);
}

/* A person gets the layers of one depth, and runs if there are many; further folding is possible. */
void cli_summary_fold_layers(cli_summary *s) {
  cli_layers *l = &s->layers;
  size_t most = s->amounts->layers;
  bool folded = l->runs > 0;
  if (!folded) l->runs = count_layers(l);
  if (s->sheet.plain || s->sheet.all) return;
  if (!folded && l->depth != UINT32_MAX) l->runs = take_depth(l);
  if (l->names.size == 0) sort_names(s, l->runs);
  if (l->runs > most && !l->folded && !s->sheet.failed) l->runs = fold_repeats(l, fold_stems(l, l->runs));
  l->folded = l->folded || l->runs > most;
  l->runs = fold_small(l, l->runs, most);
}

void cli_summary_show_layers(cli_summary *s) {
  static const cli_column columns[] = {
      {"layer", CLI_KEPT}, {"class", CLI_DIM}, {"input", 0}, {"params", CLI_RIGHT}, {"path", CLI_KEPT}};
  bool whole = s->sheet.plain || s->sheet.all;
  cli_table t;
  if (s->layers.runs == 0) return;
  cli_summary_title(s, "Layers");
  cli_table_begin(&t, &s->sheet, 2, columns, 5);
  t.word = "layer";
  put_rows(s, &t, s->layers.runs, whole);
  put_total(s, &t);
  cli_table_end(&t);
}
