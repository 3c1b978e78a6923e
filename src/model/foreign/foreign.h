/* Identifies files that are not models of a known kind, by their first and last bytes alone. */
#ifndef CPB_MODEL_FOREIGN_FOREIGN_H
#define CPB_MODEL_FOREIGN_FOREIGN_H

#include "cpb/model.h"
#include "model/foreign/rows.h"

/* `ends` as from cpb_ends_copy(). */
cpb_foreign cpb_foreign_look(const cpb_file_ends *ends);

#endif
