#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "chunked/split/files.h"

/* --- share ------------------------------------------------------------------------------------ */

void cpb_split_share_init(cpb_split_sharing *s, const cpb_allocator *a) {
  memset(s, 0, sizeof *s);
  s->allocator = *a;
}

void cpb_split_share_free(cpb_split_sharing *s) {
  cpb_column_free(&s->chunks, &s->allocator);
  cpb_column_free(&s->uses, &s->allocator);
}

/* The root's first chunk is always in the file itself. */
static bool may_be_shared(const cpb_split_sharing *s, const cpb_plan *plan, size_t chunk) {
  const uint64_t size = plan->chunks[chunk].size;
  return chunk > 0 && size >= CPB_SHARE_LEAST && cpb_base_has_size(s->base, size);
}

void cpb_split_share_begin(cpb_split_sharing *s, const cpb_split_base *base, const cpb_plan *plan) {
  s->base = base;
  for (size_t i = 0; i < plan->num_chunks; i++)
    if (may_be_shared(s, plan, i)) s->total += plan->chunks[i].size;
}

/* --- Steps ------------------------------------------------------------------------- */

static cpb_have failed_memory(const cpb_plan *plan) { return cpb_fail_memory(plan->error), CPB_FAILED; }

static cpb_have refer(cpb_split_sharing *s, cpb_plan *plan, uint32_t found) {
  cpb_plan_chunk *chunk = &plan->chunks[s->chunk];
  const cpb_base_chunk *there = &s->base->chunks[found];
  if (!cpb_column_set(&s->chunks, &s->allocator, s->chunk, (uint64_t)found + 1) ||
      !cpb_column_set(&s->uses, &s->allocator, there->file, 1))
    return failed_memory(plan);
  chunk->elsewhere = true;
  chunk->position = there->position;
  s->shared.chunks++;
  s->shared.bytes += chunk->size;
  return CPB_HAVE;
}

static cpb_have end_chunk(cpb_split_sharing *s, cpb_plan *plan) {
  uint8_t hash[CPB_SHA256_SIZE];
  cpb_sha256_end(&s->hash, hash);
  const uint32_t found = cpb_base_find(s->base, plan->chunks[s->chunk].size, hash);
  const cpb_have have = found == CPB_ORDERED_NONE ? CPB_HAVE : refer(s, plan, found);
  s->chunk++;
  s->open = false;
  return have;
}

/* The chunk's bytes are read one more time than in a split without a base. */
static cpb_have begin_chunk(cpb_split_sharing *s, const cpb_plan *plan) {
  const cpb_plan_chunk *chunk = &plan->chunks[s->chunk];
  if (!cpb_meter_charge(plan->meter, CPB_WORK_WALKED, chunk->size, chunk->begin, plan->error)) return CPB_FAILED;
  cpb_split_bytes_begin(&s->bytes, plan, s->chunk);
  cpb_sha256_begin(&s->hash);
  s->open = true;
  return CPB_HAVE;
}

static cpb_have hash_some(cpb_split_sharing *s, cpb_plan *plan, cpb_input *input, size_t read_size) {
  cpb_span span;
  cpb_have have = cpb_split_bytes_next(&s->bytes, plan, input, read_size, &span, plan->error);
  if (have != CPB_HAVE) return have;
  if (span.size == 0) return end_chunk(s, plan);
  cpb_sha256_add(&s->hash, span.data, span.size);
  s->done += span.size;
  return CPB_HAVE;
}

cpb_have cpb_split_share_step(cpb_split_sharing *s, cpb_plan *plan, cpb_input *input, size_t read_size) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    while (!s->open && s->chunk < plan->num_chunks && !may_be_shared(s, plan, s->chunk)) s->chunk++;
    if (s->chunk == plan->num_chunks) return CPB_HAVE;
    have = s->open ? hash_some(s, plan, input, read_size) : begin_chunk(s, plan);
  }
  return have;
}

const cpb_base_chunk *cpb_split_share_chunk(const cpb_split_sharing *s, size_t chunk) {
  const uint64_t found = cpb_column_get(&s->chunks, chunk);
  return found > 0 ? &s->base->chunks[found - 1] : NULL;
}

/* --- other files ------------------------------------------------------------------------------ */

enum { NAME_SHOWN = 96 };

void cpb_split_others_init(cpb_split_others *o, const cpb_allocator *a) {
  memset(o, 0, sizeof *o);
  o->allocator = *a;
}

void cpb_split_others_free(cpb_split_others *o) {
  const cpb_allocator a = o->allocator;
  cpb_column_free(&o->written, &a);
  cpb_column_free(&o->shared, &a);
  cpb_release(&a, o->items);
  cpb_release(&a, o->text);
  cpb_split_others_init(o, &a);
}

static bool fail_memory(cpb_error *error) { return cpb_fail_memory(error), false; }

/* --- Which there are ----------------------------------------------------------------- */

static uint32_t num_sources(const cpb_split_sharing *s) {
  return s->base ? 1 + cpb_index_num_files(s->base->index) : 0;
}

static bool make_room(cpb_split_others *o, const cpb_split_files *files, const cpb_split_sharing *share) {
  size_t count = files->count, bytes, text;
  const size_t each = files->count > 0 ? cpb_split_files_name_room(files) : 0;
  for (uint32_t file = 0; file < num_sources(share); file++) count += cpb_split_share_uses(share, file);
  if (!cpb_mul_size(count, sizeof *o->items, &bytes) || !cpb_mul_size(files->count, each, &text)) return false;
  o->items = cpb_alloc(&o->allocator, bytes);
  o->text = cpb_alloc(&o->allocator, text);
  return o->items && o->text;
}

static void add_written(cpb_split_others *o, const cpb_split_files *files) {
  const size_t each = files->count > 0 ? cpb_split_files_name_room(files) : 0;
  for (uint32_t file = 1; file <= files->count; file++) {
    char *name = o->text + (file - 1) * each;
    const size_t length = cpb_split_files_name(files, file, name, each);
    o->items[o->count++] = (cpb_split_other){name, length, 0, file, true};
  }
}

static void add_shared(cpb_split_others *o, const cpb_split_sharing *share) {
  for (uint32_t file = 0; file < num_sources(share); file++) {
    if (!cpb_split_share_uses(share, file)) continue;
    const cpb_other_file other = cpb_base_file(share->base, file);
    o->items[o->count++] = (cpb_split_other){other.name, other.length, other.size, file, false};
  }
}

static int by_name(const void *a, const void *b) {
  const cpb_split_other *x = a, *y = b;
  const int order = memcmp(x->name, y->name, cpb_min_size(x->length, y->length));
  return order != 0 ? order : x->length < y->length ? -1 : x->length > y->length;
}

/* A base may refer to one file by two names; the size must then be the same. */
static bool check_same(const cpb_split_other *a, const cpb_split_other *b, cpb_error *error) {
  char name[NAME_SHOWN + 1];
  cpb_quote(name, sizeof name, a->name, a->length);
  if (a->is_written || b->is_written)
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
             "\"%s\" would be written, and the base has chunks in it; expected another file_name", name);
  else if (a->size != b->size)
    cpb_fail(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "the base says of \"%s\" that it has %llu bytes, and %llu", name,
             (unsigned long long)a->size, (unsigned long long)b->size);
  return error->code == CPB_OK;
}

/* Those of one name become one. */
static bool number(cpb_split_others *o, cpb_error *error) {
  size_t kept = 0;
  for (size_t i = 0; i < o->count; i++) {
    const cpb_split_other item = o->items[i];
    const bool again = kept > 0 && by_name(&o->items[kept - 1], &item) == 0;
    if (again && !check_same(&o->items[kept - 1], &item, error)) return false;
    if (!again) o->items[kept++] = item;
    cpb_column *numbers = item.is_written ? &o->written : &o->shared;
    if (!cpb_column_set(numbers, &o->allocator, item.source, kept)) return fail_memory(error);
  }
  o->count = kept;
  return true;
}

bool cpb_split_others_plan(cpb_split_others *o, const cpb_split_files *files, const cpb_split_sharing *share,
                           cpb_error *error) {
  if (files->count == 0 && share->shared.chunks == 0) return true;
  if (!make_room(o, files, share)) return fail_memory(error);
  add_written(o, files);
  add_shared(o, share);
  qsort(o->items, o->count, sizeof *o->items, by_name);
  return number(o, error);
}

/* --- In the index --------------------------------------------------------------------- */

static bool add_files(const cpb_split_others *o, const cpb_split_files *files, cpb_metadata *m) {
  for (size_t i = 0; i < o->count; i++) {
    const cpb_split_other *item = &o->items[i];
    const uint64_t size = item->is_written ? cpb_column_get(&files->sizes, item->source - 1) : item->size;
    if (!cpb_metadata_add_file(m, (cpb_span){(const uint8_t *)item->name, item->length}, size)) return false;
  }
  return true;
}

static bool refer_to_shared(const cpb_split_others *o, const cpb_split_sharing *share, cpb_metadata *m) {
  bool done = true;
  for (size_t i = 0; done && i < share->chunks.count; i++) {
    const cpb_base_chunk *chunk = cpb_split_share_chunk(share, i);
    if (!chunk) continue;
    const uint32_t file = (uint32_t)cpb_column_get(&o->shared, chunk->file);
    done = cpb_metadata_set_reference(m, i, (cpb_chunk_reference){file, chunk->data_hash});
  }
  return done;
}

bool cpb_split_others_describe(const cpb_split_others *o, const cpb_plan *plan, const cpb_split_files *files,
                               const cpb_split_sharing *share, cpb_metadata *m, cpb_error *error) {
  if (o->count == 0) return true;
  if (m->join_version < CPB_JOIN_FILES) m->join_version = CPB_JOIN_FILES;
  const bool done =
      add_files(o, files, m) && cpb_split_files_refer(files, plan, &o->written, m) && refer_to_shared(o, share, m);
  return done || fail_memory(error);
}
