#include "model/common/part.h"

#include "base/alloc.h"
#include "base/status.h"
#include "model/common/cursor.h"

bool cpb_part_begin(cpb_part *p, const cpb_allocator *a, const cpb_message_type *type, const cpb_range *ranges,
                    size_t num_ranges, const cpb_outline_options *given) {
  cpb_outline_options options = *given;
  options.struct_size = sizeof options;
  options.keep_known = options.keep_damaged = options.locate = 1;
  p->outline = cpb_outline_new(a, type, ranges, num_ranges, &options);
  if (p->outline) cpb_outline_keep_lost(p->outline);
  return p->outline != NULL;
}

void cpb_part_free(cpb_part *p) {
  cpb_outline_free(p->outline);
  *p = (cpb_part){.outline = NULL};
}

void cpb_part_set_jumps(cpb_part *p, const cpb_outline_jumps *jumps, void *context) {
  cpb_outline_set_jumps(p->outline, jumps, context);
}

static bool is_damage(cpb_code code) { return code == CPB_E_DAMAGED || code == CPB_E_TRUNCATED || code == CPB_E_LIMIT; }

cpb_step cpb_part_step(cpb_part *p, cpb_error *error) {
  if (p->read) return CPB_STEP_DONE;
  cpb_step step = cpb_outline_step(p->outline);
  if (step == CPB_STEP_NEED) return step;
  const cpb_error *failure = cpb_outline_error(p->outline);
  if (step == CPB_STEP_ERROR && !is_damage(failure->code)) {
    *error = *failure;
    cpb_part_free(p);
    return CPB_STEP_ERROR;
  }
  p->damage = *failure;
  p->lost = cpb_outline_lost(p->outline);
  p->lacks_some = p->lost > 0;
  p->message.data = cpb_outline_message(p->outline, &p->message.size);
  p->read = true;
  return CPB_STEP_DONE;
}

/* The omitted value that stands where `value` is, or NULL. */
static const cpb_omitted *find_omitted(const cpb_part *p, cpb_span value) {
  if (value.size > 0 || !value.data) return NULL;
  size_t high, low = 0, at = (size_t)(value.data - p->message.data);
  const cpb_omitted *list = cpb_outline_omitted(p->outline, &high);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].at == at) return &list[middle];
    if (list[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

cpb_range cpb_part_where(const cpb_part *p, cpb_span value) {
  const cpb_omitted *omitted = find_omitted(p, value);
  if (omitted) return (cpb_range){omitted->offset, omitted->size};
  if (!value.data) return (cpb_range){CPB_NO_OFFSET, 0};
  return cpb_outline_locate(p->outline, (size_t)(value.data - p->message.data), value.size);
}

bool cpb_part_omits(const cpb_part *p, cpb_span value) { return find_omitted(p, value) != NULL; }

bool cpb_part_ranges(const cpb_part *p, const cpb_allocator *a, cpb_span message, uint32_t field, cpb_range **ranges,
                     size_t *count) {
  size_t capacity = 0;
  cpb_cursor c = cpb_cursor_of(message);
  for (*count = 0; cpb_cursor_find(&c, field, CPB_WIRE_LEN); (*count)++) {
    void *list = *ranges;
    if (!cpb_reserve(a, &list, &capacity, *count + 1, sizeof **ranges)) return false;
    *ranges = list;
    (*ranges)[*count] = cpb_part_where(p, c.bytes);
  }
  return true;
}
