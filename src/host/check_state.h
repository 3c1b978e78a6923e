/* The state of a check of all records. */
#ifndef CPB_HOST_CHECK_STATE_H
#define CPB_HOST_CHECK_STATE_H

#include "host/transfer_state.h"

typedef struct cpb_checking {
  cpb_transfer transfer;
  cpb_check check;
} cpb_checking;

/* Gives a record to the program. False with the error set if the program stops the check. */
static inline bool cpb_check_record(cpb_checking *c, const cpb_record *record) {
  cpb_code code = c->check.record ? c->check.record(c->check.user, record) : CPB_OK;
  if (code != CPB_OK) cpb_fail(c->transfer.error, code, CPB_NO_OFFSET, "%s", cpb_code_text(code));
  return code == CPB_OK;
}

#endif
