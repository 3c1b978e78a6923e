/* The plan of a split, made in one pass over the input: which fields go into which chunk.
 *
 * The walk reports which messages it enters and leaves, which fields it keeps and which it moves out. The plan keeps,
 * in the order of the input, an edit for each field whose length changes: an entered message that lost something (the
 * header is rewritten and its contents follow), or a message or value that moved out (an empty field is left and its
 * contents are skipped). A chunk is then a range of the input with the edits in that range, and needs no other list.
 *
 * An entered message stays in its parent until the rest of it exceeds its bound; then it becomes a chunk of its own,
 * with everything that was planned inside it (`promote`). A full chunk is cut before the field that no longer fits, and
 * continues as a slice (`cut`). */
#ifndef CPB_CHUNKED_SPLIT_PLAN_H
#define CPB_CHUNKED_SPLIT_PLAN_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "chunked/index/metadata.h"
#include "cpb/base.h"
#include "cpb/chunked.h"
#include "cpb/message.h"
#include "cpb/split.h"
#include "proto/wire.h"
#include "riegeli/codec/compressor.h"

/* --- facts ------------------------------------------------------------------------------------ */

/* The properties of a field that splitting depends on. */

typedef enum cpb_fact_kind {
  CPB_FACT_OTHER = 0, /* numbers, repeated strings, groups, unknown fields */
  CPB_FACT_BYTES,     /* a singular string or bytes field */
  CPB_FACT_MESSAGE,
  CPB_FACT_MAP /* whose values are messages */
} cpb_fact_kind;

typedef struct cpb_split_facts {
  cpb_fact_kind kind;
  const char *name;
  const cpb_message_type *type; /* MESSAGE; MAP: of the values */
  bool repeated;
  int32_t oneof;    /* -1: not in a oneof; also set for OTHER */
  cpb_tag_kind key; /* MAP: how the key is written in a field tag;
                        0 when it cannot be */
} cpb_split_facts;

cpb_split_facts cpb_split_facts_of(const cpb_message_type *type, uint32_t number);

/* Whether it has required fields: an empty message in its place would be invalid. */
bool cpb_split_requires(const cpb_message_type *type);

/* --- decide ----------------------------------------------------------------------------------- */

/* Asking the splitters. */

typedef struct cpb_split_rules {
  const cpb_splitter *splitters; /* the caller's */
  size_t num_splitters;
  uint64_t max_chunk_size, inline_max;
} cpb_split_rules;

/* The decision of the first splitter that makes one: the caller's, then TensorFlow's, then the generic rule. Zeros are
 * replaced by their defaults. If `peek` exceeds field->data_size, the caller must ask again with that many bytes. */
void cpb_split_decide(const cpb_split_rules *rules, const cpb_split_field *field, cpb_split_decision *decision);

/* --- seen ------------------------------------------------------------------------------------- */

/* Records the earlier fields of the messages that are open in the walk.
 *
 * A field's value may be cut only if a parser would end up with that value. This is not the case if a singular field
 * occurs again (parsers merge messages, and take the last of other values), if another member of its oneof follows, or
 * if a map's key occurs again. Serializers write none of these, so the walk cuts first; when it discovers one of them,
 * it restarts without that cut. */

typedef struct cpb_seen_field {
  uint64_t count; /* number of occurrences in its message so far */
  uint64_t cut;   /* where the occurrence that was cut begins, or CPB_NO_OFFSET */
  uint32_t number;
  int32_t oneof; /* -1: none */
} cpb_seen_field;

typedef struct cpb_seen_key {
  uint64_t hash;
  uint64_t entry; /* where the map entry that was cut begins */
  cpb_ordered_links links;
} cpb_seen_key;

typedef struct cpb_split_seen {
  const cpb_allocator *allocator;
  cpb_seen_field *fields; /* of all open messages, the innermost one's last */
  size_t num_fields, fields_capacity;
  cpb_seen_key *keys; /* in a tree ordered by their hashes, which the input determines */
  size_t num_keys, keys_capacity;
  uint32_t root; /* of the tree */
} cpb_split_seen;

void cpb_seen_init(cpb_split_seen *s, const cpb_allocator *a);
void cpb_seen_free(cpb_split_seen *s);
void cpb_seen_clear(cpb_split_seen *s);

/* The entry of a field in the message whose fields begin at fields[first]; created with count 0. NULL if memory is
 * short. Valid until the next call. */
cpb_seen_field *cpb_seen_get(cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Where a cut occurrence begins that this field, or this member of the oneof, now makes wrong; or CPB_NO_OFFSET. */
uint64_t cpb_seen_conflict(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Whether another member of the oneof has occurred. */
bool cpb_seen_rival(const cpb_split_seen *s, size_t first, uint32_t number, int32_t oneof);

/* Keys are identified by a hash of the map and the key; two keys with the same hash count as equal, which only costs a
 * cut. */
uint64_t cpb_seen_hash(uint64_t seed, const void *data, size_t size);
uint64_t cpb_seen_key_find(const cpb_split_seen *s, uint64_t hash); /* its entry */
bool cpb_seen_key_add(cpb_split_seen *s, uint64_t hash, uint64_t entry);

/* --- plan ------------------------------------------------------------------------------------- */

#define CPB_PLAN_NONE UINT32_MAX

typedef struct cpb_plan_edit {
  uint64_t begin; /* of the field's tag in the input */
  uint64_t next;  /* where the input continues after the new header */
  uint64_t size;  /* the new length */
  size_t after;   /* the next edit of the same chunk */
  uint32_t number;
} cpb_plan_edit;

typedef struct cpb_plan_chunk {
  uint64_t begin, end; /* in the input */
  uint64_t size;       /* of the chunk: the range after its edits */
  uint64_t position;   /* in the output, once it was written; or in another file that has the chunk */
  size_t first_edit;
  size_t first_tag;  /* its field tag, relative to the owner's message */
  uint32_t num_tags; /* none: a slice of the owner */
  uint32_t owner;    /* the chunk whose message it was taken from */
  int32_t order;
  bool is_bytes;
  bool elsewhere; /* not written, because a base has it */
} cpb_plan_chunk;

/* An entered message. */
typedef struct cpb_plan_frame {
  cpb_wire_field field;
  size_t edit;
  uint32_t chunk;       /* its first chunk; CPB_PLAN_NONE while it is in place */
  uint32_t slice;       /* the chunk being filled */
  uint32_t first_chunk; /* chunks from here on were planned inside it */
  uint32_t num_tags;    /* of the field tag, from the parent to here */
  uint64_t kept;        /* bytes of its finished fields that stay in this slice */
  uint64_t keep_max, slice_max;
  size_t text_begin; /* of its map key in `path_text` */
  int32_t order;
} cpb_plan_frame;

typedef struct cpb_plan {
  cpb_allocator allocator; /* the meter's */
  cpb_meter *meter;        /* charged with each edit, chunk and tag */
  cpb_error *error;
  uint64_t max_chunks;
  cpb_plan_edit *edits;
  size_t num_edits, edits_capacity;
  cpb_plan_chunk *chunks;
  size_t num_chunks, chunks_capacity;
  cpb_tag *tags; /* of the chunks' field tags; keys are in `text` */
  size_t num_tags, tags_capacity;
  cpb_buffer text;
  /* while planning */
  cpb_plan_frame *frames;
  size_t depth, frames_capacity;
  cpb_tag *path; /* from the root to the innermost frame; keys in path_text */
  size_t num_path, path_capacity;
  cpb_buffer path_text;
} cpb_plan;

/* The place of a message or value in its parent. */
typedef struct cpb_plan_place {
  cpb_wire_field field; /* the field whose contents may change */
  cpb_tag tags[2];      /* its field tag; a string key's bytes are in `key` */
  uint32_t num_tags;
  cpb_span key;
} cpb_plan_place;

/* `meter` and `error` must outlive the plan. */
void cpb_plan_init(cpb_plan *p, cpb_meter *meter, cpb_error *error);
void cpb_plan_free(cpb_plan *p);

/* Forgets everything and begins with the root message of `size` bytes. */
bool cpb_plan_begin(cpb_plan *p, uint64_t size, uint64_t slice_max);

/* Enters a message of the innermost frame. The message moves out if more than `keep_max` bytes stay in it, and is cut
 * into slices of `slice_max`. A place without tags is a map's entry: it leads to the value and never becomes a
 * chunk. */
bool cpb_plan_enter(cpb_plan *p, const cpb_plan_place *place, uint64_t keep_max, uint64_t slice_max, int32_t order);
/* Turns the innermost frame into a chunk at once. */
bool cpb_plan_move(cpb_plan *p);
bool cpb_plan_leave(cpb_plan *p);

/* Keeps `size` bytes from `begin`, whole fields of the innermost frame. */
bool cpb_plan_keep(cpb_plan *p, uint64_t begin, uint64_t size);
/* Moves out the value of a string or bytes field of the innermost frame. */
bool cpb_plan_move_bytes(cpb_plan *p, const cpb_plan_place *place, int32_t order);

/* Sorts the chunks into the order of the file, and frees memory that only planning needs. */
bool cpb_plan_finish(cpb_plan *p);

/* Adds the planned chunks, with their positions, to an empty index. */
bool cpb_plan_index(const cpb_plan *p, cpb_metadata *m, cpb_error *error);

/* --- Reading a chunk off the plan ------------------------------------------ */

typedef struct cpb_plan_cursor {
  uint64_t pos, end; /* in the input */
  size_t edit;
} cpb_plan_cursor;

/* A piece of a chunk: a range of the input, or a few bytes to be written. */
typedef struct cpb_plan_piece {
  uint64_t offset, length; /* length 0: literal */
  uint8_t literal[CPB_WIRE_HEADER_MAX];
  size_t literal_size;
} cpb_plan_piece;

void cpb_plan_open(const cpb_plan *p, size_t chunk, cpb_plan_cursor *cursor);
bool cpb_plan_next(const cpb_plan *p, cpb_plan_cursor *cursor, cpb_plan_piece *piece);

/* --- chunk bytes ------------------------------------------------------------------------------ */

/* The bytes of a planned chunk, from the input and from the plan's own bytes between. */

typedef struct cpb_split_bytes {
  cpb_plan_cursor cursor;
  cpb_plan_piece piece;
  bool open; /* not all of `piece` was returned */
} cpb_split_bytes;

void cpb_split_bytes_begin(cpb_split_bytes *b, const cpb_plan *plan, size_t chunk);

/* The next bytes, at most `most` of the input; empty at the chunk's end. They are valid until more of the input is
 * requested. CPB_WAIT; CPB_FAILED with the error set. */
cpb_have cpb_split_bytes_next(cpb_split_bytes *b, const cpb_plan *plan, cpb_input *input, size_t most, cpb_span *span,
                              cpb_error *error);

/* Returns the result, and sets the error, for an input that lacks bytes at `offset` which the plan has seen. */
cpb_have cpb_split_input_failed(const cpb_input *input, cpb_have have, uint64_t offset, cpb_error *error);

/* --- sample ----------------------------------------------------------------------------------- */

/* Does a chunk compress? Tried on some of its beginning and, for a large
 * value, of its middle. */

typedef struct cpb_split_sample {
  cpb_allocator allocator;
  cpb_compressor *compressor; /* made when first used */
  cpb_buffer bytes, packed;
  size_t chunk; /* that the sample is of; CPB_SAMPLE_NONE */
  bool in_middle;
  cpb_plan_cursor cursor;
  cpb_plan_piece piece;
  bool piece_open; /* not all of `piece` was taken */
} cpb_split_sample;

#define CPB_SAMPLE_NONE SIZE_MAX
#define CPB_SAMPLE_SIZE 65536

/* `*codec` is Zstd if that saves a tenth of the bytes or more, otherwise none. `*c` is made if it is NULL, for further
 * calls. */
bool cpb_sample_codec(const cpb_allocator *a, cpb_compressor **c, const cpb_buffer *bytes, cpb_buffer *packed,
                      cpb_codec *codec, cpb_error *error);

void cpb_split_sample_init(cpb_split_sample *s, const cpb_allocator *a);
void cpb_split_sample_free(cpb_split_sample *s);

/* The same for a chunk of the plan. CPB_WAIT: for input. CPB_FAILED: with `error` set. */
cpb_have cpb_split_sample_codec(cpb_split_sample *s, const cpb_plan *plan, size_t chunk, cpb_input *input,
                                cpb_codec *codec, cpb_error *error);

#endif
