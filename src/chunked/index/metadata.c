#include "chunked/index/metadata.h"

#include <string.h>

#include "base/status.h"

void cpb_metadata_init(cpb_metadata *m, const cpb_allocator *a) {
  memset(m, 0, sizeof *m);
  m->allocator = *a;
  cpb_buffer_init(&m->text, a);
  cpb_buffer_init(&m->names, a);
  cpb_page_list_init(&m->pages, a);
}

static void free_nodes(cpb_node_columns *n, const cpb_allocator *a) {
  cpb_column *const all[] = {&n->chunk,  &n->first_tag,   &n->num_tags, &n->spare_tags,
                             &n->parent, &n->first_child, &n->next,     &n->no_message};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cpb_column_free(all[i], a);
}

static void free_tree(cpb_metadata *m) {
  const cpb_allocator *a = &m->allocator;
  cpb_chunk_columns_free(&m->chunks, a);
  free_nodes(&m->nodes, a);
  cpb_column_free(&m->tags.value, a);
  cpb_column_free(&m->tags.length, a);
  cpb_column_free(&m->tags.kind, a);
  cpb_buffer_free(&m->text);
}

void cpb_metadata_free(cpb_metadata *m) {
  const cpb_allocator a = m->allocator;
  cpb_release(&a, m->bad_consumers);
  free_tree(m);
  cpb_page_list_free(&m->pages);
  cpb_column_free(&m->files.name, &a);
  cpb_column_free(&m->files.length, &a);
  cpb_column_free(&m->files.size, &a);
  cpb_buffer_free(&m->names);
  cpb_metadata_init(m, &a);
}

void cpb_metadata_keep_pages(cpb_metadata *m) {
  free_tree(m);
  cpb_buffer_init(&m->text, &m->allocator);
  m->num_chunks = m->num_nodes = m->num_tags = 0;
  m->highest_file = 0;
}

void cpb_metadata_move_tree(cpb_metadata *to, cpb_metadata *from) {
  to->chunks = from->chunks;
  to->nodes = from->nodes;
  to->tags = from->tags;
  to->text = from->text;
  to->num_chunks = from->num_chunks;
  to->num_nodes = from->num_nodes;
  to->num_tags = from->num_tags;
  to->highest_file = from->highest_file;
  cpb_metadata_init(from, &to->allocator);
}

/* --- Chunks ---------------------------------------------------------------- */

bool cpb_metadata_set_entry(cpb_metadata *m, size_t i, cpb_chunk_entry chunk) {
  cpb_chunk_columns *c = &m->chunks;
  const cpb_allocator *a = &m->allocator;
  return cpb_column_set(&c->type, a, i, chunk.type) && cpb_column_set(&c->size, a, i, chunk.size) &&
         cpb_column_set(&c->offset, a, i, chunk.offset);
}

bool cpb_metadata_set_reference(cpb_metadata *m, size_t i, cpb_chunk_reference reference) {
  cpb_chunk_columns *c = &m->chunks;
  if (reference.file > m->highest_file) m->highest_file = reference.file;
  return cpb_column_set(&c->file, &m->allocator, i, reference.file) &&
         cpb_column_set(&c->data_hash, &m->allocator, i, reference.data_hash);
}

bool cpb_metadata_add_chunk(cpb_metadata *m, cpb_chunk_entry chunk) {
  if (!cpb_metadata_set_entry(m, m->num_chunks, chunk)) return false;
  m->num_chunks++;
  return true;
}

bool cpb_metadata_copy_chunk(cpb_metadata *to, const cpb_metadata *from, size_t i) {
  const cpb_chunk_reference reference = cpb_metadata_reference(from, i);
  const size_t added = to->num_chunks;
  if (!cpb_metadata_add_chunk(to, cpb_metadata_chunk(from, i))) return false;
  return reference.file == 0 || cpb_metadata_set_reference(to, added, reference);
}

bool cpb_chunk_columns_copy(cpb_chunk_columns *c, const cpb_allocator *a, const cpb_chunk_columns *from) {
  *c = (cpb_chunk_columns){.type = {.count = 0}};
  return cpb_column_copy(&c->type, a, &from->type) && cpb_column_copy(&c->size, a, &from->size) &&
         cpb_column_copy(&c->offset, a, &from->offset) && cpb_column_copy(&c->file, a, &from->file) &&
         cpb_column_copy(&c->data_hash, a, &from->data_hash);
}

void cpb_chunk_columns_free(cpb_chunk_columns *c, const cpb_allocator *a) {
  cpb_column_free(&c->type, a);
  cpb_column_free(&c->size, a);
  cpb_column_free(&c->offset, a);
  cpb_column_free(&c->file, a);
  cpb_column_free(&c->data_hash, a);
}

/* --- Files ----------------------------------------------------------------- */

bool cpb_metadata_add_file(cpb_metadata *m, cpb_span name, uint64_t size) {
  cpb_file_columns *c = &m->files;
  const cpb_allocator *a = &m->allocator;
  size_t i = m->num_files, at = m->names.size;
  if (i >= UINT32_MAX || !cpb_buffer_append(&m->names, name.data, name.size) || !cpb_column_set(&c->name, a, i, at) ||
      !cpb_column_set(&c->length, a, i, name.size) || !cpb_column_set(&c->size, a, i, size))
    return false;
  m->num_files++;
  return true;
}

bool cpb_metadata_check_files(const cpb_metadata *m, cpb_error *error) {
  if (m->highest_file > m->num_files) {
    cpb_fail(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "ChunkInfo of the chunk index: file is %u; expected at most %llu",
             (unsigned)m->highest_file, (unsigned long long)m->num_files);
  } else if (m->highest_file > 0 && m->join_version < CPB_JOIN_FILES) {
    cpb_fail(error, CPB_E_DAMAGED, CPB_NO_OFFSET,
             "ChunkInfo of the chunk index: file is %u with join_version %d; expected a join_version of at least %d",
             (unsigned)m->highest_file, (int)m->join_version, CPB_JOIN_FILES);
  } else {
    return true;
  }
  return false;
}

bool cpb_metadata_check_numbers(const cpb_metadata *m, cpb_error *error) {
  for (size_t i = 0; i < m->num_nodes; i++) {
    const uint64_t chunk = cpb_column_get(&m->nodes.chunk, i); /* plus 1 */
    if (chunk <= m->num_chunks) continue;
    return CPB_FAILS(error, CPB_E_DAMAGED, CPB_NO_OFFSET,
                     "chunk_index of chunked field %zu is %llu; expected less than %zu, the number of chunks", i,
                     (unsigned long long)(chunk - 1), m->num_chunks);
  }
  return true;
}

cpb_other_file cpb_metadata_file(const cpb_metadata *m, uint32_t file) {
  size_t i = (size_t)file - 1;
  return (cpb_other_file){(const char *)m->names.data + cpb_column_get(&m->files.name, i),
                          (size_t)cpb_column_get(&m->files.length, i), cpb_column_get(&m->files.size, i)};
}

/* --- Nodes ----------------------------------------------------------------- */

uint32_t cpb_metadata_parent(const cpb_metadata *m, uint32_t node) {
  return node > 0 ? (uint32_t)cpb_column_get(&m->nodes.parent, node) : CPB_NO_NODE;
}

/* Node i + 1, if it is a child of `parent`: of node i the first one then, of its parent the next one, as
 * children are added in their order. Else what the column says. */
static uint32_t link_of(const cpb_metadata *m, uint32_t i, uint32_t parent, const cpb_column *other) {
  if ((size_t)i + 1 < m->num_nodes && cpb_metadata_parent(m, i + 1) == parent) return i + 1;
  uint32_t link = (uint32_t)cpb_column_get(other, i);
  return link > 0 ? link : CPB_NO_NODE;
}

uint32_t cpb_metadata_first_child(const cpb_metadata *m, uint32_t node) {
  return link_of(m, node, node, &m->nodes.first_child);
}

uint32_t cpb_metadata_next(const cpb_metadata *m, uint32_t node) {
  return node > 0 ? link_of(m, node, cpb_metadata_parent(m, node), &m->nodes.next) : CPB_NO_NODE;
}

cpb_chunked_node cpb_metadata_node(const cpb_metadata *m, uint32_t node) {
  const cpb_node_columns *n = &m->nodes;
  uint64_t chunk = cpb_column_get(&n->chunk, node);
  return (cpb_chunked_node){
      .chunk = chunk > 0 ? chunk - 1 : CPB_NO_CHUNK,
      .first_tag = (uint32_t)cpb_column_get(&n->first_tag, node),
      .num_tags = (uint32_t)cpb_column_get(&n->num_tags, node),
      .parent = cpb_metadata_parent(m, node),
      .first_child = cpb_metadata_first_child(m, node),
      .next = cpb_metadata_next(m, node),
      .has_message = cpb_column_get(&n->no_message, node) == 0,
  };
}

/* The child of `parent` that was added last, or CPB_NO_NODE. In the order of the file it is the last node, or
 * around it. */
static uint32_t last_child(const cpb_metadata *m, uint32_t parent) {
  uint32_t i = (uint32_t)m->num_nodes - 1, above = i;
  for (; above != parent && above != CPB_NO_NODE; above = cpb_metadata_parent(m, i)) i = above;
  if (i == parent) return CPB_NO_NODE;
  if (above != parent) i = cpb_metadata_first_child(m, parent);
  for (uint32_t next = i; next != CPB_NO_NODE; next = cpb_metadata_next(m, i)) i = next;
  return i;
}

static bool link_to_parent(cpb_metadata *m, uint32_t node, uint32_t parent) {
  cpb_node_columns *n = &m->nodes;
  uint32_t last = last_child(m, parent);
  if (last != CPB_NO_NODE) return last + 1 == node || cpb_column_set(&n->next, &m->allocator, last, node);
  return parent + 1 == node || cpb_column_set(&n->first_child, &m->allocator, parent, node);
}

uint32_t cpb_metadata_add_node(cpb_metadata *m, uint32_t parent, uint64_t chunk) {
  cpb_node_columns *n = &m->nodes;
  const cpb_allocator *a = &m->allocator;
  if (m->num_nodes >= CPB_NO_NODE || m->num_tags > UINT32_MAX) return CPB_NO_NODE;
  uint32_t node = (uint32_t)m->num_nodes;
  bool added = cpb_metadata_set_chunk(m, node, chunk) && cpb_column_set(&n->first_tag, a, node, m->num_tags);
  if (added && node > 0) added = cpb_column_set(&n->parent, a, node, parent) && link_to_parent(m, node, parent);
  if (!added) return CPB_NO_NODE;
  m->num_nodes++;
  return node;
}

bool cpb_metadata_set_chunk(cpb_metadata *m, uint32_t node, uint64_t chunk) {
  return cpb_column_set(&m->nodes.chunk, &m->allocator, node, chunk == CPB_NO_CHUNK ? 0 : chunk + 1);
}

bool cpb_metadata_set_message(cpb_metadata *m, uint32_t node, bool has_message) {
  return cpb_column_set(&m->nodes.no_message, &m->allocator, node, !has_message);
}

/* --- Tags ------------------------------------------------------------------ */

static bool set_tag(cpb_metadata *m, size_t i, cpb_tag tag) {
  cpb_tag_columns *c = &m->tags;
  const cpb_allocator *a = &m->allocator;
  return cpb_column_set(&c->value, a, i, tag.value) && cpb_column_set(&c->length, a, i, tag.length) &&
         cpb_column_set(&c->kind, a, i, tag.kind);
}

/* Tags of a node are neighbours. If others have come after them, they move to the end, with as much room
 * again: also where nodes get their tags in turns, this takes linear time. */
static bool make_room_for_tag(cpb_metadata *m, uint32_t node) {
  cpb_node_columns *n = &m->nodes;
  size_t first = (size_t)cpb_column_get(&n->first_tag, node), num_tags = (size_t)cpb_column_get(&n->num_tags, node);
  if (first + num_tags == m->num_tags) {
    m->num_tags++;
    return m->num_tags <= UINT32_MAX;
  }
  size_t end = m->num_tags, count = end + 2 * num_tags + 1;
  if (count > UINT32_MAX) return false;
  for (size_t i = 0; i < num_tags; i++)
    if (!set_tag(m, end + i, cpb_metadata_tag(m, first + i))) return false;
  if (!cpb_column_set(&n->first_tag, &m->allocator, node, end) ||
      !cpb_column_set(&n->spare_tags, &m->allocator, node, num_tags + 1))
    return false;
  m->num_tags = count;
  return true;
}

bool cpb_metadata_add_tag(cpb_metadata *m, uint32_t node, cpb_tag tag) {
  cpb_node_columns *n = &m->nodes;
  uint64_t spare = cpb_column_get(&n->spare_tags, node);
  if (spare == 0 && !make_room_for_tag(m, node)) return false;
  spare = cpb_column_get(&n->spare_tags, node);
  uint64_t first = cpb_column_get(&n->first_tag, node), num_tags = cpb_column_get(&n->num_tags, node);
  return (spare == 0 || cpb_column_set(&n->spare_tags, &m->allocator, node, spare - 1)) &&
         set_tag(m, (size_t)(first + num_tags), tag) && cpb_column_set(&n->num_tags, &m->allocator, node, num_tags + 1);
}

bool cpb_metadata_add_string_key(cpb_metadata *m, uint32_t node, cpb_span key) {
  cpb_tag tag = {m->text.size, (uint32_t)key.size, CPB_TAG_KEY_STRING};
  return key.size <= UINT32_MAX && cpb_buffer_append(&m->text, key.data, key.size) &&
         cpb_metadata_add_tag(m, node, tag);
}

static bool copy_tags(cpb_metadata *to, uint32_t node, const cpb_metadata *from, const cpb_chunked_node *n) {
  bool done = true;
  for (uint32_t i = 0; done && i < n->num_tags; i++) {
    const cpb_tag tag = cpb_metadata_tag(from, n->first_tag + i);
    const uint8_t *text = tag.length > 0 ? from->text.data + tag.value : NULL;
    done = tag.kind == CPB_TAG_KEY_STRING ? cpb_metadata_add_string_key(to, node, (cpb_span){text, tag.length})
                                          : cpb_metadata_add_tag(to, node, tag);
  }
  return done;
}

uint32_t cpb_metadata_copy_node(cpb_metadata *to, uint32_t parent, const cpb_metadata *from, uint32_t node,
                                bool with_chunk) {
  const cpb_chunked_node n = cpb_metadata_node(from, node);
  const uint32_t added = cpb_metadata_add_node(to, parent, with_chunk ? n.chunk : CPB_NO_CHUNK);
  const bool done = added != CPB_NO_NODE && copy_tags(to, added, from, &n) &&
                    (n.has_message || cpb_metadata_set_message(to, added, false));
  return done ? added : CPB_NO_NODE;
}

uint32_t cpb_metadata_following(const cpb_metadata *m, uint32_t i) {
  uint32_t next = cpb_metadata_first_child(m, i);
  for (; i != CPB_NO_NODE && next == CPB_NO_NODE; i = cpb_metadata_parent(m, i)) next = cpb_metadata_next(m, i);
  return next;
}
