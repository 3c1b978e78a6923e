#include "cpb/statistics.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/statistics/numbers.h"
#include "model/statistics/reals.h"

/* Elements arrive in storage order, in pieces of any size, and are not kept: memory depends on the axis and not on the
 * array. Mean and variance are those of Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance" (1983):
 * each block has its own sums, which are joined with those of all blocks before it. The sum of squares would lose all
 * digits where the mean is large and the deviation small, as in scales of batch normalization. */

#define BLOCK 1024
#define RANK_MOST 256
#define NAME_MOST 64
#define RANGES_MOST 1000 /* of them, in the answer */

/* The smallest and the largest number; before the first number, `minimum` is greater. */
typedef struct range {
  double minimum, maximum;
} range;

/* A dimension: parts of `inner` elements, which follow each other in turn. */
typedef struct axis {
  uint32_t number; /* from 1; 0: none */
  uint64_t parts, inner;
  uint64_t part, left; /* of the next element; and how many of this part follow at once */
  range *ranges;
} axis;

typedef struct first_values {
  size_t count;
  uint64_t next;                         /* the smallest of `places` that was not reached yet */
  uint64_t places[CPB_STATISTICS_FIRST]; /* as stored; in row-major order */
  double values[CPB_STATISTICS_FIRST];
} first_values;

struct cpb_statistics {
  cpb_allocator allocator;
  cpb_numbers numbers;
  char dtype[NAME_MOST];
  uint64_t shape[RANK_MOST], count, size;
  uint32_t rank;
  axis axis;
  cpb_reals *reals;    /* NULL: the numbers are not quantized */
  range stored;        /* of quantized numbers, as they are stored */
  double block[BLOCK]; /* finite numbers, not yet added */
  size_t held;
  uint64_t done, finite, zeros, nan, infinite;
  double mean, squares; /* of differences from the mean */
  cpb_histogram histogram;
  first_values first;
  cpb_json_writer answer;
};

static const range nothing = {INFINITY, -INFINITY};

static void extend(range *r, double number) {
  if (number < r->minimum) r->minimum = number;
  if (number > r->maximum) r->maximum = number;
}

/* --- Creation ----------------------------------------------------------------------------------- */

/* The elements between two that follow each other in the dimension. */
static uint64_t stride_of(const cpb_values_info *info, uint32_t dimension) {
  uint64_t stride = 1;
  const uint32_t begin = info->fortran_order ? 0 : dimension + 1, end = info->fortran_order ? dimension : info->rank;
  for (uint32_t i = begin; i < end; i++) stride *= info->shape[i];
  return stride;
}

static bool begin_axis(cpb_statistics *s, const cpb_values_info *info, uint32_t number) {
  const uint64_t parts = number > 0 && number <= s->rank ? info->shape[number - 1] : 0;
  if (parts == 0 || parts > CPB_STATISTICS_PARTS || s->count == 0) return true;
  const uint64_t inner = stride_of(info, number - 1);
  s->axis = (axis){.number = number, .parts = parts, .inner = inner, .left = inner};
  s->axis.ranges = cpb_alloc(&s->allocator, (size_t)parts * sizeof *s->axis.ranges);
  for (uint64_t i = 0; i < parts && s->axis.ranges; i++) s->axis.ranges[i] = nothing;
  return s->axis.ranges != NULL;
}

/* Where the element with this number in row-major order is. */
static uint64_t place_of(const cpb_values_info *info, uint64_t number) {
  uint64_t place = 0;
  if (!info->fortran_order) return number;
  for (uint32_t i = info->rank; i > 0; number /= info->shape[--i])
    place += number % info->shape[i - 1] * stride_of(info, i - 1);
  return place;
}

static void find_next(first_values *f, uint64_t from) {
  f->next = UINT64_MAX;
  for (size_t i = 0; i < f->count; i++)
    if (f->places[i] >= from && f->places[i] < f->next) f->next = f->places[i];
}

static void begin_first(cpb_statistics *s, const cpb_values_info *info) {
  first_values *f = &s->first;
  while (f->count < CPB_STATISTICS_FIRST && f->count < s->count) {
    f->places[f->count] = place_of(info, f->count);
    f->count++;
  }
  find_next(f, 0);
}

static void describe(cpb_statistics *s, const cpb_values_info *info) {
  cpb_number_type_of(info, &s->numbers.type);
  cpb_format(s->dtype, sizeof s->dtype, "%s", info->dtype);
  s->count = info->count;
  s->size = info->size;
  s->rank = info->rank < RANK_MOST ? info->rank : RANK_MOST;
  for (uint32_t i = 0; i < s->rank; i++) s->shape[i] = info->shape[i];
}

cpb_statistics *cpb_statistics_new(const cpb_allocator *given, const cpb_values_info *info,
                                   const cpb_statistics_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_statistics *s = cpb_alloc_zeroed(&a, sizeof *s);
  cpb_statistics_options o;
  if (!s) return NULL;
  cpb_options_copy(&o, sizeof o, options);
  s->allocator = a;
  cpb_buffer_init(&s->answer.out, &s->allocator);
  describe(s, info);
  begin_first(s, info);
  s->stored = nothing;
  if (o.reals && cpb_reals_num_scales(o.reals) > 0) s->reals = o.reals;
  if (begin_axis(s, info, o.axis)) return s;
  cpb_statistics_free(s);
  return NULL;
}

void cpb_statistics_free(cpb_statistics *s) {
  if (!s) return;
  cpb_allocator a = s->allocator;
  cpb_release(&a, s->axis.ranges);
  cpb_buffer_free(&s->answer.out);
  cpb_release(&a, s);
}

/* --- Values ------------------------------------------------------------------------------------- */

/* Joins the sums of the block with the sums of all earlier blocks. */
static void add_block(cpb_statistics *s) {
  double sum = 0, squares = 0;
  const double count = (double)s->held, before = (double)s->finite;
  if (s->held == 0) return;
  for (size_t i = 0; i < s->held; i++) sum += s->block[i];
  const double mean = sum / count, apart = mean - s->mean;
  for (size_t i = 0; i < s->held; i++) squares += (s->block[i] - mean) * (s->block[i] - mean);
  s->finite += s->held;
  s->mean += apart * count / (before + count);
  s->squares += squares + apart * apart * before * count / (before + count);
  cpb_histogram_add(&s->histogram, s->block, s->held, cpb_number_is_whole(&s->numbers.type) && !s->reals);
  s->held = 0;
}

static double real_of(cpb_statistics *s, double number) {
  if (!s->reals) return number;
  extend(&s->stored, number);
  return cpb_real_of(s->reals, number);
}

static void keep_first(first_values *f, uint64_t place, double number) {
  for (size_t i = 0; i < f->count; i++)
    if (f->places[i] == place) f->values[i] = number;
  find_next(f, place + 1);
}

static void step_axis(axis *a) {
  if (a->number == 0 || --a->left > 0) return;
  a->left = a->inner;
  if (++a->part == a->parts) a->part = 0;
}

static void add_number(cpb_statistics *s, double stored) {
  const double number = real_of(s, stored);
  if (s->done == s->first.next) keep_first(&s->first, s->done, number);
  s->done++;
  if (isfinite(number)) {
    s->zeros += number == 0;
    s->block[s->held++] = number;
    if (s->axis.number > 0) extend(&s->axis.ranges[s->axis.part], number);
    if (s->held == BLOCK) add_block(s);
  } else if (isnan(number)) {
    s->nan++;
  } else {
    s->infinite++;
  }
  step_axis(&s->axis);
}

void cpb_statistics_add(cpb_statistics *s, const void *data, size_t size) {
  double number;
  const uint8_t *at = data;
  while (size > 0 && s->done < s->count && cpb_numbers_next(&s->numbers, &at, &size, &number)) add_number(s, number);
}

/* --- The answer --------------------------------------------------------------------------------- */

static void write_number(cpb_statistics *s, const char *key, double number) {
  if (cpb_number_is_short(&s->numbers.type) || s->reals) cpb_json_writer_float(&s->answer, key, (float)number);
  else cpb_json_writer_double(&s->answer, key, number);
}

static void write_range(cpb_statistics *s, const char *key, const range *r) {
  cpb_json_writer_open(&s->answer, key, '[');
  write_number(s, NULL, r->minimum);
  write_number(s, NULL, r->maximum);
  cpb_json_writer_close(&s->answer, ']');
}

static void write_histogram(cpb_statistics *s) {
  cpb_json_writer *a = &s->answer;
  const cpb_histogram *h = &s->histogram;
  const double step = cpb_histogram_step(h);
  cpb_json_writer_open(a, "histogram", '{');
  cpb_json_writer_double(a, "low", (double)h->low * step);
  cpb_json_writer_double(a, "step", step);
  cpb_json_writer_open(a, "counts", '[');
  for (size_t i = 0; i < cpb_histogram_bars(h); i++) cpb_json_writer_unsigned(a, NULL, h->counts[i]);
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
}

static void write_numbers(cpb_statistics *s) {
  cpb_json_writer *a = &s->answer;
  const bool any = s->finite > 0;
  cpb_json_writer_open(a, "numbers", '{');
  cpb_json_writer_bool(a, "magnitudes", s->numbers.type.class == 'c');
  cpb_json_writer_unsigned(a, "finite", s->finite);
  cpb_json_writer_unsigned(a, "zeros", s->zeros);
  cpb_json_writer_unsigned(a, "nan", s->nan);
  cpb_json_writer_unsigned(a, "infinite", s->infinite);
  if (any) {
    write_number(s, "minimum", s->histogram.minimum);
    write_number(s, "maximum", s->histogram.maximum);
    cpb_json_writer_double(a, "mean", s->mean);
    cpb_json_writer_double(a, "deviation", cpb_root_of(s->squares / (double)s->finite));
    write_histogram(s);
  }
  cpb_json_writer_close(a, '}');
}

static void write_first(cpb_statistics *s) {
  cpb_json_writer_open(&s->answer, "first", '[');
  for (size_t i = 0; i < s->first.count && s->numbers.type.class; i++) write_number(s, NULL, s->first.values[i]);
  cpb_json_writer_close(&s->answer, ']');
}

static double width_of(const range *r) { return r->maximum - r->minimum; }

static void write_part(cpb_statistics *s, const char *key, uint64_t part) {
  cpb_json_writer_open(&s->answer, key, '{');
  cpb_json_writer_unsigned(&s->answer, "index", part);
  write_range(s, "range", &s->axis.ranges[part]);
  cpb_json_writer_close(&s->answer, '}');
}

/* Skips parts without finite numbers. */
static void write_ends(cpb_statistics *s) {
  uint64_t narrow = UINT64_MAX, wide = UINT64_MAX;
  const range *r = s->axis.ranges;
  for (uint64_t i = 0; i < s->axis.parts; i++) {
    if (r[i].minimum > r[i].maximum) continue;
    if (narrow == UINT64_MAX || width_of(&r[i]) < width_of(&r[narrow])) narrow = i;
    if (wide == UINT64_MAX || width_of(&r[i]) > width_of(&r[wide])) wide = i;
  }
  if (narrow == UINT64_MAX) return;
  write_part(s, "narrowest", narrow);
  write_part(s, "widest", wide);
}

/* A range is of several parts if there are too many. */
static range joined_range(const axis *x, uint64_t first, uint64_t each) {
  range all = nothing;
  for (uint64_t i = first; i < x->parts && i < first + each; i++) {
    if (x->ranges[i].minimum > x->ranges[i].maximum) continue;
    extend(&all, x->ranges[i].minimum);
    extend(&all, x->ranges[i].maximum);
  }
  return all;
}

static void write_axis(cpb_statistics *s) {
  cpb_json_writer *a = &s->answer;
  const axis *x = &s->axis;
  cpb_json_writer_open(a, "parts", '{');
  cpb_json_writer_unsigned(a, "axis", x->number - 1);
  cpb_json_writer_unsigned(a, "count", x->parts);
  write_ends(s);
  const uint64_t each = (x->parts + RANGES_MOST - 1) / RANGES_MOST;
  cpb_json_writer_unsigned(a, "each", each);
  cpb_json_writer_open(a, "ranges", '[');
  for (uint64_t i = 0; i < x->parts; i += each) {
    const range joined = joined_range(x, i, each);
    if (joined.minimum > joined.maximum) cpb_json_writer_null(a, NULL);
    else write_range(s, NULL, &joined);
  }
  cpb_json_writer_close(a, ']');
  cpb_json_writer_close(a, '}');
}

static void write_quantized(cpb_statistics *s) {
  cpb_json_writer *a = &s->answer;
  cpb_json_writer_open(a, "quantized", '{');
  cpb_json_writer_unsigned(a, "scales", cpb_reals_num_scales(s->reals));
  if (cpb_reals_num_scales(s->reals) == 1) cpb_json_writer_double(a, "scale", cpb_reals_scale(s->reals));
  if (cpb_reals_num_scales(s->reals) == 1) cpb_json_writer_double(a, "zero_point", cpb_reals_zero_point(s->reals));
  if (s->stored.minimum <= s->stored.maximum) {
    cpb_json_writer_open(a, "stored", '[');
    cpb_json_writer_double(a, NULL, s->stored.minimum);
    cpb_json_writer_double(a, NULL, s->stored.maximum);
    cpb_json_writer_close(a, ']');
  }
  cpb_json_writer_close(a, '}');
}

static void write_array(cpb_statistics *s) {
  cpb_json_writer *a = &s->answer;
  cpb_json_writer_text(a, "dtype", s->dtype);
  cpb_json_writer_open(a, "shape", '[');
  for (uint32_t i = 0; i < s->rank; i++) cpb_json_writer_unsigned(a, NULL, s->shape[i]);
  cpb_json_writer_close(a, ']');
  cpb_json_writer_unsigned(a, "elements", s->count);
  cpb_json_writer_unsigned(a, "size", s->size);
}

const char *cpb_statistics_answer(cpb_statistics *s, size_t *size) {
  cpb_json_writer *a = &s->answer;
  add_block(s);
  cpb_json_writer_begin(a);
  cpb_json_writer_open(a, NULL, '{');
  write_array(s);
  if (s->numbers.type.class) write_numbers(s);
  else cpb_json_writer_null(a, "numbers");
  write_first(s);
  if (s->reals) write_quantized(s);
  if (s->axis.number > 0) write_axis(s);
  cpb_json_writer_close(a, '}');
  *size = a->out.size;
  return cpb_json_writer_ok(a) ? (const char *)a->out.data : NULL;
}
