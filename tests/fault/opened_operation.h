/* Of the table: an opened message. */
#ifndef CPB_TESTS_OPENED_OPERATION_H
#define CPB_TESTS_OPENED_OPERATION_H

#include "operations.h"

/* Opens a chunked message, finds a field by a plan for this field, and reads it and then all. */
void open_message(const host *h, outcome *out);

#endif
