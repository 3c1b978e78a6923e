/* Flattens the tree of chunked fields in the index into a list of operations, each "merge (or set)
 * chunk C at target T", in the order in which TensorFlow's Merger executes them: within one
 * ChunkedMessage by field tag, then by chunk index; what is chunked inside of a field directly
 * after it. */
#ifndef CPB_CHUNKED_MERGE_TREE_H
#define CPB_CHUNKED_MERGE_TREE_H

#include "chunked/merge/targets.h"

/* The cpb_chunk_type of a chunk. */
typedef uint32_t cpb_chunk_type_of(const void *user, uint64_t chunk);

/* The target of a node whose parent's is `base`, made if it is not there; CPB_NONE with the error set. With
 * tree->only, `*on` is how far the way to `base` is that of the field which is wanted, and becomes how far the
 * node's is; if CPB_ON_BESIDE, the target returned is the one at which it leaves the way, in which `*before`
 * elements must be. */
uint32_t cpb_merge_tree_target(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t *on, uint64_t *before);

/* Fills targets and ops. False with the error set. */
bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user);

#endif
