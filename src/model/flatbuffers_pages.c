#include "model/flatbuffers_pages.h"

#include "base/checked.h"
#include "base/status.h"

#define PAGE ((size_t)4096)
#define KEEP ((uint64_t)2 << 20)      /* in bytes: pages beyond it go once they are not in use */
#define AHEAD_MAX ((uint64_t)1 << 20)
#define SMALL ((uint64_t)256 << 10)   /* an input that is fetched as a whole */

void cpb_pages_init(cpb_pages *p, const cpb_allocator *a, cpb_input *input, uint64_t max_memory, cpb_error *error) {
  *p = (cpb_pages){.allocator = *a, .input = input, .max_memory = max_memory, .error = error, .ahead = PAGE};
}

void cpb_pages_free(cpb_pages *p) {
  for (size_t i = 0; i < p->count; i++) cpb_release(&p->allocator, p->list[i].data);
  cpb_release(&p->allocator, p->list);
  cpb_release(&p->allocator, p->coming);
  p->list = NULL;
  p->coming = NULL;
  p->count = p->capacity = 0;
}

/* Where the page is in the list, or belongs. */
static size_t place_of(const cpb_pages *p, uint64_t number) {
  size_t low = 0, high = p->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->list[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

static cpb_have no_memory(cpb_pages *p) {
  cpb_fail_memory(p->error);
  return CPB_FAILED;
}

static cpb_have make_room(cpb_pages *p) {
  void *list = p->list;
  if ((p->count + 1) * (uint64_t)PAGE > cpb_max_u64(p->max_memory, 2 * PAGE)) {
    cpb_fail(p->error, CPB_E_LIMIT, CPB_NO_OFFSET, "a part of the graph takes more than %llu bytes",
             (unsigned long long)p->max_memory);
    return CPB_FAILED;
  }
  if (!cpb_reserve(&p->allocator, &list, &p->capacity, p->count + 1, sizeof *p->list)) return no_memory(p);
  p->list = list;
  if (!p->coming) p->coming = cpb_alloc(&p->allocator, PAGE);
  return p->coming ? CPB_HAVE : no_memory(p);
}

/* How much a host may fetch along with the page. */
static uint64_t choose_ahead(cpb_pages *p, uint64_t number) {
  if (p->size <= SMALL) return p->size;
  p->ahead = number == p->next ? cpb_min_u64(2 * p->ahead, AHEAD_MAX) : PAGE;
  return p->ahead;
}

static cpb_have fetch(cpb_pages *p, uint64_t number) {
  uint64_t begin = number * PAGE;
  size_t length = (size_t)cpb_min_u64(PAGE, p->size - begin);
  if (!p->coming || p->coming_number != number) {
    if (make_room(p) != CPB_HAVE) return CPB_FAILED;
    p->coming_number = number;
    p->coming_size = 0;
  }
  while (p->coming_size < length) {
    cpb_span span;
    uint64_t at = begin + p->coming_size;
    cpb_have have = cpb_input_span(p->input, at, length - p->coming_size, 0, &span);
    if (have == CPB_WAIT) p->input->need.ahead = cpb_max_u64(p->input->need.length, cpb_min_u64(choose_ahead(p, number), p->size - at));
    if (have == CPB_AT_END) cpb_fail(p->error, CPB_E_TRUNCATED, p->input->size, "the input ends too early");
    if (have == CPB_FAILED && p->error->code == CPB_OK) *p->error = p->input->failure;
    if (have != CPB_HAVE) return have == CPB_WAIT ? CPB_WAIT : CPB_FAILED;
    memcpy(p->coming + p->coming_size, span.data, span.size);
    p->coming_size += span.size;
  }
  p->next = number + 1;
  return CPB_HAVE;
}

static cpb_have find(cpb_pages *p, uint64_t number, const uint8_t **data) {
  size_t place = place_of(p, number);
  if (place == p->count || p->list[place].number != number) {
    cpb_have have = fetch(p, number);
    if (have != CPB_HAVE) return have;
    memmove(p->list + place + 1, p->list + place, (p->count - place) * sizeof *p->list);
    p->list[place] = (cpb_page){.number = number, .data = p->coming};
    p->count++;
    p->coming = NULL;
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

void cpb_pages_turn(cpb_pages *p) {
  if (p->count * (uint64_t)PAGE > KEEP) {
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
      if (p->list[i].used == p->turn) p->list[kept++] = p->list[i];
      else cpb_release(&p->allocator, p->list[i].data);
    }
    p->count = kept;
  }
  p->turn++;
}
