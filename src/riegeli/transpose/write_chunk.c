#include "riegeli/transpose/encoder_state.h"

#include <stdlib.h>

/* Up to this size a bucket is assembled, because codecs are faster with one piece; a larger one goes to the codec in
 * pieces. */
#define PUT_TOGETHER ((size_t)4 << 20)

typedef struct chunk {
  cpb_transpose_encoder *e;
  cpb_compressor *compressor;
  uint64_t bucket_size;
  size_t num_buckets;
} chunk;

static bool put_number(cpb_transpose_encoder *e, uint64_t number) {
  return cpb_put_varint(&e->header, number, e->error);
}

/* --- Buffers ------------------------------------------------------------------ */

static int by_kind_and_size(const void *a, const void *b) {
  const cpb_transpose_column *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->values.size != y->values.size) return x->values.size < y->values.size ? -1 : 1;
  return x->field < y->field ? -1 : x->field > y->field;
}

/* Places columns with similar data side by side, and updates the fields with the new places. */
static void sort_columns(cpb_transpose_encoder *e) {
  if (e->num_columns > 1) qsort(e->columns, e->num_columns, sizeof *e->columns, by_kind_and_size);
  for (size_t i = 0; i < e->num_columns; i++) e->fields[e->columns[i].field].column = (uint32_t)i;
}

/* Takes from the columns up to `end`, which are of one kind, those that fit into a bucket, the largest first; as in
 * Riegeli, also one more if half of it fits, and all the rest if that is half a bucket. `*left` is the total size.
 * Returns the end of the others. */
static size_t fill_bucket(const cpb_transpose_encoder *e, size_t end, uint64_t bucket_size, uint64_t *left) {
  uint64_t size = 0;
  while (*left > 0) {
    const uint64_t next = e->columns[end - 1].values.size;
    if (size > 0 && (size >= bucket_size || next / 2 >= bucket_size - size)) break;
    size += next;
    *left -= next;
    end--;
    if (*left > bucket_size / 2) continue;
    *left = 0;
  }
  return end;
}

/* Marks where buckets end. A column has at least one byte, so when none is left, the kind begins. */
static void make_buckets(const chunk *c) {
  cpb_transpose_column *columns = c->e->columns;
  for (size_t begin = 0, end; begin < c->e->num_columns; begin = end) {
    uint64_t left = 0;
    for (end = begin; end < c->e->num_columns && columns[end].kind == columns[begin].kind; end++)
      left += columns[end].values.size;
    for (size_t bucket_end = end; left > 0;) {
      columns[bucket_end - 1].ends_bucket = true;
      bucket_end = fill_bucket(c->e, bucket_end, c->bucket_size, &left);
    }
  }
}

static bool put_column(const chunk *c, const cpb_column *column, bool together) {
  cpb_transpose_encoder *e = c->e;
  for (const cpb_column_block *block = column->newest; block; block = block->older) {
    const cpb_span bytes = cpb_column_bytes(column, block);
    if (together ? !cpb_put(&e->scratch, bytes, e->error)
                 : !cpb_compressor_write(c->compressor, bytes, &e->body, e->error))
      return false;
  }
  return true;
}

/* Makes the columns from `begin` to before `end` a bucket of `size` bytes. */
static bool put_bucket(chunk *c, size_t begin, size_t end, uint64_t size) {
  cpb_transpose_encoder *e = c->e;
  const size_t before = e->body.size;
  const bool together = cpb_compressor_type(c->compressor) != CPB_RIEGELI_NONE && size <= PUT_TOGETHER;
  e->scratch.size = 0;
  if (!together && !cpb_compressor_begin(c->compressor, size, e->error)) return false;
  for (size_t i = begin; i < end; i++)
    if (!put_column(c, &e->columns[i].values, together)) return false;
  if (together ? !cpb_compress_all(c->compressor, cpb_buffer_span(&e->scratch), &e->body, e->error)
               : !cpb_compressor_finish(c->compressor, &e->body, e->error))
    return false;
  e->columns[end - 1].stored = e->body.size - before;
  c->num_buckets++;
  return true;
}

static bool put_buckets(chunk *c) {
  uint64_t size = 0;
  for (size_t i = 0, begin = 0; i < c->e->num_columns; i++) {
    size += c->e->columns[i].values.size;
    if (!c->e->columns[i].ends_bucket) continue;
    if (!put_bucket(c, begin, i + 1, size)) return false;
    begin = i + 1;
    size = 0;
  }
  return true;
}

static bool put_sizes(const chunk *c) {
  cpb_transpose_encoder *e = c->e;
  if (!put_number(e, c->num_buckets) || !put_number(e, e->num_columns)) return false;
  for (size_t i = 0; i < e->num_columns; i++)
    if (e->columns[i].ends_bucket && !put_number(e, e->columns[i].stored)) return false;
  for (size_t i = 0; i < e->num_columns; i++)
    if (!put_number(e, e->columns[i].values.size)) return false;
  return true;
}

static bool put_buffers(chunk *c) {
  sort_columns(c->e);
  make_buckets(c);
  return put_buckets(c) && put_sizes(c);
}

/* --- Nodes --------------------------------------------------------------------- */

static uint32_t tag_of(const cpb_transpose_action *action) {
  const uint32_t tag = cpb_key_tag(action->key);
  if (tag == 0) return cpb_key_parent(action->key);
  if ((tag & 7) != CPB_TAG_LENGTH) return tag;
  switch (action->subtype) {
    case CPB_SUBTYPE_SUBMESSAGE_START: return CPB_ID_SUBMESSAGE_START;
    case CPB_SUBTYPE_SUBMESSAGE_END: return tag - CPB_TAG_LENGTH + CPB_TAG_SUBMESSAGE_END;
    default: return tag;
  }
}

static bool has_subtype(const cpb_transpose_action *action) {
  const uint32_t tag = cpb_key_tag(action->key);
  return tag != 0 && (tag & 7) == CPB_TAG_VARINT;
}

static bool has_buffer(const cpb_transpose_encoder *e, const cpb_transpose_action *action) {
  if (e->fields[action->field].column == CPB_NO_COLUMN) return false;
  return has_subtype(action) ? action->subtype < CPB_SUBTYPE_INLINE : action->subtype == 0;
}

/* NULL for an idle node. */
static const cpb_transpose_action *action_of(const cpb_transpose_encoder *e, size_t node) {
  const uint32_t action = e->nodes[node].action;
  return action == CPB_NO_ACTION ? NULL : &e->actions[action];
}

static uint64_t next_of(const cpb_transpose_encoder *e, size_t node) {
  const cpb_transpose_action *action = action_of(e, node);
  if (!action) return e->nodes[node].base;
  if (action->base == CPB_NO_NODE_INDEX) return 0; /* nothing follows */
  const bool implicit = cpb_transpose_is_implicit(e, e->nodes[node].action);
  return (uint64_t)action->base + (implicit ? e->num_nodes : 0);
}

static uint64_t first_node(const cpb_transpose_encoder *e) {
  size_t node = 0;
  while (e->nodes[node].action != e->last) node++;
  return node;
}

static bool put_nodes(cpb_transpose_encoder *e) {
  if (!put_number(e, e->num_nodes)) return false;
  for (size_t i = 0; i < e->num_nodes; i++) {
    const cpb_transpose_action *action = action_of(e, i);
    if (!put_number(e, action ? tag_of(action) : CPB_ID_NOTHING)) return false;
  }
  for (size_t i = 0; i < e->num_nodes; i++)
    if (!put_number(e, next_of(e, i))) return false;
  for (size_t i = 0; i < e->num_nodes; i++) {
    const cpb_transpose_action *action = action_of(e, i);
    const uint8_t subtype = action ? (uint8_t)action->subtype : 0;
    if (action && has_subtype(action) && !cpb_put(&e->header, (cpb_span){&subtype, 1}, e->error)) return false;
  }
  for (size_t i = 0; i < e->num_nodes; i++) {
    const cpb_transpose_action *action = action_of(e, i);
    if (action && has_buffer(e, action) && !put_number(e, e->fields[action->field].column)) return false;
  }
  return put_number(e, first_node(e));
}

/* --- The chunk ------------------------------------------------------------------ */

/* The transitions are assembled in `scratch`, after the buckets, which use it before. */
static bool put_transitions(const chunk *c) {
  cpb_transpose_encoder *e = c->e;
  e->scratch.size = 0;
  return cpb_transpose_put_transitions(e, &e->scratch) &&
         cpb_compress_all(c->compressor, cpb_buffer_span(&e->scratch), &e->body, e->error);
}

/* The header is compressed last, because it has the sizes of the buckets, but comes first. */
static bool put_header(const chunk *c) {
  cpb_transpose_encoder *e = c->e;
  const uint8_t codec = cpb_compressor_type(c->compressor);
  e->scratch.size = 0;
  return cpb_compress_all(c->compressor, cpb_buffer_span(&e->header), &e->scratch, e->error) &&
         cpb_put(&e->head, (cpb_span){&codec, 1}, e->error) && cpb_put_varint(&e->head, e->scratch.size, e->error) &&
         cpb_put(&e->head, cpb_buffer_span(&e->scratch), e->error);
}

bool cpb_transpose_write_chunk(cpb_transpose_encoder *e, cpb_compressor *compressor, uint64_t bucket_size) {
  const bool stored = cpb_compressor_type(compressor) == CPB_RIEGELI_NONE;
  chunk c = {.e = e, .compressor = compressor, .bucket_size = stored ? UINT64_MAX : bucket_size};
  return put_buffers(&c) && put_nodes(e) && put_transitions(&c) && put_header(&c);
}
