/* The pager: [how 1][file]. What it reads of a chunk is what a chunk reader reads, in pieces and in parts, and
 * within its memory. */
#include "cpb/pager.h"

#include "cpb_file.h"
#include "mutate.h"

FUZZ_MUTATE_FILE(1)

enum { MOST_CHUNKS = 12 };

static const size_t memories[] = {24 << 10, 64 << 10, 1 << 20, 4 << 20};

/* For each time that the file was gone through. */
static const fuzz_bounds bounds = {.decoded = {2 << 20, 128}, .entries = {64, 8}, .index = {0, 64}};

typedef struct paged {
  cpb_pager *pager;
  fuzz_in file;
  size_t piece, memory;
} paged;

/* How a step ends other than with what was asked for. */
static cpb_code verdict(const paged *p, cpb_step step) {
  cpb_code code = cpb_pager_error(p->pager)->code;
  if (step == CPB_STEP_ERROR) fuzz_error(cpb_pager_error(p->pager));
  if (code != CPB_E_LIMIT) fuzz_check(cpb_pager_memory(p->pager) <= p->memory);
  return code;
}

static cpb_code open_file(const paged *p) {
  fuzz_loan loan = {NULL};
  cpb_step step;
  while ((step = cpb_pager_step(p->pager)) == CPB_STEP_NEED)
    fuzz_lend(&loan, cpb_pager_input(p->pager), p->file, p->piece);
  fuzz_return(&loan);
  return verdict(p, step);
}

static cpb_code read_chunk(const paged *p, uint64_t chunk, cpb_range range, fuzz_out *out) {
  fuzz_loan loan = {NULL};
  cpb_step step;
  fuzz_check(cpb_pager_read(p->pager, chunk, range.offset, range.length) == CPB_OK);
  while ((step = cpb_pager_step(p->pager)) > CPB_STEP_DONE) {
    size_t length;
    if (step == CPB_STEP_NEED) fuzz_lend(&loan, cpb_pager_input(p->pager), p->file, p->piece);
    if (step != CPB_STEP_DATA) continue;
    const uint8_t *data = cpb_pager_data(p->pager, &length);
    fuzz_check(length > 0);
    fuzz_put(out, data, length);
  }
  fuzz_return(&loan);
  return verdict(p, step);
}

/* False if the pager cannot go on. */
static int compare_chunk(const paged *p, const cpb_index *index, uint64_t chunk, const cpb_limits *limits) {
  fuzz_out whole = {NULL, 0, 0}, by_pager = {NULL, 0, 0};
  cpb_chunk_info info;
  fuzz_check(cpb_index_get_chunk(index, chunk, &info) == CPB_OK);
  cpb_code code = fuzz_whole_chunk(index, p->file, CPB_VERIFY_FIRST, chunk, limits, &whole);
  cpb_code paged_code = read_chunk(p, chunk, (cpb_range){0, UINT64_MAX}, &by_pager);
  fuzz_check((code == CPB_OK) == (paged_code == CPB_OK) || paged_code == CPB_E_LIMIT);
  if (paged_code == CPB_OK) {
    fuzz_check(fuzz_same(fuzz_view(&whole), fuzz_view(&by_pager)));
    const cpb_chunk_info *told = cpb_pager_info(p->pager);
    fuzz_check(told->type == info.type && told->size == info.size && told->position == info.position);
    fuzz_check(cpb_pager_stored(p->pager)->size == whole.size);
    by_pager.size = 0;
    cpb_range part = {whole.size / 3, whole.size / 2};
    paged_code = read_chunk(p, chunk, part, &by_pager);
    fuzz_check(paged_code == CPB_OK && by_pager.size == part.length);
    fuzz_check(part.length == 0 || memcmp(whole.data + part.offset, by_pager.data, part.length) == 0);
  }
  fuzz_free(&whole);
  fuzz_free(&by_pager);
  return paged_code == CPB_OK;
}

/* Only the whole index can be read then. */
static int is_in_pages(const cpb_pager *pager) {
  const cpb_error *error = cpb_pager_error(pager);
  return error->code == CPB_E_UNSUPPORTED && strstr(error->message, "the chunk index is in pages") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(NULL), counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  paged p = {.file = in, .piece = how & 4 ? 61 : SIZE_MAX, .memory = memories[how & 3]};
  const cpb_pager_options options = {
      .struct_size = sizeof options, .verify = (cpb_verify)(how >> 3 & 1), .memory = p.memory, .limits = &counted};
  p.pager = cpb_pager_new(NULL, &options);
  cpb_code code = open_file(&p);
  cpb_index *index = fuzz_open_index(in, SIZE_MAX, &limits);
  if (index != NULL) fuzz_check(code == CPB_OK || code == CPB_E_LIMIT || is_in_pages(p.pager));
  uint64_t chunks = 0;
  if (index != NULL && code == CPB_OK) {
    fuzz_check(cpb_pager_num_chunks(p.pager) == cpb_index_num_chunks(index));
    uint64_t count = cpb_index_num_chunks(index);
    while (chunks < count && chunks < MOST_CHUNKS && compare_chunk(&p, index, chunks, &limits)) chunks++;
  }
  cpb_pager_free(p.pager);
  cpb_index_free(index);
  fuzz_bounded(&work, &bounds, in.size * (3 + 4 * chunks));
  return 0;
}
