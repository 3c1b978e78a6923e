/* One attack on all operations: a cmocka test for each operation, on each of its samples. */
#ifndef CPB_TESTS_SWEEP_H
#define CPB_TESTS_SWEEP_H

#include "operations.h"

typedef struct target {
  const operation *op;
  const char *sample; /* its name */
  uint8_t *data;      /* its bytes, which an attack may change and puts back */
  size_t size;
} target;

/* Attacks all operations that have every trait of `wanted` and none of `unwanted`, or with
 * arguments only those that these name. The result is main's. */
int sweep(int argc, char **argv, void (*attack)(const target *t), unsigned wanted, unsigned unwanted);

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
