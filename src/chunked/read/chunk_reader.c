/* The chunk reader: reads ranges of chunks through its own chunk store.
 *
 * Three modules read chunks. The store (chunk_store.h) is internal: it keeps several chunks open at once, for merge and
 * repack. The chunk reader is its public interface, for one chunk at a time; it needs the index in memory, and decodes
 * a Riegeli chunk that several chunks share only once. The pager (pager.c) does without the index and within a fixed
 * amount of memory, but reads more.
 *
 * Between steps [at, at + length) of `chunk` is the rest to be returned, and `data` points into the host's bytes or a
 * stream's decoder: it is valid until the next step. */
#include "chunked/read/pager.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/status.h"
#include "chunked/index/index_state.h"
#include "chunked/read/chunk_store.h"

enum { DEFAULT_READ = 256 * 1024, MEMORY = 16 * 1024 * 1024 };

struct cpb_chunk_reader {
  cpb_allocator outer; /* of the reader itself */
  cpb_meter meter;
  cpb_input input;
  cpb_error error;
  cpb_chunk_store store;
  cpb_chunk_stored stored;
  uint64_t chunk, at, length; /* the range still to be read */
  bool opened;
  cpb_span data;
};

cpb_chunk_reader *cpb_chunk_reader_new(const cpb_allocator *allocator, const cpb_index *index,
                                       const cpb_chunk_reader_options *given) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_chunk_reader_options options;
  cpb_options_copy(&options, sizeof options, given);
  if (options.verify > CPB_VERIFY_NEVER) return NULL;
  cpb_chunk_reader *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->outer = a;
  r->chunk = CPB_NO_CHUNK;
  cpb_input_init(&r->input);
  r->input.size = index->none.size; /* the size of the file that has the index, if there is one */
  cpb_meter_init(&r->meter, &a, options.limits, &r->input);
  a = cpb_meter_allocator(&r->meter);
  const cpb_store_options store = {
      .verify = options.verify,
      .memory = MEMORY,
      .read_size = options.read_size > 0 ? options.read_size : DEFAULT_READ,
      .meter = &r->meter,
  };
  cpb_chunk_store_init(&r->store, &a, index, &store, &r->input, &r->error);
  return r;
}

void cpb_chunk_reader_free(cpb_chunk_reader *r) {
  if (!r) return;
  cpb_allocator a = r->outer;
  cpb_chunk_store_free(&r->store);
  cpb_meter_free(&r->meter);
  cpb_release(&a, r);
}

cpb_input *cpb_chunk_reader_input(cpb_chunk_reader *r) { return &r->input; }

cpb_code cpb_chunk_reader_read(cpb_chunk_reader *r, uint64_t chunk, uint64_t offset, uint64_t length) {
  if (r->error.code != CPB_OK) return r->error.code;
  if (chunk >= r->store.num_chunks) return CPB_E_NOT_FOUND;
  cpb_meter_renew(&r->meter);
  r->chunk = chunk;
  r->at = offset;
  r->length = length;
  r->opened = false;
  return CPB_OK;
}

static cpb_have open_chunk(cpb_chunk_reader *r) {
  cpb_have have = cpb_chunk_store_stored(&r->store, r->chunk, r->at, r->length, &r->stored);
  if (have != CPB_HAVE) return have;
  r->at = cpb_min_u64(r->at, r->stored.size);
  r->length = cpb_min_u64(r->length, r->stored.size - r->at);
  r->opened = true;
  return CPB_HAVE;
}

static cpb_have read_some(cpb_chunk_reader *r) {
  cpb_have have = cpb_chunk_store_span(&r->store, r->chunk, r->at, r->length, &r->data);
  if (have != CPB_HAVE) return have;
  r->data.size = (size_t)cpb_min_u64(r->data.size, r->length);
  r->at += r->data.size;
  r->length -= r->data.size;
  return CPB_HAVE;
}

cpb_step cpb_chunk_reader_step(cpb_chunk_reader *r) {
  r->data.size = 0;
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (r->chunk == CPB_NO_CHUNK) return CPB_STEP_DONE;
  cpb_meter_update(&r->meter);
  cpb_have have = r->opened ? CPB_HAVE : open_chunk(r);
  if (have == CPB_HAVE) have = r->length > 0 ? read_some(r) : cpb_chunk_store_settle(&r->store);
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  if (have == CPB_HAVE && r->data.size > 0) return CPB_STEP_DATA;
  cpb_input_let_go(&r->input);
  if (have == CPB_HAVE) return CPB_STEP_DONE;
  cpb_meter_explain(&r->meter, &r->error);
  return CPB_STEP_ERROR;
}

const uint8_t *cpb_chunk_reader_data(const cpb_chunk_reader *r, size_t *length) {
  *length = r->data.size;
  return r->data.data;
}

const cpb_chunk_stored *cpb_chunk_reader_stored(const cpb_chunk_reader *r) { return &r->stored; }

uint64_t cpb_chunk_reader_data_hash(const cpb_chunk_reader *r) { return r->store.data_hash; }

const cpb_error *cpb_chunk_reader_error(const cpb_chunk_reader *r) { return &r->error; }
