/* Flattens the tree of chunked fields in the index into a list of operations, each "merge (or set)
 * chunk C at target T", in the order in which TensorFlow's Merger executes them: within one
 * ChunkedMessage by field tag, then by chunk index; what is chunked inside of a field directly
 * after it. */
#ifndef CPB_CHUNKED_MERGE_TREE_H
#define CPB_CHUNKED_MERGE_TREE_H

#include "chunked/merge/targets.h"

/* The cpb_chunk_type of a chunk. */
typedef uint32_t cpb_chunk_type_of(const void *user, uint64_t chunk);

/* Fills targets and ops. False with the error set. */
bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user);

#endif
