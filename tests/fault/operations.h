/* Each main operation of the library as a function from bytes to an event log,
 * so that one test can be put to all of them. */
#ifndef CPB_TESTS_OPERATIONS_H
#define CPB_TESTS_OPERATIONS_H

#include "base/alloc.h"
#include "cpb/base.h"

/* How the host behaves. */
typedef struct host {
  const uint8_t *data; /* the input */
  size_t size;
  size_t max_piece;    /* most bytes supplied at once; 0: all that is asked for */
  unsigned seed;       /* non-zero: pieces of random size up to max_piece */
  int grow;            /* the end is said only when it is reached */
  size_t *needs;       /* counts what was asked for; NULL: nobody counts */
  size_t fail_at;      /* the need, counted from 1, that fails; 0: none */
  size_t end_at;       /* the need from which on the input ends where it is asked for */
  const cpb_allocator *allocator;
  const cpb_limits *limits;
} host;

/* What happened: events as text, then the error's code. Equal logs mean equal
 * events with equal bytes. `log` uses malloc. */
typedef struct outcome {
  cpb_buffer log;    /* records, skipped regions, sizes, output */
  cpb_error error;
} outcome;

typedef struct operation {
  const char *name;
  void (*run)(const host *h, outcome *out);
} operation;

extern const operation operations[];
extern const size_t num_operations;

const operation *operation_named(const char *name);
void outcome_init(outcome *out);
void outcome_free(outcome *out);
int outcome_equal(const outcome *a, const outcome *b); /* the logs and the codes */

/* A file of the test data, with malloc. Ends the program when it is missing. */
uint8_t *read_data(const char *name, size_t *size);

#endif
