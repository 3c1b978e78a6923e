/* Of the table: what splits. */
#ifndef CPB_TESTS_SPLIT_OPERATIONS_H
#define CPB_TESTS_SPLIT_OPERATIONS_H

#include "operations.h"

void split_graph(const host *h, outcome *out);
void split_saved_model(const host *h, outcome *out);

/* A graph, against what it is when it is split itself: all but the first chunk is there. */
void split_shared(const host *h, outcome *out);

/* A base for the message that it is of. */
void read_base(const host *h, outcome *out);

#endif
