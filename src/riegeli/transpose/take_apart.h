#ifndef CPB_RIEGELI_TRANSPOSE_TAKE_APART_H
#define CPB_RIEGELI_TRANSPOSE_TAKE_APART_H

#include "riegeli/transpose/encoder_state.h"

/* Adds the actions and values of a record, without counting it. */
bool cpb_transpose_take_apart(cpb_transpose_encoder *e, cpb_span record);

#endif
