#include "chunked/split/files.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

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

static cpb_have failed_memory(const cpb_plan *plan) {
  cpb_fail_memory(plan->error);
  return CPB_FAILED;
}

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
