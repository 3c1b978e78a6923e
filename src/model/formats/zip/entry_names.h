/* What the names of files in an archive tell: which of them are models. The case of ASCII letters does not count. */
#ifndef CPB_MODEL_FORMATS_ZIP_ENTRY_NAMES_H
#define CPB_MODEL_FORMATS_ZIP_ENTRY_NAMES_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether the last part of the name is this. */
bool cpb_is_entry_called(cpb_span name, const char *file);

/* How surely it is a model: 2 by its name, 1 if nothing in the archive is more, or 0. */
int cpb_entry_model_rank(cpb_span name);

#endif
