#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void (*attack_one)(const target *t);

/* A file of the test data, with malloc. Ends the program when it is missing. */
static uint8_t *read_data(const char *name, size_t *size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", CPB_TEST_DATA, name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  if (!data || fread(data, 1, *size, file) != *size) exit(2);
  fclose(file);
  return data;
}

static void attack_operation(void **state) {
  const operation *op = *state;
  for (const char *const *sample = op->samples; *sample; sample++) {
    target t = {.op = op, .sample = *sample};
    t.data = read_data(*sample, &t.size);
    attack_one(&t);
    free(t.data);
  }
}

static int is_named(const operation *op, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(op->name, argv[i]) == 0) return 1;
  return argc < 2;
}

int sweep(int argc, char **argv, void (*attack)(const target *t), unsigned wanted, unsigned unwanted) {
  const size_t all = num_operations + num_questions;
  struct CMUnitTest *tests = calloc(all, sizeof *tests);
  size_t count = 0;
  for (size_t i = 0; tests && i < all; i++) {
    const operation *op = i < num_operations ? &operations[i] : &questions[i - num_operations];
    int fits = (op->traits & wanted) == wanted && (op->traits & unwanted) == 0;
    if (!fits || !is_named(op, argc, argv)) continue;
    tests[count++] = (struct CMUnitTest){.name = op->name, .test_func = attack_operation, .initial_state = (void *)op};
  }
  attack_one = attack;
  int failed = count == 0 ? 2 : _cmocka_run_group_tests("sweep", tests, count, NULL, NULL);
  free(tests);
  return failed;
}
