/* The files beside a SavedModel. */
#ifndef CPB_HOST_BESIDE_H
#define CPB_HOST_BESIDE_H

#include "host/model_state.h"

/* Loads those that `beside` (CPB_BESIDE_ bits) names and that are not settled. False with the
 * error set and the file blamed that cannot be read. */
bool cpb_beside_load(cpb_model_file *f, unsigned beside, cpb_error *error);

/* A data file of the checkpoint, which is then blamed for what fails. NULL with the error
 * set; `*absent` says whether that is because there is none. */
cpb_file *cpb_beside_open_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error);

#endif
