/* cpb/checkpoint.h: the tensors that are stored in a TensorFlow checkpoint.
 *
 * The values of a SavedModel's variables are in the folder variables/ next to it: in data files,
 * such as variables.data-00000-of-00001, called shards. The index, variables.index, lists the
 * tensors with their keys and places. A cpb_checkpoint reads the index, which is small, and not the
 * shards. A checkpoint of version 1 is a single file with index and values; only its list of
 * tensors is read.
 *
 *     cpb_checkpoint *checkpoint = cpb_checkpoint_new(NULL, NULL);
 *     while ((step = cpb_checkpoint_step(checkpoint)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_checkpoint_input(checkpoint));
 *     if (step == CPB_STEP_DONE) stored = cpb_checkpoint_find(checkpoint, key, key_size);
 *     if (stored) ...stored->size bytes at stored->offset of shard stored->shard...
 *
 * cpb_model_set_checkpoint() (cpb/model.h) tells a SavedModel which key belongs to
 * which variable; cpb_values (cpb/values.h) reads the values.
 * (https://github.com/tensorflow/tensorflow, core/util/tensor_bundle; in our words
 * docs/checkpoint-format.md) */
#ifndef CPB_CHECKPOINT_H
#define CPB_CHECKPOINT_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_checkpoint cpb_checkpoint;

/* The key of the object graph: a string tensor with the TrackableObjectGraph, which has the key of
 * each variable. Checkpoints of TensorFlow 1 lack it. */
#define CPB_CHECKPOINT_GRAPH "_CHECKPOINTABLE_OBJECT_GRAPH"

typedef struct cpb_checkpoint_options {
  /* sizeof(cpb_checkpoint_options) */
  size_t struct_size;

  /* Bytes for the entries of the index, and for one of its blocks. Default 256
   * MiB; 64 MiB if size_t has 32 bits. */
  uint64_t max_memory;

  /* `window`, `held`, `walked` and `entries` count. */
  const cpb_limits *limits;
} cpb_checkpoint_options;

/* A stored tensor. In version 1, `crc32c` and `offset` are meaningless, `shard` is
 * 0, the checkpoint's only file, and `size` follows from type and shape, 0 for
 * strings. */
typedef struct cpb_stored {
  /* UTF-8; the keys of slices may be any bytes. */
  const char *key;
  size_t key_size;

  /* A number of tensorflow.DataType. */
  uint32_t dtype;

  /* `rank` numbers. */
  uint32_t rank;
  const uint64_t *shape;

  uint32_t shard;        /* from 0 */
  uint32_t crc32c;       /* CRC-32C of the values, masked as TensorFlow does it */
  uint64_t offset, size; /* the tensor's range of the shard, in bytes */

  /* Not 0: a partitioned variable, stored in this many slices, each under a key of its own that
   * begins with a 0 byte. shard, crc32c, offset and size are then meaningless. Slices of version 1
   * have no entries. */
  uint64_t slices;
} cpb_stored;

/* Its input is the index, or the file of version 1. Returns NULL when memory is
 * short. */
CPB_API cpb_checkpoint *cpb_checkpoint_new(const cpb_allocator *allocator, const cpb_checkpoint_options *options);
CPB_API void cpb_checkpoint_free(cpb_checkpoint *checkpoint);

/* CPB_STEP_NEED, then CPB_STEP_DONE: the tensors are known, and the input is no longer used; or
 * CPB_STEP_ERROR. Checks the checksums of everything that is read, the order of the keys, and that
 * ranges are possible. CPB_E_FORMAT: the input is not the index of a checkpoint; CPB_E_DAMAGED;
 * CPB_E_UNSUPPORTED: for another version of TensorFlow, or written by a big-endian machine;
 * CPB_E_LIMIT; CPB_E_MEMORY. Offsets of errors are in the index. */
CPB_API cpb_input *cpb_checkpoint_input(cpb_checkpoint *checkpoint);
CPB_API cpb_step cpb_checkpoint_step(cpb_checkpoint *checkpoint);
CPB_API const cpb_error *cpb_checkpoint_error(const cpb_checkpoint *checkpoint);

/* 2, or 1 for TensorFlow's old format of one file. This and the following functions are valid from
 * CPB_STEP_DONE on. */
CPB_API unsigned cpb_checkpoint_version(const cpb_checkpoint *checkpoint);

/* The number of shards. If there are 3, their names end in .data-00000-of-00003 and so
 * on. */
CPB_API uint32_t cpb_checkpoint_num_shards(const cpb_checkpoint *checkpoint);

/* The number of stored tensors, slices included, in the order of the keys as
 * bytes. */
CPB_API size_t cpb_checkpoint_count(const cpb_checkpoint *checkpoint);

/* Tensor number `i`, and the tensor with this key; NULL if it does not exist. Part
 * of the checkpoint. */
CPB_API const cpb_stored *cpb_checkpoint_get(const cpb_checkpoint *checkpoint, size_t i);
CPB_API const cpb_stored *cpb_checkpoint_find(const cpb_checkpoint *checkpoint, const char *key, size_t key_size);

#ifdef __cplusplus
}
#endif
#endif
