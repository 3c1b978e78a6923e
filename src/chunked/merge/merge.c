/* The merge engine: plans, then reads ranges of the merged message. */
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "chunked/merge/merge_state.h"
#include "chunked/merge/targets.h"
#include "chunked/merge/walk_state.h"

enum { DEFAULT_MEMORY = 16 * 1024 * 1024, DEFAULT_READ = 256 * 1024, JOIN_BEHIND = 4096 };

/* --- Making and freeing --------------------------------------------------- */

static bool take_options(cpb_merge *m, const cpb_merge_options *given) {
  cpb_merge_options *options = &m->options;
  cpb_options_copy(options, sizeof *options, given);
  if (options->memory == 0) options->memory = DEFAULT_MEMORY;
  if (options->read_size == 0) options->read_size = DEFAULT_READ;
  cpb_limits limits = cpb_limits_or_default(options->limits);
  if (options->plan_items > 0) {
    limits.entries = options->plan_items;
    limits.entries_per_byte = 0;
  }
  cpb_meter_init(&m->meter, &m->outer, &limits, &m->input);
  options->limits = &m->meter.limits;
  return options->verify <= CPB_VERIFY_NEVER;
}

static void init_store(cpb_merge *m) {
  const cpb_store_options store = {
      .verify = m->options.verify,
      .trust_sizes = m->options.trust_sizes != 0,
      .trust_fitting = true,
      .memory = m->options.memory,
      .read_size = m->options.read_size,
      .meter = &m->meter,
  };
  cpb_chunk_store_init(&m->store, &m->allocator, m->index, &store, &m->input, &m->error);
}

static void init_plan(cpb_merge *m) {
  const cpb_index *index = m->index;
  uint64_t depth = m->meter.limits.depth + index->metadata.num_tags;
  cpb_merge_tree_init(&m->tree, &m->allocator, &index->metadata, &m->meter, &m->error);
  m->tree.type = m->options.type;
  m->tree.only = m->only;
  if (index->riegeli.end > 0) m->tree.position = index->record.chunk_begin;
  cpb_merge_walk_init(&m->walk, &m->allocator, &m->tree, &m->store, (uint32_t)cpb_min_u64(2 * depth, UINT32_MAX),
                      &m->error);
  m->walk.losses = m->losses;
  cpb_merge_layout_init(&m->layout, &m->allocator);
  m->plan = &m->layout;
}

static cpb_merge *new_merge(const cpb_allocator *allocator, const cpb_index *index, const cpb_merge_options *options) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_merge *m = cpb_alloc_zeroed(&a, sizeof *m);
  if (!m) return NULL;
  m->outer = a;
  m->index = index;
  cpb_input_init(&m->input);
  m->input.size = index->none.size; /* the size of the file that has the index, if there is one */
  if (!take_options(m, options)) {
    cpb_release(&a, m);
    return NULL;
  }
  m->allocator = cpb_meter_allocator(&m->meter);
  cpb_meter_update(&m->meter);
  init_store(m);
  return m;
}

cpb_merge *cpb_merge_new(const cpb_allocator *allocator, const cpb_index *index, const cpb_merge_options *options) {
  cpb_merge *m = new_merge(allocator, index, options);
  if (m) init_plan(m);
  return m;
}

cpb_merge *cpb_merge_from_chunks(const cpb_allocator *allocator, const cpb_index *index, const cpb_chunk_bytes *chunks,
                                 size_t num_chunks, const cpb_merge_options *options) {
  cpb_merge *m = cpb_merge_new(allocator, index, options);
  if (!m) return NULL;
  uint64_t size = 0;
  for (size_t i = 0; i < num_chunks; i++) size += chunks[i].size;
  cpb_meter_grow(&m->meter, size);
  cpb_chunk_store_use_memory(&m->store, chunks, num_chunks);
  return m;
}

cpb_merge *cpb_merge_fork(const cpb_merge *from, const cpb_allocator *allocator) {
  if (!from->planned) return NULL;
  cpb_merge *m = new_merge(allocator, from->index, &from->options);
  if (!m) return NULL;
  m->meter.limits.work = NULL; /* it may belong to another thread */
  m->plan = from->plan;
  m->state = CPB_MERGE_READY;
  m->planned = true;
  m->input.size = from->input.size;
  cpb_chunk_store_share(&m->store, &from->store);
  return m;
}

void cpb_merge_free(cpb_merge *m) {
  if (!m) return;
  cpb_allocator a = m->outer;
  cpb_merge_layout_free(&m->layout);
  cpb_merge_walk_free(&m->walk);
  cpb_merge_tree_free(&m->tree);
  cpb_chunk_store_free(&m->store);
  cpb_release(&m->allocator, m->cuts);
  cpb_release(&a, m->losses);
  if (m->only) cpb_release(&a, m->only->tags);
  if (m->only) cpb_release(&a, m->only->beside);
  cpb_release(&a, m->only);
  cpb_meter_free(&m->meter);
  cpb_release(&a, m);
}

cpb_input *cpb_merge_input(cpb_merge *m) { return &m->input; }

const cpb_error *cpb_merge_error(const cpb_merge *m) { return &m->error; }

/* --- Planning ------------------------------------------------------------- */

static uint32_t type_of(const void *user, uint64_t chunk) { return cpb_chunk_store_type(user, chunk); }

static cpb_step stop(cpb_merge *m, cpb_step step) {
  cpb_input_let_go(&m->input);
  if (step != CPB_STEP_ERROR) return step;
  cpb_meter_explain(&m->meter, &m->error);
  m->state = CPB_MERGE_FAILED;
  return step;
}

static cpb_have build_tree(cpb_merge *m) {
  m->state = CPB_MERGE_WALK;
  m->store.keeping = true;
  return cpb_merge_tree_build(&m->tree, m->store.num_chunks, type_of, &m->store) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have walk(cpb_merge *m) {
  cpb_have have = cpb_merge_walk_run(&m->walk);
  if (have != CPB_HAVE) return have;
  cpb_merge_walk_finish(&m->walk);
  cpb_merge_tree_finish(&m->tree);
  bool is_one = m->index->metadata.num_files == 0; /* else limits grow as files are opened */
  if (!cpb_merge_layout_build(&m->layout, &m->walk) ||
      (is_one && !cpb_meter_allows(&m->meter, CPB_WORK_DECODED, m->layout.size, CPB_NO_OFFSET, &m->error)))
    return CPB_FAILED;
  cpb_merge_walk_free(&m->walk);
  cpb_merge_tree_free(&m->tree);
  m->state = CPB_MERGE_READY;
  m->planned = true;
  m->store.keeping = false;
  return CPB_HAVE;
}

/* The walk has failed on a damaged chunk: restart it without that chunk. */
static bool walk_without(cpb_merge *m) {
  if (!m->losses || !m->losses->add(m->losses, &m->walk)) return false;
  cpb_merge_walk_free(&m->walk);
  cpb_merge_tree_free(&m->tree);
  m->error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  init_plan(m);
  m->state = CPB_MERGE_BEGIN;
  return true;
}

/* --- Reading -------------------------------------------------------------- */

size_t cpb_merge_find_segment(const cpb_merge *m, uint64_t offset) {
  size_t low = 0, high = m->plan->num_segments;
  if (offset >= m->plan->size) return high;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (cpb_layout_offset(m->plan, middle) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

static uint64_t segment_end(const cpb_merge *m, size_t i) {
  return i + 1 < m->plan->num_segments ? cpb_layout_offset(m->plan, i + 1) : m->plan->size;
}

cpb_code cpb_merge_read(cpb_merge *m, uint64_t offset, uint64_t length) {
  if (m->state == CPB_MERGE_FAILED) return m->error.code;
  if (m->state != CPB_MERGE_READY) return CPB_E_USAGE;
  cpb_meter_renew(&m->meter);
  m->at = cpb_min_u64(offset, m->plan->size);
  m->end = m->at + cpb_min_u64(length, m->plan->size - m->at);
  m->segment = cpb_merge_find_segment(m, m->at);
  memset(m->joined, 0, sizeof m->joined);
  return CPB_OK;
}

static cpb_have segment_bytes(cpb_merge *m, const cpb_layout_segment *segment, uint64_t want, cpb_span *span) {
  uint64_t at = segment->at + (m->at - segment->offset);
  if (segment->chunk != CPB_LITERAL) return cpb_chunk_store_span(&m->store, segment->chunk, at, want, span);
  *span = (cpb_span){m->plan->literals.data + at, m->plan->literals.size - (size_t)at};
  return CPB_HAVE;
}

static cpb_have read_some(cpb_merge *m) {
  const cpb_layout_segment segment = cpb_layout_get(m->plan, m->segment);
  uint64_t end = cpb_min_u64(segment_end(m, m->segment), m->end);
  cpb_have have = segment_bytes(m, &segment, end - m->at, &m->data);
  if (have == CPB_AT_END) {
    cpb_fail(&m->error, CPB_E_DAMAGED, cpb_chunk_store_position(&m->store, segment.chunk),
             "chunk %u: its record has become shorter since the merge was planned", (unsigned)segment.chunk);
  }
  if (have != CPB_HAVE) return have;
  m->data.size = (size_t)cpb_min_u64(m->data.size, end - m->at);
  m->at += m->data.size;
  if (m->at == segment_end(m, m->segment)) m->segment++;
  return CPB_HAVE;
}

/* --- Reading ahead -------------------------------------------------------- */

/* Whether the merge will read the segment's Riegeli chunk to its end. */
static bool takes_all(const cpb_merge *m, size_t i) {
  const cpb_layout_segment segment = cpb_layout_get(m->plan, i);
  if (m->options.verify != CPB_VERIFY_NEVER) return true;
  uint64_t end = cpb_min_u64(segment_end(m, i), m->end);
  return segment.at == 0 && end - segment.offset >= cpb_column_get(&m->index->metadata.chunks.size, segment.chunk);
}

/* Extends the range from segment to segment while the next read is also next in the file. Bytes before it were
 * requested earlier. After a number of such segments it stops and continues another time, because a message that
 * alternates between several places requests often. */
static void join_segments(cpb_merge *m, cpb_merge_joined *joined) {
  for (size_t behind = 0; behind < JOIN_BEHIND && joined->segment < m->plan->num_segments; joined->segment++) {
    const cpb_layout_segment segment = cpb_layout_get(m->plan, joined->segment);
    uint64_t begin, end;
    if (segment.offset >= m->end) break;
    if (segment.chunk == CPB_LITERAL || !cpb_chunk_store_place(&m->store, segment.chunk, m->input.file, &begin, &end))
      continue;
    if (begin > joined->end || (begin == joined->end && !takes_all(m, joined->segment))) break;
    if (begin < joined->end) behind++;
    else joined->end = end;
  }
}

static bool has(const cpb_merge_joined *joined, const cpb_need *need, uint64_t end) {
  return joined->file == need->file && need->offset >= joined->begin && end <= joined->end;
}

/* The joined range that contains the need; a new one replaces the least recently used one. */
static cpb_merge_joined *joined_with(cpb_merge *m, const cpb_need *need) {
  uint64_t end = need->offset + need->ahead;
  cpb_merge_joined *oldest = m->joined;
  for (cpb_merge_joined *j = m->joined; j < m->joined + CPB_MERGE_JOINED; j++) {
    if (has(j, need, end)) return j;
    if (j->used < oldest->used) oldest = j;
  }
  *oldest = (cpb_merge_joined){need->offset, end, need->file, m->segment + 1, 0};
  return oldest;
}

/* Lets the host fetch a sequence of reads at once. */
static cpb_step need_joined(cpb_merge *m) {
  cpb_need *need = &m->input.need;
  if (need->kind != CPB_NEED_RANGE) return CPB_STEP_NEED;
  cpb_merge_joined *joined = joined_with(m, need);
  joined->used = ++m->clock;
  join_segments(m, joined);
  need->ahead = cpb_min_u64(joined->end, cpb_input_known_size(&m->input)) - need->offset;
  return CPB_STEP_NEED;
}

static cpb_step step_ready(cpb_merge *m) {
  cpb_have have = m->at < m->end ? read_some(m) : cpb_chunk_store_settle(&m->store);
  if (have == CPB_WAIT) return need_joined(m);
  if (have != CPB_HAVE) return stop(m, CPB_STEP_ERROR);
  if (m->data.size > 0) return CPB_STEP_DATA;
  return stop(m, CPB_STEP_DONE);
}

cpb_step cpb_merge_step(cpb_merge *m) {
  m->data.size = 0;
  cpb_meter_update(&m->meter);
  while (m->state != CPB_MERGE_FAILED) {
    if (m->state == CPB_MERGE_READY) return step_ready(m);
    bool walking = m->state == CPB_MERGE_WALK;
    cpb_have have = walking ? walk(m) : build_tree(m);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE && !(walking && walk_without(m))) return stop(m, CPB_STEP_ERROR);
  }
  return CPB_STEP_ERROR;
}

const uint8_t *cpb_merge_data(const cpb_merge *m, size_t *length) {
  *length = m->data.size;
  return m->data.data;
}

cpb_step cpb_merge_fill(cpb_merge *m, void *out, size_t size, size_t *length) {
  for (;;) {
    size_t taken = cpb_min_size(m->data.size, size - *length);
    if (taken > 0) {
      memcpy((uint8_t *)out + *length, m->data.data, taken);
      m->data = (cpb_span){m->data.data + taken, m->data.size - taken};
      *length += taken;
    }
    if (*length == size) return CPB_STEP_DATA;
    cpb_step step = cpb_merge_step(m);
    if (step != CPB_STEP_DATA) return step;
  }
}

/* --- The plan ------------------------------------------------------------- */

uint64_t cpb_merge_size(const cpb_merge *m) { return m->plan->size; }

size_t cpb_merge_num_segments(const cpb_merge *m) { return m->plan->num_segments; }

cpb_code cpb_merge_get_segment(const cpb_merge *m, size_t i, cpb_segment *segment) {
  if (i >= m->plan->num_segments) return CPB_E_NOT_FOUND;
  const cpb_layout_segment from = cpb_layout_get(m->plan, i);
  *segment = (cpb_segment){.offset = from.offset, .length = segment_end(m, i) - from.offset};
  if (from.chunk == CPB_LITERAL) {
    segment->chunk = CPB_NO_CHUNK;
    segment->literal = m->plan->literals.data + from.at;
  } else {
    segment->chunk = from.chunk;
    segment->chunk_offset = from.at;
  }
  return CPB_OK;
}
