#include "model/diff/diff.h"

#include "base/checked.h"

/* A model walks the entire list for each page, so pages grow, up to an eighth of a long list. */
#define FIRST_PAGE 2000
#define LARGE_PAGE 131072
#define FIRST_OF_OVERVIEW 16

/* --- Items ----------------------------------------------------------------------------- */

/* Each item is kept twice: `plain` is compared, `whole` knows where the values are. Both tables get the same keys in
 * the same order, and sorting does not depend on the texts, so the n-th item of one is the n-th item of the other. */

void cpb_diff_items_init(cpb_diff_items *items, const cpb_allocator *a) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_table_init(&items->plain[side], a);
    cpb_diff_table_init(&items->whole[side], a);
  }
}

void cpb_diff_items_free(cpb_diff_items *items) {
  for (int side = 0; side < 2; side++) {
    cpb_diff_table_free(&items->plain[side]);
    cpb_diff_table_free(&items->whole[side]);
  }
}

bool cpb_diff_items_sort(cpb_diff_items *items) {
  for (int side = 0; side < 2; side++)
    if (!cpb_diff_table_sort(&items->plain[side]) || !cpb_diff_table_sort(&items->whole[side])) return false;
  return true;
}

cpb_diff_join cpb_diff_items_join(const cpb_diff_items *items) {
  return (cpb_diff_join){.tables = {&items->plain[0], &items->plain[1]}};
}

cpb_span cpb_diff_items_whole(const cpb_diff_items *items, const cpb_diff_join *join, int side) {
  const cpb_diff_table *whole = &items->whole[side];
  return cpb_diff_text(whole, &whole->items[join->items[side] - items->plain[side].items]);
}

uint64_t cpb_diff_number(yyjson_val *object, const char *key) {
  uint64_t number = 0;
  cpb_json_unsigned(cpb_json_member(object, key), &number);
  return number;
}

/* --- Keys ------------------------------------------------------------------------------ */

/* A function in both models goes by its name in the first. */
static cpb_span common_name(const cpb_diff *d, int side, cpb_span text) {
  const cpb_diff_pair *pair = side == 1 ? cpb_diff_pairs_find(&d->pairs, side, text) : NULL;
  return pair && pair->names[0].data ? pair->names[0] : text;
}

typedef struct key_writer {
  const cpb_diff *d;
  int side;
  cpb_buffer *key;
  bool failed;
} key_writer;

static void put_part(key_writer *w, cpb_span text) {
  const char *between = w->key->size > 0 ? " " : "";
  cpb_span name = common_name(w->d, w->side, text);
  w->failed = w->failed || !cpb_buffer_append(w->key, between, strlen(between)) ||
              !cpb_buffer_append(w->key, name.data, name.size);
}

/* Appends the text of a member, or of each element of a list of texts. */
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

/* Nodes without a name are named by their numbers, which change with each node before them: "#7". They are matched by
 * an output, which is unique in a graph: "#OUTPUT". */
static cpb_span first_output(yyjson_val *item) {
  size_t i, count;
  yyjson_val *output;
  cpb_span text = {NULL, 0};
  yyjson_arr_foreach(cpb_json_member(item, "outputs"), i, count, output) {
    if (cpb_json_text(cpb_json_member(output, "name"), &text) && text.size > 0) break;
  }
  return text;
}

static bool put_number(key_writer *w, yyjson_val *name, yyjson_val *item) {
  cpb_span text;
  const cpb_span output = first_output(item);
  if (!cpb_json_text(name, &text) || text.size == 0 || text.data[0] != '#' || output.size == 0) return false;
  w->failed = w->failed || !cpb_buffer_append(w->key, "#", 1) || !cpb_buffer_append(w->key, output.data, output.size);
  return true;
}

/* An empty name is marked in the key, to distinguish it from a missing one; null is a missing name. */
static bool put_key(key_writer *w, const cpb_diff_list *list, yyjson_val *item) {
  bool found = false;
  for (size_t i = 0; list->keys[i]; i++) {
    bool instead = list->keys[i][0] == '?';
    yyjson_val *value = instead && found ? NULL : cpb_json_member(item, list->keys[i] + instead);
    if (yyjson_is_null(value)) value = NULL;
    if (value && !put_number(w, value, item)) put_member(w, value);
    found = found || value;
  }
  return !w->failed;
}

/* --- Adding to the tables ---------------------------------------------------------------- */

static bool add(cpb_diff *d, const cpb_diff_read *r, cpb_span key, yyjson_val *item) {
  const cpb_diff_list *list = r->list;
  if (!cpb_diff_charge(d, CPB_WORK_ENTRIES, 1)) return false;
  return (cpb_diff_table_add(&d->items.plain[r->side], key, item, list->ignored, list->deep) &&
          cpb_diff_table_add_whole(&d->items.whole[r->side], key, item)) ||
         cpb_diff_fail_memory(d);
}

static void add_list(cpb_diff *d, const cpb_diff_read *r, yyjson_val *from) {
  size_t i, count;
  yyjson_val *item;
  cpb_buffer key;
  cpb_buffer_init(&key, &d->allocator);
  yyjson_arr_foreach(from, i, count, item) {
    key.size = 0;
    key_writer w = {d, r->side, &key, false};
    if (!put_key(&w, r->list, item)) cpb_diff_fail_memory(d);
    if (!cpb_diff_ok(d) || !add(d, r, (cpb_span){key.data, key.size}, item)) break;
  }
  cpb_buffer_free(&key);
}

/* Each member of the answer is an item. */
static void add_members(cpb_diff *d, const cpb_diff_read *r, yyjson_val *answer) {
  size_t i, count;
  yyjson_val *name, *value;
  const char *const *ignored = r->list->ignored;
  yyjson_obj_foreach(answer, i, count, name, value) {
    cpb_span key = {(const uint8_t *)yyjson_get_str(name), yyjson_get_len(name)};
    bool left_out = false;
    for (size_t k = 0; ignored && ignored[k]; k++) left_out = left_out || cpb_span_is(key, ignored[k]);
    if (!left_out && !add(d, r, key, value)) return;
  }
}

/* --- Asking ------------------------------------------------------------------------------- */

/* An answer is parsed, taken over and freed before the next page is asked for: of a long list, only the keys and
 * texts stay. A page that is not full ends the list. */

void cpb_diff_will_read(cpb_diff *d, cpb_diff_read read) { d->reads[d->num_reads++] = read; }

void cpb_diff_will_read_both(cpb_diff *d, const cpb_diff_list *list, cpb_span name_a, cpb_span name_b) {
  cpb_diff_will_read(d, (cpb_diff_read){.list = list, .side = 0, .name = name_a});
  cpb_diff_will_read(d, (cpb_diff_read){.list = list, .side = 1, .name = name_b});
}

/* The overview of a SavedModel lists its meta graphs together with the list in question, by the same first and count.
 * It must not list many meta graphs for each of them. Short pages prevent this, and pages beyond the end if no list is
 * wanted. */
static bool is_overview(const cpb_diff *d, const cpb_diff_read *r) {
  return d->kinds[r->side] == CPB_MODEL_SAVED_MODEL && r->list->question == CPB_ASK_OVERVIEW;
}

static void begin_pages(cpb_diff *d, const cpb_diff_read *r) {
  const bool overview = is_overview(d, r);
  d->page = overview && r->list->member ? FIRST_OF_OVERVIEW : FIRST_PAGE;
  if (overview && !r->list->member) d->first = UINT32_MAX;
}

static void ask(cpb_diff *d, const cpb_diff_read *r) {
  if (d->page == 0) begin_pages(d, r);
  else d->page = cpb_min_u64(4 * d->page, cpb_max_u64(LARGE_PAGE, d->total / 8));
  cpb_span name = r->node[0] ? cpb_span_of(r->node) : r->name;
  const cpb_question question = {.struct_size = sizeof question,
                                 .kind = r->list->question,
                                 .meta_graph = d->meta_graph,
                                 .name = (const char *)name.data,
                                 .name_size = name.size,
                                 .scope = (const char *)d->tag.data,
                                 .scope_size = d->tag.size,
                                 .first = d->first,
                                 .count = d->page};
  cpb_model_ask(d->models[r->side], &question);
  d->asked = true;
}

/* The work that both models have done for the comparison. */
static uint64_t done_by_models(const cpb_diff *d, cpb_work_kind kind) {
  uint64_t sum = 0;
  for (int side = 0; side < 2; side++) {
    cpb_work work = cpb_model_get_work(d->models[side]), before = d->before[side];
    sum += *cpb_work_at(&work, kind) - *cpb_work_at(&before, kind);
  }
  return sum;
}

/* A model's limits apply to each question; those of the comparison apply to all questions together. */
static bool check_work(cpb_diff *d) {
  static const cpb_work_kind kinds[] = {CPB_WORK_DECODED, CPB_WORK_WALKED, CPB_WORK_ENTRIES};
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    uint64_t done = d->meter.done[kinds[i]] + done_by_models(d, kinds[i]);
    if (!cpb_meter_allows(&d->meter, kinds[i], done, CPB_NO_OFFSET, &error)) return cpb_diff_fail(d, -1, &error);
  }
  return true;
}

static void note_damage(cpb_diff *d, int side, yyjson_val *answer) {
  yyjson_arr_iter all = yyjson_arr_iter_with(cpb_json_member(answer, "problems"));
  yyjson_val *problem;
  while ((problem = yyjson_arr_iter_next(&all)) && !yyjson_is_true(cpb_json_member(problem, "damage"))) {}
  if (!problem) return;
  cpb_diff_damage *damage = &d->damage[side];
  d->lacks[side] = true;
  if (damage->met) return;
  damage->met = true;
  if (!cpb_json_unsigned(cpb_json_member(problem, "offset"), &damage->offset)) damage->offset = CPB_NO_OFFSET;
  const char *text = yyjson_get_str(cpb_json_member(problem, "text"));
  cpb_format(damage->text, sizeof damage->text, "%s", text ? text : "");
}

/* Takes the answer; returns the number of items on the page. */
static size_t take_answer(cpb_diff *d, const cpb_diff_read *r) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  size_t size;
  const char *json = cpb_model_answer(d->models[r->side], &size);
  if (!cpb_diff_charge(d, CPB_WORK_WALKED, size)) return 0;
  yyjson_doc *doc =
      cpb_json_read(&d->allocator, (cpb_span){(const uint8_t *)json, size}, CPB_DIFF_ANSWER_DEPTH, &error);
  if (!doc) return (size_t)cpb_diff_fail(d, r->side, &error);
  yyjson_val *answer = yyjson_doc_get_root(doc),
             *member = cpb_json_member(answer, r->list->member ? r->list->member : "");
  note_damage(d, r->side, answer);
  yyjson_val *page = r->whole ? NULL : cpb_json_member(member, "items");
  size_t count = yyjson_arr_size(page);
  d->total = cpb_diff_number(member, "total");
  if (r->whole) add(d, r, r->key, answer);
  else if (!r->list->member) add_members(d, r, answer);
  else add_list(d, r, page ? page : member);
  yyjson_doc_free(doc);
  return count;
}

/* A tag of a truncated zip may lack this answer but have others. */
static bool goes_without(cpb_diff *d, const cpb_diff_read *r) {
  cpb_code code = cpb_model_error(d->models[r->side])->code;
  bool without = d->damage[r->side].met && d->kinds[r->side] == CPB_MODEL_SAMEDIFF_ZIP && code == CPB_E_TRUNCATED;
  d->lacks[r->side] = d->lacks[r->side] || without;
  return without;
}

static cpb_step read_step(cpb_diff *d, const cpb_diff_read *r) {
  for (;;) {
    if (!d->asked) ask(d, r);
    cpb_step step = cpb_model_step(d->models[r->side]);
    if (step == CPB_STEP_NEED) {
      d->side = r->side;
      d->input = cpb_model_input(d->models[r->side]);
      return CPB_STEP_NEED;
    }
    d->asked = false;
    if (step == CPB_STEP_ERROR && !goes_without(d, r)) cpb_diff_fail(d, r->side, cpb_model_error(d->models[r->side]));
    size_t count = step == CPB_STEP_DONE && check_work(d) ? take_answer(d, r) : 0;
    if (!cpb_diff_ok(d)) return CPB_STEP_ERROR;
    d->first += count;
    if (count < d->page) break;
  }
  d->first = d->page = 0;
  return CPB_STEP_DONE;
}

cpb_step cpb_diff_read_step(cpb_diff *d) {
  for (; d->next_read < d->num_reads; d->next_read++) {
    cpb_step step = read_step(d, &d->reads[d->next_read]);
    if (step != CPB_STEP_DONE) return step;
  }
  d->next_read = d->num_reads = 0;
  return CPB_STEP_DONE;
}
