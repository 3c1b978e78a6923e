#include "chunked/index/tree_order.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

/* If it needs more of these, the entire index is read. */
enum { MOST_CHUNKS = 1 << 16, MOST_PAGES = 64 };

static bool no_memory(cpb_error *error) { return cpb_fail_memory(error) == CPB_OK; }

void cpb_page_search_free(cpb_page_search *s) {
  const cpb_allocator *a = &s->allocator;
  if (!a->allocate) return;
  for (size_t i = 0; i < s->num_found; i++) cpb_metadata_free(&s->found[i].nodes);
  cpb_release(a, s->found);
  cpb_release(a, s->numbers);
  cpb_release(a, s->known);
  cpb_page_list_free(&s->path);
  cpb_page_list_free(&s->list);
  cpb_metadata_free(&s->page);
  cpb_metadata_free(&s->part);
  memset(s, 0, sizeof *s);
}

static bool copy_list(cpb_page_list *to, const cpb_page_list *from, size_t begin, size_t end) {
  bool done = true;
  for (size_t i = begin; done && i < end; i++) {
    const cpb_index_page *page = &from->items[i];
    done = cpb_page_list_add(to, page);
    for (uint32_t t = 0; done && t < page->num_tags; t++)
      done = cpb_page_list_add_tag(to, from->tags[page->first_tag + t], from->text.data);
  }
  return done;
}

bool cpb_page_search_begin(cpb_page_search *s, const cpb_page_list *list) {
  cpb_page_list_init(&s->list, &s->allocator);
  cpb_metadata_init(&s->page, &s->allocator);
  cpb_metadata_init(&s->part, &s->allocator);
  for (size_t i = 0; i < list->count; i++) {
    const cpb_index_page *page = &list->items[i];
    if (page->kind == CPB_PAGE_NODES && !(page->ordered && page->apart)) s->phase = CPB_SEARCH_GIVEN_UP;
  }
  return copy_list(&s->list, list, 0, list->count);
}

/* --- Which pages --------------------------------------------------------------------- */

static cpb_tags wanted(const cpb_page_search *s) { return cpb_index_page_path(&s->path, 0); }

static bool is_found(const cpb_page_search *s, const cpb_index_page *page) {
  for (size_t i = 0; i < s->num_found; i++)
    if (page->level == 0 && s->found[i].first == page->first) return true;
  return false;
}

/* Whether nodes of the page may have a path from `from` on that begins with `from`; with `only`, exactly this path. */
static bool may_have(const cpb_page_search *s, size_t i, cpb_tags from, bool only) {
  const cpb_page_list *list = &s->list;
  const cpb_tags first = cpb_index_page_path(list, i);
  if (i + 1 < list->count && cpb_tags_compare(cpb_index_page_path(list, i + 1), from) < 0) return false;
  return cpb_tags_compare(first, from) <= 0 || (!only && cpb_tags_lead(from, first));
}

static const cpb_index_page *next_of_nodes(cpb_page_search *s, cpb_tags from, bool only) {
  for (size_t i = 0; i < s->list.count; i++) {
    const cpb_index_page *page = &s->list.items[i];
    if (page->kind != CPB_PAGE_NODES || is_found(s, page) || !may_have(s, i, from, only)) continue;
    s->at = i;
    return page;
  }
  return NULL;
}

static const cpb_index_page *next_of_chunks(cpb_page_search *s, cpb_error *error) {
  while (s->resolved < s->num_numbers && s->known[s->resolved]) s->resolved++;
  if (s->resolved == s->num_numbers) return NULL;
  const uint64_t number = s->numbers[s->resolved];
  for (size_t i = 0; i < s->list.count; i++) {
    const cpb_index_page *page = &s->list.items[i];
    if (page->kind != CPB_PAGE_CHUNKS || number < page->first || number - page->first >= page->count) continue;
    s->at = i;
    return page;
  }
  cpb_fail(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "chunk_index is %llu; expected less than the number of chunks",
           (unsigned long long)number);
  return NULL;
}

static bool find_base(cpb_page_search *s, cpb_error *error);
static bool collect(cpb_page_search *s, cpb_error *error);

/* The next page for the current phase; when there are no more, the next phase begins. */
const cpb_index_page *cpb_page_search_next(cpb_page_search *s, cpb_error *error) {
  const cpb_index_page *page = NULL;
  if (s->num_found > MOST_PAGES) s->phase = CPB_SEARCH_GIVEN_UP;
  if (s->phase == CPB_SEARCH_FIELD) {
    page = next_of_nodes(s, wanted(s), false);
    if (page) return page;
    s->phase = CPB_SEARCH_BASE;
    if (!find_base(s, error)) return NULL;
  }
  if (s->phase == CPB_SEARCH_BASE) {
    cpb_tags base = wanted(s);
    base.count = s->base;
    page = next_of_nodes(s, base, true);
    if (page) return page;
    s->phase = CPB_SEARCH_CHUNKS;
    if (!collect(s, error)) return NULL;
  }
  if (s->phase == CPB_SEARCH_CHUNKS) {
    page = next_of_chunks(s, error);
    if (!page && error->code == CPB_OK) s->phase = CPB_SEARCH_DONE;
  }
  return page;
}

/* Compression does not enlarge a page, except for the framing. */
uint64_t cpb_page_search_end(const cpb_page_search *s) {
  const cpb_index_page *page = &s->list.items[s->at];
  uint64_t end;
  if (!cpb_add_u64(page->position, page->size, &end) || !cpb_add_u64(end, page->size / 64 + 256, &end)) end = 0;
  return s->at + 1 < s->list.count ? cpb_min_u64(end, page[1].position) : end;
}

/* --- Paths ------------------------------------------------------------------------- */

/* The relation of a node's path to the wanted one. */
typedef enum meeting { OFF, BEFORE, BELOW } meeting;

typedef struct place {
  meeting meets;
  size_t tags; /* BEFORE: its number of tags, which are the first ones of the wanted path */
} place;

/* The place of a node, from its parent's. */
static place place_of(const cpb_page_search *s, place above, const cpb_metadata *m, uint32_t node) {
  const cpb_tags tags = cpb_node_tags(m, node);
  if (above.meets != BEFORE) return above;
  cpb_tags left = wanted(s);
  left.first += above.tags;
  left.count -= above.tags;
  if (cpb_tags_lead(tags, left)) return (place){BEFORE, above.tags + tags.count};
  return (place){cpb_tags_lead(left, tags) ? BELOW : OFF, 0};
}

/* The places of all nodes of a page; the caller releases them. */
static place *places_in(const cpb_page_search *s, const cpb_metadata *m) {
  size_t bytes;
  if (!cpb_mul_size(m->num_nodes, sizeof(place), &bytes)) return NULL;
  place *places = cpb_alloc(&s->allocator, bytes);
  for (uint32_t i = 0; places && i < m->num_nodes; i++) {
    const uint32_t parent = cpb_metadata_parent(m, i);
    places[i] = parent == CPB_NO_NODE ? (place){BEFORE, 0} : place_of(s, places[parent], m, i);
  }
  return places;
}

static bool find_base(cpb_page_search *s, cpb_error *error) {
  for (size_t p = 0; p < s->num_found; p++) {
    const cpb_metadata *m = &s->found[p].nodes;
    place *places = places_in(s, m);
    if (!places) return no_memory(error);
    for (size_t i = 0; i < m->num_nodes; i++)
      if (places[i].meets == BEFORE && places[i].tags > s->base) s->base = places[i].tags;
    cpb_release(&s->allocator, places);
  }
  return true;
}

/* --- The part ------------------------------------------------------------------------ */

typedef struct collecting {
  cpb_page_search *s;
  const cpb_metadata *from;
  place *places;
  uint32_t *copies; /* of the page's nodes; CPB_NO_NODE: left out */
  cpb_tree_order *open;
} collecting;

static bool add_number(cpb_page_search *s, uint64_t chunk) {
  if (!CPB_RESERVE(&s->allocator, &s->numbers, &s->numbers_capacity, s->num_numbers + 1)) return false;
  s->numbers[s->num_numbers++] = chunk;
  return true;
}

/* Copies a tag; one of the base's tags gets index 0. */
static bool copy_tag(cpb_page_search *s, const cpb_metadata *from, size_t i, uint32_t to, size_t at) {
  cpb_tag tag = cpb_metadata_tag(from, i);
  const uint8_t *text = tag.length > 0 ? from->text.data + tag.value : NULL;
  if (tag.kind == CPB_TAG_INDEX && at < s->base) tag.value = 0;
  return tag.kind == CPB_TAG_KEY_STRING ? cpb_metadata_add_string_key(&s->part, to, (cpb_span){text, tag.length})
                                        : cpb_metadata_add_tag(&s->part, to, tag);
}

static uint32_t copy_node(collecting *c, uint32_t i, uint32_t parent, bool with_chunk) {
  cpb_page_search *s = c->s;
  const cpb_chunked_node node = cpb_metadata_node(c->from, i);
  const place at = node.parent == CPB_NO_NODE ? (place){BEFORE, 0} : c->places[node.parent];
  const size_t begin = at.meets == BEFORE ? at.tags : SIZE_MAX - node.num_tags;
  const bool takes = with_chunk && node.chunk != CPB_NO_CHUNK;
  if (takes && !add_number(s, node.chunk)) return CPB_NO_NODE;
  const uint32_t copy = cpb_metadata_add_node(&s->part, parent, takes ? s->num_numbers - 1 : CPB_NO_CHUNK);
  bool done = copy != CPB_NO_NODE;
  for (uint32_t t = 0; done && t < node.num_tags; t++) done = copy_tag(s, c->from, node.first_tag + t, copy, begin + t);
  return done ? copy : CPB_NO_NODE;
}

/* Finds a node that contains the page's own nodes: an earlier page may have added it. */
static uint32_t find_open(const collecting *c, uint32_t depth, uint32_t parent) {
  const cpb_tree_order *open = c->open;
  if (depth >= open->depth) return CPB_NO_NODE;
  return cpb_metadata_parent(&c->s->part, open->open[depth]) == parent ? open->open[depth] : CPB_NO_NODE;
}

static bool is_wanted(const cpb_page_search *s, place p) {
  return p.meets == BELOW || (p.meets == BEFORE && p.tags == s->base);
}

/* `spine` is the number of the page's nodes that contain its own nodes. */
static bool collect_node(collecting *c, uint32_t i, uint32_t spine) {
  cpb_page_search *s = c->s;
  const uint32_t above = cpb_metadata_parent(c->from, i);
  const uint32_t parent = above == CPB_NO_NODE ? CPB_NO_NODE : c->copies[above];
  const bool own = i >= spine, takes = own && is_wanted(s, c->places[i]);
  c->copies[i] = CPB_NO_NODE;
  if (c->places[i].meets == OFF || (above != CPB_NO_NODE && parent == CPB_NO_NODE)) return true;
  if (takes && cpb_metadata_node(c->from, i).chunk == CPB_NO_CHUNK) s->phase = CPB_SEARCH_GIVEN_UP;
  if (!own) c->copies[i] = find_open(c, i, parent);
  if (c->copies[i] != CPB_NO_NODE) return true;
  c->copies[i] = copy_node(c, i, parent, takes);
  return c->copies[i] != CPB_NO_NODE && cpb_tree_order_add(c->open, c->copies[i]);
}

static bool collect_page(cpb_page_search *s, const cpb_found_page *page, cpb_tree_order *open) {
  size_t bytes;
  const size_t count = page->nodes.num_nodes;
  collecting c = {.s = s, .from = &page->nodes, .open = open};
  if (!cpb_mul_size(count, sizeof *c.copies, &bytes)) return false;
  c.places = places_in(s, c.from);
  c.copies = cpb_alloc(&s->allocator, bytes);
  bool done = c.places && c.copies;
  for (uint32_t i = 0; done && i < count; i++) done = collect_node(&c, i, (uint32_t)(count - page->count));
  cpb_release(&s->allocator, c.places);
  cpb_release(&s->allocator, c.copies);
  return done;
}

/* In the order of the file. */
static void sort_found(cpb_page_search *s) {
  for (size_t i = 1; i < s->num_found; i++) {
    const cpb_found_page page = s->found[i];
    size_t at = i;
    for (; at > 0 && s->found[at - 1].first > page.first; at--) s->found[at] = s->found[at - 1];
    s->found[at] = page;
  }
}

static bool collect(cpb_page_search *s, cpb_error *error) {
  cpb_tree_order open;
  bool done = true;
  sort_found(s);
  cpb_tree_order_init(&open, &s->allocator, &s->part);
  for (size_t i = 0; done && i < s->num_found; i++) done = collect_page(s, &s->found[i], &open);
  cpb_tree_order_free(&open);
  if (s->num_numbers == 0 || s->num_numbers > MOST_CHUNKS) s->phase = CPB_SEARCH_GIVEN_UP;
  if (done) s->known = cpb_alloc_zeroed(&s->allocator, s->num_numbers + 1);
  return (done && s->known) || no_memory(error);
}

/* --- Taking a page ---------------------------------------------------------------------- */

static bool wrong(const cpb_index_page *page, const char *what, cpb_error *error) {
  return CPB_FAILS(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "the page of the chunk index at position %llu: %s",
                   (unsigned long long)page->position, what);
}

static bool take_list(cpb_page_search *s, const cpb_index_page *page, cpb_error *error) {
  cpb_page_list list;
  if (!cpb_page_list_follows(page, &s->list, s->at, &s->page.pages, error)) return false;
  cpb_page_list_init(&list, &s->allocator);
  const bool done = copy_list(&list, &s->list, 0, s->at) && copy_list(&list, &s->page.pages, 0, s->page.pages.count) &&
                    copy_list(&list, &s->list, s->at + 1, s->list.count);
  cpb_page_list_free(&s->list);
  s->list = list;
  return done || no_memory(error);
}

/* Checks that cpb_page_reader makes with the help of earlier pages are not possible here. */
static bool take_nodes(cpb_page_search *s, const cpb_index_page *page, cpb_error *error) {
  const cpb_found_page found = {page->first, page->count, s->page};
  if (s->page.num_nodes < page->count || (s->page.num_nodes == page->count) != (page->first == 0))
    return wrong(page, "it has another number of nodes than its count", error);
  if (!CPB_RESERVE(&s->allocator, &s->found, &s->found_capacity, s->num_found + 1)) return no_memory(error);
  s->found[s->num_found++] = found;
  cpb_metadata_init(&s->page, &s->allocator);
  return true;
}

static bool copy_entry(cpb_page_search *s, size_t at, size_t i) {
  const cpb_chunk_reference reference = cpb_metadata_reference(&s->page, i);
  return cpb_metadata_set_entry(&s->part, at, cpb_metadata_chunk(&s->page, i)) &&
         (reference.file == 0 || cpb_metadata_set_reference(&s->part, at, reference));
}

/* The chunk after it does not belong to the part, but its position shows where this chunk ends. */
static bool add_entry(cpb_page_search *s, size_t at, size_t i) {
  const size_t next = s->num_numbers + at;
  s->known[at] = true;
  if (!copy_entry(s, at, i)) return false;
  if (i + 1 < s->page.num_chunks) i++;
  return copy_entry(s, next, i);
}

static bool take_chunks(cpb_page_search *s, const cpb_index_page *page, cpb_error *error) {
  if (s->page.num_chunks != page->count) return wrong(page, "it has another number of chunks than its count", error);
  for (size_t i = s->resolved; i < s->num_numbers; i++) {
    const uint64_t number = s->numbers[i];
    if (number < page->first || number - page->first >= page->count) continue;
    if (!add_entry(s, i, (size_t)(number - page->first))) return no_memory(error);
  }
  s->part.num_chunks = 2 * s->num_numbers;
  return true;
}

bool cpb_page_search_take(cpb_page_search *s, cpb_error *error) {
  const cpb_index_page page = s->list.items[s->at];
  const bool has_nodes = cpb_metadata_node(&s->page, 0).has_message;
  bool done;
  if (has_nodes != (page.level == 0 && page.kind == CPB_PAGE_NODES))
    done = wrong(&page, "it is of another kind", error);
  else if (page.level > 0) done = take_list(s, &page, error);
  else if (page.kind == CPB_PAGE_CHUNKS) done = take_chunks(s, &page, error);
  else done = take_nodes(s, &page, error);
  cpb_metadata_free(&s->page);
  return done;
}

/* --- The path --------------------------------------------------------------------------- */

static cpb_tag key_of(const cpb_path_tag *tag) {
  if (tag->kind == CPB_PATH_KEY) return (cpb_tag){0, (uint32_t)tag->length, CPB_TAG_KEY_STRING};
  return (cpb_tag){tag->negative ? 0 - tag->value : tag->value, 0, CPB_TAG_KEY_INT64};
}

static bool is_subscript(const cpb_path_tag *tag) {
  return tag && tag->kind != CPB_PATH_NAME && tag->kind != CPB_PATH_NUMBER;
}

static const cpb_field *field_of(const cpb_message_type *type, const cpb_path_tag *tag) {
  if (!type || is_subscript(tag)) return NULL;
  return tag->kind == CPB_PATH_NAME ? cpb_message_find_name(type, tag->text, tag->length)
                                    : cpb_message_find_number(type, (uint32_t)cpb_min_u64(tag->value, UINT32_MAX));
}

bool cpb_page_search_path(cpb_page_list *tags, const cpb_message_type *type, const cpb_path *path) {
  const cpb_index_page page = {.kind = CPB_PAGE_NODES};
  const size_t count = cpb_path_num_tags(path);
  bool done = count > 0 && cpb_page_list_add(tags, &page);
  for (size_t i = 0; done && i < count; i++) {
    const cpb_field *field = field_of(type, cpb_path_get_tag(path, i));
    if (!field) return false;
    done = cpb_page_list_add_tag(tags, (cpb_tag){field->number, 0, CPB_TAG_FIELD}, NULL);
    type = field->message;
    if (!field->repeated) continue;
    const cpb_path_tag *next = cpb_path_get_tag(path, ++i);
    if (!next) break; /* all of it */
    if (!done || !is_subscript(next)) return false;
    if (field->map) {
      done = cpb_page_list_add_tag(tags, key_of(next), (const uint8_t *)next->text);
      const cpb_field *value = cpb_message_find_number(type, 2);
      type = value ? value->message : NULL;
    } else {
      if (next->kind != CPB_PATH_INDEX || next->negative) return false;
      done = cpb_page_list_add_tag(tags, (cpb_tag){next->value, 0, CPB_TAG_INDEX}, NULL);
    }
  }
  return done;
}

static bool format_path(const cpb_page_search *s, const cpb_path *path, cpb_buffer *text) {
  const size_t count = cpb_path_num_tags(path);
  cpb_path_tag *tags = cpb_alloc(&s->allocator, count * sizeof *tags);
  if (!tags) return false;
  for (size_t i = 0; i < count; i++) {
    tags[i] = *cpb_path_get_tag(path, i);
    if (i < s->base && s->path.tags[i].kind == CPB_TAG_INDEX) tags[i].value = 0;
  }
  const size_t size = cpb_path_format(tags, count, NULL, 0) + 1;
  const bool done = cpb_buffer_reserve(text, size);
  if (done) text->size = cpb_path_format(tags, count, (char *)text->data, size);
  cpb_release(&s->allocator, tags);
  return done;
}

cpb_path *cpb_page_search_rename(const cpb_page_search *s, const cpb_path *path, cpb_error *error) {
  cpb_buffer text;
  cpb_path *renamed = NULL;
  cpb_buffer_init(&text, &s->allocator);
  if (format_path(s, path, &text)) renamed = cpb_path_parse(&s->allocator, (char *)text.data, text.size, error);
  else cpb_fail_memory(error);
  cpb_buffer_free(&text);
  return renamed;
}
