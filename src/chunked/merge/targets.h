/* Where something is merged in the message: the paths of all operations, joined into one tree, so that a
 * chunk is walked once for all the paths that lead into it:
 *
 *     root -- [2] -- index 0 -- [1] -- index 7 -- [4]
 *                            \- [4]
 *
 * A field's target stands for the field itself (singular), or is the holder of its elements' or map
 * entries' targets. A map entry's value is its field 2. */
#ifndef CPB_CHUNKED_MERGE_TARGETS_H
#define CPB_CHUNKED_MERGE_TARGETS_H

#include "base/column.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "chunked/index/metadata.h"
#include "cpb/message.h"

#define CPB_NONE UINT32_MAX
#define CPB_ROOT 0u
#define CPB_FIELD_NUMBER_MAX 536870911u

/* The kind of a target's children. */
typedef enum cpb_target_form {
  CPB_FORM_LEAF = 0,
  CPB_FORM_MESSAGE,  /* fields of the existing message */
  CPB_FORM_ELEMENTS, /* elements of this repeated field */
  CPB_FORM_ENTRIES   /* entries of this map */
} cpb_target_form;

/* The members that every target has: a file may have a million targets. */
typedef struct cpb_target {
  uint64_t value;  /* the tag: field number, index, key or text offset */
  uint32_t length; /* of a string key */
  uint32_t parent;
  uint32_t more; /* index of its cpb_target_more; 0: none */
  /* The state of the walk (walk.c). */
  uint32_t next_live;               /* of the parent's live children */
  uint32_t anchor;                  /* the patch that writes it; CPB_NONE: an insert */
  uint32_t first_range, last_range; /* of its content; with `whole`, the first is the chunk */
  uint8_t kind : 4;                 /* FIELD, INDEX, KEY_STRING, or KEY_UINT64 for other keys; root: 0 */
  uint8_t form : 2;                 /* a cpb_target_form */
  uint8_t ops : 2;                  /* operations that depend on its earlier content: none, one, or 2 for several */
  bool live : 1;                    /* it is in the message */
  bool merged : 1;                  /* an operation on it was done */
  bool apart : 1;                   /* leaf: it occurs several times, so a merged value becomes a further occurrence */
  bool is_number : 1;               /* an occurrence is a number, and the type is unknown */
  bool bare : 1;                    /* its new content, a number, includes its tag */
  bool hidden : 1;                  /* a message with an unreadable chunk, which may have any fields (losses.c) */
  bool shadow : 1;  /* without an operation: another member of a oneof, whose patches numbered below `anchor` are
                     * dropped */
  bool whole : 1;   /* leaf: its content is one chunk, for which it needs no range */
  bool crowded : 1; /* the positions of the fields in its ranges are unknown */
} cpb_target;

/* The members that few targets need: those with children, or with a known type. */
typedef struct cpb_target_more {
  const cpb_field *field; /* FIELD, if the type is known; elements and entries use the field of their parent */
  uint32_t children;      /* the first child if they are in a row, else the root of the ordered tree of its children */
  uint32_t row;           /* number of children, if they are numbered consecutively in the order of their tags; else
                           * 0 */
  uint32_t first_live;    /* live child */
  uint32_t first_insert, last_insert;
  uint64_t count; /* FIELD: occurrences so far */
} cpb_target_more;

typedef enum cpb_op_kind {
  CPB_OP_TOUCH, /* make it exist, if only empty */
  CPB_OP_MERGE,
  CPB_OP_SET,
  CPB_OP_NUMBER, /* set it to the number that the chunk has as text */
  CPB_OP_BESIDE  /* make it exist, with `chunk` elements (plan_for.c) */
} cpb_op_kind;

typedef struct cpb_merge_op {
  uint32_t target;
  uint32_t chunk;
  cpb_op_kind kind;
} cpb_merge_op;

/* By operation. */
typedef struct cpb_op_columns {
  cpb_column target, chunk, kind;
} cpb_op_columns;

/* No elements of `holder` from number `begin` up to number `end` have targets: most elements of a repeated field need
 * no search. */
typedef struct cpb_target_gap {
  uint32_t holder;
  uint64_t begin, end;
} cpb_target_gap;

typedef struct cpb_merge_only cpb_merge_only;

typedef struct cpb_merge_tree {
  cpb_allocator allocator;
  cpb_error *error;
  const cpb_metadata *metadata;
  const cpb_message_type *type; /* of the merged message, or NULL */
  cpb_merge_only *only;         /* the part to plan; NULL: all */
  cpb_meter *meter;             /* an entry for each target, operation, range, patch, insert and segment */
  uint64_t position;            /* of the index in the file, for errors */
  uint32_t max_key;             /* length of the longest string key */
  bool has_oneofs;
  cpb_target *targets;
  size_t num_targets, targets_capacity;
  cpb_target_more *more; /* the first one belongs to all targets without one, and never changes */
  size_t num_more, more_capacity;
  cpb_ordered_links *links; /* of the targets that are in an ordered tree */
  size_t links_capacity;
  cpb_target_gap gap; /* the last one found */
  uint32_t greatest;  /* the last child, in order, of its parent; CPB_ROOT: unknown */
  cpb_op_columns ops;
  size_t num_ops;
} cpb_merge_tree;

void cpb_merge_tree_init(cpb_merge_tree *tree, const cpb_allocator *a, const cpb_metadata *metadata, cpb_meter *meter,
                         cpb_error *error);

/* Call it before making an item of the plan. False with the error set. */
bool cpb_merge_tree_charge(cpb_merge_tree *tree);
void cpb_merge_tree_free(cpb_merge_tree *tree);
/* Frees the data that only the walk needs: operations, and the order of children. */
void cpb_merge_tree_finish(cpb_merge_tree *tree);

static inline cpb_merge_op cpb_merge_tree_op(const cpb_merge_tree *tree, size_t i) {
  const cpb_op_columns *c = &tree->ops;
  return (cpb_merge_op){(uint32_t)cpb_column_get(&c->target, i), (uint32_t)cpb_column_get(&c->chunk, i),
                        (cpb_op_kind)cpb_column_get(&c->kind, i)};
}

/* For reading. */
static inline const cpb_target_more *cpb_target_more_of(const cpb_merge_tree *tree, const cpb_target *t) {
  return &tree->more[t->more];
}

/* For writing: creates it if the target has none; NULL with the error set. Valid until the next one is created. */
cpb_target_more *cpb_target_make_more(cpb_merge_tree *tree, uint32_t target);

/* The field whose value the target is, or NULL if unknown. */
static inline const cpb_field *cpb_target_field(const cpb_merge_tree *tree, uint32_t target) {
  const cpb_target *t = &tree->targets[target];
  return t->kind == CPB_TAG_FIELD || t->kind == 0 ? cpb_target_more_of(tree, t)->field
                                                  : cpb_target_more_of(tree, &tree->targets[t->parent])->field;
}

/* A repeated field that is named without an index: merged values are appended. */
static inline bool cpb_target_appends(const cpb_merge_tree *tree, const cpb_target *t) {
  const cpb_field *field = cpb_target_more_of(tree, t)->field;
  return t->apart || (field && field->repeated && t->form == CPB_FORM_LEAF);
}

/* Adds a target, with its field if known; CPB_NONE with the error set. */
uint32_t cpb_merge_tree_add(cpb_merge_tree *tree, cpb_target target, const cpb_field *field);

/* The child of `parent` with this tag, or CPB_NONE. `key` is for KEY_STRING. */
uint32_t cpb_merge_tree_find(const cpb_merge_tree *tree, uint32_t parent, uint8_t kind, uint64_t value, cpb_span key);

/* The child with an index; fast for ascending indices. */
uint32_t cpb_merge_tree_element(cpb_merge_tree *tree, uint32_t holder, uint64_t index);

/* Its text, if it is a string key. */
static inline cpb_span cpb_target_key(const cpb_merge_tree *tree, const cpb_target *t) {
  return (cpb_span){t->length > 0 ? tree->metadata->text.data + t->value : NULL, t->length};
}

/* The message that the target is a field of; for elements and entries that of
 * the repeated field. */
uint32_t cpb_target_owner(const cpb_merge_tree *tree, uint32_t target);
uint32_t cpb_target_number(const cpb_merge_tree *tree, uint32_t target);

/* --- tree ------------------------------------------------------------------------------------- */

/* Flattens the tree of chunked fields in the index into a list of operations, each "merge (or set) chunk C at target
 * T", in the order of TensorFlow's Merger: within one ChunkedMessage by field tag, then by chunk index; chunks inside
 * of a field directly after it. */

/* The cpb_chunk_type of a chunk. */
typedef uint32_t cpb_chunk_type_of(const void *user, uint64_t chunk);

/* The target of a node whose parent has the target `base`, created if necessary; CPB_NONE with the error set. With
 * tree->only, `*on` is how far the path of `base` agrees with the wanted field's, and is updated for the node; if it
 * becomes CPB_ON_BESIDE, the result is the target at which the node leaves the path, where `*before` elements must
 * exist. */
uint32_t cpb_merge_tree_target(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t *on, uint64_t *before);

/* Fills targets and ops. False with the error set. */
bool cpb_merge_tree_build(cpb_merge_tree *tree, uint64_t num_chunks, cpb_chunk_type_of *type_of, const void *user);

/* --- types ------------------------------------------------------------------------------------ */

/* Applies the message's schema, if there is one, to a merge. Without one every answer is "not known", and
 * ChunkInfo.type and the wire decide. */

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

/* --- only ------------------------------------------------------------------------------------- */

/* A plan for one field: chunked fields off the path to it are not planned. plan_for.c explains why this is
 * sufficient. */

#define CPB_ON_BESIDE (UINT32_MAX - 1) /* off the path */
#define CPB_ON_ALL UINT32_MAX          /* perhaps on it: everything below is planned */

typedef struct cpb_only_tag {
  cpb_tag_kind kind; /* FIELD, INDEX or KEY_STRING */
  uint64_t value;
  cpb_span text;
} cpb_only_tag;

/* Represents all chunked fields that leave the path at one tag. */
typedef struct cpb_only_beside {
  uint32_t node;   /* or CPB_NO_NODE */
  uint64_t before; /* elements that must exist already */
} cpb_only_beside;

/* Functions of plan_for.c are called through pointers, so that modules which do not use them do not link them. */
struct cpb_merge_only {
  cpb_only_tag *tags; /* of the path */
  cpb_only_beside *beside;
  uint32_t count;
  uint32_t left_at; /* the tag at which the path was last left */
  /* Follows a tag from `base`; `*on` is the number of the path's tags that were followed. */
  void (*follow)(struct cpb_merge_only *only, const cpb_merge_tree *tree, uint32_t base, cpb_tag tag, uint32_t *on,
                 uint64_t *before);
  /* Whether the node, a child of the message at `base`, is wanted. False with the error set. */
  bool (*choose)(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t on, bool *wanted);
};

#endif
