/* A folder of checkpoints, in which TensorFlow keeps a file `checkpoint` that names the latest one. */
#ifndef CPB_HOST_LATEST_H
#define CPB_HOST_LATEST_H

#include <stdbool.h>

#include "cpb/file.h"

#define CPB_LATEST_ROOM 240

/* The last part of the path in the file, which is the checkpoint's place when it was saved. Takes `file` over. */
bool cpb_latest_checkpoint(const cpb_allocator *a, cpb_file *file, char out[CPB_LATEST_ROOM]);

#endif
