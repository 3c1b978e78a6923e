/* The chunk index, whole, in pieces, and as it streams past, and the property that what was decoded encodes to
 * something that decodes to the same. */
#include <string.h>

#include "base/limits.h"
#include "chunked/index/metadata.h"
#include "chunked/index/paged_index.h"
#include "fuzz.h"

static int decode(cpb_metadata *m, cpb_span bytes, cpb_error *error) {
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_metadata_init(m, &system);
  memset(error, 0, sizeof *error);
  const cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  return cpb_metadata_decode(m, false, bytes, &limits, error);
}

/* Whether both encode to the same. */
static bool encodes_to(const cpb_metadata *a, const cpb_metadata *b) {
  cpb_error error;
  cpb_buffer x, y;
  cpb_buffer_init(&x, &a->allocator);
  cpb_buffer_init(&y, &a->allocator);
  fuzz_check(cpb_metadata_encode(a, &x, &error) && cpb_metadata_encode(b, &y, &error));
  bool same = x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
  cpb_buffer_free(&x);
  cpb_buffer_free(&y);
  return same;
}

/* In pieces of some size. */
static cpb_paged feed(cpb_paged_index *p, fuzz_in in, size_t piece) {
  for (;;) {
    uint64_t pos = cpb_paged_index_pos(p);
    fuzz_check(pos <= in.size);
    size_t left = in.size - (size_t)pos;
    cpb_paged answer = cpb_paged_index_feed(p, (cpb_span){in.data + pos, left < piece ? left : piece});
    if (answer != CPB_PAGED_MORE) return answer;
    fuzz_check(left > 0);
  }
}

/* What is good whole is so in pieces (but for limits), and says the same. */
static void compare_paged(const cpb_metadata *m, int good, fuzz_in in) {
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  cpb_error error = {.code = CPB_OK};
  cpb_paged_index p;
  cpb_paged_index_init(&p, &system, &limits, &error);
  cpb_paged_index_scan(&p, in.size);
  size_t piece = 1 + in.size % 13;
  cpb_paged answer = feed(&p, in, piece);
  fuzz_check((answer == CPB_PAGED_FAILED) == (error.code != CPB_OK));
  if (good && answer == CPB_PAGED_FAILED) fuzz_check(error.code == CPB_E_LIMIT || m->pages.count > 0);
  if (good && answer == CPB_PAGED_DONE) fuzz_check(p.num_chunks == m->num_chunks);
  for (uint64_t i = 0; good && answer == CPB_PAGED_DONE && i < p.num_chunks; i++) {
    cpb_paged_index_find(&p, i);
    fuzz_check(feed(&p, in, piece) == CPB_PAGED_DONE);
    const cpb_chunk_entry e = cpb_metadata_chunk(m, (size_t)i);
    fuzz_check(p.info.type == e.type && p.info.size == e.size && p.info.position == e.offset);
  }
  cpb_paged_index_free(&p);
}

/* In pieces it is what it is whole, with the same error. Trees are compared as they are encoded. */
static void compare_pieces(cpb_metadata *whole, const cpb_error *expected, fuzz_in in) {
  const cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  const size_t piece = 1 + in.size % 13;
  cpb_metadata m;
  cpb_metadata_decoder d;
  cpb_error error = {.code = CPB_OK};
  cpb_metadata_init(&m, &whole->allocator);
  cpb_metadata_decoder_begin(&d, &m, false, in.size, &limits);
  for (fuzz_in left = in; left.size > 0;) {
    fuzz_in bytes = fuzz_bytes(&left, piece);
    cpb_metadata_decoder_feed(&d, (cpb_span){bytes.data, bytes.size});
  }
  fuzz_check(cpb_metadata_decoder_end(&d, &error) == (error.code == CPB_OK));
  fuzz_check(error.code == expected->code);
  fuzz_check(error.code == CPB_OK || strcmp(error.message, expected->message) == 0);
  if (error.code == CPB_OK) fuzz_check(encodes_to(&m, whole));
  cpb_metadata_decoder_free(&d);
  cpb_metadata_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cpb_metadata m, again;
  cpb_error error;
  int good = decode(&m, (cpb_span){data, size}, &error);
  fuzz_check(good == (error.code == CPB_OK));
  compare_paged(&m, good, (fuzz_in){data, size});
  compare_pieces(&m, &error, (fuzz_in){data, size});
  if (good) {
    cpb_buffer out;
    cpb_buffer_init(&out, &m.allocator);
    fuzz_check(cpb_metadata_encode(&m, &out, &error));
    fuzz_check(decode(&again, (cpb_span){out.data, out.size}, &error));
    fuzz_check(again.num_nodes == m.num_nodes && again.num_chunks == m.num_chunks);
    fuzz_check(encodes_to(&again, &m));
    cpb_metadata_free(&again);
    cpb_buffer_free(&out);
  }
  cpb_metadata_free(&m);
  return 0;
}
