#include "chunked/index/tree_order.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "proto/wire.h"

/* A list of pages takes about ENTRY bytes for each. The best page size is that of the list of all pages, within these
 * bounds. */
enum { ENTRY = 45, SMALLEST_PAGE = 32 << 10, LARGEST_PAGE = 256 << 10 };
enum { REFERENCE = 24, FIELD_HEAD = 10, TAG_HEAD = 4, KEY_HEAD = 4 };

/* No record can be at this position. A reader that does not support pages takes the one chunk in the last record for
 * the message, and finds nothing there. */
#define NO_POSITION ((uint64_t)1 << 62)

/* --- Sizes, about -------------------------------------------------------------------- */

static uint64_t size_of_chunk(const cpb_metadata *m, size_t i) {
  const cpb_chunk_entry chunk = cpb_metadata_chunk(m, i);
  const uint64_t more = cpb_metadata_reference(m, i).file > 0 ? REFERENCE : 0;
  return 6 + more + cpb_varint_size(chunk.size) + cpb_varint_size(chunk.offset);
}

static uint64_t size_of_node(const cpb_metadata *m, uint32_t i) {
  const cpb_tags tags = cpb_node_tags(m, i);
  uint64_t size = FIELD_HEAD + cpb_varint_size(cpb_column_get(&m->nodes.chunk, i));
  for (size_t t = 0; t < tags.count; t++) {
    const cpb_tag tag = cpb_metadata_tag(m, tags.first + t);
    size += TAG_HEAD + (tag.kind == CPB_TAG_KEY_STRING ? KEY_HEAD + tag.length : cpb_varint_size(tag.value));
  }
  return size;
}

static uint64_t size_of_all(const cpb_metadata *m) {
  uint64_t size = 0;
  for (size_t i = 0; i < m->num_chunks; i++) size += size_of_chunk(m, i);
  for (uint32_t i = 0; i < m->num_nodes; i++) size += size_of_node(m, i);
  return size;
}

static uint64_t suiting_size(uint64_t all) {
  uint64_t size = SMALLEST_PAGE;
  while (size < LARGEST_PAGE && all / size * ENTRY > size) size += size / 8;
  return cpb_min_u64(size, LARGEST_PAGE);
}

/* --- The order of nodes ---------------------------------------------------------------- */

static bool in_order(const cpb_metadata *m, uint32_t a, uint32_t b) { return cpb_node_compare(m, a, b) <= 0; }

static void merge_runs(const cpb_metadata *m, const uint32_t *in, uint32_t *out, size_t begin, size_t middle,
                       size_t end) {
  size_t a = begin, b = middle;
  for (size_t i = begin; i < end; i++) {
    bool left = a < middle && (b == end || in_order(m, in[a], in[b]));
    out[i] = in[left ? a++ : b++];
  }
}

/* Stable; `other` is room for as many. */
static void sort_nodes(const cpb_metadata *m, uint32_t *items, uint32_t *other, size_t count) {
  uint32_t *in = items, *out = other;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      const size_t middle = cpb_min_size(begin + run, count);
      merge_runs(m, in, out, begin, middle, cpb_min_size(middle + run, count));
    }
    uint32_t *swap = in;
    in = out;
    out = swap;
  }
  if (in != items) memcpy(items, in, count * sizeof *items);
}

static bool are_sorted(const cpb_metadata *m) {
  for (uint32_t i = 0; i < m->num_nodes; i++) {
    const uint32_t next = cpb_metadata_next(m, i);
    if (next != CPB_NO_NODE && !in_order(m, i, next)) return false;
  }
  return true;
}

static void reverse(uint32_t *items, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    const uint32_t item = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = item;
  }
}

/* Sorts the nodes of the tree, siblings by their tags. A stack of the next ones grows from the other end. */
static void put_in_order(const cpb_metadata *m, uint32_t *order, uint32_t *stack, uint32_t *room) {
  size_t depth = 0, done = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const uint32_t node = order[done++] = stack[--depth];
    size_t count = 0;
    for (uint32_t n = cpb_metadata_first_child(m, node); n != CPB_NO_NODE; n = cpb_metadata_next(m, n))
      stack[depth + count++] = n;
    sort_nodes(m, stack + depth, room, count);
    reverse(stack + depth, count);
    depth += count;
  }
}

static bool make_order(cpb_page_writer *w) {
  size_t bytes;
  if (are_sorted(w->m)) return true;
  if (!cpb_mul_size(w->m->num_nodes, sizeof *w->order, &bytes)) return false;
  w->order = cpb_alloc(&w->allocator, bytes);
  uint32_t *stack = cpb_alloc(&w->allocator, bytes), *room = cpb_alloc(&w->allocator, bytes);
  const bool done = w->order && stack && room;
  if (done) put_in_order(w->m, w->order, stack, room);
  cpb_release(&w->allocator, stack);
  cpb_release(&w->allocator, room);
  return done;
}

/* The node after `at`, as w->node counts. */
static uint32_t node_after(const cpb_page_writer *w, uint32_t at) {
  if (w->node == w->m->num_nodes) return CPB_NO_NODE;
  return w->order ? w->order[w->node] : cpb_metadata_following(w->m, at);
}

static bool find_out_order(cpb_page_writer *w) {
  bool done = true;
  for (uint32_t i = 0; done && i != CPB_NO_NODE; i = node_after(w, i)) {
    done = cpb_tree_order_add(&w->tree, i);
    w->node++;
  }
  w->ordered = !w->tree.broken;
  w->node = 0;
  w->tree.depth = 0;
  return done;
}

/* --- Beginning --------------------------------------------------------------------------- */

static bool copy_version(cpb_page_writer *w) {
  const cpb_metadata *m = w->m;
  cpb_metadata *root = &w->root;
  root->splitter_version = m->splitter_version;
  root->join_version = m->join_version < CPB_JOIN_PAGES ? CPB_JOIN_PAGES : m->join_version;
  if (m->num_bad_consumers == 0) return true;
  if (!CPB_RESERVE(&w->allocator, &root->bad_consumers, &root->bad_consumers_capacity, m->num_bad_consumers))
    return false;
  memcpy(root->bad_consumers, m->bad_consumers, m->num_bad_consumers * sizeof *m->bad_consumers);
  root->num_bad_consumers = m->num_bad_consumers;
  return true;
}

static bool copy_files(cpb_page_writer *w) {
  bool done = true;
  for (uint32_t i = 1; done && i <= w->m->num_files; i++) {
    const cpb_other_file file = cpb_metadata_file(w->m, i);
    done = cpb_metadata_add_file(&w->root, (cpb_span){(const uint8_t *)file.name, file.length}, file.size);
  }
  return done;
}

bool cpb_page_writer_begin(cpb_page_writer *w, const cpb_metadata *m, uint64_t page_size, bool apart) {
  memset(w, 0, sizeof *w);
  w->allocator = m->allocator;
  w->m = m;
  w->apart = apart;
  cpb_metadata_init(&w->root, &m->allocator);
  cpb_page_list_init(&w->made, &m->allocator);
  cpb_page_list_init(&w->listed, &m->allocator);
  cpb_tree_order_init(&w->tree, &m->allocator, m);
  const uint64_t all = size_of_all(m);
  w->paged = m->num_nodes > 0 && (page_size > 0 || all > INT32_MAX);
  if (!w->paged) return true;
  w->page_size = page_size > CPB_PAGES_SIZE ? page_size : suiting_size(all);
  return copy_version(w) && copy_files(w) && make_order(w) && find_out_order(w);
}

void cpb_page_writer_free(cpb_page_writer *w) {
  if (!w->m) return;
  cpb_metadata_free(&w->root);
  cpb_page_list_free(&w->made);
  cpb_page_list_free(&w->listed);
  cpb_release(&w->allocator, w->copies);
  cpb_tree_order_free(&w->tree);
  cpb_release(&w->allocator, w->order);
  w->m = NULL;
}

/* --- Pages of chunks and nodes --------------------------------------------------------------- */

static cpb_index_page *page_at_hand(cpb_page_writer *w) { return &w->made.items[w->made.count - 1]; }

static bool end_page(cpb_page_writer *w, const cpb_metadata *content, uint64_t count, cpb_buffer *out) {
  cpb_error error;
  out->size = 0;
  if (!cpb_metadata_encode(content, out, &error)) return false;
  page_at_hand(w)->count = count;
  page_at_hand(w)->size = out->size;
  return true;
}

static bool add_chunks(cpb_page_writer *w, cpb_metadata *content, cpb_buffer *out) {
  const cpb_index_page page = {.kind = CPB_PAGE_CHUNKS, .first = w->chunk};
  uint64_t size = 0;
  bool done = cpb_page_list_add(&w->made, &page);
  for (; done && size < w->page_size && w->chunk < w->m->num_chunks; w->chunk++) {
    size += size_of_chunk(w->m, w->chunk);
    done = cpb_metadata_copy_chunk(content, w->m, w->chunk);
  }
  return done && end_page(w, content, content->num_chunks, out);
}

/* The copy of the last node of w->tree. */
static bool copy_node(cpb_page_writer *w, cpb_metadata *content, size_t depth, bool with_chunk) {
  if (!CPB_RESERVE(&w->allocator, &w->copies, &w->copies_capacity, depth + 1)) return false;
  const uint32_t parent = depth > 0 ? w->copies[depth - 1] : CPB_NO_NODE;
  w->copies[depth] = cpb_metadata_copy_node(content, parent, w->m, w->tree.open[depth], with_chunk);
  return w->copies[depth] != CPB_NO_NODE;
}

static bool add_path(cpb_page_writer *w) {
  bool done = true;
  for (size_t i = 0; i < w->tree.depth; i++) {
    const cpb_tags tags = cpb_node_tags(w->m, w->tree.open[i]);
    for (size_t t = 0; done && t < tags.count; t++)
      done = cpb_page_list_add_tag(&w->made, cpb_metadata_tag(w->m, tags.first + t), tags.text);
  }
  return done;
}

/* Adds the page's first node, below the nodes that contain it. */
static bool add_first_node(cpb_page_writer *w, cpb_metadata *content) {
  const cpb_index_page page = {.kind = CPB_PAGE_NODES, .first = w->node, .ordered = w->ordered, .apart = w->apart};
  bool done = cpb_page_list_add(&w->made, &page) && cpb_tree_order_add(&w->tree, w->at);
  for (size_t i = 0; done && i < w->tree.depth; i++) done = copy_node(w, content, i, i + 1 == w->tree.depth);
  return done && (!w->ordered || add_path(w));
}

static bool add_nodes(cpb_page_writer *w, cpb_metadata *content, cpb_buffer *out) {
  uint64_t size = size_of_node(w->m, w->at), count = 0;
  bool done = add_first_node(w, content);
  while (done) {
    count++;
    w->node++;
    w->at = node_after(w, w->at);
    if (w->at == CPB_NO_NODE || size >= w->page_size) break;
    size += size_of_node(w->m, w->at);
    done = cpb_tree_order_add(&w->tree, w->at) && copy_node(w, content, w->tree.depth - 1, true);
  }
  return done && end_page(w, content, count, out);
}

/* --- Pages of pages ----------------------------------------------------------------------------- */

static bool copy_page(cpb_page_list *to, const cpb_page_list *from, size_t i) {
  const cpb_tags path = cpb_index_page_path(from, i);
  bool done = cpb_page_list_add(to, &from->items[i]);
  for (size_t t = 0; done && t < path.count; t++)
    done = cpb_page_list_add_tag(to, path.tags[path.first + t], path.text);
  return done;
}

static uint64_t size_of_page(const cpb_page_list *p, size_t i) {
  uint64_t size = ENTRY / 2;
  for (uint32_t t = 0; t < p->items[i].num_tags; t++)
    size += TAG_HEAD + KEY_HEAD + p->tags[p->items[i].first_tag + t].length;
  return size;
}

/* Adds a list of pages of one kind, at least two if there are as many. */
static bool add_list(cpb_page_writer *w, cpb_metadata *content, cpb_buffer *out) {
  const cpb_page_list *listed = &w->listed;
  const uint32_t kind = listed->items[w->next].kind;
  uint64_t size = 0, count = 0;
  bool done = copy_page(&w->made, listed, w->next);
  page_at_hand(w)->level = w->level;
  for (size_t i = 0; done && w->next < listed->count && listed->items[w->next].kind == kind; i++) {
    if (i >= 2 && size >= w->page_size) break;
    size += size_of_page(listed, w->next);
    count += listed->items[w->next].count;
    done = copy_page(&content->pages, listed, w->next++);
  }
  return done && end_page(w, content, count, out);
}

/* Begins the next level, whose pages list those of this one. False if the last record can list them. */
static bool begin_level(cpb_page_writer *w) {
  uint64_t size = 0;
  cpb_page_list_free(&w->listed);
  w->listed = w->made;
  cpb_page_list_init(&w->made, &w->allocator);
  w->next = 0;
  w->level++;
  for (size_t i = 0; i < w->listed.count; i++) size += size_of_page(&w->listed, i);
  return w->level <= CPB_PAGE_LEVELS && w->listed.count > 2 && size / 2 > w->page_size;
}

/* --- Records ---------------------------------------------------------------------------------------- */

static bool put_root(cpb_page_writer *w, cpb_buffer *out) {
  cpb_error error;
  cpb_metadata *root = &w->root;
  const cpb_chunk_entry none = {.type = CPB_CHUNK_MESSAGE, .offset = NO_POSITION};
  cpb_page_list_free(&root->pages);
  root->pages = w->listed;
  cpb_page_list_init(&w->listed, &w->allocator);
  return cpb_metadata_add_chunk(root, none) && cpb_metadata_add_node(root, CPB_NO_NODE, 0) != CPB_NO_NODE &&
         cpb_metadata_encode(root, out, &error);
}

static bool put_page(cpb_page_writer *w, cpb_metadata *content, cpb_buffer *out) {
  if (w->level > 0) return add_list(w, content, out);
  return w->chunk < w->m->num_chunks ? add_chunks(w, content, out) : add_nodes(w, content, out);
}

static bool is_level_done(const cpb_page_writer *w) {
  return w->level > 0 ? w->next == w->listed.count : w->node == w->m->num_nodes;
}

bool cpb_page_writer_next(cpb_page_writer *w, cpb_buffer *out, bool *last, cpb_error *error) {
  out->size = 0;
  *last = !w->paged || (is_level_done(w) && !begin_level(w));
  if (!w->paged) return cpb_metadata_encode(w->m, out, error);
  cpb_metadata content;
  cpb_metadata_init(&content, &w->allocator);
  const bool done = *last ? put_root(w, out) : put_page(w, &content, out);
  cpb_metadata_free(&content);
  if (!done) cpb_fail_memory(error);
  return done;
}

void cpb_page_writer_placed(cpb_page_writer *w, uint64_t position) { page_at_hand(w)->position = position; }
