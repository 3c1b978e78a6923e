#include "model/formats/flatbuffers/flatbuffers.h"

#include "base/checked.h"
#include "base/status.h"

/* A graph's tables lie in many places, and a question may need few of them. Several runs read ahead at the same
 * time, because a table and its strings or vectors are often far apart, each in a sequence of its own. */

#define PAGE ((size_t)4096)
#define KEEP ((uint64_t)4 << 20)    /* bytes; above it, pages not used recently are dropped */
#define RUN_MAX ((uint64_t)256)     /* pages that are fetched at once */
#define SMALL ((uint64_t)256 << 10) /* bytes; a smaller input is fetched as a whole */

void cpb_pages_init(cpb_pages *p, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_error *error) {
  *p = (cpb_pages){.allocator = *a, .input = input, .max_memory = max_memory, .error = error};
}

void cpb_pages_free(cpb_pages *p) {
  for (size_t i = 0; i < p->count; i++) cpb_release(&p->allocator, p->list[i].data);
  cpb_release(&p->allocator, p->list);
  cpb_release(&p->allocator, p->coming);
  p->list = NULL;
  p->coming = NULL;
  p->count = p->capacity = 0;
}

/* The index of the page in the list, or the place to insert it. */
static size_t place_of(const cpb_pages *p, uint64_t number) {
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->list[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

static cpb_have no_memory(cpb_pages *p) { return cpb_fail_memory(p->error), CPB_FAILED; }

static cpb_have make_room(cpb_pages *p) {
  if ((p->count + 1) * (uint64_t)PAGE > cpb_max_u64(p->max_memory, 2 * PAGE)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the pages of the graph take more than max_memory, %llu bytes",
             (unsigned long long)p->max_memory);
    return CPB_FAILED;
  }
  if (!CPB_RESERVE(&p->allocator, &p->list, &p->capacity, p->count + 1)) return no_memory(p);
  if (!p->coming) p->coming = cpb_alloc(&p->allocator, PAGE);
  return p->coming ? CPB_HAVE : no_memory(p);
}

/* The run that contains the page or is next to it; else the least recently used one. */
static size_t find_run(const cpb_pages *p, uint64_t number) {
  for (size_t i = 0; i < CPB_PAGE_RUNS; i++) {
    const cpb_page_run *run = &p->runs[i];
    if (run->length > 0 && number + 1 >= run->first && number <= run->last + 1) return i;
  }
  return CPB_PAGE_RUNS - 1;
}

static void bring_to_front(cpb_pages *p, size_t i) {
  cpb_page_run run = p->runs[i];
  memmove(p->runs + 1, p->runs, i * sizeof run);
  p->runs[0] = run;
}

/* Decides which pages to fetch together with page `number`: like read-ahead, twice as many each time that a run
 * continues. Runs also continue downwards, because a FlatBuffers builder writes from the back: a table often precedes
 * the one that refers to it. */
static void choose_run(cpb_pages *p, uint64_t number) {
  bring_to_front(p, find_run(p, number));
  cpb_page_run *run = &p->runs[0];
  uint64_t end = (p->size - 1) / PAGE;
  bool known = run->length > 0, up = known && number == run->last + 1, down = known && number + 1 == run->first;
  if (known && number >= run->first && number <= run->last) return; /* it is being fetched */
  run->length = up || down ? cpb_min_u64(2 * run->length, RUN_MAX) : 1;
  run->first = down ? number - cpb_min_u64(number, run->length - 1) : number;
  run->last = up ? cpb_min_u64(end, number + run->length - 1) : number;
  if (p->size <= SMALL) *run = (cpb_page_run){0, end, 1};
}

static cpb_have begin_page(cpb_pages *p, uint64_t number) {
  if (p->coming && p->coming_number == number) return CPB_HAVE;
  if (make_room(p) != CPB_HAVE) return CPB_FAILED;
  p->coming_number = number;
  p->coming_size = 0;
  return CPB_HAVE;
}

static cpb_have fetch(cpb_pages *p, uint64_t number) {
  uint64_t begin = number * PAGE, end = cpb_min_u64(p->size, (p->runs[0].last + 1) * PAGE);
  size_t length = (size_t)cpb_min_u64(PAGE, p->size - begin);
  if (begin_page(p, number) != CPB_HAVE) return CPB_FAILED;
  while (p->coming_size < length) {
    cpb_span span;
    uint64_t at = begin + p->coming_size;
    cpb_have have = cpb_input_span(p->input, at, length - p->coming_size, end - at, &span);
    if (have == CPB_AT_END)
      cpb_fail(p->error, CPB_E_TRUNCATED, p->input->size, "the input ends within the FlatBuffers graph");
    if (have == CPB_FAILED && p->error->code == CPB_OK) *p->error = p->input->failure;
    if (have != CPB_HAVE) return have == CPB_WAIT ? CPB_WAIT : CPB_FAILED;
    memcpy(p->coming + p->coming_size, span.data, span.size);
    p->coming_size += span.size;
  }
  return CPB_HAVE;
}

static bool is_there(const cpb_pages *p, uint64_t number, size_t *place) {
  *place = place_of(p, number);
  return *place < p->count && p->list[*place].number == number;
}

/* Fetches the missing pages of the run, up to this one; later ones are fetched when they are read. */
static cpb_have fetch_run(cpb_pages *p, uint64_t number) {
  choose_run(p, number);
  for (uint64_t n = p->runs[0].first; n <= number; n++) {
    size_t place;
    if (is_there(p, n, &place)) continue;
    cpb_have have = fetch(p, n);
    if (have != CPB_HAVE) return have;
    memmove(p->list + place + 1, p->list + place, (p->count - place) * sizeof *p->list);
    p->list[place] = (cpb_flat_page){.number = n, .data = p->coming, .used = p->turn};
    p->count++;
    p->coming = NULL;
  }
  return CPB_HAVE;
}

static cpb_have find(cpb_pages *p, uint64_t number, const uint8_t **data) {
  size_t place;
  if (!is_there(p, number, &place)) {
    cpb_have have = fetch_run(p, number);
    if (have != CPB_HAVE) return have;
    place = place_of(p, number);
  }
  p->list[place].used = p->turn;
  *data = p->list[place].data;
  return CPB_HAVE;
}

cpb_have cpb_pages_read(cpb_pages *p, uint64_t offset, size_t length, uint8_t *out) {
  while (length > 0) {
    const uint8_t *data;
    size_t within = (size_t)(offset % PAGE), n = cpb_min_size(length, PAGE - within);
    cpb_have have = find(p, offset / PAGE, &data);
    if (have != CPB_HAVE) return have;
    memcpy(out, data + within, n);
    offset += n;
    out += n;
    length -= n;
  }
  return CPB_HAVE;
}

/* Drops the pages that were last used longer ago than the average page. */
static void drop_old(cpb_pages *p) {
  uint64_t sum = 0;
  size_t kept = 0, count = p->count;
  for (size_t i = 0; i < count; i++) sum += p->turn - p->list[i].used;
  for (size_t i = 0; i < count; i++)
    if (p->turn - p->list[i].used <= sum / count) p->list[kept++] = p->list[i];
    else cpb_release(&p->allocator, p->list[i].data);
  p->count = kept;
}

void cpb_pages_turn(cpb_pages *p) {
  if (p->count * (uint64_t)PAGE > cpb_min_u64(KEEP, p->max_memory / 2)) drop_old(p);
  p->turn++;
}
