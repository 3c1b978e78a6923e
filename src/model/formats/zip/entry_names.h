/* Recognizes models in an archive by their file names, ignoring ASCII case. */
#ifndef CPB_MODEL_FORMATS_ZIP_ENTRY_NAMES_H
#define CPB_MODEL_FORMATS_ZIP_ENTRY_NAMES_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether the last part of the name is this. */
bool cpb_is_entry_called(cpb_span name, const char *file);

/* How certain it is that the entry is a model: 2 by its name, 1 if no other entry is more certain, or 0. */
int cpb_entry_model_rank(cpb_span name);

#endif
