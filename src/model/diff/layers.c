/* Pairs the layers of two models in which layers were renamed or moved.
 *
 * First it pairs layers with the same path and name. The others are paired by these rules, in this order: alike and
 * with the same path; the same name and class; alike, the n-th with the n-th; the same path. Layers are alike if they
 * have the same class, configuration, input shapes and number of parameters. Two paired layers that are alike were
 * renamed if neither name occurs as a layer in the other model. */
#include "model/diff/diff.h"

#include "base/checked.h"

/* The texts that layers are compared by. Texts that are compared together are next to each other. */
enum { LOOK, PATH, NAME, CLASS, TEXTS };

typedef struct layer {
  size_t begin, ends[TEXTS]; /* of the texts, in the bytes of its side */
  struct layer *other;
  bool named; /* the other model has a layer with this name */
} layer;

typedef struct layers {
  layer *list;
  size_t count;
  cpb_buffer bytes;
} layers;

typedef struct rule {
  int from, to; /* the range of texts that must be equal */
  bool renames;
} rule;

static const rule rules[] = {
    {PATH, NAME, false}, {LOOK, PATH, true}, {NAME, CLASS, false}, {LOOK, LOOK, true}, {PATH, PATH, false}};

/* --- Reading ------------------------------------------------------------------------------ */

/* Members that do not count when layers are compared, also within the configuration. */
static const char *const of_place[] = {"name", "path", "inputs", "input_layers", "output_layers", "shared_object_id",
                                       NULL};

static bool put_text(cpb_buffer *to, yyjson_val *item, const char *member, size_t *end) {
  cpb_span text = {NULL, 0};
  cpb_json_text(cpb_json_member(item, member), &text);
  bool done = cpb_buffer_append(to, text.data, text.size) && cpb_buffer_append(to, "", 1);
  *end = to->size;
  return done;
}

/* A layer that is known only from names is at its name. */
static bool put_texts(layers *s, layer *l, yyjson_val *item) {
  const char *path = cpb_json_member(item, "path") ? "path" : "name";
  cpb_json_writer look = {.out = s->bytes}; /* lent */
  l->begin = s->bytes.size;
  cpb_diff_plain(&look, item, of_place, true);
  s->bytes = look.out;
  l->ends[LOOK] = s->bytes.size;
  return cpb_json_writer_ok(&look) && put_text(&s->bytes, item, path, &l->ends[PATH]) &&
         put_text(&s->bytes, item, "name", &l->ends[NAME]) && put_text(&s->bytes, item, "class", &l->ends[CLASS]);
}

static bool read_layer(cpb_diff *d, layers *s, cpb_span text) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  if (!cpb_diff_charge(d, CPB_WORK_WALKED, text.size)) return false;
  yyjson_doc *doc = cpb_json_read(&d->allocator, text, CPB_DIFF_DEPTH * 2, &error);
  if (!doc) return cpb_diff_fail(d, -1, &error);
  bool done = put_texts(s, &s->list[s->count++], yyjson_doc_get_root(doc)) || cpb_diff_fail_memory(d);
  yyjson_doc_free(doc);
  return done;
}

static bool read_side(cpb_diff *d, const cpb_diff_table *table, layers *s) {
  size_t size;
  cpb_buffer_init(&s->bytes, &d->allocator);
  if (table->count == 0) return true;
  s->list = cpb_mul_size(table->count, sizeof *s->list, &size) ? cpb_alloc_zeroed(&d->allocator, size) : NULL;
  if (!s->list) return cpb_diff_fail_memory(d);
  for (size_t i = 0; i < table->count; i++)
    if (!read_layer(d, s, cpb_diff_text(table, &table->items[i]))) return false;
  return true;
}

static void free_side(cpb_diff *d, layers *s) {
  cpb_release(&d->allocator, s->list);
  cpb_buffer_free(&s->bytes);
}

/* --- Pairing ------------------------------------------------------------------------------ */

static cpb_span texts_of(const layers *s, const layer *l, int from, int to) {
  size_t begin = from == LOOK ? l->begin : l->ends[from - 1];
  return (cpb_span){s->bytes.data + begin, l->ends[to] - begin};
}

static bool is_of_known_class(const layer *l) { return l->ends[CLASS] - l->ends[NAME] > 1; }

static bool is_free(const layer *l, bool renames) {
  return !l->other && (!renames || (is_of_known_class(l) && !l->named));
}

/* The layers that a rule applies to, each with its key. */
static bool choose(cpb_diff *d, const layers *s, const rule *r, cpb_diff_elements *chosen) {
  size_t count = 0, next = 0;
  for (size_t i = 0; i < s->count; i++) count += is_free(&s->list[i], r->renames);
  if (!cpb_diff_elements_make(chosen, &d->allocator, count)) return cpb_diff_fail_memory(d);
  for (size_t i = 0; i < s->count; i++) {
    layer *l = &s->list[i];
    if (is_free(l, r->renames)) chosen->list[next++] = (cpb_diff_element){texts_of(s, l, r->from, r->to), l, NULL};
  }
  return true;
}

/* Pairs the layers that a rule applies to, and calls `pair` with both layers. */
static void match(cpb_diff *d, layers sides[2], const rule *r, void (*pair)(layer *a, layer *b)) {
  cpb_diff_elements chosen[2] = {{NULL, 0}, {NULL, 0}};
  bool done = choose(d, &sides[0], r, &chosen[0]) && choose(d, &sides[1], r, &chosen[1]);
  if (done && !cpb_diff_match(&d->allocator, chosen)) done = cpb_diff_fail_memory(d);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < chosen[side].count && done; i++)
      if (chosen[side].list[i].other) pair(chosen[side].list[i].value, chosen[side].list[i].other);
    cpb_diff_elements_free(&chosen[side], &d->allocator);
  }
}

static void pair(layer *a, layer *b) { a->other = b; }
static void note_name(layer *a, layer *b) {
  (void)b;
  a->named = true;
}

static void note_renamed(cpb_diff *d, const layers sides[2]) {
  for (size_t i = 0; i < sides[0].count; i++) {
    const layer *a = &sides[0].list[i], *b = a->other;
    if (!b || !is_of_known_class(a) || a->named || b->named) continue;
    cpb_span looks[2] = {texts_of(&sides[0], a, LOOK, LOOK), texts_of(&sides[1], b, LOOK, LOOK)};
    if (!cpb_span_equal(looks[0], looks[1])) continue;
    for (int side = 0; side < 2; side++) {
      cpb_span name = texts_of(&sides[side], side == 0 ? a : b, NAME, NAME);
      if (!cpb_diff_pairs_add(&d->layers, side, (cpb_span){name.data, name.size - 1})) cpb_diff_fail_memory(d);
    }
  }
  if (cpb_diff_ok(d) && !cpb_diff_pairs_make_in_order(&d->layers)) cpb_diff_fail_memory(d);
}

/* --- Keys --------------------------------------------------------------------------------- */

/* A layer without a partner is sorted after those with the same key, because one of them may have another layer's
 * key. */
static bool set_key(cpb_diff_table *table, size_t i, const cpb_diff_table *from, const cpb_diff_item *partner) {
  cpb_diff_item *item = &table->items[i];
  if (!partner) item->number += table->count;
  if (!partner) return true;
  cpb_span key = cpb_diff_key(from, partner);
  item->key = table->bytes.out.size;
  item->key_size = key.size;
  return cpb_buffer_append(&table->bytes.out, key.data, key.size);
}

static void set_keys(cpb_diff *d, const layers sides[2]) {
  cpb_diff_items *items = &d->items;
  for (size_t i = 0; i < sides[1].count && cpb_diff_ok(d); i++) {
    const layer *other = sides[1].list[i].other;
    const cpb_diff_item *partner = other ? &items->plain[0].items[other - sides[0].list] : NULL;
    if (!set_key(&items->plain[1], i, &items->plain[0], partner) ||
        !set_key(&items->whole[1], i, &items->plain[0], partner))
      cpb_diff_fail_memory(d);
  }
}

void cpb_diff_layers_pair(cpb_diff *d) {
  static const rule names = {NAME, NAME, false};
  layers sides[2] = {{.list = NULL}, {.list = NULL}};
  cpb_diff_pairs_free(&d->layers);
  bool done = read_side(d, &d->items.plain[0], &sides[0]) && read_side(d, &d->items.plain[1], &sides[1]);
  if (done) match(d, sides, &names, note_name);
  for (size_t i = 0; i < sizeof rules / sizeof *rules && cpb_diff_ok(d); i++) match(d, sides, &rules[i], pair);
  if (cpb_diff_ok(d)) note_renamed(d, sides);
  if (cpb_diff_ok(d)) set_keys(d, sides);
  for (int i = 0; i < 2; i++) free_side(d, &sides[i]);
}
