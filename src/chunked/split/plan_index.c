/* Derives the chunks' bytes and the index from a finished plan. */
#include "base/checked.h"
#include "base/status.h"
#include "chunked/split/plan.h"

/* --- A chunk's bytes ------------------------------------------------------ */

void cpb_plan_open(const cpb_plan *p, size_t chunk, cpb_plan_cursor *cursor) {
  const cpb_plan_chunk *c = &p->chunks[chunk];
  *cursor = (cpb_plan_cursor){c->begin, c->end, c->first_edit};
}

bool cpb_plan_next(const cpb_plan *p, cpb_plan_cursor *cursor, cpb_plan_piece *piece) {
  const cpb_plan_edit *edit = cursor->edit < p->num_edits ? &p->edits[cursor->edit] : NULL;
  if (edit && edit->begin >= cursor->end) edit = NULL;
  if (edit && edit->begin == cursor->pos) {
    const uint8_t *end = cpb_wire_put_len(piece->literal, edit->number, edit->size);
    piece->literal_size = (size_t)(end - piece->literal);
    piece->length = 0;
    cursor->pos = edit->next;
    cursor->edit = edit->after;
    return true;
  }
  uint64_t end = edit ? edit->begin : cursor->end;
  piece->offset = cursor->pos;
  piece->length = end - cursor->pos;
  cursor->pos = end;
  return piece->length > 0;
}

/* --- The index ------------------------------------------------------------ */

/* The tree of chunks, in the order of the file. */
typedef struct {
  uint32_t first_child, next;
  uint32_t node; /* in the metadata */
} tree_node;

static void link_tree(const cpb_plan *p, tree_node *tree) {
  for (size_t i = 0; i < p->num_chunks; i++) tree[i] = (tree_node){CPB_PLAN_NONE, CPB_PLAN_NONE, CPB_NO_NODE};
  for (size_t i = p->num_chunks; i-- > 1;) {
    tree_node *owner = &tree[p->chunks[i].owner];
    tree[i].next = owner->first_child;
    owner->first_child = (uint32_t)i;
  }
}

/* The chunk after `i` in the order in which every owner precedes the chunks below it. */
static uint32_t next_in_tree(const cpb_plan *p, const tree_node *tree, uint32_t i) {
  if (tree[i].first_child != CPB_PLAN_NONE) return tree[i].first_child;
  while (i != 0 && tree[i].next == CPB_PLAN_NONE) i = p->chunks[i].owner;
  return i == 0 ? CPB_PLAN_NONE : tree[i].next;
}

static bool add_tag(const cpb_plan *p, const cpb_plan_chunk *chunk, cpb_metadata *m, uint32_t node) {
  for (uint32_t i = 0; i < chunk->num_tags; i++) {
    cpb_tag tag = p->tags[chunk->first_tag + i];
    bool added = tag.kind == CPB_TAG_KEY_STRING
                     ? cpb_metadata_add_string_key(m, node, (cpb_span){p->text.data + tag.value, tag.length})
                     : cpb_metadata_add_tag(m, node, tag);
    if (!added) return false;
  }
  return true;
}

static bool add_nodes(const cpb_plan *p, tree_node *tree, cpb_metadata *m) {
  for (uint32_t i = 0; i != CPB_PLAN_NONE; i = next_in_tree(p, tree, i)) {
    uint32_t parent = i == 0 ? CPB_NO_NODE : tree[p->chunks[i].owner].node;
    tree[i].node = cpb_metadata_add_node(m, parent, i);
    if (tree[i].node == CPB_NO_NODE || !add_tag(p, &p->chunks[i], m, tree[i].node)) return false;
  }
  return true;
}

static bool add_entries(const cpb_plan *p, cpb_metadata *m) {
  for (size_t i = 0; i < p->num_chunks; i++) {
    const cpb_plan_chunk *c = &p->chunks[i];
    cpb_chunk_entry entry = {
        .size = c->size, .offset = c->position, .type = c->is_bytes ? CPB_CHUNK_BYTES : CPB_CHUNK_MESSAGE};
    if (!cpb_metadata_add_chunk(m, entry)) return false;
  }
  return true;
}

bool cpb_plan_index(const cpb_plan *p, cpb_metadata *m, cpb_error *error) {
  tree_node *tree = NULL;
  size_t size;
  if (cpb_mul_size(p->num_chunks, sizeof *tree, &size)) tree = cpb_alloc(&p->allocator, size);
  bool done = tree != NULL;
  if (done) {
    link_tree(p, tree);
    done = add_nodes(p, tree, m) && add_entries(p, m);
  }
  cpb_release(&p->allocator, tree);
  if (!done) cpb_fail_memory(error);
  return done;
}
