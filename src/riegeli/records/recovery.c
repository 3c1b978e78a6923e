#include "riegeli/records/reader.h"

#include <string.h>

#include "base/checked.h"

void cpb_recovery_begin(cpb_recovery *r, cpb_chunk_source *s, uint64_t begin) {
  r->how = s->resume;
  r->at = s->resume_at;
  r->begin = begin;
  if (r->how == CPB_RESUME_AT_CHUNK && r->at <= s->begin) {
    r->how = CPB_RESUME_FIND; /* only forward, so that recovery ends */
    r->at = s->begin + 1;
  }
  memset(&s->error, 0, sizeof s->error);
}

static cpb_have found(cpb_recovery *r, cpb_chunk_source *s, uint64_t end) {
  r->end = end;
  cpb_chunk_source_go(s, r->at);
  return CPB_HAVE;
}

/* Goes to the chunk that should begin at r->at, or to the end of the input if that is earlier. */
static cpb_have arrive(cpb_recovery *r, cpb_chunk_source *s) {
  cpb_have have = cpb_chunk_source_reaches(s, r->at);
  if (have == CPB_AT_END) return found(r, s, s->input.size);
  return have == CPB_HAVE ? found(r, s, r->at) : have;
}

/* No file reaches 2^64. */
static void give_up_finding(cpb_recovery *r) {
  r->how = CPB_RESUME_AT_CHUNK;
  r->at = UINT64_MAX;
}

/* Follows the block header at r->at to the end of the chunk around it. */
static void follow(cpb_recovery *r, const cpb_chunk_source *s) {
  uint64_t target;
  if (s->block.previous_chunk == 0) {
    r->how = CPB_RESUME_AT_CHUNK;
  } else if (!cpb_add_u64(r->at, s->block.next_chunk, &target)) {
    give_up_finding(r);
  } else {
    r->how = cpb_is_chunk_boundary(target) ? CPB_RESUME_AT_CHUNK : CPB_RESUME_FIND;
    r->at = target;
  }
}

static cpb_have try_next_block(cpb_recovery *r, cpb_chunk_source *s) {
  r->how = CPB_RESUME_FIND;
  if (!cpb_add_u64(r->at, cpb_block_remaining(r->at), &r->at)) {
    give_up_finding(r);
    return CPB_HAVE;
  }
  cpb_have have = cpb_chunk_source_block(s, r->at);
  if (have == CPB_AT_END) return found(r, s, cpb_min_u64(r->at, s->input.size));
  if (have == CPB_HAVE) {
    follow(r, s);
  } else if (have == CPB_FAILED && s->resume != CPB_RESUME_NEVER) {
    memset(&s->error, 0, sizeof s->error);
    r->at += CPB_BLOCK_HEADER_SIZE;
    have = CPB_HAVE;
  }
  return have;
}

cpb_have cpb_recovery_find(cpb_recovery *r, cpb_chunk_source *s) {
  r->end = CPB_NO_OFFSET;
  while (r->end == CPB_NO_OFFSET) {
    bool at_chunk = r->how == CPB_RESUME_AT_CHUNK && cpb_is_chunk_boundary(r->at);
    cpb_have have = at_chunk ? arrive(r, s) : try_next_block(r, s);
    if (have != CPB_HAVE) return have;
  }
  return CPB_HAVE;
}
