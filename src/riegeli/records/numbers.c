/* Finds records by number. The number of records before a chunk is known once the headers of all earlier chunks were
 * read. It is noted for every `stride`-th chunk; initially, while there are few, for every chunk. */
#include "base/checked.h"
#include "base/status.h"
#include "riegeli/records/reader.h"

enum { MOST_NOTED = 1 << 16 };

/* The last chunk that is known to contain, or to precede, the record `number`. */
static cpb_numbered_chunk nearest(const cpb_numbers *n, uint64_t number) {
  cpb_numbered_chunk best = {0, 0};
  size_t low = 0, high = n->num_noted; /* noted[low - 1].first <= number < noted[high].first */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (n->noted[middle].first <= number) low = middle + 1;
    else high = middle;
  }
  if (low > 0) best = n->noted[low - 1];
  return n->last.first <= number && n->last.begin > best.begin ? n->last : best;
}

/* Without this memory, or if memory is bounded, each search takes longer. */
static void note(cpb_record_reader *r, cpb_numbered_chunk chunk) {
  cpb_numbers *n = r->numbers;
  if (n->stride == 0) n->stride = 1;
  if (n->num_noted == MOST_NOTED) {
    for (size_t i = 0; 2 * i < MOST_NOTED; i++) n->noted[i] = n->noted[2 * i];
    n->num_noted /= 2;
    n->stride *= 2;
  }
  if (n->num_chunks++ % n->stride != 0 || r->options.memory > 0) return;
  if (!CPB_RESERVE(&r->allocator, &n->noted, &n->capacity, n->num_noted + 1)) return;
  n->noted[n->num_noted++] = chunk;
}

/* Only the headers are needed. */
static void walk_from(cpb_record_reader *r, cpb_numbered_chunk chunk) {
  cpb_chunk_source_go(&r->source, chunk.begin);
  cpb_chunk_source_expect(&r->source, r->source.sure_end);
  r->numbers->first = chunk.first;
  r->phase = CPB_PHASE_SEEK_NUMBER;
}

static void arrive(cpb_record_reader *r, cpb_numbered_chunk chunk) {
  r->numbers->last = chunk;
  r->target = r->numbers->sought - chunk.first;
  r->phase = CPB_PHASE_HEADER;
}

static cpb_have walk(cpb_record_reader *r) {
  cpb_numbers *n = r->numbers;
  cpb_chunk_source *s = &r->source;
  cpb_have have = cpb_chunk_source_header(s);
  const bool there = have == CPB_HAVE && n->sought - n->first < s->header.num_records;
  if (have == CPB_HAVE && !there) have = cpb_chunk_source_whole(s);
  if (have == CPB_AT_END) {
    n->has_count = true;
    n->count = n->first;
    r->phase = CPB_PHASE_HEADER; /* of chunks that may be appended to the file */
  }
  if (have != CPB_HAVE) return have;
  const cpb_numbered_chunk chunk = {s->begin, n->first};
  const uint64_t records = s->header.num_records;
  if (s->begin >= n->frontier) {
    if (records > 0) note(r, chunk);
    n->frontier = s->end;
  }
  if (there) arrive(r, chunk);
  else walk_from(r, (cpb_numbered_chunk){s->end, chunk.first + records}); /* no file has 2^64 records: it ends before */
  return CPB_HAVE;
}

static bool is_loaded(const cpb_record_reader *r, cpb_numbered_chunk chunk) {
  const cpb_chunk_source *s = &r->source;
  return r->phase == CPB_PHASE_RECORDS && s->have_header && s->begin == chunk.begin;
}

void cpb_record_reader_seek_number(cpb_record_reader *r, uint64_t number) {
  if (r->phase == CPB_PHASE_FAILED) return;
  if (!r->numbers) r->numbers = cpb_alloc_zeroed(&r->allocator, sizeof *r->numbers);
  cpb_numbers *n = r->numbers;
  if (!n) {
    cpb_fail_memory(&r->error);
    r->phase = CPB_PHASE_FAILED;
    return;
  }
  cpb_meter_renew(&r->own);
  const cpb_numbered_chunk from = nearest(n, number);
  n->walk = walk;
  n->sought = number;
  if (is_loaded(r, from) && number - from.first < r->chunk.num_records && cpb_reader_move(r, number - from.first))
    return;
  cpb_reader_leave(r);
  walk_from(r, from);
}

int cpb_record_reader_count(const cpb_record_reader *r, uint64_t *count) {
  const bool is_known = r->numbers && r->numbers->has_count;
  *count = is_known ? r->numbers->count : 0;
  return is_known;
}
