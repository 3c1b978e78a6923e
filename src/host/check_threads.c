/* Reads the records of a file with several threads. Each thread has its own readers and its own view of the file, and
 * takes one part at a time. */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/meter.h"
#include "host/file.h"
#include "host/pool.h"
#include "host/transfer.h"

typedef struct part {
  cpb_record *records;
  size_t num_records, capacity;
  cpb_work work;
} part;

typedef struct reading {
  cpb_pool pool;
  cpb_checking *checking;
  cpb_allocator allocator;
  const uint64_t *cuts;
  part *parts;
} reading;

typedef struct worker {
  cpb_worker thread;
  reading *all;
  cpb_file *in;
  uint64_t counted; /* bytes read and reported */
} worker;

/* --- In a thread ---------------------------------------------------------------------- */

static bool keep(reading *r, part *p, const cpb_record *record) {
  if (!CPB_RESERVE(&r->allocator, &p->records, &p->capacity, p->num_records + 1)) return false;
  p->records[p->num_records++] = *record;
  return true;
}

static bool goes_on(worker *w) {
  uint64_t before = w->counted;
  w->counted = cpb_file_bytes_read(w->in);
  return cpb_pool_goes_on(&w->all->pool, w->counted - before);
}

/* Whether the current or next record belongs to another part. The header of its Riegeli chunk has then been read, and
 * the entire one before it. */
static bool at_end(const cpb_record_reader *reader, uint64_t end) {
  return cpb_record_reader_chunk(reader)->begin >= end;
}

/* A part begins with the first record of the Riegeli chunk at which the part before it has ended. */
static bool begins_well(const cpb_record *record, const part *p, uint64_t begin) {
  return p->num_records > 0 || begin == 0 || (record->index == 0 && record->position == begin);
}

static bool read_records(worker *w, part *p, cpb_record_reader *reader, uint64_t begin, uint64_t end) {
  while (goes_on(w)) {
    cpb_step step = cpb_record_reader_step(reader);
    bool between = step == CPB_STEP_NEED || step == CPB_STEP_RECORD;
    if (between && at_end(reader, end)) return cpb_record_reader_chunk(reader)->begin == end && p->num_records > 0;
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(w->in, cpb_record_reader_input(reader));
    } else if (step == CPB_STEP_RECORD) {
      const cpb_record *record = cpb_record_reader_record(reader);
      if (!begins_well(record, p, begin) || !keep(w->all, p, record)) return false;
      cpb_record_reader_skip(reader, UINT64_MAX);
    } else {
      return step == CPB_STEP_DONE && end == UINT64_MAX;
    }
  }
  return false;
}

static bool read_part(worker *w, size_t i) {
  reading *r = w->all;
  part *p = &r->parts[i];
  const cpb_file_options *options = &r->checking->transfer.options;
  cpb_limits limits;
  cpb_options_copy(&limits, sizeof limits, options->limits);
  limits.work = &p->work;
  const cpb_record_reader_options how = {
      .struct_size = sizeof how, .recover = 1, .position = r->cuts[i], .limits = &limits};
  cpb_record_reader *reader = cpb_record_reader_new(options->allocator, &how);
  bool done = reader && read_records(w, p, reader, r->cuts[i], r->cuts[i + 1]);
  cpb_record_reader_free(reader);
  return done;
}

static bool work(void *user) {
  worker *w = user;
  size_t i;
  while (cpb_pool_take(&w->all->pool, &i))
    if (!read_part(w, i)) return false;
  return true;
}

/* --- Around the threads ------------------------------------------------------------------ */

/* The limits of one reader apply to the whole file: checks whether they held at each part's beginning, with the work in
 * it. */
static bool within_limits(const reading *r) {
  cpb_error ignored;
  cpb_meter sum;
  bool fits = true;
  cpb_meter_init(&sum, &r->allocator, r->checking->transfer.options.limits, NULL);
  for (size_t i = 0; fits && i < r->pool.num_parts; i++) {
    const cpb_work *work = &r->parts[i].work;
    cpb_meter_grow(&sum, r->cuts[i]);
    fits = cpb_meter_charge(&sum, CPB_WORK_DECODED, work->decoded, CPB_NO_OFFSET, &ignored) &&
           cpb_meter_charge(&sum, CPB_WORK_ENTRIES, work->entries, CPB_NO_OFFSET, &ignored);
  }
  if (!fits) sum.limits.work = NULL;
  cpb_meter_free(&sum);
  return fits;
}

static void give_out(const reading *r) {
  for (size_t i = 0; i < r->pool.num_parts; i++)
    for (size_t k = 0; k < r->parts[i].num_records; k++)
      if (!cpb_check_record(r->checking, &r->parts[i].records[k])) return;
}

static void watch(reading *r) {
  cpb_transfer *t = &r->checking->transfer;
  cpb_error ignored;
  uint64_t size = 0;
  bool go = true;
  cpb_file_size(t->in, &size, &ignored);
  while (cpb_pool_still_running(&r->pool)) {
    if (go && !cpb_transfer_go_on(t, cpb_pool_done(&r->pool), size)) {
      go = false;
      cpb_pool_stop(&r->pool);
    }
  }
}

static bool equip(worker *w, reading *r) {
  w->all = r;
  w->thread = (cpb_worker){.pool = &r->pool, .work = work, .user = w};
  w->in = cpb_file_share(r->checking->transfer.in);
  return w->in != NULL;
}

/* Fewer threads than requested are acceptable. */
static void run(reading *r, worker *workers, unsigned count) {
  unsigned started = 0;
  while (started < count && equip(&workers[started], r) && cpb_worker_start(&workers[started].thread)) started++;
  if (started > 0) watch(r);
  else cpb_pool_stop(&r->pool);
  for (unsigned i = 0; i < started; i++) cpb_worker_join(&workers[i].thread);
  for (unsigned i = 0; i < count; i++) cpb_file_close(workers[i].in);
}

bool cpb_check_by_threads(cpb_checking *c, const uint64_t *cuts, size_t num_parts, unsigned count) {
  const cpb_allocator a = cpb_allocator_or_default(c->transfer.options.allocator);
  reading r = {.checking = c, .allocator = a, .cuts = cuts};
  worker *workers = cpb_alloc_zeroed(&a, count * sizeof *workers);
  r.parts = cpb_alloc_zeroed(&a, num_parts * sizeof *r.parts);
  cpb_pool_init(&r.pool, num_parts);
  r.pool.stopped = !workers || !r.parts;
  if (!r.pool.stopped) run(&r, workers, count);
  bool clean = !r.pool.stopped && within_limits(&r);
  if (clean) give_out(&r);
  for (size_t i = 0; r.parts && i < num_parts; i++) cpb_release(&a, r.parts[i].records);
  cpb_release(&a, r.parts);
  cpb_release(&a, workers);
  cpb_pool_free(&r.pool);
  return clean;
}
