/* Flattens the tree of chunked fields in the index into a list of operations, each "merge (or set) chunk C at target
 * T", in the order of TensorFlow's Merger: within one ChunkedMessage by field tag, then by chunk index; chunks inside
 * of a field directly after it. */
#ifndef CPB_CHUNKED_MERGE_TREE_H
#define CPB_CHUNKED_MERGE_TREE_H

#include "chunked/merge/targets.h"

/* The cpb_chunk_type of a chunk. */
typedef uint32_t cpb_chunk_type_of(const void *user, uint64_t chunk);

/* The target of a node whose parent has the target `base`, created if necessary; CPB_NONE with the error set. With
 * tree->only, `*on` is how far the path of `base` agrees with the wanted field's, and is updated for the node; if it
 * becomes CPB_ON_BESIDE, the result is the target at which the node leaves the path, where `*before` elements must
 * exist. */
uint32_t cpb_merge_tree_target(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t *on, uint64_t *before);

/* Fills targets and ops. False with the error set. */
bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user);

#endif
