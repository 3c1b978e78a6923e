/* The files beside a SavedModel. */
#ifndef CPB_HOST_BESIDE_H
#define CPB_HOST_BESIDE_H

#include "host/model_state.h"

/* Loads those that `beside` (CPB_BESIDE_ bits) names and that are not settled. False with the
 * error set and the file blamed that cannot be read. */
bool cpb_beside_load(cpb_model_file *f, unsigned beside, cpb_error *error);

/* Opens a data file of the checkpoint as f->shard, unless it is, and closes the one before. It is then blamed for what
 * fails. False with the error set; `*absent` says whether that is because there is none. */
bool cpb_beside_use_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error);

/* Where it is, or would be; it is blamed from then on. NULL with the error set. */
const char *cpb_beside_shard_path(cpb_model_file *f, uint32_t shard, cpb_error *error);

/* Whether the checkpoint's values are in the model's own file: one of version 1 by itself. */
bool cpb_beside_is_within(const cpb_model_file *f);

#endif
