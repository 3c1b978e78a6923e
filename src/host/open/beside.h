/* The files next to a SavedModel. */
#ifndef CPB_HOST_BESIDE_H
#define CPB_HOST_BESIDE_H

#include "host/open/model_state.h"

/* Loads the files that `beside` (CPB_BESIDE_ bits) selects, unless done already. False with the error set, and blames
 * the file that cannot be read. */
bool cpb_beside_load(cpb_model_file *f, unsigned beside, cpb_error *error);

/* Opens a data file of the checkpoint as f->shard, unless it is open, and closes the previous one. From then on it is
 * blamed for errors. False with the error set; `*absent` tells whether the file does not exist. */
bool cpb_beside_use_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error);

/* Its path, whether it exists or not; from then on the file is blamed for errors. NULL with the error set. */
const char *cpb_beside_shard_path(cpb_model_file *f, uint32_t shard, cpb_error *error);

/* Whether the checkpoint's values are in the model's own file: the model is a checkpoint of version 1. */
bool cpb_beside_is_within(const cpb_model_file *f);

#endif
