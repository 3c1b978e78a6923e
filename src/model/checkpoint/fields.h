/* Field numbers of the messages in a checkpoint (tensorflow/core/protobuf/tensor_bundle.proto,
 * trackable_object_graph.proto, framework/tensor_slice.proto). */
#ifndef CPB_MODEL_CHECKPOINT_FIELDS_H
#define CPB_MODEL_CHECKPOINT_FIELDS_H

#include "model/common/tensor/tensor.h"

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
/* Version 1: util/saved_tensor_slice.proto */
enum { SAVED_META = 1, SAVED_DATA = 2, META_TENSOR = 1, META_VERSIONS = 2 };
enum { SAVED_NAME = 1, SAVED_SHAPE = 2, SAVED_TYPE = 3, SAVED_SLICES = 4 };
enum { DATA_TENSOR = 3 };
enum { SLICE_EXTENT = 1, EXTENT_START = 1, EXTENT_LENGTH = 2 };

enum { TRACKABLE_NODES = 1 };
enum { TRACKABLE_CHILDREN = 1, TRACKABLE_ATTRIBUTES = 2, TRACKABLE_SLOTS = 3 };
enum { CHILD_NODE = 1, CHILD_NAME = 2 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_KEY = 3 };
enum { KEPT_SLOT = 3 };

#endif
