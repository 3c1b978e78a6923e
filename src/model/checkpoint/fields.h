/* Field numbers of the messages in a checkpoint (tensorflow/core/protobuf/tensor_bundle.proto,
 * trackable_object_graph.proto, framework/tensor_slice.proto). */
#ifndef CPB_MODEL_CHECKPOINT_FIELDS_H
#define CPB_MODEL_CHECKPOINT_FIELDS_H

#include "model/common/tensor/fields.h"

#define CPB_STORED_RANK_MAX 254

enum { BUNDLE_SHARDS = 1, BUNDLE_ENDIANNESS = 2, BUNDLE_VERSION = 3 };
enum {
  ENTRY_DTYPE = 1,
  ENTRY_SHAPE = 2,
  ENTRY_SHARD = 3,
  ENTRY_OFFSET = 4,
  ENTRY_SIZE = 5,
  ENTRY_CRC = 6,
  ENTRY_SLICES = 7
};
enum { SLICE_EXTENT = 1, EXTENT_START = 1, EXTENT_LENGTH = 2 };

enum { TRACKABLE_NODES = 1 };
enum { TRACKABLE_CHILDREN = 1, TRACKABLE_ATTRIBUTES = 2, TRACKABLE_SLOTS = 3 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_KEY = 3 };

#endif
