/* Whether all of the models' code is linked, or only the part for a first look, as in most WebAssembly modules. */
#ifndef CPB_MODEL_COMMON_WHOLE_H
#define CPB_MODEL_COMMON_WHOLE_H

#include <stdbool.h>

#include "base/status.h"

/* With CPB_MODEL_LINKED each module decides when it is linked. */
#ifdef CPB_MODEL_LINKED
extern const bool cpb_has_whole_model;
#  define CPB_WITH_WHOLE_MODEL cpb_has_whole_model
#else
#  define CPB_WITH_WHOLE_MODEL true
#endif

static inline bool cpb_is_whole_model(cpb_error *error) {
  if (!CPB_WITH_WHOLE_MODEL) cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "this module has no answer to that");
  return CPB_WITH_WHOLE_MODEL;
}

#endif
