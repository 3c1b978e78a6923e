/* The real values of quantized numbers, whose scales and zero points are for all, a row, or a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpb/statistics.h"
#include "failing_allocator.h"

enum { DIMENSIONS = 3, MOST = 512 };

static uint32_t state_of_random = 5;

static uint32_t below(uint32_t bound) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (state_of_random >> 8) % bound;
}

static cpb_values_info info_of(const char *numpy, uint32_t item_size, uint32_t rank, const uint64_t *shape) {
  cpb_values_info info = {sizeof info, "type", numpy, item_size, rank, shape, 0, 1, 0};
  for (uint32_t i = 0; i < rank; i++) info.count *= shape[i];
  info.size = info.count * item_size;
  return info;
}

/* --- Values --------------------------------------------------------------------------- */

/* An array of a random shape, in either order, with parameters for blocks of it. */
typedef struct array {
  uint32_t rank, axis;
  uint64_t shape[DIMENSIONS], blocks[DIMENSIONS], parts[DIMENSIONS]; /* `parts`: blocks along each dimension */
  bool is_list, fortran_order;
  int8_t numbers[MOST], zero_points[MOST];
  float scales[MOST];
} array;

static uint64_t divisor_of(uint64_t number) {
  uint64_t divisor = 1 + below((uint32_t)number);
  while (number % divisor != 0) divisor--;
  return divisor;
}

static void make_array(array *a) {
  a->rank = 1 + below(DIMENSIONS);
  a->axis = below(a->rank);
  a->fortran_order = below(2) == 1;
  a->is_list = below(2) == 1;
  for (uint32_t i = 0; i < a->rank; i++) {
    const uint64_t size = a->shape[i] = 1 + below(7);
    if (a->is_list) a->blocks[i] = i == a->axis ? 1 : size;
    else a->blocks[i] = i == a->axis ? 1 + below(9) : divisor_of(size);
    a->parts[i] = (size + a->blocks[i] - 1) / a->blocks[i];
  }
  for (size_t i = 0; i < MOST; i++) {
    a->numbers[i] = (int8_t)below(256);
    a->zero_points[i] = (int8_t)below(9);
    a->scales[i] = (float)(1 + below(100)) / 16;
  }
}

/* The place of an index in numbers of a shape. */
static size_t place_of(const uint64_t *index, const uint64_t *shape, uint32_t rank, bool fortran_order) {
  size_t place = 0;
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t d = fortran_order ? rank - 1 - i : i;
    place = place * (size_t)shape[d] + (size_t)index[d];
  }
  return place;
}

static float real_at(const array *a, const uint64_t *index) {
  uint64_t part[DIMENSIONS];
  for (uint32_t i = 0; i < a->rank; i++) part[i] = index[i] / a->blocks[i];
  const size_t number = place_of(index, a->shape, a->rank, a->fortran_order),
               p = place_of(part, a->parts, a->rank, false);
  return (float)(a->numbers[number] - a->zero_points[p]) * a->scales[p];
}

static void check_values(const array *a, cpb_reals *reals, const cpb_values_info *info) {
  float found[MOST];
  size_t done = 0, at = 0, count;
  while (at < info->size) {
    const size_t piece = 1 + below((uint32_t)(info->size - at));
    const float *some = cpb_reals_next(reals, a->numbers + at, piece, &count);
    assert_non_null(some);
    memcpy(found + done, some, count * sizeof *some);
    done += count;
    at += piece;
  }
  assert_int_equal(done, info->count);
  uint64_t index[DIMENSIONS] = {0};
  for (uint64_t i = 0; i < info->count; i++) {
    const size_t place = place_of(index, a->shape, a->rank, a->fortran_order);
    assert_float_equal(found[place], real_at(a, index), 0);
    for (uint32_t d = a->rank; d-- > 0 && ++index[d] == a->shape[d];) index[d] = 0;
  }
}

static void values_are_those_of_their_blocks(void **state) {
  (void)state;
  for (int round = 0; round < 2000; round++) {
    array a;
    make_array(&a);
    cpb_values_info info = info_of("|i1", 1, a.rank, a.shape);
    info.fortran_order = a.fortran_order;
    const uint32_t rank = a.is_list ? 1 : a.rank;
    const uint64_t *shape = a.is_list ? a.parts + a.axis : a.parts, block = a.is_list ? 0 : a.blocks[a.axis];
    const cpb_values_info scales = info_of("<f4", 4, rank, shape), zero_points = info_of("|i1", 1, rank, shape);
    const int64_t axis = below(2) == 1 ? a.axis : (int64_t)a.axis - a.rank;
    cpb_reals *reals = cpb_reals_new(NULL, &info);
    assert_int_equal(cpb_reals_set_scales(reals, axis, block, &scales, a.scales, (size_t)scales.size), CPB_OK);
    assert_int_equal(
        cpb_reals_set_zero_points(reals, axis, block, &zero_points, a.zero_points, (size_t)zero_points.size), CPB_OK);
    check_values(&a, reals, &info);
    cpb_reals_free(reals);
  }
}

static void numbers_without_a_scale_stay_as_they_are(void **state) {
  (void)state;
  static const uint64_t shape[] = {2};
  static const uint8_t data[] = {0, 1, 0xff, 0xff}; /* 256 and -1 */
  const cpb_values_info info = info_of("<i2", 2, 1, shape);
  cpb_reals *reals = cpb_reals_new(NULL, &info);
  size_t count;
  const float *some = cpb_reals_next(reals, data, sizeof data, &count);
  assert_int_equal(count, 2);
  assert_true(some[0] == 256 && some[1] == -1);
  cpb_reals_free(reals);
}

static void texts_have_no_values(void **state) {
  (void)state;
  static const uint64_t shape[] = {2};
  const cpb_values_info info = info_of(NULL, 0, 1, shape);
  cpb_reals *reals = cpb_reals_new(NULL, &info);
  size_t count = 7;
  assert_non_null(cpb_reals_next(reals, "abc", 3, &count));
  assert_int_equal(count, 0);
  cpb_reals_free(reals);
}

/* --- Parameters that do not fit ------------------------------------------------------------ */

static const float floats[24] = {1};

static cpb_code set(int64_t axis, uint64_t block, const cpb_values_info *parameter, size_t size) {
  static const uint64_t shape[] = {4, 6};
  const cpb_values_info info = info_of("|i1", 1, 2, shape);
  cpb_reals *reals = cpb_reals_new(NULL, &info);
  const cpb_code code = cpb_reals_set_scales(reals, axis, block, parameter, floats, size);
  cpb_reals_free(reals);
  return code;
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const struct {
    uint32_t rank;
    uint64_t shape[3];
    int64_t axis;
    uint64_t block;
    bool fits;
  } cases[] = {
      {0, {0}, 9, 0, true},        {1, {1}, 9, 0, true},
      {1, {4}, 0, 0, true},        {1, {4}, -2, 0, true},
      {1, {6}, -1, 0, true},       {1, {4}, 1, 0, false},
      {1, {4}, 2, 0, false},       {1, {4}, -3, 0, false},
      {2, {4, 6}, 0, 0, true},     {2, {2, 3}, 0, 0, true},
      {2, {5, 1}, 0, 0, false},    {2, {0, 6}, 0, 0, false},
      {2, {4, 4}, 1, 0, false},    {2, {4, 2}, 1, 4, true},
      {2, {4, 2}, -1, 5, true},    {2, {4, 2}, 1, 2, false},
      {2, {4, 2}, 1, 6, false},    {2, {1, 2}, 0, 9, true},
      {3, {2, 1, 1}, 0, 0, false}, {1, {UINT64_C(1) << 40}, 0, 0, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cpb_values_info info = info_of("<f4", 4, cases[i].rank, cases[i].shape);
    assert_int_equal(set(cases[i].axis, cases[i].block, &info, sizeof floats),
                     cases[i].fits ? CPB_OK : CPB_E_UNSUPPORTED);
  }
  cpb_values_info info = info_of("<f4", 4, 1, cases[2].shape);
  assert_int_equal(set(0, 0, &info, 15), CPB_E_UNSUPPORTED); /* of 16 bytes */
  info.numpy = NULL;
  assert_int_equal(set(0, 0, &info, 16), CPB_E_UNSUPPORTED);
  info = info_of("<f4", 4, 2, cases[9].shape);
  info.fortran_order = 1;
  assert_int_equal(set(0, 0, &info, 24), CPB_E_UNSUPPORTED);
}

static void memory_may_be_short(void **state) {
  (void)state;
  static const uint64_t shape[] = {4};
  const cpb_values_info info = info_of("|i1", 1, 1, shape), scales = info_of("<f4", 4, 1, shape);
  for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    size_t count;
    cpb_reals *reals = cpb_reals_new(&a, &info);
    assert_int_equal(reals == NULL, fail_at == 1);
    if (reals) {
      const cpb_code code = cpb_reals_set_scales(reals, 0, 0, &scales, floats, sizeof floats);
      assert_int_equal(code, fail_at == 2 ? CPB_E_MEMORY : CPB_OK);
      assert_int_equal(cpb_reals_next(reals, "abcd", 4, &count) == NULL, fail_at == 3);
    }
    cpb_reals_free(reals);
    assert_int_equal(f.blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_their_blocks),
      cmocka_unit_test(numbers_without_a_scale_stay_as_they_are),
      cmocka_unit_test(texts_have_no_values),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
