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
  size_t max_piece; /* most bytes supplied at once; 0: all that is asked for */
  unsigned seed;    /* non-zero: pieces of random size up to max_piece */
  int grow;         /* the end is said only when it is reached */
  size_t *needs;    /* counts what was asked for; NULL: nobody counts */
  size_t fail_at;   /* the need, counted from 1, that fails; 0: none */
  size_t end_at;    /* the need from which on the input ends where it is asked for */
  const cpb_allocator *allocator;
  const cpb_limits *limits;
} host;

/* What happened: events as text, then the error's code. Equal logs mean equal
 * events with equal bytes. `log` uses malloc. */
typedef struct outcome {
  cpb_buffer log; /* records, skipped regions, sizes, output */
  cpb_error error;
} outcome;

/* What a sweep has to know of an operation. */
enum {
  OP_GIVEN_ALL = 1,        /* is given its input as a whole: it has no needs */
  OP_CHECKED = 2,          /* all that it reads is covered by checksums: no damage goes unnoticed */
  OP_SHORTER_IS_WHOLE = 4, /* an input that was cut may be a whole one, with fewer events */
  OP_RECOVERS = 8,         /* reads on behind what is damaged or missing */
  OP_QUESTION = 32,        /* one of many about a model */
  OP_LARGE = 16            /* has samples that are too large for a run per allocation or need */
};

/* Each main operation with the samples that it reads without an error. Sweeps (sweep.h) walk this
 * table, and then that of questions. */
typedef struct operation {
  const char *name;
  void (*run)(const host *h, outcome *out);
  const char *const *samples; /* files of tests/data; the last is NULL */
  unsigned traits;
} operation;

#define SAMPLES(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

extern const operation operations[], questions[];
extern const size_t num_operations, num_questions;

void outcome_init(outcome *out);
void outcome_free(outcome *out);
int outcome_equal(const outcome *a, const outcome *b);         /* the logs and the codes */
int outcome_begins(const outcome *part, const outcome *whole); /* `whole` begins with the log of `part` */

#endif
