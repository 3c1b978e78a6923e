/* A build with CPB_WITH_MALLOC=OFF: src/base/alloc_none.c stands in for malloc. Whoever passes an
 * allocator of his own has all of the library; whoever does not has no memory, which is an error
 * like any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "cpb/pager.h"

static void *take(void *user, size_t size) {
  ++*(int *)user;
  return malloc(size);
}

static void *resize(void *user, void *block, size_t old_size, size_t size) {
  (void)old_size;
  ++*(int *)user;
  return realloc(block, size);
}

static void give_back(void *user, void *block) {
  (void)user;
  free(block);
}

static void null_is_no_memory(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  assert_null(cpb_alloc(&a, 1));
  assert_null(cpb_realloc(&a, NULL, 0, 1));
  cpb_release(&a, NULL);
  assert_null(cpb_pager_new(NULL, NULL));
}

static void an_allocator_is_used(void **state) {
  (void)state;
  int count = 0;
  const cpb_allocator a = {&count, take, resize, give_back};
  cpb_pager *pager = cpb_pager_new(&a, NULL);
  assert_non_null(pager);
  assert_true(count > 0);
  cpb_pager_free(pager);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_is_no_memory),
      cmocka_unit_test(an_allocator_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
