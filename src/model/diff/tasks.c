#include "model/diff/diff.h"

#include "model/kinds.h"

static const cpb_span nothing = {NULL, 0};

static cpb_step ended(const cpb_diff *d) { return cpb_diff_ok(d) ? CPB_STEP_DONE : CPB_STEP_ERROR; }

/* Called by a task's begin() that returns false. */
static void go_on_with(cpb_diff *d, size_t task) { d->task = task - 1; }

static void go_to_end(cpb_diff *d) {
  while (d->program[d->task]) d->task++;
}

/* --- Lists, one a round -------------------------------------------------------------------- */

static bool begin_list(cpb_diff *d, const cpb_diff_list *list) {
  if (!list->section) return false;
  cpb_diff_will_read_both(d, list, nothing, nothing);
  return true;
}

static cpb_step compare_list(cpb_diff *d, const cpb_diff_list *list) {
  if (list->question == CPB_ASK_LAYERS && strcmp(list->section, "layers") == 0) cpb_diff_layers_pair(d);
  cpb_diff_compare_items(d, list->section, nothing);
  return ended(d);
}

static const cpb_diff_kind *kind_of(const cpb_diff *d) { return &cpb_kind_find(d->kinds[0])->diff; }

static bool model_begin(cpb_diff *d) { return begin_list(d, &kind_of(d)->lists[d->round]); }
static cpb_step model_compare(cpb_diff *d) { return compare_list(d, &kind_of(d)->lists[d->round]); }
static const cpb_diff_task lists_of_model = {model_begin, model_compare};

static bool part_begin(cpb_diff *d) { return begin_list(d, &kind_of(d)->of_part[d->round]); }
static cpb_step part_compare(cpb_diff *d) { return compare_list(d, &kind_of(d)->of_part[d->round]); }
static const cpb_diff_task lists_of_part = {part_begin, part_compare};

/* --- Functions and nodes -------------------------------------------------------------------- */

/* Functions come before nodes: names of functions and of their arguments occur in nodes, and are compared by the
 * pairs that these rounds make. All functions are one section, so functions_compare() only pairs arguments, and the
 * comparison itself waits for the last round. */

/* Pairs the functions of the two models. */
static bool pairs_begin(cpb_diff *d) {
  static const cpb_diff_list names = {"functions", CPB_ASK_FUNCTIONS, "functions", {"name"}, NULL, false};
  if (d->round > 0) return false;
  cpb_diff_pairs_free(&d->pairs);
  cpb_diff_will_read_both(d, &names, nothing, nothing);
  return true;
}

static cpb_step pairs_compare(cpb_diff *d) {
  bool done = true;
  for (int side = 0; side < 2; side++) {
    const cpb_diff_table *table = &d->items.plain[side];
    for (size_t i = 0; i < table->count && done; i++)
      done = cpb_diff_pairs_add(&d->pairs, side, cpb_diff_key(table, &table->items[i]));
  }
  for (int side = 0; side < 2; side++) d->lacks_pairs[side] = d->lacks[side];
  if (!done || !cpb_diff_pairs_make(&d->pairs)) cpb_diff_fail_memory(d);
  cpb_diff_items_free(&d->items);
  return ended(d);
}
static const cpb_diff_task pairs = {pairs_begin, pairs_compare};

/* Reads one pair per round; after the last, compares what all rounds have read. */
static bool functions_begin(cpb_diff *d) {
  for (int side = 0; side < 2; side++) d->lacks[side] = d->lacks[side] || d->lacks_pairs[side];
  if (d->round == d->pairs.count) {
    cpb_diff_compare_items(d, "functions", nothing);
    return false;
  }
  const cpb_diff_pair *pair = &d->pairs.list[d->round];
  cpb_span key = pair->names[!pair->names[0].data];
  for (int side = 0; side < 2; side++) {
    cpb_diff_read read = {
        .list = &cpb_diff_functions, .side = side, .whole = true, .name = pair->names[side], .key = key};
    if (pair->names[side].data) cpb_diff_will_read(d, read);
  }
  return true;
}

static cpb_step functions_compare(cpb_diff *d) {
  cpb_diff_arguments_pair(d, &d->pairs.list[d->round]);
  return ended(d);
}
static const cpb_diff_task functions = {functions_begin, functions_compare};

/* The graph first, then each function that both models have. */
static const cpb_diff_pair *pair_of_round(const cpb_diff *d) {
  return d->round > 0 && d->round <= d->pairs.count ? &d->pairs.list[d->round - 1] : NULL;
}

static bool nodes_begin(cpb_diff *d) {
  const cpb_diff_pair *pair;
  while ((pair = pair_of_round(d)) && !(pair->names[0].data && pair->names[1].data)) d->round++;
  if (d->round > d->pairs.count) return false;
  const cpb_diff_list *list = kind_of(d)->told_roles ? &cpb_diff_nodes_with_roles : &cpb_diff_nodes;
  if (kind_of(d)->told_outputs) list = &cpb_diff_nodes_with_types;
  cpb_diff_will_read_both(d, list, pair ? pair->names[0] : nothing, pair ? pair->names[1] : nothing);
  return true;
}

static cpb_step nodes_compare(cpb_diff *d) {
  const cpb_diff_pair *pair = pair_of_round(d);
  cpb_diff_compare_items(d, "nodes", pair ? pair->names[0] : nothing);
  return ended(d);
}
static const cpb_diff_task nodes = {nodes_begin, nodes_compare};

static const cpb_diff_task objects = {cpb_diff_objects_begin, cpb_diff_objects_compare};

/* --- Lists with values ------------------------------------------------------------------------ */

/* The values of an item are read only if the rest of the item is the same, since otherwise a difference is known
 * already. For variables of a checkpoint it is the other way round: the checksum in the entry would report a
 * difference but not how large it is, so the values come first. compare_list_and_values() may wait in the middle of
 * an item: `joining` and `comparing` say where it continues. */

/* Values that a damaged model has lost are not compared. A truncated tensor may still be readable: its missing elements
 * count as zeros. */
static bool lacks_values(const cpb_diff *d) {
  const cpb_diff_values *v = &d->values;
  for (int side = 0; side < 2; side++) {
    bool is_shorter = !v->sum.same && v->tensors[side].length < v->tensors[!side].length;
    if (d->lacks[side] && (v->sum.bad[side] || is_shorter)) return true;
  }
  return false;
}

static void report_values(cpb_diff *d) {
  if (!cpb_diff_difference_begin(d, "changed", d->values.name, &d->section.changed)) return;
  cpb_json_writer_open(&d->out, "members", '[');
  cpb_diff_values_write(d);
  cpb_json_writer_close(&d->out, ']');
  cpb_diff_difference_end(d);
}

static bool is_of_variables(const cpb_diff_list *list) {
  return list == &cpb_diff_variables || list == &cpb_diff_variables_alone || list == &cpb_diff_variables_unchecked;
}

/* True: the item is otherwise equal, so its values are to be compared. A variable has a checksum that decides this
 * first. */
static bool next_item(cpb_diff *d, const cpb_diff_list *list) {
  uint64_t same = d->section.same;
  if (is_of_variables(list) && !d->options.skip_values && cpb_diff_has_room(d) && cpb_diff_values_begin_stored(d))
    return true;
  cpb_diff_compare_item(d, &d->join);
  if (d->section.same == same || is_of_variables(list) || d->options.skip_values || !cpb_diff_ok(d)) return false;
  d->section.same = same;
  cpb_diff_values_begin(d, list);
  return true;
}

/* Without checksums, the values alone decide. */
static void compare_variable(cpb_diff *d) {
  const uint64_t same = d->section.same;
  cpb_diff_compare_item(d, &d->join);
  if (d->section.same == same || d->values.sum.same) return;
  d->section.same = same;
  report_values(d);
}

static cpb_step compare_values(cpb_diff *d) {
  cpb_step step = cpb_diff_values_step(d);
  if (step == CPB_STEP_NEED) return step;
  if (step == CPB_STEP_DONE && is_of_variables(d->values.list)) compare_variable(d);
  else if (step == CPB_STEP_DONE && (lacks_values(d) || cpb_diff_values_unread(d))) d->section.unread++;
  else if (step == CPB_STEP_DONE && !d->values.sum.same) report_values(d);
  else d->section.same++, d->section.elsewhere += d->values.elsewhere;
  cpb_diff_values_end(d);
  d->comparing = false;
  return step;
}

static cpb_step compare_list_and_values(cpb_diff *d, const cpb_diff_list *list) {
  if (!d->joining) {
    cpb_diff_section_begin(d, list->section, nothing);
    if (!cpb_diff_items_sort(&d->items)) cpb_diff_fail_memory(d);
    d->join = cpb_diff_items_join(&d->items);
    d->joining = true;
  }
  while (cpb_diff_ok(d)) {
    if (!d->comparing && !cpb_diff_join_next(&d->join)) break;
    d->comparing = d->comparing || next_item(d, list);
    if (d->comparing && compare_values(d) == CPB_STEP_NEED) return CPB_STEP_NEED;
  }
  cpb_diff_section_end(d, true);
  cpb_diff_items_free(&d->items);
  d->joining = false;
  return ended(d);
}

static bool constants_begin(cpb_diff *d) { return d->round == 0 && begin_list(d, &cpb_diff_constants); }
static cpb_step constants_compare(cpb_diff *d) { return compare_list_and_values(d, &cpb_diff_constants); }
static const cpb_diff_task constants = {constants_begin, constants_compare};

static bool parameters_begin(cpb_diff *d) { return d->round == 0 && begin_list(d, &cpb_diff_parameters); }
static cpb_step parameters_compare(cpb_diff *d) { return compare_list_and_values(d, &cpb_diff_parameters); }
static const cpb_diff_task parameters = {parameters_begin, parameters_compare};

static bool states_begin(cpb_diff *d) { return d->round == 0 && begin_list(d, &cpb_diff_states); }
static cpb_step states_compare(cpb_diff *d) { return compare_list_and_values(d, &cpb_diff_states); }
static const cpb_diff_task states = {states_begin, states_compare};

/* Values with equal checksums are equal and are not read. */
static const cpb_diff_list *variables_list(const cpb_diff *d) {
  if (!cpb_diff_has_checksums(d)) return &cpb_diff_variables_unchecked;
  return d->options.skip_values ? &cpb_diff_variables_alone : &cpb_diff_variables;
}
static bool variables_begin(cpb_diff *d) {
  const bool has_them = d->has_checkpoints || kind_of(d)->program == CPB_DIFF_VARIABLES;
  return d->round == 0 && has_them && begin_list(d, variables_list(d));
}
static cpb_step variables_compare(cpb_diff *d) { return compare_list_and_values(d, variables_list(d)); }
static const cpb_diff_task variables = {variables_begin, variables_compare};

/* --- Meta graphs ------------------------------------------------------------------------------ */

static bool overview_begin(cpb_diff *d) {
  static const cpb_diff_list overview = {"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, NULL, false};
  for (int side = 0; side < 2 && d->round == 0; side++)
    cpb_diff_will_read(d, (cpb_diff_read){.list = &overview, .side = side, .whole = true});
  return d->round == 0;
}

/* Compares as many meta graphs as both models have. */
static cpb_step overview_compare(cpb_diff *d) {
  d->num_meta_graphs = UINT32_MAX;
  int checkpoints = 0;
  for (int side = 0; side < 2 && cpb_diff_ok(d); side++) {
    cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
    const cpb_diff_table *whole = &d->items.whole[side];
    yyjson_doc *doc = cpb_json_read(&d->allocator, cpb_diff_text(whole, whole->items), CPB_DIFF_DEPTH * 2, &error);
    yyjson_val *root = yyjson_doc_get_root(doc);
    uint64_t count = cpb_diff_number(cpb_json_member(root, "meta_graphs"), "total");
    if (!doc) cpb_diff_fail(d, side, &error);
    if (count < d->num_meta_graphs) d->num_meta_graphs = (uint32_t)count;
    checkpoints += cpb_json_member(cpb_json_member(root, "variables"), "stored") != NULL;
    yyjson_doc_free(doc);
  }
  d->has_checkpoints = checkpoints == 2;
  d->has_one_checkpoint = checkpoints == 1;
  cpb_diff_items_free(&d->items);
  if (d->num_meta_graphs == 0) go_to_end(d);
  return ended(d);
}
static const cpb_diff_task overview = {overview_begin, overview_compare};

/* Back to the first task of a meta graph. */
static bool next_meta_graph(cpb_diff *d) {
  if (++d->meta_graph < d->num_meta_graphs) go_on_with(d, 2);
  return false;
}
static const cpb_diff_task again_for_meta_graphs = {next_meta_graph, NULL};

/* --- Tags ---------------------------------------------------------------------------------------- */

static bool tags_begin(cpb_diff *d) {
  static const cpb_diff_list list = {"tags", CPB_ASK_OVERVIEW, "tags", {"tag"}, NULL, false};
  return d->round == 0 && begin_list(d, &list);
}

/* The next tag that both models have. */
static bool find_tag(cpb_diff *d) {
  while (cpb_diff_join_next(&d->next_tag)) {
    if (!d->next_tag.items[0] || !d->next_tag.items[1]) continue;
    d->tag = cpb_diff_key(&d->tags.plain[0], d->next_tag.items[0]);
    return true;
  }
  d->tag = nothing;
  return false;
}

static cpb_step tags_compare(cpb_diff *d) {
  d->tags = d->items;
  cpb_diff_items_init(&d->items, &d->allocator);
  if (!cpb_diff_items_sort(&d->tags)) cpb_diff_fail_memory(d);
  d->next_tag = cpb_diff_items_join(&d->tags);
  if (cpb_diff_ok(d) && !find_tag(d)) go_to_end(d);
  return ended(d);
}
static const cpb_diff_task tags = {tags_begin, tags_compare};

/* Back to the first task of a tag. */
static bool next_tag(cpb_diff *d) {
  if (find_tag(d)) go_on_with(d, 2);
  return false;
}
static const cpb_diff_task again_for_tags = {next_tag, NULL};

/* --- Kinds of models -------------------------------------------------------------------------------- */

/* go_on_with() counts from the beginning of the list: 2 is the first task that a meta graph or a tag has for itself. */

static const cpb_diff_task *const meta_graphs[] = {
    &lists_of_model, &overview,  &pairs,     &lists_of_part,         &objects, &functions,
    &nodes,          &constants, &variables, &again_for_meta_graphs, NULL};
static const cpb_diff_task *const graph[] = {&pairs, &lists_of_part, &functions, &nodes, &constants, NULL};
static const cpb_diff_task *const lists[] = {&lists_of_model, NULL};
static const cpb_diff_task *const checkpoint[] = {&lists_of_model, &variables, NULL};
static const cpb_diff_task *const all_tags[] = {&lists_of_model, &tags, &lists_of_part, &parameters, &states,
                                                &again_for_tags, NULL};
static const cpb_diff_task *const tag[] = {&lists_of_model, &lists_of_part, &parameters, &states, NULL};

static const cpb_diff_task *const *const programs[] = {[CPB_DIFF_LISTS] = lists, [CPB_DIFF_VARIABLES] = checkpoint,
                                                       [CPB_DIFF_GRAPH] = graph, [CPB_DIFF_META_GRAPHS] = meta_graphs,
                                                       [CPB_DIFF_TAG] = tag,     [CPB_DIFF_TAGS] = all_tags};

const cpb_diff_task *const *cpb_diff_program_of(cpb_model_kind kind) {
  const cpb_kind *known = cpb_kind_find(kind);
  return known ? programs[known->diff.program] : NULL;
}
