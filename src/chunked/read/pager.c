/* The pager: reads chunks in a fixed amount of memory (cpb/pager.h). Programs with memory for the entire index use the
 * chunk reader (chunk_reader.c).
 *
 * At most one record reader exists at a time. The reader and all its data stay below options.memory; its budget
 * enforces that. It is either in the index, which is scanned entry by entry and never kept, or in the record of
 * `chunk`, where `pos` counts the bytes that it has returned. The pager keeps the offsets of a fixed number of index
 * entries, evenly spaced (paged_index.h): to look up a chunk, it reads the index from the nearest of these before it.
 * The host may take its bytes back after each step, so the reader must not keep them (`fleeting`): it copies them,
 * within its budget, or requests them again. */
#include "chunked/read/pager.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "chunked/index/paged_index.h"
#include "riegeli/records/reader.h"

enum {
  DEFAULT_MEMORY = 64 * 1024,
  LOOKUP = 1024 /* bytes of the index requested at once to look up a chunk */
};

typedef enum pager_phase {
  PAGER_LAST,  /* going to the last record */
  PAGER_SCAN,  /* through the index in it */
  PAGER_IDLE,  /* no request */
  PAGER_INDEX, /* going to the index again */
  PAGER_FIND,  /* the entry of the chunk in it */
  PAGER_CHUNK, /* going to the chunk's record */
  PAGER_READ,
  PAGER_SETTLE, /* to the end of its Riegeli chunk, where it is verified */
  PAGER_FAILED
} pager_phase;

struct cpb_pager {
  cpb_allocator allocator;
  cpb_pager_options options;
  cpb_limits limits;
  cpb_input none; /* used without a reader */
  cpb_error error;
  pager_phase phase;
  cpb_paged_index index;
  uint64_t index_position, index_begin;

  cpb_record_reader *reader; /* of the index or of a chunk: never two */
  uint64_t memory;           /* the most that a reader has held */
  bool open;                 /* it is in the record of `chunk` */
  uint64_t pos;              /* bytes that it has returned of its record */
  cpb_span data;

  uint64_t chunk, at, length; /* the range still to be read; CPB_NO_CHUNK: of the index */
  cpb_chunk_info info;
  cpb_chunk_stored stored;
};

/* The pager's memory besides a reader: itself, and the scanner's frames. */
enum { SCANNER = 1024 };
#define OWN (sizeof(cpb_pager) + SCANNER)

/* --- One reader at a time ---------------------------------------------------- */

static void close_reader(cpb_pager *p) {
  if (!p->reader) return;
  p->memory = cpb_max_u64(p->memory, OWN + cpb_record_reader_memory(p->reader));
  p->none = *cpb_record_reader_input(p->reader);
  cpb_record_reader_free(p->reader);
  p->reader = NULL;
  p->open = false;
}

static size_t reader_memory(const cpb_pager *p) { return p->options.memory > OWN ? p->options.memory - OWN : 1; }

static bool open_reader(cpb_pager *p, cpb_verify verify) {
  close_reader(p);
  const cpb_record_reader_options options = {
      .struct_size = sizeof options,
      .verify = verify,
      .memory = reader_memory(p),
      .read_size = p->options.read_size,
      .limits = &p->limits,
  };
  p->reader = cpb_record_reader_new(&p->allocator, &options);
  p->pos = 0;
  if (p->reader) {
    p->reader->fleeting = true;
    cpb_record_reader_input(p->reader)->size = p->none.size;
    return true;
  }
  return cpb_fail_memory(&p->error), false;
}

cpb_pager *cpb_pager_new(const cpb_allocator *allocator, const cpb_pager_options *given) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_pager_options options;
  cpb_options_copy(&options, sizeof options, given);
  if (options.verify > CPB_VERIFY_NEVER) return NULL;
  if (options.memory == 0) options.memory = DEFAULT_MEMORY;
  cpb_pager *p = cpb_alloc_zeroed(&a, sizeof *p);
  if (!p) return NULL;
  p->allocator = a;
  p->options = options;
  p->limits = cpb_limits_or_default(options.limits);
  cpb_input_init(&p->none);
  cpb_paged_index_init(&p->index, &p->allocator, &p->limits, &p->error);
  if (!open_reader(p, CPB_VERIFY_FIRST)) {
    cpb_pager_free(p);
    return NULL;
  }
  cpb_record_reader_seek_last(p->reader);
  return p;
}

void cpb_pager_free(cpb_pager *p) {
  if (!p) return;
  cpb_allocator a = p->allocator;
  cpb_record_reader_free(p->reader);
  cpb_paged_index_free(&p->index);
  cpb_release(&a, p);
}

cpb_input *cpb_pager_input(cpb_pager *p) { return p->reader ? cpb_record_reader_input(p->reader) : &p->none; }

/* --- Failing ------------------------------------------------------------------- */

static cpb_step fail(cpb_pager *p) {
  p->phase = PAGER_FAILED;
  p->data.size = 0;
  cpb_input_let_go(cpb_pager_input(p));
  return CPB_STEP_ERROR;
}

static bool is_at_chunk(const cpb_pager *p) {
  return p->phase >= PAGER_CHUNK && p->phase != PAGER_FAILED && p->chunk != CPB_NO_CHUNK;
}

static void fail_for_memory(cpb_pager *p, const cpb_error *error) {
  uint64_t needed = cpb_pager_memory(p);
  if (is_at_chunk(p))
    cpb_fail(&p->error, error->code, error->offset, "chunk %llu takes %llu bytes of memory; the limit is %zu",
             (unsigned long long)p->chunk, (unsigned long long)needed, p->options.memory);
  else
    cpb_fail(&p->error, error->code, error->offset, "the chunk index takes %llu bytes of memory; the limit is %zu",
             (unsigned long long)needed, p->options.memory);
}

static cpb_step fail_reading(cpb_pager *p) {
  const cpb_error *error = cpb_record_reader_error(p->reader);
  bool by_host = cpb_is_of_reading(error) || error->code == CPB_E_CANCELLED;
  if (p->reader->budget.needed > 0 && error->code == CPB_E_LIMIT) fail_for_memory(p, error);
  else if (by_host || !is_at_chunk(p)) p->error = *error;
  else cpb_fail(&p->error, error->code, error->offset, "chunk %llu: %s", (unsigned long long)p->chunk, error->message);
  return fail(p);
}

/* As in cpb_index: the record's hash was correct, so the bytes are the original ones. If they are not a ChunkMetadata,
 * the file is not damaged but some other Riegeli file. */
static cpb_step fail_index(cpb_pager *p) {
  cpb_error error = p->error;
  error.offset = p->index_begin;
  if (error.code == CPB_E_DAMAGED && p->phase == PAGER_SCAN) {
    memset(&p->error, 0, sizeof p->error);
    cpb_fail(&p->error, CPB_E_FORMAT, error.offset,
             "not a chunked file: its last Riegeli record is not a ChunkMetadata (%s)", error.message);
  } else {
    p->error = error;
  }
  return fail(p);
}

/* --- The index ------------------------------------------------------------------- */

/* act() returns this to be called again. */
#define GO_ON CPB_STEP_RECORD

static cpb_step begin_scan(cpb_pager *p, cpb_step step) {
  if (step == CPB_STEP_DONE) {
    bool empty = cpb_record_reader_input(p->reader)->size == 0;
    cpb_fail(&p->error, CPB_E_FORMAT, CPB_NO_OFFSET, "the %s; expected a ChunkMetadata in the last one",
             empty ? "file is empty, not a Riegeli file with records" : "Riegeli file has no records");
    return fail(p);
  }
  const cpb_record *record = cpb_record_reader_record(p->reader);
  p->index_position = record->position;
  p->index_begin = record->chunk_begin;
  cpb_paged_index_scan(&p->index, record->size);
  p->phase = PAGER_SCAN;
  return GO_ON;
}

static cpb_step end_scan(cpb_pager *p) {
  if (!p->index.has_message) {
    cpb_fail(&p->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "message is not set");
    return fail_index(p);
  }
  close_reader(p);
  p->phase = PAGER_IDLE;
  return GO_ON;
}

/* In the record that the reader is in. */
static void skip_to(cpb_pager *p, uint64_t pos) {
  cpb_record_reader_skip(p->reader, pos - p->pos);
  p->pos = pos;
}

static void clamp(cpb_pager *p) {
  p->at = cpb_min_u64(p->at, p->stored.size);
  p->length = cpb_min_u64(p->length, p->stored.size - p->at);
}

/* The reader is in the record of `chunk`. */
static cpb_step begin_read(cpb_pager *p, const cpb_record *record) {
  p->stored = (cpb_chunk_stored){record->size, record->index, *cpb_record_reader_chunk(p->reader)};
  p->open = true;
  clamp(p);
  p->phase = PAGER_READ;
  return GO_ON;
}

static cpb_step begin_find(cpb_pager *p, cpb_step step) {
  const cpb_record *record = cpb_record_reader_record(p->reader);
  if (step == CPB_STEP_DONE || record->size != p->index.scanner.size) {
    cpb_fail(&p->error, CPB_E_DAMAGED, p->index_begin, "the chunk index has changed since it was first read");
    return fail(p);
  }
  if (p->chunk == CPB_NO_CHUNK) return begin_read(p, record);
  cpb_paged_index_find(&p->index, p->chunk);
  skip_to(p, cpb_paged_index_pos(&p->index));
  p->phase = PAGER_FIND;
  return GO_ON;
}

static bool go_to_chunk(cpb_pager *p) {
  p->info = p->index.info;
  if (p->info.file > 0)
    return CPB_FAILS(&p->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                     "chunk %llu is in another file, which a pager cannot read", (unsigned long long)p->chunk);
  if (!open_reader(p, p->options.verify)) return false;
  cpb_reader_seek_chunk(p->reader, p->info.position, p->info.position, 0);
  p->phase = PAGER_CHUNK;
  return true;
}

static cpb_step end_find(cpb_pager *p) { return go_to_chunk(p) ? GO_ON : fail(p); }

/* Feeds bytes of the index to the scanner, until it has found the entry. */
static cpb_step walk_index(cpb_pager *p, cpb_step step) {
  cpb_span in = {NULL, 0};
  if (step == CPB_STEP_DATA) {
    in.data = cpb_record_reader_data(p->reader, &in.size);
    p->pos += in.size;
  }
  switch (cpb_paged_index_feed(&p->index, in)) {
    case CPB_PAGED_FAILED: return fail_index(p);
    case CPB_PAGED_DONE: return p->phase == PAGER_SCAN ? end_scan(p) : end_find(p);
    case CPB_PAGED_MORE: skip_to(p, cpb_paged_index_pos(&p->index)); break;
  }
  return GO_ON;
}

/* --- The chunk ------------------------------------------------------------------- */

static cpb_step begin_chunk(cpb_pager *p, cpb_step step) {
  if (step == CPB_STEP_DONE) {
    cpb_fail(&p->error, CPB_E_DAMAGED, p->info.position, "chunk %llu: no record begins at its position, %llu",
             (unsigned long long)p->chunk, (unsigned long long)p->info.position);
    return fail(p);
  }
  return begin_read(p, cpb_record_reader_record(p->reader));
}

static cpb_step give_data(cpb_pager *p) {
  size_t size;
  p->data.data = cpb_record_reader_data(p->reader, &size);
  p->data.size = (size_t)cpb_min_u64(size, p->length);
  cpb_reader_give_back(p->reader, size - p->data.size);
  p->pos = p->at += p->data.size;
  p->length -= p->data.size;
  return CPB_STEP_DATA;
}

static bool is_settled(const cpb_pager *p, cpb_step step) {
  return step == CPB_STEP_DONE || p->reader->source.begin != p->stored.riegeli.begin;
}

static cpb_step settle(cpb_pager *p) {
  for (;;) {
    cpb_record_reader_skip(p->reader, UINT64_MAX);
    cpb_step step = cpb_record_reader_step(p->reader);
    if (step == CPB_STEP_ERROR) return fail_reading(p);
    if (is_settled(p, step)) break;
    if (step == CPB_STEP_NEED) return step;
  }
  close_reader(p);
  p->phase = PAGER_IDLE;
  return GO_ON;
}

static bool is_near(const cpb_pager *p, uint64_t chunk, uint64_t offset) {
  bool is_in_it = p->phase == PAGER_IDLE || p->phase == PAGER_READ;
  return p->open && is_in_it && p->chunk == chunk && offset >= p->pos;
}

static cpb_step end_read(cpb_pager *p) {
  bool whole = p->at == p->stored.size && p->options.verify == CPB_VERIFY_LATE && p->chunk != CPB_NO_CHUNK;
  p->phase = whole ? PAGER_SETTLE : PAGER_IDLE;
  return GO_ON;
}

static void read_on(cpb_pager *p) {
  skip_to(p, p->at);
  p->reader->want = p->length;
}

/* --- Stepping -------------------------------------------------------------------- */

static cpb_step begin_lookup(cpb_pager *p) {
  if (!open_reader(p, CPB_VERIFY_NEVER)) return fail(p);
  p->reader->want = LOOKUP;
  cpb_reader_seek_chunk(p->reader, p->index_position, p->index_begin, 0);
  return GO_ON;
}

/* A step of the reader, or the work before it. */
static cpb_step step_reader(cpb_pager *p) {
  if (p->phase == PAGER_READ) read_on(p);
  cpb_step step = cpb_record_reader_step(p->reader);
  if (step == CPB_STEP_ERROR) return fail_reading(p);
  if (step == CPB_STEP_NEED) return step;
  switch (p->phase) {
    case PAGER_LAST: return begin_scan(p, step);
    case PAGER_INDEX: return begin_find(p, step);
    case PAGER_CHUNK: return begin_chunk(p, step);
    case PAGER_READ: return give_data(p);
    default: return walk_index(p, step);
  }
}

static cpb_step act(cpb_pager *p) {
  switch (p->phase) {
    case PAGER_IDLE: return CPB_STEP_DONE;
    case PAGER_SETTLE: return settle(p);
    case PAGER_SCAN:
    case PAGER_FIND:
      if (p->pos == p->index.scanner.size) return walk_index(p, CPB_STEP_NEED);
      return step_reader(p);
    case PAGER_READ: return p->length == 0 ? end_read(p) : step_reader(p);
    case PAGER_FAILED: return CPB_STEP_ERROR;
    default: return step_reader(p);
  }
}

cpb_step cpb_pager_step(cpb_pager *p) {
  p->data.size = 0;
  cpb_step step = GO_ON;
  if (p->phase == PAGER_INDEX && !p->reader) step = begin_lookup(p);
  while (step == GO_ON) step = act(p);
  if (step == CPB_STEP_DONE) cpb_input_let_go(cpb_pager_input(p));
  return step;
}

static cpb_code read_from(cpb_pager *p, uint64_t chunk, uint64_t offset, uint64_t length) {
  if (p->phase == PAGER_FAILED) return p->error.code;
  if (p->phase < PAGER_IDLE) return CPB_E_USAGE;
  bool goes_on = is_near(p, chunk, offset);
  p->chunk = chunk;
  p->at = offset;
  p->length = length;
  if (goes_on) {
    clamp(p);
    p->phase = PAGER_READ;
  } else {
    close_reader(p);
    p->phase = PAGER_INDEX;
  }
  return CPB_OK;
}

cpb_code cpb_pager_read(cpb_pager *p, uint64_t chunk, uint64_t offset, uint64_t length) {
  bool is_open = p->phase >= PAGER_IDLE && p->phase != PAGER_FAILED;
  if (is_open && chunk >= p->index.num_chunks) return CPB_E_NOT_FOUND;
  return read_from(p, chunk, offset, length);
}

cpb_code cpb_pager_read_index(cpb_pager *p, uint64_t offset, uint64_t length) {
  return read_from(p, CPB_NO_CHUNK, offset, length);
}

uint64_t cpb_pager_index_size(const cpb_pager *p) { return p->index.scanner.size; }
uint64_t cpb_pager_index_message(const cpb_pager *p) { return p->index.message; }
size_t cpb_pager_held(const cpb_pager *p) { return OWN + (p->reader ? p->reader->budget.used : 0); }

void cpb_pager_set_memory(cpb_pager *p, size_t memory) {
  p->options.memory = memory;
  if (p->reader) p->reader->budget.limit = p->reader->options.memory = reader_memory(p);
}

uint64_t cpb_pager_file_size(const cpb_pager *p) {
  return p->reader ? cpb_record_reader_input(p->reader)->size : p->none.size;
}

uint64_t cpb_pager_num_chunks(const cpb_pager *p) { return p->index.num_chunks; }

const uint8_t *cpb_pager_data(const cpb_pager *p, size_t *length) {
  *length = p->data.size;
  return p->data.data;
}

const cpb_chunk_info *cpb_pager_info(const cpb_pager *p) { return &p->info; }
const cpb_chunk_stored *cpb_pager_stored(const cpb_pager *p) { return &p->stored; }

uint64_t cpb_pager_memory(const cpb_pager *p) {
  uint64_t now = p->reader ? OWN + cpb_record_reader_memory(p->reader) : 0;
  return cpb_max_u64(p->memory, now);
}

const cpb_error *cpb_pager_error(const cpb_pager *p) { return &p->error; }
