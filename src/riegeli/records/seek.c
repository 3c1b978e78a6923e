/* Seeking. To a position: the block header before it refers to the chunk around it, and chunk headers lead on from
 * there, so that at most the headers of one block are read. To the last record: the same from the last block on, and
 * backwards block by block while no chunk has records. */
#include "riegeli/records/reader.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"

enum {
  TAIL = CPB_BLOCK_SIZE + CPB_BLOCK_HEADER_SIZE, /* contains the last block header, wherever the file ends */
  NEAR = 4096                                    /* bytes after the target that are worth fetching with it */
};

static void walk_from(cpb_record_reader *r, uint64_t begin, cpb_phase phase) {
  cpb_chunk_source_go(&r->source, begin);
  r->phase = phase;
}

void cpb_reader_leave(cpb_record_reader *r) {
  cpb_reader_unload(r);
  r->source.sequential = false;
  r->target = 0;
  r->gap = CPB_NO_OFFSET;
}

/* --- To a position -------------------------------------------------------- */

/* Within the target's block, everything up to the target is worth fetching at once. */
static void walk_towards(cpb_record_reader *r, uint64_t begin, cpb_phase phase) {
  cpb_chunk_source *s = &r->source;
  walk_from(r, begin, phase);
  if (begin >= cpb_block_begin(r->seek_to))
    cpb_chunk_source_expect(s, cpb_max_u64(s->ahead_end, r->seek_to + CPB_CHUNK_HEADER_SIZE + NEAR));
}

static void walk_from_block(cpb_record_reader *r) {
  walk_towards(r, cpb_block_begin(r->seek_to), CPB_PHASE_SEEK_BLOCK);
}

static bool knows_chunk_of(const cpb_chunk_source *s, uint64_t position) {
  return s->have_header && position >= s->begin && position - s->begin < s->header.num_records;
}

/* True if nothing is left to do: the reader is there already, or has failed. */
static bool begin_seek(cpb_record_reader *r, uint64_t position) {
  if (r->phase == CPB_PHASE_FAILED) return true;
  if (r->phase == CPB_PHASE_RECORDS && knows_chunk_of(&r->source, position) &&
      cpb_reader_move(r, position - r->source.begin))
    return true;
  cpb_reader_leave(r);
  r->seek_to = position;
  return false;
}

static void walk_from_here(cpb_record_reader *r) {
  cpb_chunk_source_rewind(&r->source);
  r->phase = CPB_PHASE_SEEK_CHUNK;
}

void cpb_record_reader_seek(cpb_record_reader *r, uint64_t position) {
  const cpb_chunk_source *s = &r->source;
  cpb_meter_renew(&r->own);
  if (begin_seek(r, position)) return;
  if (s->have_header && s->begin <= position && s->end >= cpb_block_begin(position)) walk_from_here(r);
  else walk_from_block(r);
}

void cpb_reader_seek_chunk(cpb_record_reader *r, uint64_t position, uint64_t begin, uint64_t end) {
  if (begin_seek(r, position)) return;
  if (knows_chunk_of(&r->source, position)) {
    walk_from_here(r);
  } else if (begin <= position && cpb_is_chunk_boundary(begin)) {
    walk_from(r, begin, CPB_PHASE_SEEK_DIRECT);
    if (end > begin) cpb_chunk_source_expect(&r->source, end);
  } else {
    walk_from_block(r);
  }
}

void cpb_record_reader_seek_chunk(cpb_record_reader *r, uint64_t begin) {
  cpb_meter_renew(&r->own);
  cpb_reader_seek_chunk(r, begin, begin, 0);
}

/* A matching hash proves that bytes are a chunk header. If they are not one, or not the target's, the search begins at
 * the block header, which also finds the error. */
static cpb_have seek_direct(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  cpb_have have = cpb_chunk_source_header(s);
  if (have == CPB_WAIT || (have == CPB_FAILED && s->resume == CPB_RESUME_NEVER)) return have;
  if (knows_chunk_of(s, r->seek_to)) {
    r->target = r->seek_to - s->begin;
    r->phase = CPB_PHASE_HEADER;
  } else {
    memset(&s->error, 0, sizeof s->error);
    walk_from_block(r);
  }
  return CPB_HAVE;
}

static cpb_have implausible(cpb_record_reader *r, uint64_t block) {
  cpb_fail(&r->source.error, CPB_E_DAMAGED, block, "the block header points to where no chunk can begin");
  r->source.resume = CPB_RESUME_FIND;
  r->source.resume_at = block + CPB_BLOCK_HEADER_SIZE;
  return CPB_FAILED;
}

/* The beginning of the chunk that the block header at `block` interrupts, if it ends after `position`; else of the next
 * one. */
static cpb_have chunk_around(cpb_record_reader *r, uint64_t block, uint64_t position, uint64_t *begin) {
  const cpb_block_header *header = &r->source.block;
  cpb_have have = cpb_chunk_source_block(&r->source, block);
  if (have != CPB_HAVE) return have;
  *begin = block;
  if (header->previous_chunk == 0) return CPB_HAVE;
  if (!cpb_add_u64(block, header->next_chunk, begin)) return implausible(r, block);
  if (*begin > position) {
    if (header->previous_chunk > block) return implausible(r, block);
    *begin = block - header->previous_chunk;
  }
  return cpb_is_chunk_boundary(*begin) ? CPB_HAVE : implausible(r, block);
}

static cpb_have seek_block(cpb_record_reader *r) {
  uint64_t begin;
  cpb_have have = chunk_around(r, cpb_block_begin(r->seek_to), r->seek_to, &begin);
  if (have == CPB_HAVE) walk_towards(r, begin, CPB_PHASE_SEEK_CHUNK);
  return have;
}

static cpb_have seek_chunk(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  if (s->begin >= r->seek_to) {
    r->phase = CPB_PHASE_HEADER;
    return CPB_HAVE;
  }
  cpb_have have = cpb_chunk_source_header(s);
  if (have != CPB_HAVE) return have;
  uint64_t index = r->seek_to - s->begin;
  if (index < s->header.num_records) {
    r->target = index;
    r->phase = CPB_PHASE_HEADER;
  } else {
    walk_towards(r, s->end, CPB_PHASE_SEEK_CHUNK);
  }
  return CPB_HAVE;
}

/* --- To the last record --------------------------------------------------- */

void cpb_record_reader_seek_last(cpb_record_reader *r) {
  if (r->phase == CPB_PHASE_FAILED) return;
  cpb_meter_renew(&r->own);
  cpb_reader_leave(r);
  r->phase = CPB_PHASE_LAST_SIZE;
}

/* Everything up to last_limit will be read. */
static void walk_to_limit(cpb_record_reader *r, uint64_t begin, cpb_phase phase) {
  walk_from(r, begin, phase);
  if (!r->source.sparse) cpb_chunk_source_expect(&r->source, r->last_limit);
}

/* No chunk from `limit` on has records: looks in the block before it. */
static void look_before(cpb_record_reader *r, uint64_t limit) {
  r->last_limit = limit;
  r->last_records = 0;
  if (limit == 0) {
    walk_from(r, r->source.input.size, CPB_PHASE_HEADER); /* no record at all */
    return;
  }
  r->last_from = cpb_block_begin(limit - 1);
  walk_to_limit(r, r->last_from, CPB_PHASE_LAST_BLOCK);
}

/* The number of the last bytes to request with the size. */
static size_t tail_size(const cpb_record_reader *r) {
  return r->options.memory == 0 ? TAIL : cpb_min_size(TAIL, r->options.read_size);
}

static cpb_have last_size(cpb_record_reader *r) {
  uint64_t size, tail;
  cpb_span span;
  cpb_input *input = &r->source.input;
  cpb_have have = cpb_input_size(input, tail_size(r), &size);
  if (have == CPB_HAVE && size > 0 && r->options.memory == 0) {
    tail = cpb_min_u64(size, TAIL);
    have = cpb_input_span(input, size - tail, (size_t)tail, tail, &span);
  }
  if (have == CPB_FAILED) {
    r->source.error = input->failure;
    r->source.resume = CPB_RESUME_NEVER;
  }
  if (have == CPB_HAVE) look_before(r, size);
  return have;
}

static cpb_have last_block(cpb_record_reader *r) {
  uint64_t begin, block = cpb_block_begin(r->last_limit - 1);
  cpb_have have = chunk_around(r, block, r->last_limit - 1, &begin);
  if (have == CPB_AT_END) begin = block; /* the file ends inside the block header */
  else if (have != CPB_HAVE) return have;
  r->last_from = begin;
  walk_to_limit(r, begin, CPB_PHASE_LAST_CHUNK);
  return CPB_HAVE;
}

static cpb_have last_chunk(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  if (s->begin >= r->last_limit) {
    if (r->last_records == 0) {
      look_before(r, r->last_from);
    } else {
      r->target = r->last_records - 1;
      walk_to_limit(r, r->last_chunk, CPB_PHASE_HEADER);
    }
    return CPB_HAVE;
  }
  cpb_have have = cpb_chunk_source_header(s);
  if (have == CPB_HAVE) have = cpb_chunk_source_whole(s);
  if (have != CPB_HAVE) return have;
  if (s->header.num_records > 0) {
    r->last_chunk = s->begin;
    r->last_records = s->header.num_records;
  }
  walk_to_limit(r, s->end, CPB_PHASE_LAST_CHUNK);
  return CPB_HAVE;
}

cpb_have cpb_reader_seek(cpb_record_reader *r) {
  switch (r->phase) {
    case CPB_PHASE_SEEK_DIRECT: return seek_direct(r);
    case CPB_PHASE_SEEK_BLOCK: return seek_block(r);
    case CPB_PHASE_SEEK_CHUNK: return seek_chunk(r);
    case CPB_PHASE_SEEK_NUMBER: return r->numbers->walk(r);
    case CPB_PHASE_LAST_SIZE: return last_size(r);
    case CPB_PHASE_LAST_BLOCK: return last_block(r);
    default: return last_chunk(r);
  }
}
