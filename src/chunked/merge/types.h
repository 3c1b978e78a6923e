/* Applies the message's schema, if there is one, to a merge. Without one every answer is "not known", and
 * ChunkInfo.type and the wire decide. */
#ifndef CPB_CHUNKED_MERGE_TYPES_H
#define CPB_CHUNKED_MERGE_TYPES_H

#include "chunked/merge/targets.h"

/* Field `number` of the message of `parent`, or NULL. */
const cpb_field *cpb_types_field(const cpb_merge_tree *tree, uint32_t parent, uint64_t number);

/* Checks a tag from `base`, and adapts it to the field's type: a map's key gets the type of keys, and a field that is
 * not a map gets an element. Returns the problem, or NULL. */
const char *cpb_types_adapt(cpb_merge_tree *tree, uint32_t base, cpb_tag *tag);

/* Why the target cannot be a chunk's, or NULL. */
const char *cpb_types_refuse(const cpb_merge_tree *tree, uint32_t target);

/* The effect of a chunk of this ChunkInfo.type on the target. */
cpb_op_kind cpb_types_op(const cpb_merge_tree *tree, uint32_t target, uint32_t chunk_type);

/* Adds targets for the other members of oneofs. When a member is merged, the earlier content of the others is marked
 * for removal. */
bool cpb_types_add_shadows(cpb_merge_tree *tree);
void cpb_types_clear_oneof(cpb_merge_tree *tree, uint32_t target, uint32_t num_patches);

#endif
