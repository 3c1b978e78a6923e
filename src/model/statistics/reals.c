#include "model/statistics/reals.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "model/statistics/numbers.h"

/* Elements come in storage order. Each parameter knows how far it moves when an index of the array enters the next
 * block, so that the step from an element to the next one needs no division of the element's number. */

#define RANK_MOST 256
#define PARAMETERS_MOST ((size_t)1 << 24)

/* Scales or zero points. */
typedef struct parameter {
  double *numbers; /* NULL: none were given */
  size_t count;
  uint64_t blocks[RANK_MOST]; /* indices of each dimension that share a number */
  uint64_t steps[RANK_MOST];  /* from the number of a block to that of the next; 0: all blocks have the same */
  uint64_t at;                /* the number for the next element */
} parameter;

struct cpb_reals {
  cpb_allocator allocator;
  cpb_numbers numbers;
  uint64_t shape[RANK_MOST], index[RANK_MOST]; /* `index`: of the next element */
  uint32_t rank, axis;
  bool fortran_order;
  parameter scale, zero_point;
  float *floats;
  size_t capacity;
};

/* --- Creation ----------------------------------------------------------------------------------- */

cpb_reals *cpb_reals_new(const cpb_allocator *given, const cpb_values_info *info) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_reals *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  cpb_number_type_of(info, &r->numbers.type);
  r->rank = info->rank <= RANK_MOST ? info->rank : 0;
  r->fortran_order = info->fortran_order != 0;
  if (r->rank > 0) memcpy(r->shape, info->shape, r->rank * sizeof *r->shape);
  return r;
}

void cpb_reals_free(cpb_reals *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_release(&a, r->scale.numbers);
  cpb_release(&a, r->zero_point.numbers);
  cpb_release(&a, r->floats);
  cpb_release(&a, r);
}

/* --- Parameters --------------------------------------------------------------------------------- */

/* The parts of a dimension that have a number each. */
typedef struct parts {
  int64_t axis;
  uint64_t block; /* indices of `axis` in a part; 0: all parts are equal */
} parts;

/* A list along a dimension. */
static bool place_list(const cpb_reals *r, parameter *p, int64_t axis) {
  if (axis < 0 || axis >= (int64_t)r->rank || p->count != r->shape[axis]) return false;
  p->blocks[axis] = 1;
  p->steps[axis] = 1;
  return true;
}

/* As many dimensions as the array has, or one less: rows of a stack of matrices share a number in each column. */
static bool place_blocks(const cpb_reals *r, parameter *p, const parts *of, const cpb_values_info *info) {
  uint64_t step = 1;
  const uint64_t *from_last = info->shape + info->rank;
  for (uint32_t i = r->rank; i-- > 0;) {
    const bool is_shared = info->rank < r->rank && i + 2 == r->rank;
    const uint64_t size = r->shape[i], count = is_shared ? 1 : *--from_last;
    if (count == 0 || count > size) return false;
    const uint64_t block = of->block > 0 && of->axis == (int64_t)i ? of->block : size / count;
    if (size / block + (size % block > 0) != count) return false;
    p->blocks[i] = block;
    p->steps[i] = count > 1 ? step : 0;
    step *= count;
  }
  return true;
}

static bool place(const cpb_reals *r, parameter *p, parts of, const cpb_values_info *info) {
  for (uint32_t i = 0; i < r->rank; i++) p->blocks[i] = 1;
  if (p->count == 1) return true;
  if (of.axis < 0) of.axis += (int64_t)r->rank;
  if (info->rank == 1 && (r->rank > 1 || of.block == 0)) return place_list(r, p, of.axis);
  return (info->rank == r->rank || info->rank + 1 == r->rank) && place_blocks(r, p, &of, info);
}

static bool read_all(const cpb_numbers *like, parameter *p, const uint8_t *data, size_t size) {
  cpb_numbers n = *like;
  for (size_t i = 0; i < p->count; i++)
    if (!cpb_numbers_next(&n, &data, &size, &p->numbers[i])) return false;
  return true;
}

static cpb_code set(cpb_reals *r, parameter *p, parts of, const cpb_values_info *info, const void *data, size_t size) {
  cpb_numbers n = {.piece_size = 0};
  parameter made = {.count = (size_t)info->count};
  cpb_number_type_of(info, &n.type);
  const bool countable = n.type.class && info->count > 0 && info->count <= PARAMETERS_MOST;
  if (!countable || (info->fortran_order && info->rank > 1) || !place(r, &made, of, info)) return CPB_E_UNSUPPORTED;
  made.numbers = cpb_alloc(&r->allocator, made.count * sizeof *made.numbers);
  if (!made.numbers) return CPB_E_MEMORY;
  const bool whole = read_all(&n, &made, data, size);
  if (whole) cpb_release(&r->allocator, p->numbers), *p = made;
  else cpb_release(&r->allocator, made.numbers);
  return whole ? CPB_OK : CPB_E_UNSUPPORTED;
}

cpb_code cpb_reals_set_scales(cpb_reals *r, int64_t axis, uint64_t block, const cpb_values_info *info, const void *data,
                              size_t size) {
  const cpb_code code = set(r, &r->scale, (parts){axis, block}, info, data, size);
  for (uint32_t i = 0; code == CPB_OK && i < r->rank; i++)
    if (r->scale.count > 1 && r->scale.count == r->shape[i] && r->scale.steps[i] == 1 && r->scale.blocks[i] == 1)
      r->axis = i + 1;
  return code;
}

cpb_code cpb_reals_set_zero_points(cpb_reals *r, int64_t axis, uint64_t block, const cpb_values_info *info,
                                   const void *data, size_t size) {
  return set(r, &r->zero_point, (parts){axis, block}, info, data, size);
}

size_t cpb_reals_num_scales(const cpb_reals *r) { return r->scale.numbers ? r->scale.count : 0; }
double cpb_reals_scale(const cpb_reals *r) { return r->scale.numbers ? r->scale.numbers[0] : 1; }
double cpb_reals_zero_point(const cpb_reals *r) { return r->zero_point.numbers ? r->zero_point.numbers[0] : 0; }
uint32_t cpb_reals_axis(const cpb_reals *r) { return r->axis; }

/* --- Values ------------------------------------------------------------------------------------- */

/* When an index moves on, or, at the end of its dimension, back to 0. */
static void move(parameter *p, uint32_t dimension, uint64_t index, bool back) {
  const uint64_t block = p->blocks[dimension], step = p->steps[dimension];
  if (step == 0) return;
  if (back) p->at -= index / block * step;
  else if (index % block == 0) p->at += step;
}

static void step_on(cpb_reals *r) {
  for (uint32_t i = 0; i < r->rank; i++) {
    const uint32_t d = r->fortran_order ? i : r->rank - 1 - i;
    const bool back = r->index[d] + 1 >= r->shape[d];
    const uint64_t index = back ? r->index[d] : r->index[d] + 1;
    move(&r->scale, d, index, back);
    move(&r->zero_point, d, index, back);
    r->index[d] = back ? 0 : index;
    if (!back) return;
  }
}

double cpb_real_of(cpb_reals *r, double number) {
  if (!r->scale.numbers) return (double)(float)number;
  const double zero_point = r->zero_point.numbers ? r->zero_point.numbers[r->zero_point.at] : 0;
  const double real = (number - zero_point) * r->scale.numbers[r->scale.at];
  if (r->scale.count > 1 || r->zero_point.count > 1) step_on(r);
  return (double)(float)real;
}

static bool has_room(cpb_reals *r, size_t size) {
  const size_t each = r->numbers.type.size > 0 ? r->numbers.type.size : 1;
  return CPB_RESERVE(&r->allocator, &r->floats, &r->capacity, size / each + 1);
}

const float *cpb_reals_next(cpb_reals *r, const void *data, size_t size, size_t *count) {
  double number;
  const uint8_t *at = data;
  *count = 0;
  if (!has_room(r, size)) return NULL;
  while (size > 0 && cpb_numbers_next(&r->numbers, &at, &size, &number))
    r->floats[(*count)++] = (float)cpb_real_of(r, number);
  return r->floats;
}
