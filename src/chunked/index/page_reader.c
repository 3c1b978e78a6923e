#include "chunked/index/tree_order.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

static bool no_memory(cpb_error *error) { return cpb_fail_memory(error), false; }

static bool damaged(const cpb_index_page *page, const char *what, cpb_error *error) {
  return CPB_FAILS(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "the page of the chunk index at position %llu: %s",
                   (unsigned long long)page->position, what);
}

static const cpb_index_page *page_at_hand(const cpb_page_reader *r) {
  const cpb_page_frame *f = &r->frames[r->depth - 1];
  return &f->list.items[f->next - 1];
}

static cpb_tags path_at_hand(const cpb_page_reader *r) {
  const cpb_page_frame *f = &r->frames[r->depth - 1];
  return cpb_index_page_path(&f->list, f->next - 1);
}

/* --- Lists of pages --------------------------------------------------------------- */

/* Within a list, pages continue where the last one ends, chunks before nodes; and they come before the list in the
 * file, so that no page leads to itself. */
static const char *wrong_page(const cpb_page_list *list, size_t i, const cpb_index_page *above) {
  const cpb_index_page *page = &list->items[i], *last = i > 0 ? page - 1 : NULL;
  const bool begins = !last || last->kind != page->kind;
  if (last && page->kind < last->kind) return "it lists chunks after nodes";
  if (page->first != (begins ? above->kind ? above->first : 0 : last->first + last->count))
    return "it does not begin where the page before it ends";
  if (last && page->position <= last->position) return "it is not behind the page that is listed before it";
  if (page->position >= above->position) return "it is not before the record that lists it";
  if (above->kind && page->kind != above->kind) return "it is of another kind than the page that lists it";
  if (above->kind && page->level + 1 != above->level) return "its level is not the next below the page that lists it";
  if (!begins && (page->ordered != last->ordered || page->apart != last->apart)) return "only some pages are in order";
  if (page->ordered && !begins && cpb_tags_compare(cpb_index_page_path(list, i - 1), cpb_index_page_path(list, i)) > 0)
    return "its path comes before that of the page before it";
  return NULL;
}

static bool check_list(const cpb_page_list *list, const cpb_index_page *above, uint64_t *totals, cpb_error *error) {
  memset(totals, 0, (CPB_PAGE_NODES + 1) * sizeof *totals);
  for (size_t i = 0; i < list->count; i++) {
    const cpb_index_page *page = &list->items[i];
    const char *wrong = wrong_page(list, i, above);
    if (wrong) return damaged(page, wrong, error);
    totals[page->kind] = page->first + page->count; /* does not overflow: page_list.c */
  }
  return true;
}

static void push(cpb_page_reader *r, cpb_page_list *list) {
  r->frames[r->depth++] = (cpb_page_frame){*list, 0};
  cpb_page_list_init(list, &r->allocator);
}

static bool within_limit(uint64_t count, const char *what, const cpb_limits *limits, cpb_error *error) {
  if (count <= limits->chunks) return true;
  return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET, "the chunk index has more than %llu %s",
                   (unsigned long long)limits->chunks, what);
}

bool cpb_page_list_check(const cpb_page_list *list, uint64_t position, const cpb_limits *limits, cpb_error *error) {
  const cpb_index_page above = {.position = position};
  uint64_t totals[CPB_PAGE_NODES + 1];
  if (!check_list(list, &above, totals, error)) return false;
  if (!within_limit(totals[CPB_PAGE_CHUNKS], "chunks", limits, error) ||
      !within_limit(totals[CPB_PAGE_NODES], "fields", limits, error))
    return false;
  return totals[CPB_PAGE_NODES] > 0 || damaged(&above, "it lists no nodes", error);
}

bool cpb_page_reader_begin(cpb_page_reader *r, cpb_metadata *m, uint64_t position, const cpb_limits *limits,
                           cpb_error *error) {
  memset(r, 0, sizeof *r);
  r->allocator = m->allocator;
  r->m = m;
  cpb_metadata_init(&r->page, &m->allocator);
  cpb_tree_order_init(&r->order, &m->allocator, m);
  if (!cpb_page_list_check(&m->pages, position, limits, error)) return false;
  push(r, &m->pages);
  cpb_metadata_keep_pages(m);
  return true;
}

void cpb_page_reader_free(cpb_page_reader *r) {
  if (!r->m) return;
  while (r->depth > 0) cpb_page_list_free(&r->frames[--r->depth].list);
  cpb_tree_order_free(&r->order);
  cpb_metadata_free(&r->page);
  r->m = NULL;
}

const cpb_index_page *cpb_page_reader_next(cpb_page_reader *r) {
  while (r->depth > 0) {
    cpb_page_frame *f = &r->frames[r->depth - 1];
    if (f->next < f->list.count) return &f->list.items[f->next++];
    cpb_page_list_free(&f->list);
    r->depth--;
  }
  return NULL;
}

bool cpb_page_list_follows(const cpb_index_page *page, const cpb_page_list *above, size_t i, const cpb_page_list *list,
                           cpb_error *error) {
  uint64_t totals[CPB_PAGE_NODES + 1];
  if (list->count == 0) return damaged(page, "expected a list of pages", error);
  if (!check_list(list, page, totals, error)) return false;
  if (totals[page->kind] != page->first + page->count)
    return damaged(page, "its pages have another count than the page itself", error);
  if (page->ordered != list->items[0].ordered || page->apart != list->items[0].apart)
    return damaged(page, "its pages say something else of the order of nodes", error);
  if (page->ordered && cpb_tags_compare(cpb_index_page_path(above, i), cpb_index_page_path(list, 0)) != 0)
    return damaged(page, "its first page has another path", error);
  return true;
}

static bool take_list(cpb_page_reader *r, cpb_error *error) {
  const cpb_page_frame *f = &r->frames[r->depth - 1];
  if (!cpb_page_list_follows(page_at_hand(r), &f->list, f->next - 1, &r->page.pages, error)) return false;
  push(r, &r->page.pages);
  return true;
}

/* --- Chunks -------------------------------------------------------------------------- */

static bool take_chunks(cpb_page_reader *r, cpb_error *error) {
  const cpb_index_page *page = page_at_hand(r);
  if (r->page.num_chunks != page->count) return damaged(page, "it has another number of chunks than its count", error);
  for (size_t i = 0; i < r->page.num_chunks; i++)
    if (!cpb_metadata_copy_chunk(r->m, &r->page, i)) return no_memory(error);
  return true;
}

/* --- Nodes --------------------------------------------------------------------------- */

/* The first nodes of a page contain its own nodes, and were in an earlier page. */
static bool check_spine(const cpb_page_reader *r, uint32_t count) {
  const cpb_metadata *page = &r->page;
  if (count > r->order.depth) return false;
  for (uint32_t i = 0; i < count; i++) {
    const cpb_chunked_node node = cpb_metadata_node(page, i);
    const uint32_t parent = i > 0 ? i - 1 : CPB_NO_NODE;
    if (node.chunk != CPB_NO_CHUNK || node.parent != parent) return false;
    if (cpb_tags_compare(cpb_node_tags(page, i), cpb_node_tags(r->m, r->order.open[i])) != 0) return false;
  }
  return count == 0 || cpb_metadata_parent(page, count) == count - 1;
}

/* Whether the path of the node that was added last is the page's. */
static bool is_path_of(const cpb_page_reader *r, cpb_tags path) {
  for (size_t i = 0; i < r->order.depth; i++) {
    const cpb_tags tags = cpb_node_tags(r->m, r->order.open[i]);
    if (!cpb_tags_lead(tags, path)) return false;
    path.first += tags.count;
    path.count -= tags.count;
  }
  return path.count == 0;
}

static bool add_node(cpb_page_reader *r, uint32_t i, uint32_t spine, cpb_error *error) {
  const uint32_t parent = cpb_metadata_parent(&r->page, i);
  const uint32_t base = (uint32_t)r->m->num_nodes - (i - spine);
  uint32_t above = CPB_NO_NODE;
  if (parent != CPB_NO_NODE) above = parent < spine ? r->order.open[parent] : base + (parent - spine);
  const uint32_t added = cpb_metadata_copy_node(r->m, above, &r->page, i, true);
  return (added != CPB_NO_NODE && cpb_tree_order_add(&r->order, added)) || no_memory(error);
}

static bool take_nodes(cpb_page_reader *r, cpb_error *error) {
  const cpb_index_page *page = page_at_hand(r);
  const size_t count = r->page.num_nodes;
  if (!cpb_metadata_node(&r->page, 0).has_message || count < page->count)
    return damaged(page, "it has fewer nodes than its count", error);
  const uint32_t spine = (uint32_t)(count - page->count);
  if ((spine == 0) != (page->first == 0) || !check_spine(r, spine))
    return damaged(page, "its nodes do not go on from those of the page before it", error);
  for (uint32_t i = spine; i < count; i++) {
    if (!add_node(r, i, spine, error)) return false;
    if (i == spine && page->ordered && !is_path_of(r, path_at_hand(r)))
      return damaged(page, "its first node has another path", error);
  }
  if (page->ordered && r->order.broken) return damaged(page, "its nodes are not in the order of their paths", error);
  return true;
}

bool cpb_page_reader_take(cpb_page_reader *r, cpb_error *error) {
  const cpb_index_page *page = page_at_hand(r);
  const bool has_nodes = cpb_metadata_node(&r->page, 0).has_message;
  const bool expected = page->level == 0 && page->kind == CPB_PAGE_NODES;
  bool done;
  if (has_nodes && !expected) done = damaged(page, "expected no message", error);
  else if (page->level > 0) done = take_list(r, error);
  else if (page->kind == CPB_PAGE_CHUNKS) done = take_chunks(r, error);
  else done = take_nodes(r, error);
  cpb_metadata_free(&r->page);
  return done;
}
