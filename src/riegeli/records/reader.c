/* The record reader: its creation, and the state machine that goes from chunk to chunk.
 *
 * Each phase (cpb_phase) has one function, which works until the step has a result or the phase changes. After CPB_WAIT
 * the function is called again and continues: all progress is in the reader. A failure is set in the source; with
 * `recover` the machine then looks for the next chunk, otherwise it becomes the reader's error, which stays.
 *
 * Invariants. At most one Riegeli chunk is open: `source` is inside of it, and its records are in `simple` or
 * `transposed`. In CPB_PHASE_RECORDS `next` is the index of the record after the current one, `left` counts the bytes
 * of the current record that were not yet returned, and `ready` is a view of the decoded bytes that come next: of the
 * host's bytes if the chunk is not compressed, else of the decoder's window or the decoded chunk; for a transposed
 * chunk, of either, span by span. With CPB_VERIFY_FIRST no byte of a chunk is returned before its hash was checked
 * (load.c). The output of a step is valid until the next step.
 *
 * It terminates: the source only moves forward, except when the host seeks, and for the second pass over a chunk
 * (CPB_LOAD_TWICE). Memory: at most one chunk of up to options.buffer stored bytes, or a transposed one, stored and
 * decoded, below limits.riegeli_chunk; for the next transposed one up to options.buffer of each kind of memory, if
 * memory is not bounded; the sizes of the records of a simple chunk; a decoder's window. options.memory bounds the
 * total (base/budget.h). */
#include "riegeli/records/reader.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"

enum { DEFAULT_BUFFER = 4 * 1024 * 1024, DEFAULT_READ = 256 * 1024 };

/* If memory is bounded, `buffer`, `read_size` and the window of decoded bytes are each at most this share of it, which
 * leaves most of it for the decoder. */
enum { SHARE = 16, LEAST_SHARE = 256 };

/* --- Creation and freeing ------------------------------------------------- */

static uint64_t share_of(uint64_t memory) { return cpb_max_u64(memory / SHARE, LEAST_SHARE); }

static bool take_options(cpb_record_reader *r, const cpb_record_reader_options *given) {
  cpb_record_reader_options *options = &r->options;
  cpb_options_copy(options, sizeof *options, given);
  size_t share = options->memory > 0 ? (size_t)share_of(options->memory) : SIZE_MAX;
  if (options->buffer == 0) options->buffer = DEFAULT_BUFFER;
  if (options->read_size == 0) options->read_size = DEFAULT_READ;
  r->most_buffer = options->buffer;
  r->most_read = options->read_size;
  options->buffer = cpb_min_size(options->buffer, share);
  options->read_size = cpb_min_size(options->read_size, share);
  cpb_meter_init(&r->own, &r->outer, options->limits, NULL);
  options->limits = &r->meter->limits;
  return options->verify <= CPB_VERIFY_NEVER;
}

static void fail_for_memory(cpb_record_reader *r) {
  uint64_t begin = r->source.have_header ? r->source.begin : CPB_NO_OFFSET;
  cpb_fail(&r->error, CPB_E_LIMIT, begin, "reading on takes at least %llu bytes of memory, and %zu may be used",
           (unsigned long long)cpb_record_reader_memory(r), r->options.memory);
  r->phase = CPB_PHASE_FAILED;
}

/* False if not even the reader itself fits. */
static bool bound_memory(cpb_record_reader *r) {
  size_t memory = r->options.memory;
  r->allocator = r->outer;
  cpb_budget_init(&r->budget, &r->outer, memory > 0 ? memory : SIZE_MAX);
  if (memory == 0) return true;
  r->allocator = cpb_budget_allocator(&r->budget);
  return cpb_budget_charge(&r->budget, sizeof *r + r->options.read_size);
}

/* Their text is not kept. */
static void take_fields(cpb_record_reader *r) {
  if (!r->options.fields) return;
  if (!CPB_WITH_PROJECTION) cpb_fail(&r->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "fields: not in this build");
  else cpb_projection_parse(&r->projection, &r->allocator, r->options.fields, &r->error);
  if (r->error.code != CPB_OK) r->phase = CPB_PHASE_FAILED;
  r->projects = true;
}

cpb_record_reader *cpb_record_reader_new_within(const cpb_allocator *a, const cpb_record_reader_options *options,
                                                cpb_meter *meter) {
  cpb_record_reader *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->outer = *a;
  r->meter = meter ? meter : &r->own;
  if (!take_options(r, options)) {
    cpb_release(a, r);
    return NULL;
  }
  bool fits = bound_memory(r);
  r->gap = CPB_NO_OFFSET;
  r->want = UINT64_MAX;
  cpb_chunk_source_init(&r->source, &r->allocator, r->options.read_size);
  r->source.sparse = r->options.verify == CPB_VERIFY_NEVER;
  cpb_simple_decoder_init(&r->simple, &r->allocator, r->meter, r->options.buffer, &r->source);
  r->simple.frugal = r->options.memory > 0;
  if (r->simple.frugal) r->simple.window = cpb_min_size(r->simple.window, r->options.buffer);
  cpb_transpose_program_init(&r->program, &r->allocator);
  r->program.frugal = r->options.memory > 0;
  cpb_transposed_init(&r->transposed, &r->allocator);
  cpb_buffer_init(&r->metadata, &r->allocator);
  cpb_chunk_source_go(&r->source, 0);
  if (r->options.position > 0) cpb_record_reader_seek(r, r->options.position);
  if (!fits) fail_for_memory(r);
  else take_fields(r);
  return r;
}

cpb_record_reader *cpb_record_reader_new(const cpb_allocator *allocator, const cpb_record_reader_options *options) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  return cpb_record_reader_new_within(&a, options, NULL);
}

void cpb_record_reader_free(cpb_record_reader *r) {
  if (!r) return;
  cpb_allocator a = r->outer;
  cpb_reader_unload(r);
  cpb_simple_decoder_free(&r->simple);
  cpb_transpose_program_free(&r->program);
  cpb_transposed_free(&r->transposed);
  if (CPB_WITH_PROJECTION) cpb_projection_free(&r->projection);
  cpb_chunk_source_free(&r->source);
  cpb_buffer_free(&r->metadata);
  cpb_release(&r->allocator, r->places);
  if (r->numbers) cpb_release(&r->allocator, r->numbers->noted);
  cpb_release(&r->allocator, r->numbers);
  cpb_meter_free(&r->own);
  cpb_release(&a, r);
}

/* --- What a step has found ------------------------------------------------ */

cpb_input *cpb_record_reader_input(cpb_record_reader *r) { return &r->source.input; }

const cpb_record *cpb_record_reader_record(const cpb_record_reader *r) { return &r->record; }

const uint8_t *cpb_record_reader_data(const cpb_record_reader *r, size_t *length) {
  *length = r->data.size;
  return r->data.data ? r->data.data : (const uint8_t *)""; /* so that a host can count from it */
}

const cpb_skipped *cpb_record_reader_skipped(const cpb_record_reader *r) { return &r->skipped; }

const cpb_riegeli_chunk *cpb_record_reader_chunk(const cpb_record_reader *r) { return &r->chunk; }

const uint8_t *cpb_record_reader_metadata(const cpb_record_reader *r, size_t *length) {
  static const uint8_t empty;
  *length = r->metadata.size;
  if (!r->has_metadata) return NULL;
  return r->metadata.size > 0 ? r->metadata.data : &empty;
}

uint64_t cpb_record_reader_window(const cpb_record_reader *r) {
  const cpb_simple_decoder *d = &r->simple;
  return d->decompressor && !r->is_transposed ? cpb_decompressor_window(d->decompressor) : 0;
}

const cpb_error *cpb_record_reader_error(const cpb_record_reader *r) { return &r->error; }

/* The memory of parts that would be larger with more memory: lent bytes, decoded bytes, and a chunk that is small
 * enough to be collected. */
static uint64_t held_in_shares(const cpb_record_reader *r, uint64_t memory) {
  const cpb_chunk_source *s = &r->source;
  uint64_t share = share_of(memory), buffer = cpb_min_u64(r->most_buffer, share);
  uint64_t held = cpb_min_u64(r->most_read, share);
  if (r->simple.decompressor) held += buffer;
  bool collects = r->load == CPB_LOAD_COLLECT || r->load == CPB_LOAD_TWICE;
  if (collects && s->header.data_size <= buffer) held += s->header.data_size;
  return held;
}

/* The result is a little more than the sum: the smallest memory that holds everything with its larger shares. They grow
 * by at most 3/16 of the increase, so this ends. */
uint64_t cpb_record_reader_memory(const cpb_record_reader *r) {
  uint64_t needed = r->budget.needed, now = held_in_shares(r, r->options.memory), all = needed, before;
  if (needed <= r->options.memory) return r->budget.peak;
  do {
    before = all;
    if (!cpb_add_u64(needed, held_in_shares(r, before) - now, &all)) return UINT64_MAX;
  } while (all > before);
  return all;
}

/* --- Failing and going on ------------------------------------------------- */

static void begin_recovery(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  bool seeking_last = r->phase >= CPB_PHASE_LAST_SIZE && r->phase <= CPB_PHASE_LAST_CHUNK;
  uint64_t given = r->phase == CPB_PHASE_RECORDS ? r->next - (r->left > 0) : 0;
  memcpy(r->reason, s->error.message, sizeof r->reason);
  cpb_recovery_begin(&r->recovery, s, s->begin + given);
  cpb_reader_unload(r);
  r->target = 0;
  r->after_recovery = seeking_last ? CPB_PHASE_LAST_CHUNK : CPB_PHASE_HEADER;
  if (r->phase == CPB_PHASE_SEEK_NUMBER) r->after_recovery = r->phase;
  r->phase = CPB_PHASE_RECOVER;
}

static cpb_step stop(cpb_record_reader *r, cpb_step step) {
  cpb_input_let_go(&r->source.input);
  return step;
}

static cpb_step fail(cpb_record_reader *r) {
  bool for_memory = r->source.error.code == CPB_E_MEMORY && r->budget.needed > 0;
  if (for_memory) fail_for_memory(r);
  else r->error = r->source.error;
  r->phase = CPB_PHASE_FAILED;
  return stop(r, CPB_STEP_ERROR);
}

static cpb_step report(cpb_record_reader *r, uint64_t begin, uint64_t end) {
  r->skipped = (cpb_skipped){begin, end, r->reason};
  return CPB_STEP_SKIPPED;
}

static cpb_step recovered(cpb_record_reader *r) {
  const cpb_recovery *recovery = &r->recovery;
  r->phase = r->after_recovery;
  if (recovery->at > recovery->end) r->gap = recovery->end;
  return report(r, recovery->begin, recovery->end);
}

/* Whether an input that had ended inside a skipped region has grown. */
static bool gap_grew(const cpb_record_reader *r) {
  const cpb_chunk_source *s = &r->source;
  return r->gap < s->begin && s->input.size != CPB_NO_OFFSET && s->input.size > r->gap;
}

static cpb_step report_gap(cpb_record_reader *r) {
  uint64_t begin = r->gap, end = cpb_min_u64(r->source.begin, r->source.input.size);
  r->gap = end < r->source.begin ? end : CPB_NO_OFFSET;
  return report(r, begin, end);
}

/* --- From chunk to chunk -------------------------------------------------- */

static cpb_have read_header(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  cpb_have have = cpb_chunk_source_header(s);
  if (have != CPB_HAVE) return have;
  const cpb_chunk_header *h = &s->header;
  r->chunk =
      (cpb_riegeli_chunk){s->begin, s->end, h->data_size, h->num_records, h->decoded_data_size, (char)h->type, 0};
  r->phase = CPB_PHASE_LOAD;
  return CPB_HAVE;
}

static cpb_have load(cpb_record_reader *r) {
  cpb_have have = cpb_reader_load(r);
  if (have != CPB_HAVE) return have;
  cpb_reader_move(r, r->target);
  r->target = 0;
  r->phase = CPB_PHASE_RECORDS;
  return CPB_HAVE;
}

static cpb_have finish(cpb_record_reader *r) {
  cpb_chunk_source *s = &r->source;
  bool unchecked = r->load == CPB_LOAD_STREAM || r->load == CPB_LOAD_TWICE;
  cpb_have have = r->open && unchecked ? cpb_simple_decoder_finish(&r->simple) : CPB_HAVE;
  if (have == CPB_HAVE && s->hashing) have = cpb_chunk_source_drain(s);
  if (have == CPB_HAVE && unchecked) have = cpb_chunk_source_finish(s);
  if (have != CPB_HAVE) return have;
  cpb_reader_unload(r);
  s->sequential = true;
  cpb_chunk_source_go(s, s->end);
  r->phase = CPB_PHASE_HEADER;
  return CPB_HAVE;
}

static cpb_have advance(cpb_record_reader *r) {
  switch (r->phase) {
    case CPB_PHASE_HEADER: return read_header(r);
    case CPB_PHASE_LOAD: return load(r);
    case CPB_PHASE_FINISH: return finish(r);
    case CPB_PHASE_DOUBT_FILE: return cpb_reader_doubt_file(r);
    case CPB_PHASE_DOUBT_DATA: return cpb_reader_doubt_data(r);
    default: return cpb_reader_seek(r);
  }
}

/* --- The machine ---------------------------------------------------------- */

/* True if `have` ends the step, with `*step`; false if recovery or a doubt begins. */
static bool interrupts(cpb_record_reader *r, cpb_have have, cpb_step *step) {
  bool recover = r->options.recover && r->source.resume != CPB_RESUME_NEVER;
  if (have == CPB_WAIT) {
    *step = CPB_STEP_NEED;
  } else if (have == CPB_AT_END) {
    *step = stop(r, CPB_STEP_DONE);
  } else if (cpb_reader_doubts(r)) {
    return false;
  } else if (recover) {
    begin_recovery(r);
    return false;
  } else {
    *step = fail(r);
  }
  return true;
}

/* Each does the work of a phase. True: it ends the step, with `*step`. */
static bool step_in_records(cpb_record_reader *r, cpb_step *step) {
  cpb_have have = r->skip > 0 ? cpb_reader_skip(r) : CPB_HAVE;
  if (have == CPB_HAVE && r->left > 0) have = cpb_reader_fill(r, cpb_min_u64(r->left, r->want));
  if (have != CPB_HAVE) return interrupts(r, have, step);
  if (r->left == 0 && r->next == r->chunk.num_records) {
    r->phase = CPB_PHASE_FINISH;
    return false;
  }
  *step = cpb_record_reader_step(r); /* it now finds a record, or bytes of one */
  return true;
}

static bool step_in_recovery(cpb_record_reader *r, cpb_step *step) {
  cpb_have have = cpb_recovery_find(&r->recovery, &r->source);
  if (have != CPB_HAVE) return interrupts(r, have, step);
  *step = recovered(r);
  return true;
}

static bool step_between(cpb_record_reader *r, cpb_step *step) {
  if (gap_grew(r)) {
    *step = report_gap(r);
    return true;
  }
  cpb_have have = advance(r);
  return have != CPB_HAVE && interrupts(r, have, step);
}

/* Whether the phase is between two chunks. Recovery and seeking take steps. */
static bool goes_from_chunk_to_chunk(const cpb_record_reader *r) {
  return r->phase == CPB_PHASE_HEADER || r->phase == CPB_PHASE_LOAD || r->phase == CPB_PHASE_FINISH;
}

bool cpb_reader_come_to_record(cpb_record_reader *r) {
  while (r->phase != CPB_PHASE_RECORDS || r->next == r->chunk.num_records) {
    if (r->phase == CPB_PHASE_RECORDS) r->phase = CPB_PHASE_FINISH;
    if (!goes_from_chunk_to_chunk(r) || gap_grew(r)) return false;
    cpb_step step;
    cpb_have have = advance(r);
    if (have != CPB_HAVE && interrupts(r, have, &step)) return false;
  }
  return r->skip == 0;
}

/* The first byte of a chunk's data. */
static cpb_have read_codec(cpb_record_reader *r) {
  cpb_span first;
  cpb_have have = cpb_chunk_source_data(&r->source, 1, &first);
  if (have == CPB_HAVE && first.size > 0) r->chunk.codec = (char)first.data[0];
  return have;
}

cpb_step cpb_reader_step_to_head(cpb_record_reader *r) {
  cpb_step step = CPB_STEP_ERROR;
  while (r->phase != CPB_PHASE_LOAD || r->chunk.num_records == 0) {
    if (r->phase == CPB_PHASE_FAILED) return step;
    const bool in_records = r->phase == CPB_PHASE_RECORDS;
    if (in_records && r->chunk.num_records > 0) return CPB_STEP_RECORD; /* it was moved within the chunk */
    if (in_records) r->phase = CPB_PHASE_FINISH;                        /* of padding */
    if (step_between(r, &step)) return step;
  }
  cpb_have have = read_codec(r);
  return have == CPB_HAVE || !interrupts(r, have, &step) ? CPB_STEP_RECORD : step;
}

cpb_step cpb_reader_step_on(cpb_record_reader *r) {
  cpb_step step = CPB_STEP_ERROR;
  for (bool answered = false; !answered;) {
    switch (r->phase) {
      case CPB_PHASE_RECORDS: answered = step_in_records(r, &step); break;
      case CPB_PHASE_RECOVER: answered = step_in_recovery(r, &step); break;
      case CPB_PHASE_FAILED: return CPB_STEP_ERROR;
      default: answered = step_between(r, &step); break;
    }
  }
  return step;
}
