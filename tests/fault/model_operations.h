/* Questions about models of each kind. */
#ifndef CPB_TESTS_MODEL_OPERATIONS_H
#define CPB_TESTS_MODEL_OPERATIONS_H

#include "cpb/model.h"
#include "operations.h"

cpb_model_kind samediff_kind_of(const host *h);
void ask_samediff(const host *h, outcome *out);
void ask_checkpoint(const host *h, outcome *out);

#endif
