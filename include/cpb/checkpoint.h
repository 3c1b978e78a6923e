/* cpb/checkpoint.h: what a TensorFlow checkpoint has stored, and where.
 *
 * The values of a SavedModel's variables lie beside it in variables/: an index,
 * variables.index, and data files such as variables.data-00000-of-00001 (the shards). The
 * index, which is small, is given as a whole; what it says is checked, and nothing else of
 * a checkpoint is read here.
 *
 *     cpb_checkpoint *checkpoint = cpb_checkpoint_new(NULL, index, size, NULL, &error);
 *     const cpb_stored *stored = cpb_checkpoint_find(checkpoint, key, key_size);
 *
 * cpb_model_set_checkpoint (cpb/model.h) tells a SavedModel of it, which then knows which
 * variable has which key; cpb_values (cpb/values.h) reads what is stored. The format is in
 * docs/checkpoint-format.md. */
#ifndef CPB_CHECKPOINT_H
#define CPB_CHECKPOINT_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_checkpoint cpb_checkpoint;

/* The key of the object graph, a text that says which variable has which key. */
#define CPB_CHECKPOINT_GRAPH "_CHECKPOINTABLE_OBJECT_GRAPH"

/* Zero means the default. */
typedef struct cpb_checkpoint_options {
  size_t struct_size;       /* sizeof(cpb_checkpoint_options) */
  uint64_t max_memory;      /* bytes for what the index says; default 256 MiB (64 MiB
                               where size_t has 32 bits) */
  const cpb_limits *limits; /* `window` counts */
} cpb_checkpoint_options;

/* A tensor in a checkpoint. */
typedef struct cpb_stored {
  const char *key; /* UTF-8 but for keys of slices, which may have any bytes */
  size_t key_size;
  uint32_t dtype; /* a number in tensorflow.DataType */
  uint32_t rank;
  const uint64_t *shape; /* `rank` numbers */
  uint32_t shard;        /* which data file, from 0 */
  uint32_t crc32c;       /* of the values, masked as TensorFlow does it */
  uint64_t offset, size; /* where in that file, in bytes */
  uint64_t slices;       /* not 0: it is stored in so many parts, each under a key of
                            its own, which begins with a 0 byte; shard, crc32c, offset
                            and size mean nothing then */
} cpb_stored;

/* Reads an index, of which nothing is used afterwards. Every checksum is checked, keys must
 * be in order and ranges possible. An error's offset is one in the index. */
CPB_API cpb_checkpoint *cpb_checkpoint_new(const cpb_allocator *allocator, const void *index, size_t size,
                                           const cpb_checkpoint_options *options, cpb_error *error);
CPB_API void cpb_checkpoint_free(cpb_checkpoint *checkpoint);

/* The data files are named BASE.data-00000-of-00003, if there are three. */
CPB_API uint32_t cpb_checkpoint_num_shards(const cpb_checkpoint *checkpoint);

/* All that is stored, in the order of the keys (as bytes); slices, too. */
CPB_API size_t cpb_checkpoint_count(const cpb_checkpoint *checkpoint);
/* Valid as long as the checkpoint; NULL when there is none. */
CPB_API const cpb_stored *cpb_checkpoint_get(const cpb_checkpoint *checkpoint, size_t i);
CPB_API const cpb_stored *cpb_checkpoint_find(const cpb_checkpoint *checkpoint, const char *key, size_t key_size);

#ifdef __cplusplus
}
#endif
#endif
