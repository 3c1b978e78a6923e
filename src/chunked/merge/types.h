/* What a merge knows from the message's schema, where it has one. Without one
 * everything here says "not known", and ChunkInfo.type and the wire decide. */
#ifndef CPB_CHUNKED_MERGE_TYPES_H
#define CPB_CHUNKED_MERGE_TYPES_H

#include "chunked/merge/targets.h"

/* Field `number` of the message that `parent` is, or NULL. */
const cpb_field *cpb_types_field(const cpb_merge_tree *tree, uint32_t parent, uint64_t number);

/* Checks a tag from `base`, and makes it what the field's type asks for: a
 * map's key of the key's type, an element where the field is no map. Returns
 * what is wrong with it, or NULL. */
const char *cpb_types_adapt(cpb_merge_tree *tree, uint32_t base, cpb_tag *tag);

/* Why the target cannot be that of a chunk, or NULL. */
const char *cpb_types_refuse(const cpb_merge_tree *tree, uint32_t target);

/* What a chunk of this ChunkInfo.type does to the target. */
cpb_op_kind cpb_types_op(const cpb_merge_tree *tree, uint32_t target, uint32_t chunk_type);

/* Adds targets for the other members of oneofs, and when one is merged says
 * that what they are in so far is to go. */
bool cpb_types_add_shadows(cpb_merge_tree *tree);
void cpb_types_clear_oneof(cpb_merge_tree *tree, uint32_t target, uint32_t num_patches);

#endif
