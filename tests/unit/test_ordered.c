#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/ordered.h"

enum { MOST = 1500 };

typedef struct {
  cpb_ordered_links links;
  int key;
} node;

typedef struct {
  node nodes[MOST];
  uint32_t root;
} tree;

static tree t;

static int compare(const void *key, uint32_t i) {
  int sought = *(const int *)key;
  return sought < t.nodes[i].key ? -1 : sought > t.nodes[i].key;
}

static cpb_ordered nodes(void) { return (cpb_ordered){t.nodes, sizeof *t.nodes}; }

/* An AA tree: left children are a level lower, right ones at most, and never two right ones in a
 * row of one level. Returns the level; recursion is as deep as the tree. */
static uint32_t check(uint32_t i, int after, int before) {
  if (i == CPB_ORDERED_NONE) return 0;
  const node *n = &t.nodes[i];
  assert_true(n->key > after && n->key < before);
  uint32_t left = check(n->links.left, after, n->key), right = check(n->links.right, n->key, before);
  assert_int_equal(left, n->links.level - 1);
  assert_true(right == n->links.level || right == n->links.level - 1);
  if (right == n->links.level) {
    uint32_t beyond = t.nodes[n->links.right].links.right;
    assert_true(beyond == CPB_ORDERED_NONE || t.nodes[beyond].links.level < n->links.level);
  }
  return n->links.level;
}

static int key_of(int how, int i, int count) {
  switch (how) {
    case 0: return i;
    case 1: return count - i;
    case 2: return i % 2 ? i : 2 * count - i;
    case 3: return i * 7919 % 10007; /* a prime: each once */
    default: return i < count / 2 ? 2 * i : 2 * (count - i) - 1;
  }
}

static void the_tree_is_balanced_and_finds_keys_in_any_order(void **state) {
  (void)state;
  for (int count = 1; count <= MOST; count = count < 40 ? count + 1 : 3 * count) {
    for (int how = 0; how < 5; how++) {
      t.root = CPB_ORDERED_NONE;
      for (int i = 0; i < count; i++) {
        t.nodes[i].key = key_of(how, i, count);
        t.root = cpb_ordered_add(nodes(), t.root, (uint32_t)i, compare, &t.nodes[i].key);
        if (count < 40 || i % 50 == 0) check(t.root, -1, 20000);
      }
      check(t.root, -1, 20000);
      for (int i = 0; i < count; i++) {
        int key = key_of(how, i, count), none = 20001;
        assert_int_equal(cpb_ordered_find(nodes(), t.root, compare, &key), i);
        assert_int_equal(cpb_ordered_from(nodes(), t.root, compare, &key), i);
        assert_int_equal(cpb_ordered_find(nodes(), t.root, compare, &none), CPB_ORDERED_NONE);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tree_is_balanced_and_finds_keys_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
